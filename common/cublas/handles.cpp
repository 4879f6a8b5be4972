#include "cublas/handles.h"

#include <pthread.h>

#include <atomic>
#include <new>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

#include "cublas/real.h"
#include "cublas/take.h"
#include "immortal.h"

namespace libsgemm {
namespace {

struct Handles {
  std::shared_mutex mutex;
  std::unordered_map<CublasHandle, std::shared_ptr<HandleState>> states;
};
// Threads may call while the process ends.
Handles &handles() { return immortal<Handles>(); }

std::atomic<bool> g_forked{false};

std::shared_ptr<HandleState> make_state(CublasHandle handle) {
  static const int watching = pthread_atfork(nullptr, nullptr, [] { g_forked = true; });
  static_cast<void>(watching);
  const std::lock_guard<std::shared_mutex> lock(handles().mutex);
  std::shared_ptr<HandleState> &state = handles().states[handle];
  if (state == nullptr) state = std::make_shared<HandleState>();
  return state;
}

}  // namespace

bool was_forked() { return g_forked.load(std::memory_order_relaxed); }

std::shared_ptr<HandleState> state_of(CublasHandle handle) {
  try {
    {
      const std::shared_lock<std::shared_mutex> lock(handles().mutex);
      const auto found = handles().states.find(handle);
      if (found != handles().states.end()) return found->second;
    }
    return make_state(handle);
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

void forget_handle(CublasHandle handle) {
  if (was_forked()) return;
  std::shared_ptr<HandleState> state;
  {
    const std::lock_guard<std::shared_mutex> lock(handles().mutex);
    const auto found = handles().states.find(handle);
    if (found == handles().states.end()) return;
    state = std::move(found->second);
    handles().states.erase(found);
  }
  const std::lock_guard<std::mutex> lock(state->mutex);
  libsgemm_destroy(std::exchange(state->handle, nullptr));
}

}  // namespace libsgemm

using libsgemm::CublasHandle;
using libsgemm::Real;

// What changes or ends a handle.
extern "C" {

LIBSGEMM_API int cublasDestroy_v2(CublasHandle handle) {
  static Real<decltype(cublasDestroy_v2)> real("cublasDestroy_v2");
  if (!libsgemm::is_inside()) libsgemm::forget_handle(handle);
  return real(handle);
}

LIBSGEMM_API int cublasLtDestroy(CublasHandle handle) {
  static Real<decltype(cublasLtDestroy)> real("cublasLtDestroy");
  if (!libsgemm::is_inside()) libsgemm::forget_handle(handle);
  return real(handle);
}

// As in cuBLAS, another stream takes the workspace away.
LIBSGEMM_API int cublasSetStream_v2(CublasHandle handle, void *stream) {
  static Real<decltype(cublasSetStream_v2)> real("cublasSetStream_v2");
  const int status = real(handle, stream);
  if (status != libsgemm::kCublasSuccess || libsgemm::was_forked()) return status;
  if (const auto state = libsgemm::state_of(handle)) {
    const std::lock_guard<std::mutex> lock(state->mutex);
    state->stream_was_set = true;
    state->workspace = nullptr;
  }
  return status;
}

LIBSGEMM_API int cublasSetWorkspace_v2(CublasHandle handle, void *workspace, size_t bytes) {
  static Real<decltype(cublasSetWorkspace_v2)> real("cublasSetWorkspace_v2");
  const int status = real(handle, workspace, bytes);
  if (status != libsgemm::kCublasSuccess || libsgemm::was_forked()) return status;
  if (const auto state = libsgemm::state_of(handle)) {
    const std::lock_guard<std::mutex> lock(state->mutex);
    state->workspace = workspace;
    state->workspace_bytes = bytes;
  }
  return status;
}
}
