// Access to the library's C API that the subcommands share: an owned handle, errors as exceptions, backends by name,
// and the places of the installed files.
#pragma once

#include <libsgemm.h>

#include <string>
#include <vector>

namespace command {

class Handle {
 public:
  Handle();
  ~Handle() { libsgemm_destroy(handle_); }
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;
  operator libsgemm_handle_t() const { return handle_; }

 private:
  libsgemm_handle_t handle_ = nullptr;
};

struct Backend {
  int index;
  libsgemm_backend_info_t info;
};

// Throws Error with the library's message unless `status` is LIBSGEMM_SUCCESS.
void require(libsgemm_status_t status);

libsgemm_info_t last_info();
std::string version_text(int version);

std::vector<Backend> all_backends();

// Throws Error, listing the backends, if none has this name.
Backend find_backend(const std::string &name);

// As find_backend(); also throws Error, with the reason, if the backend is not available.
Backend find_available_backend(const std::string &name);

// Prints a line on stderr for each LIBSGEMM_ variable that is set and that the library does not know.
void print_stray_variables();

// Returns the reasons why there is no GPU: "cuda: no driver; hip: no plugin". Empty if there is one.
std::string why_no_gpu(const std::vector<Backend> &backends);

// Throws Error: no available backend has the kernel that --kernel names.
[[noreturn]] void refuse_kernel(const std::string &kernel);

// Kernels of all available backends.
std::vector<std::string> kernel_names();

bool has_kernel(const Backend &backend, const std::string &kernel);

// "openblas, device 0: AMD EPYC (Zen), 2 threads"; only the backend's name if it has not computed.
std::string describe_place(const libsgemm_info_t &info);

// "2 threads", "132 multiprocessors".
std::string units_text(int count, bool is_gpu);

// Threads of a CPU backend, multiprocessors of a GPU.
int compute_units(const std::string &backend, int device);

// Path of the running executable's folder, and of the libsgemm.so in use.
std::string executable_folder();
std::string library_file();

// "/a/b" for "/a/b/c", "." for "c".
std::string folder_of(const std::string &path);

}  // namespace command
