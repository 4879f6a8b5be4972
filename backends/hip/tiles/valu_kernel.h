#pragma once

#include <algorithm>

#include "gpu/tiles/tile_kernel.h"
#include "hip/figures/figures.h"
#include "hip/runtime/device.h"
#include "tile_stream.h"

namespace libsgemm::hip {

// Share of the peak that a compute unit can reach. For one k the arithmetic takes `clocks` and hides most of the
// traffic: `lds_bytes` to and from LDS, and `fetched_bytes` through the compute unit's cache. AMD documents 128 bytes a
// clock for LDS, and 64 for the cache up to gfx90a; for later chips this is assumed.
inline double share_of_peak(double clocks, double lds_bytes, double fetched_bytes) {
  constexpr double kLdsBytesPerClock = 128, kCacheBytesPerClock = 64;
  const double moved = std::max(lds_bytes / kLdsBytesPerClock, fetched_bytes / kCacheBytesPerClock);
  return clocks / overlapped(clocks, moved);
}

// `peak`: the kernel's, as a share of the device's.
inline Figures reached(int device, Fitted kernel, double peak) {
  Figures f = figures(device, kernel);
  f.peak_fraction *= peak;
  return f;
}

// Base of a DeviceCode of gpu/tiles/tile_kernel.h, for every device. The Config also has `fitted`, its model
// parameters, and `blocks`, resident on a compute unit.
template <class CodeConfig>
struct ValuCode {
  using Config = CodeConfig;
  static constexpr Engine engine = Engine::registers;
  static constexpr libsgemm_math_mode_t math_mode = LIBSGEMM_MATH_FP32;
  static constexpr bool available = true;  // this target has code
  static constexpr bool chains = true;     // sums in one sequential FMA order

  static bool runs_on(int) { return true; }

  static bool vectors(const GemmDesc &desc) {
    return vectors_fit(desc, engine) &&
           offsets_fit(desc.lda, desc.transa != LIBSGEMM_NO_TRANS, Config::tile_m, Config::tile_k) &&
           offsets_fit(desc.ldb, desc.transb == LIBSGEMM_NO_TRANS, Config::tile_n, Config::tile_k);
  }

  static Tiling tiling(const GemmDesc &desc, int index) {
    constexpr int kOuter = Config::tile_m + Config::tile_n;
    const double clocks = static_cast<double>(Config::tile_m * Config::tile_n) / device(index).fma_per_clock;
    const double in_lds = 4.0 * (Config::threads * (Config::thread_m + Config::thread_n) + kOuter);
    const double fetched = kOuter * static_cast<double>(size_of(desc.type));
    return {Config::tile_m, Config::tile_n, Config::threads, Config::blocks,
            reached(index, Config::fitted, share_of_peak(clocks, in_lds, fetched))};
  }

  template <Fetch KindA, Fetch KindB>
  static constexpr size_t shared_bytes() {
    return 0;
  }
};

}  // namespace libsgemm::hip
