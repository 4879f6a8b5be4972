// Host memory in, host memory out, computed on a GPU.
#pragma once

#include "contract/backend.h"

namespace libsgemm {

// Which kernel and devices computed a call, and in how many parts.
struct Offloaded {
  const Kernel *kernel;  // a kernel that ran
  Ran ran;               // details of its launch
  int device;            // the first one that computed
  int devices;
  int64_t tiles;
  bool tuned;      // that kernel was chosen because it was measured to be the fastest
  bool depth_cut;  // C was rounded between parts of the sum over k, or between the products of syr2k
};

// Computes a description whose operands are in host memory on the devices of a backend. On failure C is as it was. With
// `may_spoil`, C is undefined after a failure if the description does not read it, and no copy of C is needed. `forced`
// NULL: the cheapest kernel for each tile. If a device fails, equal devices take over what it has not finished. Throws
// nothing.
libsgemm_status_t offload(const Backend &backend, const GemmDesc &desc, bool may_spoil, const Kernel *forced,
                          Offloaded *by, Error *error);

// Ends the host threads. Called before the process forks, with no call at work.
void stop_offload_threads();

}  // namespace libsgemm
