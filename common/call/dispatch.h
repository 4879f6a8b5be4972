// Who computes a checked call, and what happens if that fails.
#pragma once

#include <vector>

#include "call.h"
#include "placement.h"
#include "process/env.h"
#include "process/thread_info.h"

namespace libsgemm {

// The checks that need to know where the operands live: one memory for all, NULL in a batch's arrays, aliasing. Where
// they live is in *at.
libsgemm_status_t check_operands(const Call &call, const GemmDesc &desc, const Settings &settings,
                                 libsgemm_handle *handle, ThreadInfo *info, Placement *at);

// The same checks, then performs a legal, non-empty description. `call` is only needed to name arguments in messages.
// `handle` may be NULL: then the call is synchronous. Fills `info`.
libsgemm_status_t dispatch(const Call &call, const GemmDesc &desc, const Settings &settings, libsgemm_handle *handle,
                           ThreadInfo *info);

// The same for a convolution, which is not empty either. `call` has its entry, and no more.
libsgemm_status_t dispatch(const Call &call, const ConvDesc &conv, const Settings &settings, libsgemm_handle *handle,
                           ThreadInfo *info);

// Groups of one call which are not empty.
class Groups {
 public:
  // A checked group: after one that is not FP32 in memory of the same GPU as the others, by arrays of pointers in host
  // memory, they are no longer for dispatch_groups(). One that only scales C is left out.
  void add(const GemmDesc &desc, const Placement &at);

  bool at_once() const { return at_once_ && descs_.size() > 1; }
  const std::vector<GemmDesc> &descs() const { return descs_; }
  const Placement &at() const { return at_; }

 private:
  bool at_once_ = true;
  std::vector<GemmDesc> descs_;
  Placement at_;
};

// Whether a description does no more than scale C.
inline bool only_scales(const GemmDesc &desc) { return desc.k == 0 || desc.alpha == 0.0f; }

// Computes groups that are at_once() by one row, if one can and is predicted to be faster than one group after the
// other; *done tells that. Otherwise, and if it fails before anything is written, they are for dispatch().
libsgemm_status_t dispatch_groups(const Call &call, const Groups &groups, const Settings &settings,
                                  libsgemm_handle *handle, ThreadInfo *info, bool *done);

}  // namespace libsgemm
