// Step 2 of the 16-bit ladder (docs/kernels/mma.md): sm80_wmma_256x128x32_multistage with tiles of 128 x 128 by four
// warps and one k-tile ahead, through registers. At most 40 KiB of shared memory.
//
// Requires: gemm of FP16 (sm_75) or bfloat16 (sm_80) operands. _staged_vectors: sm_75, aligned columns.
#include "gpu/kernels.h"
#include "tensor_kernel.h"
#include "tensor_multistage.cuh"
#include "wmma.cuh"

namespace libsgemm::cuda {

namespace {

struct Config : TensorShape<Number::f16, 128, 128, 32, 64, 64> {
  static constexpr int stages = 2;
  static constexpr int blocks = 2;
  static constexpr double peak_fraction = 0.6;
};
constexpr double kElements = 0.3;  // share of peak_fraction, element by element

template <bool AlongA, bool AlongB>
using Vectors = TensorProduct<Config, Number::f16, WmmaTileOf, WmmaEngine, AlongA, AlongB>;
template <Number kNumber>
using Elements = TensorProduct<Config, kNumber, ElementTileOf, WmmaEngine, true, true>;

}  // namespace

template <bool AlongA, bool AlongB>
__global__ void __launch_bounds__(Config::threads, Config::blocks)
    sm75_wmma_128x128x32_staged_vectors(const __grid_constant__ StridedOperands operands,
                                        const __grid_constant__ TileProblem p) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 800
  using Product = Vectors<AlongA, AlongB>;
  const TilePosition<Config> at(p);
  typename Product::A a(operands.a(blockIdx.z), p.lda, at.row(), p.m - at.row(), 0, p.k);
  typename Product::B b(operands.b(blockIdx.z), p.ldb, at.column(), p.n - at.column(), 0, p.k);
  tensor_staged<Product>(a, b, p.k_tiles, [&] { return output_tile(operands, p, at); });
#endif
}

template <Number kNumber, typename Operands>
__global__ void __launch_bounds__(Config::threads, Config::blocks)
    sm75_wmma_128x128x32_staged_elements(const __grid_constant__ Operands operands,
                                         const __grid_constant__ TileProblem p, bool along_a, bool along_b) {
  if constexpr (kHasNumber<kNumber>) {
    using Product = Elements<kNumber>;
    const TilePosition<Config> at(p);
    typename Product::A a(operands.a(blockIdx.z), p.lda, along_a, at.row(), p.m - at.row(), p.k);
    typename Product::B b(operands.b(blockIdx.z), p.ldb, along_b, at.column(), p.n - at.column(), p.k);
    tensor_staged<Product>(a, b, p.k_tiles, [&] { return output_tile(operands, p, at); });
  }
}

namespace {

constexpr size_t kElementsBytes = Elements<Number::f16>::bytes;

struct DeviceCode {
  template <Number, bool AlongA, bool AlongB>
  static TensorInstance instance() {
    return {&sm75_wmma_128x128x32_staged_vectors<AlongA, AlongB>, Vectors<AlongA, AlongB>::bytes};
  }
};

bool by_vectors(const GemmDesc &desc, int index) { return device(index).code_arch < 80 && chunks_fit(desc); }

bool supports(const GemmDesc &desc, int index) {
  return desc.routine == Routine::gemm && desc.type != Type::f32 && has_tensor_cores(desc.type, index) &&
         tiles_fit<Config>(desc);
}

double cost(const GemmDesc &desc, int index) {
  Figures figures = {Config::peak_fraction};
  figures.stall = 0.8;
  if (!by_vectors(desc, index)) {
    figures.peak_fraction *= kElements;
    const Figures *fitted = fitted_figures(device(index).arch, Fitted::sm75_wmma_128x128x32_staged);
    if (fitted != nullptr) figures = *fitted;
  }
  return gemm_seconds(device(index), desc, tensor_tiling<Config>(index, kElementsBytes, figures));
}

libsgemm_status_t enqueue(const GemmDesc &desc, const Launch &launch, Error *error) {
  const TileProblem p = tile_problem<Config>(desc);
  return for_chunks(desc, launch, kMostProducts, [&](const auto &operands, int64_t count) {
    using Operands = std::decay_t<decltype(operands)>;
    const dim3 grid = tile_grid(p, count), block(Config::threads);
    if constexpr (std::is_same_v<Operands, StridedOperands>) {
      if (by_vectors(desc, launch.device)) {
        const TensorInstance vectors = instance_of<DeviceCode, Number::f16>(desc);
        return launch_kernel(vectors.kernel, grid, block, vectors.shared_bytes, launch, error, operands, p);
      }
    }
    auto *kernel = desc.type == Type::f16 ? sm75_wmma_128x128x32_staged_elements<Number::f16, Operands>
                                          : sm75_wmma_128x128x32_staged_elements<Number::bf16, Operands>;
    return launch_kernel(kernel, grid, block, kElementsBytes, launch, error, operands, p, along_k_a(desc),
                         along_k_b(desc));
  });
}

}  // namespace

KernelList sm75_wmma_128x128x32_staged() {
  Kernel kernel = {"sm75_wmma_128x128x32_staged", LIBSGEMM_MATH_FP32, prepare_fixed<supports, cost>, enqueue};
  kernel.truncates = true;
  return kernel;
}

}  // namespace libsgemm::cuda
