#include "verified.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <new>
#include <type_traits>

#include "conv/device_copy.h"
#include "conv/verify.h"
#include "matrix/host_matrix.h"
#include "verify/on_device.h"

namespace libsgemm {
namespace {

std::string to_string(const Request &r) {
  return r.operation.visit_one([](const auto &desc) { return to_string(desc); });
}

// Each call, and each process unless LIBSGEMM_VERIFY_SEED is set, draws other samples, so that an error is not missed
// again.
uint64_t next_seed() {
  static const uint64_t first = [] {
    const Environment &env = library().env;
    if (env.verify_seed_set) return env.verify_seed;
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    return static_cast<uint64_t>(now) ^ static_cast<uint64_t>(getpid()) << 48;
  }();
  static std::atomic<uint64_t> calls{0};
  return first + 0x9fb21c651e98df25u * ++calls;
}

libsgemm_status_t follow(Request *r, int index, const Kernel &ran, double ratio, Error *error) {
  r->info->verify_ratio = ratio;
  if (ratio <= 1) return LIBSGEMM_SUCCESS;
  set_error(error, "the result is wrong: an error is %.3g times its bound", ratio);
  if (r->settings.verify_action != LIBSGEMM_VERIFY_WARN) return LIBSGEMM_VERIFICATION_FAILED;
  warn(index, Note::wrong, [&] {
    return std::string(r->caller.entry) + " on " + kBackendNames[index] + ", " + ran.name + ": " + error->text + " (" +
           to_string(*r) + ")";
  });
  return LIBSGEMM_SUCCESS;
}

template <typename Verify>
libsgemm_status_t verify_on_host(const Verify &verify, double *ratio, Error *error) {
  try {
    *ratio = verify();
    return LIBSGEMM_SUCCESS;
  } catch (const std::bad_alloc &) {
    set_error(error, "no host memory to verify the result");
    return LIBSGEMM_OUT_OF_MEMORY;
  }
}

// CPU kernels compute in the floating-point mode of the calling thread, or of their own threads.
FloatMode floats_of(int index) { return table_of(index).is_gpu ? FloatMode{} : float_mode(); }

double verify(const Request &r, int index, const ConvDesc &desc, const ConvSnapshot &before, const Kernel &ran) {
  const Arithmetic how = {ran.math_mode, ran.truncates, floats_of(index)};
  return verify_conv(desc, before.tensor(), r.settings.verify, how, next_seed());
}

double verify(const Request &r, int index, const GemmDesc &desc, const Snapshot &before, const Kernel &ran) {
  Arithmetic how = r.info->arithmetic(ran);
  how.floats = floats_of(index);
  return verify_result(desc, &before, r.settings.verify, how, next_seed());
}

template <typename Copy, typename Desc>
libsgemm_status_t take(const Desc &desc, Copy *before, Error *error) {
  if (before->take(desc)) return LIBSGEMM_SUCCESS;
  set_error(error, "no host memory for the copy of C that verification needs");
  return LIBSGEMM_OUT_OF_MEMORY;
}

template <typename Desc>
libsgemm_status_t launch_and_verify(LaunchRequest *launch, const Desc &desc, Request *r, int index, const Kernel **ran,
                                    Error *error) {
  std::conditional_t<std::is_same_v<Desc, ConvDesc>, ConvSnapshot, Snapshot> before;
  libsgemm_status_t status = take(desc, &before, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  status = launch(r, index, ran, error);
  double ratio = 0;
  if (status == LIBSGEMM_SUCCESS) {
    status = verify_on_host([&] { return verify(*r, index, desc, before, **ran); }, &ratio, error);
  }
  if (status == LIBSGEMM_SUCCESS) status = follow(r, index, **ran, ratio, error);
  if (status != LIBSGEMM_SUCCESS) before.restore(desc);
  return status;
}

// The device refuses, or memory is short. Action WARN accepts the result.
libsgemm_status_t follow_failure(const Request &r, int index, const Kernel &ran, libsgemm_status_t failure,
                                 const Error &error) {
  if (r.settings.verify_action != LIBSGEMM_VERIFY_WARN) return failure;
  warn(index, Note::failed, [&] {
    return std::string(r.caller.entry) + " on " + kBackendNames[index] + ", " + ran.name +
           ": the result is not verified: " + error.text;
  });
  return LIBSGEMM_SUCCESS;
}

// `ratio`: the worst |error| / bound. `computed`: there is a result, although verification itself failed.
struct Judged {
  libsgemm_status_t status;
  double ratio;
  bool computed;
};

template <typename Restore>
libsgemm_status_t conclude(Request *r, int index, const Kernel &ran, const Judged &judged, const Restore &restore,
                           Error *error) {
  libsgemm_status_t status = judged.status;
  if (status == LIBSGEMM_SUCCESS) {
    status = follow(r, index, ran, judged.ratio, error);
  } else if (judged.computed) {
    status = follow_failure(*r, index, ran, status, *error);
  }
  if (status == LIBSGEMM_SUCCESS) return status;
  Error not_restored = {};
  if (restore(&not_restored) == LIBSGEMM_SUCCESS) return status;
  r->info->spoiled = reads_c(r->operation);
  const Error first = *error;
  set_error(error, "%.120s; and C cannot be restored: %.90s", first.text, not_restored.text);
  return LIBSGEMM_EXECUTION_FAILED;
}

libsgemm_status_t launch_on_device_and_verify(LaunchRequest *launch, const GemmDesc &desc, Request *r, int index,
                                              const Kernel **ran, Error *error) {
  BorrowedHandle borrowed;
  libsgemm_handle *handle = r->handle != nullptr ? r->handle : borrowed.get();
  const DeviceMemory memory = device_memory(*r);
  const auto allocate = [handle, index, device = memory.device](size_t bytes, Error *failure) {
    return handle->keep(index, device, bytes, failure);
  };
  DeviceVerification check(memory, desc, r->settings, next_seed(), allocate, r->handle != nullptr);
  libsgemm_status_t status = check.begin(error);
  if (status == LIBSGEMM_SUCCESS) status = launch(r, index, ran, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  double ratio = 0;
  bool computed = false;
  status = check.judge({(*ran)->math_mode, (*ran)->truncates}, &ratio, &computed, error);
  return conclude(
      r, index, **ran, {status, ratio, computed}, [&](Error *e) { return check.restore(e); }, error);
}

libsgemm_status_t launch_on_device_and_verify(LaunchRequest *launch, const ConvDesc &desc, Request *r, int index,
                                              const Kernel **ran, Error *error) {
  const DeviceMemory memory = device_memory(*r);
  ConvHostCopy copy;
  ConvSnapshot before;
  libsgemm_status_t status = copy.take(memory, desc, error);
  if (status == LIBSGEMM_SUCCESS) status = take(copy.desc(), &before, error);
  if (status == LIBSGEMM_SUCCESS) status = launch(r, index, ran, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  double ratio = 0;
  status = copy.fetch_output(memory, error);
  const bool computed = status == LIBSGEMM_SUCCESS;
  if (computed) status = verify_on_host([&] { return verify(*r, index, copy.desc(), before, **ran); }, &ratio, error);
  const auto restore = [&](Error *e) {
    before.restore(copy.desc());
    return copy.return_output(memory, e);
  };
  return conclude(r, index, **ran, {status, ratio, computed}, restore, error);
}

}  // namespace

libsgemm_status_t launch_and_verify(LaunchRequest *launch, Request *r, int index, const Kernel **ran, Error *error) {
  return r->operation.visit_one(
      [&](const auto &desc) { return launch_and_verify(launch, desc, r, index, ran, error); });
}

libsgemm_status_t launch_on_device_and_verify(LaunchRequest *launch, Request *r, int index, const Kernel **ran,
                                              Error *error) {
  return r->operation.visit_one(
      [&](const auto &desc) { return launch_on_device_and_verify(launch, desc, r, index, ran, error); });
}

}  // namespace libsgemm
