// State of a handle of the program's GPU BLAS.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

#include "gpu_blas/vendor.h"
#include "libsgemm.h"

namespace libsgemm {

struct HandleState {
  // The vendor's BLAS allows calls of several threads with one handle.
  std::mutex mutex;
  libsgemm_handle_t handle = nullptr;  // made by the first call that libsgemm computes
  libsgemm_math_mode_t math_mode = LIBSGEMM_MATH_FP32;
  bool unavailable = false;       // no backend for the device
  bool prepares_in_vain = false;  // no kernel for calls that need a preparation
  bool stream_was_set = false;    // set since the latest call, maybe to another stream at the same address
  void *workspace = nullptr;      // the program's, or NULL
  size_t workspace_bytes = 0;
};

// NULL: memory is short.
std::shared_ptr<HandleState> state_of(VendorHandle handle);

// Call it before the handle is destroyed.
void forget_handle(VendorHandle handle);

// Call it after the vendor has made a handle, with its `status`, which it returns. Drops the state of an older handle
// at the same address, whose destruction may have passed unseen.
int note_new_handle(int status, const VendorHandle *handle);

void note_stream(VendorHandle handle, bool keeps_workspace);
void note_workspace(VendorHandle handle, void *workspace, size_t bytes);

// A forked child has no GPU, and may have inherited locked mutexes.
bool was_forked();

}  // namespace libsgemm
