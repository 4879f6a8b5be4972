#include <atomic>
#include <mutex>

#include "device.h"
#include "driver.h"
#include "gpu/runtime/devices.h"
#include "gpu/runtime/runtime.h"
#include "gpu/runtime/scope.h"

namespace libsgemm::gpu {

using namespace cuda;

namespace {

struct State {
  CUdevice handle = 0;
  std::atomic<CUcontext> primary{nullptr};  // retained; NULL: not yet
  std::atomic<uint64_t> primary_id{0};      // cudaDeviceReset may put another context at the same address
};

// Runs after enumerate(). Never destroyed.
State *make_states() {
  State *all = new State[static_cast<size_t>(device_count())];
  for (int i = 0; i < device_count(); ++i) driver().device(&all[i].handle, model(i).ordinal);
  return all;
}

State *states() {
  static State *all = make_states();
  return all;
}

libsgemm_status_t fail(const char *what, int ordinal, CUresult code, Error *error) {
  set_error(error, "%s of device %d: %s", what, ordinal, words(code));
  return code == CUDA_ERROR_OUT_OF_MEMORY ? LIBSGEMM_OUT_OF_MEMORY : LIBSGEMM_EXECUTION_FAILED;
}

bool is_active(const State &state) {
  unsigned flags = 0;
  int active = 0;
  return driver().primary_state(state.handle, &flags, &active) == CUDA_SUCCESS && active != 0;
}

// 0 if the context is gone.
uint64_t id_of(CUcontext context) {
  unsigned long long id = 0;
  return driver().context_id(context, &id) == CUDA_SUCCESS ? id : 0;
}

// False if a reset destroyed the retained primary context. Takes 16 ns.
bool is_the_same(const State &state, CUcontext primary) {
  return id_of(primary) == state.primary_id.load(std::memory_order_relaxed);
}

libsgemm_status_t retain(int index, CUcontext *context, Error *error) {
  static std::mutex *mutex = new std::mutex;
  const std::lock_guard<std::mutex> lock(*mutex);
  State &state = states()[index];
  *context = state.primary.load(std::memory_order_relaxed);
  if (*context != nullptr && is_the_same(state, *context)) return LIBSGEMM_SUCCESS;
  const int ordinal = model(index).ordinal;
  const CUresult code = driver().retain_primary(context, state.handle);
  if (code != CUDA_SUCCESS) return fail("creating the context", ordinal, code, error);
  state.primary_id.store(id_of(*context), std::memory_order_relaxed);
  state.primary.store(*context, std::memory_order_release);
  return LIBSGEMM_SUCCESS;
}

// -1 if the device is none of ours. A context must be current, or the driver's function fails, which sanitizers report.
int current_index() {
  CUdevice handle;
  if (driver().context_device(&handle) != CUDA_SUCCESS) return -1;
  for (int i = 0; i < device_count(); ++i) {
    if (states()[i].handle == handle) return i;
  }
  return -1;
}

}  // namespace

Scope::~Scope() {
  if (changed_) driver().set_context(before_);
}

libsgemm_status_t Scope::set(Current to, Error *error) {
  const CUresult code = driver().set_context(to);
  if (code != CUDA_SUCCESS) {
    set_error(error, "the context cannot be used: %s", words(code));
    return LIBSGEMM_EXECUTION_FAILED;
  }
  now_ = to;
  changed_ = true;
  return LIBSGEMM_SUCCESS;
}

// Enters, and creates if needed, the device's primary context, which the runtime uses, too, unless a context of the
// program's own on that device is current.
libsgemm_status_t Scope::enter(int index, Error *error) {
  const libsgemm_status_t lost = refuse_lost(index, error);
  if (lost != LIBSGEMM_SUCCESS) return lost;
  index_ = index;
  State &state = states()[index];
  CUcontext primary = state.primary.load(std::memory_order_acquire);
  if (driver().current_context(&before_) != CUDA_SUCCESS) before_ = nullptr;
  now_ = before_;
  if (primary != nullptr && !is_the_same(state, primary)) primary = nullptr;
  if (before_ != nullptr && before_ == primary) return LIBSGEMM_SUCCESS;
  const bool there = before_ != nullptr && id_of(before_) != 0 && current_index() == index;
  // A program that has its own needs no primary context.
  if (primary == nullptr && (!there || is_active(state))) {
    const libsgemm_status_t status = retain(index, &primary, error);
    if (status != LIBSGEMM_SUCCESS) return status;
  }
  return there ? LIBSGEMM_SUCCESS : set(primary, error);
}

libsgemm_status_t Scope::enter_stream(void *stream, Error *error) {
  if (driver().current_context(&before_) != CUDA_SUCCESS) before_ = nullptr;
  now_ = before_;
  CUcontext context = nullptr;
  const CUresult code = driver().stream_context(static_cast<CUstream>(stream), &context);
  if (code != CUDA_SUCCESS) {
    set_error(error, "the stream cannot be used: %s", words(code));
    return LIBSGEMM_EXECUTION_FAILED;
  }
  const libsgemm_status_t status = context == before_ ? LIBSGEMM_SUCCESS : set(context, error);
  if (status == LIBSGEMM_SUCCESS) index_ = current_index();
  return status;
}

uint64_t Scope::context_id() const { return id_of(now_); }

uint64_t context(int index) {
  Scope scope;
  Error ignored;
  if (scope.enter(index, &ignored) != LIBSGEMM_SUCCESS) return 0;
  const bool own = scope.current() == states()[index].primary.load(std::memory_order_acquire);
  return 2 * scope.context_id() + (own ? 1 : 0);
}

// A stream of a green context is on the current device, since the driver returns no context for it. A thread without a
// context still has a device.
int stream_device(void *stream) {
  Scope scope;
  Error ignored;
  if (!is_default_stream(stream) && scope.enter_stream(stream, &ignored) == LIBSGEMM_SUCCESS) return scope.index();
  CUcontext current = nullptr;
  if (driver().current_context(&current) == CUDA_SUCCESS && current != nullptr) return current_index();
  int ordinal = -1;
  return succeeds(cudaGetDevice(&ordinal)) ? index_of(ordinal) : -1;
}

// This thread would use a context.
bool in_use(int index) {
  if (states()[index].primary.load(std::memory_order_acquire) != nullptr) return true;
  CUcontext current = nullptr;
  return driver().current_context(&current) == CUDA_SUCCESS && current != nullptr && current_index() == index;
}

bool is_fatal(Code code) {
  switch (code) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorContextIsDestroyed:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
      return true;
    default:
      return false;
  }
}

}  // namespace libsgemm::gpu
