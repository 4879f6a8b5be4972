// Common parts of the subcommands.
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

// Backend cpu computes only sums of a given order: most calls for it run on the next backend.
inline bool computes_any_call(const Backend &backend) { return std::string("cpu") != backend.info.name; }

// Throws Error if there is no such backend.
Backend find_backend(const std::string &name);

// Also throws Error if the backend is not available.
Backend find_available_backend(const std::string &name);

// Reports on stderr the set LIBSGEMM_ variables that the library does not know.
void print_stray_variables();

// "cuda: no driver; hip: no plugin"; empty if there is a GPU.
std::string why_no_gpu(const std::vector<Backend> &backends);

[[noreturn]] void refuse_kernel(const std::string &kernel);

std::vector<std::string> kernel_names();

bool has_kernel(const Backend &backend, const std::string &kernel);

// "openblas, device 0: AMD EPYC (Zen), 2 threads"; only the backend if it has not computed.
std::string describe_place(const libsgemm_info_t &info);

std::string units_text(int count, bool is_gpu);

int compute_units(const std::string &backend, int device);

std::string executable_folder();
std::string library_file();

// "/a/b" for "/a/b/c", "." for "c".
std::string folder_of(const std::string &path);

}  // namespace command
