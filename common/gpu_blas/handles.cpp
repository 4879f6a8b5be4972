#include "gpu_blas/handles.h"

#include <pthread.h>

#include <atomic>
#include <new>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

#include "gpu_blas/take.h"
#include "process/immortal.h"

namespace libsgemm {
namespace {

struct Handles {
  std::shared_mutex mutex;
  std::unordered_map<VendorHandle, std::shared_ptr<HandleState>> states;
};
Handles &handles() { return immortal<Handles>(); }

std::atomic<bool> g_forked{false};

std::shared_ptr<HandleState> make_state(VendorHandle handle) {
  static const int watching = pthread_atfork(nullptr, nullptr, [] { g_forked = true; });
  static_cast<void>(watching);
  const std::lock_guard<std::shared_mutex> lock(handles().mutex);
  std::shared_ptr<HandleState> &state = handles().states[handle];
  if (state == nullptr) state = std::make_shared<HandleState>();
  return state;
}

}  // namespace

bool was_forked() { return g_forked.load(std::memory_order_relaxed); }

std::shared_ptr<HandleState> state_of(VendorHandle handle) {
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

void forget_handle(VendorHandle handle) {
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

int note_new_handle(int status, const VendorHandle *handle) {
  if (status == kVendorSuccess && !is_inside()) forget_handle(*handle);
  return status;
}

void note_stream(VendorHandle handle, bool keeps_workspace) {
  if (was_forked()) return;
  if (const auto state = state_of(handle)) {
    const std::lock_guard<std::mutex> lock(state->mutex);
    state->stream_was_set = true;
    if (!keeps_workspace) state->workspace = nullptr;
  }
}

void note_workspace(VendorHandle handle, void *workspace, size_t bytes) {
  if (was_forked()) return;
  if (const auto state = state_of(handle)) {
    const std::lock_guard<std::mutex> lock(state->mutex);
    state->workspace = workspace;
    state->workspace_bytes = bytes;
  }
}

}  // namespace libsgemm
