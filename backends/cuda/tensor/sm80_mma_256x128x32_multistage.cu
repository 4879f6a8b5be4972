// sm80_mma_256x128x64_multistage in math mode tf32. A warp rounds its fragments, which limits the speed
// (docs/kernels/mma.md).
//
// Requires: A transposed and B not, since ldmatrix cannot transpose floats (sm80_mma_256x128x32_packed copies others).
#include "gpu/kernels.h"
#include "mma.cuh"
#include "tensor_kernel.h"
#include "tensor_multistage.cuh"

namespace libsgemm::cuda {

namespace {

struct Config : TensorShape<Number::tf32, 256, 128, 32, 64, 64> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 3;
  static constexpr int blocks = 1;
  static constexpr double peak_fraction = 0.3;
};

template <class Config, class TileA, class TileB>
struct RoundingEngine : MmaEngine<Config, TileA, TileB> {
  using Base = MmaEngine<Config, TileA, TileB>;
  using Fragments = typename Base::Fragments;
  using Base::Base;

  __device__ __forceinline__ void load(Fragments *f, int offset_a, int offset_b, int step) const {
    Base::load(f, offset_a, offset_b, step);
#pragma unroll
    for (int i = 0; i < Base::blocks_x; ++i) round(f->x[i]);
#pragma unroll
    for (int j = 0; j < Base::blocks_y / 2; ++j) round(f->y[j]);
  }

 private:
  __device__ __forceinline__ static void round(uint32_t (&f)[4]) {
#pragma unroll
    for (int r = 0; r < 4; ++r) f[r] = ptx::round_to_tf32(f[r]);
  }
};

using Product = TensorProduct<Config, Number::tf32, MmaTileOf, RoundingEngine, true, true>;

}  // namespace

__global__ void __launch_bounds__(Config::threads, Config::blocks)
    sm80_mma_256x128x32_multistage(const __grid_constant__ StridedOperands operands,
                                   const __grid_constant__ TileProblem p) {
  tensor_multistage<Product>(operands, p);
}

namespace {

struct DeviceCode {
  using Config = cuda::Config;
  static constexpr libsgemm_math_mode_t math_mode = LIBSGEMM_MATH_TF32;
  template <Number kNumber, bool AlongA, bool AlongB>
  static TensorInstance instance() {
    return {&sm80_mma_256x128x32_multistage, Product::bytes};
  }
};

}  // namespace

KernelList sm80_mma_256x128x32_multistage() {
  Kernel kernel = tensor_kernel<DeviceCode>("sm80_mma_256x128x32_multistage");
  kernel.prepare = [](const GemmDesc &desc, int device) {
    return along_k_a(desc) && along_k_b(desc) ? prepare_tensor<DeviceCode>(desc, device) : Plan();
  };
  return kernel;
}

}  // namespace libsgemm::cuda
