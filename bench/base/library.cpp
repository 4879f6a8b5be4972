#include "library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "command.h"
#include "process/env.h"
#include "process/nearest.h"

namespace command {

Handle::Handle() { require(libsgemm_create(&handle_)); }

void require(libsgemm_status_t status) {
  if (status == LIBSGEMM_SUCCESS) return;
  const libsgemm_info_t info = last_info();
  throw Error(info.message[0] != '\0' ? info.message : libsgemm_status_string(status));
}

libsgemm_info_t last_info() {
  libsgemm_info_t info;
  libsgemm_last_info(&info);
  return info;
}

std::string version_text(int version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

std::vector<Backend> all_backends() {
  std::vector<Backend> backends;
  for (int i = 0; i < libsgemm_backend_count(); ++i) {
    Backend backend{i, {}};
    require(libsgemm_backend_describe(i, &backend.info));
    backends.push_back(backend);
  }
  return backends;
}

Backend find_backend(const std::string &name) {
  std::vector<std::string> names;
  for (const Backend &backend : all_backends()) {
    if (backend.info.name == name) return backend;
    names.emplace_back(backend.info.name);
  }
  throw Error(fmt::format("no backend is called '{}'; there are {}{}", name, fmt::join(names, ", "),
                          libsgemm::did_you_mean(name, names)));
}

namespace {

bool device_of(const std::string &backend, int device, libsgemm_device_info_t *info, bool *is_gpu) {
  for (int i = 0; i < libsgemm_backend_count(); ++i) {
    if (libsgemm_backend_name(i) != backend) continue;
    libsgemm_backend_info_t description;
    if (libsgemm_backend_describe(i, &description) != LIBSGEMM_SUCCESS) return false;
    *is_gpu = description.is_gpu != 0;
    return libsgemm_device_describe(i, device, info) == LIBSGEMM_SUCCESS;
  }
  return false;
}

}  // namespace

Backend find_available_backend(const std::string &name) {
  const Backend backend = find_backend(name);
  if (backend.info.available == 0) throw Error(fmt::format("{}: {}", name, backend.info.reason));
  return backend;
}

void print_stray_variables() {
  for (const std::string &stray : libsgemm::read_environment().strays) fmt::print(stderr, "libsgemm: {}\n", stray);
}

std::string why_no_gpu(const std::vector<Backend> &backends) {
  std::string reasons;
  for (const Backend &backend : backends) {
    if (backend.info.is_gpu == 0) continue;
    if (backend.info.available != 0) return "";
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", backend.info.name, backend.info.reason);
  }
  return reasons;
}

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const Backend &backend : all_backends()) {
    for (int i = 0; i < backend.info.kernel_count; ++i) {
      names.emplace_back(libsgemm_kernel_name(backend.index, i));
    }
  }
  return names;
}

void refuse_kernel(const std::string &kernel) {
  throw Error(fmt::format("--kernel {}: no available backend has it{}", kernel,
                          libsgemm::did_you_mean(kernel, kernel_names())));
}

bool has_kernel(const Backend &backend, const std::string &kernel) {
  for (int i = 0; i < backend.info.kernel_count; ++i) {
    if (libsgemm_kernel_name(backend.index, i) == kernel) return true;
  }
  return false;
}

std::string describe_place(const libsgemm_info_t &info) {
  libsgemm_device_info_t device;
  bool is_gpu;
  if (!device_of(info.backend, info.device, &device, &is_gpu)) return info.backend;
  return fmt::format("{}, device {}: {} ({}), {}", info.backend, info.device, device.name, device.arch,
                     units_text(device.compute_units, is_gpu));
}

std::string units_text(int count, bool is_gpu) {
  return fmt::format("{} {}{}", count, is_gpu ? "multiprocessor" : "thread", count == 1 ? "" : "s");
}

int compute_units(const std::string &backend, int device) {
  libsgemm_device_info_t info;
  bool is_gpu;
  return device_of(backend, device, &info, &is_gpu) ? info.compute_units : 0;
}

std::string folder_of(const std::string &path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string executable_folder() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0 || length == sizeof path) throw Error("/proc/self/exe cannot be read");
  return folder_of(std::string(path, static_cast<size_t>(length)));
}

std::string library_file() {
  // `&libsgemm_version` may be the address of a stub in this executable.
  Dl_info where;
  if (dladdr(dlsym(RTLD_DEFAULT, "libsgemm_version"), &where) == 0) throw Error("libsgemm.so: cannot be located");
  char path[PATH_MAX];
  return realpath(where.dli_fname, path) != nullptr ? path : where.dli_fname;
}

}  // namespace command
