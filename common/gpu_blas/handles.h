// State that belongs to a handle of the program's GPU BLAS: a libsgemm handle, and what the program has set.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

#include "gpu_blas/vendor.h"
#include "libsgemm.h"

namespace libsgemm {

struct HandleState {
  // The vendor's BLAS allows several threads to call with one handle.
  std::mutex mutex;
  libsgemm_handle_t handle = nullptr;  // made by the first call that libsgemm computes
  libsgemm_math_mode_t math_mode = LIBSGEMM_MATH_FP32;
  bool unavailable = false;       // there is no backend for the device; it is not looked for again
  bool prepares_in_vain = false;  // there is no kernel for calls that need a preparation; none is made again
  bool stream_was_set = false;    // since the latest call; the stream may be another one at the same address
  void *workspace = nullptr;      // set by the program; NULL: none
  size_t workspace_bytes = 0;
};

// Returns the state of a handle, made if there is none yet. NULL if memory is short.
std::shared_ptr<HandleState> state_of(VendorHandle handle);

// Called before the handle is destroyed.
void forget_handle(VendorHandle handle);

// Called after the vendor has made a handle, if `status` says so. The drop-in may not have seen how a handle at the
// same address was destroyed, so its state is dropped. Returns `status`.
int note_new_handle(int status, const VendorHandle *handle);

// Record what the program has set.
void note_stream(VendorHandle handle, bool keeps_workspace);
void note_workspace(VendorHandle handle, void *workspace, size_t bytes);

// True in a forked child: it has no GPU, and may have inherited locked mutexes.
bool was_forked();

}  // namespace libsgemm
