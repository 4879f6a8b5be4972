// Products of host memory, computed on GPUs.
#pragma once

#include "contract/backend.h"

namespace libsgemm {

struct Offloaded {
  const Kernel *kernel;  // a kernel that ran
  Ran ran;               // of its launch
  int device;            // the first one that computed
  int devices;
  int64_t tiles;
  bool tuned;      // the kernel was measured to be the fastest
  bool depth_cut;  // C was rounded between parts of the sum over k, or between syr2k's products
};

// Operands are in host memory. On failure C is as it was; with `may_spoil` it is undefined if the description does not
// read it, and needs no copy. `forced` NULL: the cheapest kernel for each tile. Equal devices take over from a failed
// one. Throws nothing.
libsgemm_status_t offload(const Backend &backend, const GemmDesc &desc, bool may_spoil, const Kernel *forced,
                          Offloaded *by, Error *error);

// Before the process forks, with no call running.
void stop_offload_threads();

}  // namespace libsgemm
