// main() of test programs: cleans the environment, selects the backend under test, and prints a skip if it is missing.
#include <libsgemm.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "gpu/hip_modes.h"
#include "oracle.h"
#include "subject.h"

extern char **environ;

namespace sgemm_test {

int run_test_cases(int argc, char **argv);

namespace {

constexpr int kSkipped = 77;  // tests/CMakeLists.txt: CTest's skip status
constexpr int kBroken = 70;

void clean_environment() {
  std::vector<std::string> names;
  for (char **entry = environ; *entry != nullptr; ++entry) {
    const std::string name(*entry, std::strcspn(*entry, "="));
    const bool location = name == "LIBSGEMM_CPU_BLAS" || name == "LIBSGEMM_BACKEND_PATH";
    if (name.rfind("LIBSGEMM_", 0) == 0 && name.rfind("LIBSGEMM_TEST_", 0) != 0 && !location) names.push_back(name);
  }
  for (const std::string &name : names) unsetenv(name.c_str());
}

int skip(const std::string &reason) {
  std::printf("SKIPPED: %s\n", reason.c_str());
  return kSkipped;
}

Subject &mutable_subject() {
  static Subject instance;
  return instance;
}

int choose_subject(const char *backend) {
  setenv("LIBSGEMM_BACKEND", backend, 1);
  for (int index = 0; index < libsgemm_backend_count(); ++index) {
    if (std::strcmp(libsgemm_backend_name(index), backend) != 0) continue;
    libsgemm_backend_info_t info;
    if (libsgemm_backend_describe(index, &info) != LIBSGEMM_SUCCESS) break;
    if (info.available == 0) return skip(std::string("backend ") + backend + " is not available: " + info.reason);
    mutable_subject().backend = backend;
    mutable_subject().is_gpu = info.is_gpu != 0;
    libsgemm_kernel_info_t row;
    for (int i = 0; libsgemm_kernel_describe(index, i, &row) == LIBSGEMM_SUCCESS; ++i) {
      const bool conv = std::strcmp(row.routines, "conv2d") == 0;
      (conv ? mutable_subject().conv_kernels : mutable_subject().kernels).emplace_back(row.name);
    }
    return 0;
  }
  std::fprintf(stderr, "the library does not know, or cannot describe, the backend \"%s\"\n", backend);
  return kBroken;
}

}  // namespace

const Subject &subject() { return mutable_subject(); }

bool always_has(libsgemm_math_mode_t mode) { return !subject().is_gpu && (rounds(mode) || mode == LIBSGEMM_MATH_FP64); }

libsgemm_device_info_t device_of_subject() {
  for (int index = 0; index < libsgemm_backend_count(); ++index) {
    libsgemm_device_info_t device;
    if (libsgemm_backend_name(index) != subject().backend) continue;
    if (libsgemm_device_describe(index, 0, &device) == LIBSGEMM_SUCCESS) return device;
  }
  return {};
}

bool has(libsgemm_math_mode_t mode) {
  if (!subject().is_gpu) return always_has(mode);
  static const libsgemm_device_info_t device = device_of_subject();
  if (subject().backend == "hip") return hip_has(mode, device.arch);
  static const int arch = [] {
    int number = 0;
    std::sscanf(device.arch, "sm_%d", &number);
    return number;
  }();
  if (mode == LIBSGEMM_MATH_FP32_FAST) {  // only on chips with fast FP64
    const std::string name = device.name;
    const auto named = [&](const char *chip) { return name.find(chip) != std::string::npos; };
    return named("A100") || named("A800") || named("A30") || named("H100") || named("H200");
  }
  // sm_75: tensor cores for binary16 only, and FP64 units.
  return arch >= 80 || mode == LIBSGEMM_MATH_FP16 || mode == LIBSGEMM_MATH_FP64;
}

bool chooses(libsgemm_math_mode_t mode) {
  return subject().backend == "hip" ? hip_chooses(mode, device_of_subject().arch) : has(mode);
}

__attribute__((weak)) std::string skip_reason() { return ""; }

}  // namespace sgemm_test

int main(int argc, char **argv) {
  using namespace sgemm_test;
  clean_environment();
  const std::string reason = skip_reason();
  if (!reason.empty()) return skip(reason);
  const char *backend = std::getenv("LIBSGEMM_TEST_BACKEND");
  if (backend != nullptr) {
    const int status = choose_subject(backend);
    if (status != 0) return status;
  }
  // Catch2's number of failures could equal kSkipped.
  return run_test_cases(argc, argv) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
