#include "ways.h"

#include <cstdlib>

#include "catch.h"
#include "subject.h"

namespace sgemm_test {

std::string Way::description() const {
  if (!kernel.empty()) return "kernel " + kernel;
  if (mode != LIBSGEMM_MATH_FP32) return std::string("mode ") + name_of(mode);
  return handle == nullptr ? "without a handle" : "with a handle";
}

Ways::Ways() {
  ways_.emplace_back();
  ways_.emplace_back();
  ways_.back().handle = std::make_unique<Handle>();
  REQUIRE(libsgemm_set_backend(*ways_.back().handle, subject().backend.c_str()) == LIBSGEMM_SUCCESS);
  const char *only = std::getenv("LIBSGEMM_TEST_KERNEL");  // part of the kernels' names
  for (const std::string &kernel : subject().kernels) {
    if (only != nullptr && kernel.find(only) == std::string::npos) continue;
    ways_.emplace_back();
    ways_.back().kernel = kernel;
    ways_.back().handle = std::make_unique<Handle>();
    REQUIRE(libsgemm_set_kernel(*ways_.back().handle, kernel.c_str()) == LIBSGEMM_SUCCESS);
  }
}

Ways::Ways(libsgemm_math_mode_t mode) {
  ways_.emplace_back();
  ways_.back().mode = mode;
  ways_.back().handle = std::make_unique<Handle>();
  REQUIRE(libsgemm_set_backend(*ways_.back().handle, subject().backend.c_str()) == LIBSGEMM_SUCCESS);
  REQUIRE(libsgemm_set_math_mode(*ways_.back().handle, mode) == LIBSGEMM_SUCCESS);
}

std::string Ways::judge(Way *way, const std::string &entry, bool no_backend, libsgemm_status_t status,
                        Placement *placement) const {
  return judge(
      way, entry, no_backend, status, [placement](const Arithmetic &how) { return placement->check(how); },
      [placement] { return placement->check_untouched(); });
}

std::string Ways::judge(Way *way, const std::string &entry, bool no_backend, libsgemm_status_t status,
                        const std::function<std::string(const Arithmetic &)> &check,
                        const std::function<std::string()> &untouched) const {
  const libsgemm_info_t info = last_info();
  if (info.status != status) return "libsgemm_last_info has another status than the call returned";
  if (status == LIBSGEMM_NOT_SUPPORTED && !way->kernel.empty() && !no_backend) {
    ++way->declined;
    const std::string damage = untouched();
    return damage.empty() ? "" : "declined, but " + damage;
  }
  if (status != LIBSGEMM_SUCCESS) return std::string(libsgemm_status_string(status)) + ": " + info.message;
  const std::string called = entry + (way->handle == nullptr ? "" : "_h");
  if (called != info.entry) return std::string("entry is ") + info.entry;
  const std::string backend = no_backend ? "none" : subject().backend;
  if (backend != info.backend) return std::string("ran on ") + info.backend + " because " + info.reason;
  const std::string kernel = info.kernel;
  if (no_backend && kernel != "nothing" && kernel != "scale") return "ran the kernel " + kernel;
  Arithmetic how;
  if (!no_backend) {
    if (!way->kernel.empty() && way->kernel != kernel) return "ran the kernel " + kernel;
    if (kernel.empty()) return "no kernel is named";
    how = arithmetic_of(info);
    const bool asked = stands_for_fp32(how.mode) || how.mode == way->mode || !way->kernel.empty();
    if (!asked) return std::string("arithmetic is ") + info.math_mode;
    if (info.fallbacks != 0) return "a backend failed before";
    ++way->ran;
    way->ran_in_mode += how.mode == way->mode ? 1 : 0;
  }
  return check(how);
}

void Failures::add(const std::string &failure) {
  if (count_++ < 10) FAIL_CHECK(failure);
}

void Failures::report() const {
  INFO(count_ << " calls failed");
  CHECK(count_ == 0);
}

}  // namespace sgemm_test
