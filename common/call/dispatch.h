// Chooses the backend of a checked call, and what follows its failure.
#pragma once

#include <vector>

#include "call.h"
#include "conv/call.h"
#include "placement.h"
#include "process/env.h"
#include "process/thread_info.h"

namespace libsgemm {

// Checks that need the operands' memory: all in one, no NULL in a batch's arrays, no aliasing. Sets *at.
libsgemm_status_t check_operands(const Call &call, const GemmDesc &desc, const Settings &settings,
                                 libsgemm_handle *handle, ThreadInfo *info, Placement *at);

// Computes a legal, non-empty description after check_operands(). `call` has the flags, and arguments' names for
// messages. `handle` NULL: synchronous. Fills `info`.
libsgemm_status_t dispatch(const Call &call, const GemmDesc &desc, const Settings &settings, libsgemm_handle *handle,
                           ThreadInfo *info);

libsgemm_status_t dispatch(const ConvCall &call, const ConvDesc &desc, const Settings &settings,
                           libsgemm_handle *handle, ThreadInfo *info);

class Groups {
 public:
  // Omits a group that only scales C. at_once() stays true while all are gemms in memory of one GPU, with pointer
  // arrays in host memory.
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

// For groups that are at_once(). *done: one kernel, predicted to be faster than group by group, has computed all.
// Otherwise, also after a failure before any write, dispatch() must compute them.
libsgemm_status_t dispatch_groups(const Caller &caller, const Groups &groups, const Settings &settings,
                                  libsgemm_handle *handle, ThreadInfo *info, bool *done);

}  // namespace libsgemm
