// Decides which backend computes a checked call, and what happens if that fails.
#pragma once

#include <vector>

#include "call.h"
#include "placement.h"
#include "process/env.h"
#include "process/thread_info.h"

namespace libsgemm {

// Checks that depend on where the operands are: all in one memory, no NULL in a batch's arrays, no aliasing. Sets *at.
libsgemm_status_t check_operands(const Call &call, const GemmDesc &desc, const Settings &settings,
                                 libsgemm_handle *handle, ThreadInfo *info, Placement *at);

// For a legal, non-empty description; calls check_operands() first. `call` has the flags, and the names of arguments
// for messages. `handle` NULL: synchronous. Fills `info`.
libsgemm_status_t dispatch(const Call &call, const GemmDesc &desc, const Settings &settings, libsgemm_handle *handle,
                           ThreadInfo *info);

// Only the entry of `call` is set.
libsgemm_status_t dispatch(const Call &call, const ConvDesc &conv, const Settings &settings, libsgemm_handle *handle,
                           ThreadInfo *info);

// The non-empty groups of a call.
class Groups {
 public:
  // A group that only scales C is left out. at_once() stays true only if all are gemms in memory of the same GPU, with
  // arrays of pointers in host memory.
  void add(const GemmDesc &desc, const Placement &at);

  bool at_once() const { return at_once_ && descs_.size() > 1; }
  const std::vector<GemmDesc> &descs() const { return descs_; }
  const Placement &at() const { return at_; }

 private:
  bool at_once_ = true;
  std::vector<GemmDesc> descs_;
  Placement at_;
};

inline bool only_scales(const GemmDesc &desc) { return desc.k == 0 || desc.alpha == 0.0f; }

// For groups that are at_once(). *done: one kernel could and was predicted to be faster than group by group. Otherwise,
// or after a failure before anything is written, dispatch() must compute them.
libsgemm_status_t dispatch_groups(const Call &call, const Groups &groups, const Settings &settings,
                                  libsgemm_handle *handle, ThreadInfo *info, bool *done);

}  // namespace libsgemm
