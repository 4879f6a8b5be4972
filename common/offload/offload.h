// Products of host memory on GPUs.
#pragma once

#include "contract/backend.h"

namespace libsgemm {

struct Offloaded {
  const Kernel *kernel;  // one that ran
  Ran ran;
  int device;  // the first that computed
  int devices;
  int64_t tiles;
  bool tuned;
  bool depth_cut;  // C was rounded between parts of the sum over k, or between syr2k's products
};

// Operands are in host memory. On failure C is unchanged; with `may_spoil`, a C that is not read becomes undefined, and
// needs no copy. `forced` NULL: the cheapest kernel for each tile. Equal devices take over from a failed one. Throws
// nothing.
libsgemm_status_t offload(const Backend &backend, const GemmDesc &desc, bool may_spoil, const Kernel *forced,
                          Offloaded *by, Error *error);

// Called before a fork, with no call running.
void stop_offload_threads();

}  // namespace libsgemm
