// Host memory in, host memory out, computed on a GPU.
#pragma once

#include "contract/backend.h"

namespace libsgemm {

// Who computed a call, and in how many parts.
struct Offloaded {
  const Kernel *kernel;  // a row that ran
  Ran ran;               // of it
  int device;            // the first one that computed
  int devices;
  int64_t tiles;
  bool tuned;      // that row was chosen because it was measured to be the fastest
  bool depth_cut;  // C was rounded between parts of the sum over k, or between the products of syr2k
};

// Computes a description whose operands are in host memory on the devices of a backend. On failure C is as it was; or,
// with `may_spoil`, it is undefined if the description does not read it, and no copy of C is needed. `forced` NULL: the
// cheapest row for each tile. Of a device that fails others take over what it has not finished, if there are any that
// are equal. Throws nothing.
libsgemm_status_t offload(const Backend &backend, const GemmDesc &desc, bool may_spoil, const Kernel *forced,
                          Offloaded *by, Error *error);

// Before the process forks, with no call at work: ends the host threads.
void stop_offload_threads();

}  // namespace libsgemm
