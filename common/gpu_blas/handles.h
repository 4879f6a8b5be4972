// What belongs to a handle that the program has from its GPU's BLAS: a libsgemm handle, and what the program has set.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

#include "gpu_blas/vendor.h"
#include "libsgemm.h"

namespace libsgemm {

struct HandleState {
  // That BLAS allows calls of several threads with one handle.
  std::mutex mutex;
  libsgemm_handle_t handle = nullptr;  // made by the first call that is ours
  libsgemm_math_mode_t math_mode = LIBSGEMM_MATH_FP32;
  bool unavailable = false;       // there is no backend for the device, which is not to be asked for again
  bool prepares_in_vain = false;  // there is no kernel for what needs a preparation, which is not to be made again
  bool stream_was_set = false;    // since the latest call: it may be another stream of the same address
  void *workspace = nullptr;      // that the program has given to it; NULL: none
  size_t workspace_bytes = 0;
};

// The state of a handle, made if there is none yet; NULL for want of memory.
std::shared_ptr<HandleState> state_of(VendorHandle handle);

// The handle is about to be destroyed.
void forget_handle(VendorHandle handle);

// The vendor has made a handle, if `status` says so: one of the same address may have been destroyed where the drop-in
// did not see it. Returns `status`.
int note_new_handle(int status, const VendorHandle *handle);

// What the program has set.
void note_stream(VendorHandle handle, bool keeps_workspace);
void note_workspace(VendorHandle handle, void *workspace, size_t bytes);

// In a child that was forked: there is no GPU, and locks may have been inherited.
bool was_forked();

}  // namespace libsgemm
