// The host's side of the rows built on valu.h.
#pragma once

#include "device.h"
#include "gpu/tile_row.h"
#include "tile_stream.h"

namespace libsgemm::hip {

// The base of a Row of gpu/tile_row.h: runs on every device.
template <class RowConfig>
struct ValuRow {
  using Config = RowConfig;
  static constexpr Engine engine = Engine::registers;
  static constexpr libsgemm_math_mode_t math_mode = LIBSGEMM_MATH_FP32;
  static constexpr bool available = true;  // in the code for this pass's target
  static constexpr bool chains = true;     // an element of C is one chain of fused multiply-adds along k

  static bool runs_on(int) { return true; }

  static bool vectors(const GemmDesc &desc) {
    return vectors_fit(desc, engine) &&
           offsets_fit(desc.lda, desc.transa != LIBSGEMM_NO_TRANS, Config::tile_m, Config::tile_k) &&
           offsets_fit(desc.ldb, desc.transb == LIBSGEMM_NO_TRANS, Config::tile_n, Config::tile_k);
  }

  // What the arithmetic of a step of k and its reads of LDS take of a compute unit, of which the shorter one hides
  // behind the other for the most part. No more is known of these chips than their data sheets.
  static Tiling tiling(const GemmDesc &, int index) {
    constexpr double kLdsBytesPerClock = 128;
    constexpr double kReached = 0.9;  // assumed: of what that leaves
    const double arithmetic = static_cast<double>(Config::thread_m * Config::thread_n) / device(index).fma_per_clock;
    const double reads = 4.0 * (Config::thread_m + Config::thread_n) / kLdsBytesPerClock;
    return {Config::tile_m,
            Config::tile_n,
            Config::threads,
            Config::blocks,
            {kReached * arithmetic / overlapped(arithmetic, reads), 0.8}};
  }

  // Static shared memory.
  template <Fetch KindA, Fetch KindB>
  static constexpr size_t shared_bytes() {
    return 0;
  }
};

}  // namespace libsgemm::hip
