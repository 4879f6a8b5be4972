#include "warpgroup_kernels.h"

#include "dynamic_shared.cuh"
#include "wgmma/instructions.cuh"

namespace simt_test {
namespace {

using libsgemm::cuda::kNumberBytes;
using libsgemm::cuda::Number;
namespace ptx = libsgemm::cuda::ptx;

template <int kDepth, int kLine, bool AlongK>
using Lines = std::conditional_t<AlongK, ptx::AlongK<kLine>, ptx::AlongOuter<kDepth>>;

constexpr int rows_of(bool along_k, int rows) { return along_k ? rows : (rows + 63) / 64 * 64; }

template <class Lines>
__device__ void copy_rows(uint32_t shared, const libsgemm::cuda::TensorMap &map, int rows, int depth,
                          uint32_t barrier) {
  if (Lines::along_k) return ptx::copy_box(shared, &map, 0, 0, 0, 0, barrier);
  for (int i = 0; i < rows; i += 64) ptx::copy_box(shared + i / 64 * depth * 128, &map, i, 0, 0, 0, barrier);
}

template <Number kNumber, int kN, bool XAlongK, bool YAlongK, int kLine>
void __global__ tile(const WgmmaTest test) {
  constexpr int kDepth = kLine / kNumberBytes<kNumber>, kSteps = 32 / kNumberBytes<kNumber>;
  constexpr uint32_t kXBytes = 64 * kLine, kYBytes = rows_of(YAlongK, kN) * kLine;
  using X = Lines<kDepth, kLine, XAlongK>;
  using Y = Lines<kDepth, kLine, YAlongK>;
  const WgmmaFault fault = test.fault;
  const uint32_t x = ptx::shared_address(libsgemm::cuda::dynamic_shared()), y = x + kXBytes, barrier = y + kYBytes;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  if (threadIdx.x == 0 && fault != WgmmaFault::uninitialised) {
    ptx::barrier_init(barrier, 1);
    ptx::barrier_init_done();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    copy_rows<X>(fault == WgmmaFault::unaligned ? x + 128 : x, test.x, 64, kDepth, barrier);
    copy_rows<Y>(y, test.y, kN, kDepth, barrier);
    ptx::barrier_arrive_and_expect(barrier, kXBytes + kYBytes);  // bytes may arrive before their announcement
  }
  ptx::barrier_wait(barrier, 0);

  float sum[kN / 2];
  for (float &s : sum) s = test.start;
  if (fault != WgmmaFault::no_fence) ptx::wgmma_fence();
  if (fault != WgmmaFault::three_warps || warp < 3) {
    const uint64_t of_x = X::descriptor(x), of_y = Y::descriptor(y);
    for (int i = 0; i < kDepth / kSteps; ++i) {
      const int other = fault == WgmmaFault::two_descriptors && warp == 3 ? 1 : 0;
      ptx::wgmma<kNumber, kN, XAlongK, YAlongK>(sum, of_x + (i * X::step_bytes >> 4) + other,
                                                of_y + (i * Y::step_bytes >> 4), i > 0 || test.start != 0 ? 1 : 0);
      if (fault == WgmmaFault::writes_sums && i == 0) sum[1] = 0;
    }
    ptx::wgmma_commit();
  }
  const bool late = fault == WgmmaFault::no_wait || fault == WgmmaFault::never_waits;
  if (!late) ptx::wgmma_wait<0>();
  for (int i = 0; i < kN / 2; ++i) {
    const int row = 16 * warp + lane / 4 + 8 * (i / 2 % 2), column = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
    test.c[row * kN + column] = sum[i];
  }
  if (fault == WgmmaFault::no_wait) ptx::wgmma_wait<0>();
}

template <Number kNumber, int kN, bool XAlongK, bool YAlongK, int kLine>
WgmmaTile tile_of() {
  return {kNumber,
          kN,
          XAlongK,
          YAlongK,
          kLine,
          tile<kNumber, kN, XAlongK, YAlongK, kLine>,
          static_cast<size_t>((64 + rows_of(YAlongK, kN)) * kLine + 8)};
}

}  // namespace

const std::vector<WgmmaTile> &wgmma_tiles() {
  constexpr Number kF16 = Number::f16, kBf16 = Number::bf16, kTf32 = Number::tf32;
  static const std::vector<WgmmaTile> tiles = {
      tile_of<kF16, 64, true, true, 128>(),    tile_of<kF16, 64, true, false, 128>(),
      tile_of<kF16, 64, false, true, 128>(),   tile_of<kF16, 64, false, false, 128>(),
      tile_of<kBf16, 8, true, true, 128>(),    tile_of<kF16, 16, false, true, 128>(),
      tile_of<kBf16, 32, true, false, 128>(),  tile_of<kBf16, 128, false, false, 128>(),
      tile_of<kBf16, 176, true, false, 128>(), tile_of<kF16, 192, false, true, 128>(),
      tile_of<kF16, 256, false, false, 128>(), tile_of<kF16, 256, true, true, 64>(),
      tile_of<kBf16, 128, true, true, 64>(),   tile_of<kTf32, 128, true, true, 128>(),
      tile_of<kTf32, 32, true, true, 64>(),
  };
  return tiles;
}

}  // namespace simt_test
