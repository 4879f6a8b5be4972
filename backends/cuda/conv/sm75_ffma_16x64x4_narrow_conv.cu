// Direct convolutions to few channels, or in groups of few, by FP32 FMAs. A block computes up to four channels of a
// group's output. Why, and figures: docs/kernels/convolution.md.
//
// A data gradient with strides is one such convolution of dy for each remainder of rows and columns, of which a launch
// computes four (grid: tiles; images, groups and quads of channels; remainders).
//
//   tile of the output: 16 rows x 64 columns x up to 4 channels; a thread has 2 x 4 columns of two rows
//
//        0  4  8 ...      32 36 ...   column
//   0    t0 t1 t2 ... t7  t0 t1 ...     rows of the image in shared memory: 64 columns and those that taps reach;
//   2    t8 t9 ...                      a thread reads 8 of a row for 4 columns, both rows and up to 4 taps, and each
//                                       tap of all filters as one float4, which is the same for all lanes
//
// Two groups of 64 threads each process half of the channels, and add their accumulators at the end. Shared memory, at
// most 75 KiB: two stages of 4 channels of the image, then their filters.
//
// Requires: a forward convolution without strides to at most 16 filters a group, or a data gradient of at most 16
// channels a group with any strides; no dilation; at most 8 taps along rows and along columns (of a remainder). Tensors
// with any element strides and alignment.
#include <algorithm>
#include <climits>
#include <cmath>

#include "cuda/conv/wgmma/wgmma_conv.h"
#include "gpu/cost.h"
#include "gpu/kernels.h"
#include "narrow_conv.cuh"
#include "runtime/launch.h"

namespace libsgemm::cuda {

template <int kChannels>
__global__ void __launch_bounds__(kNarrowThreads, kChannels < 4 ? 4 : 3)
    sm75_ffma_16x64x4_narrow_conv(const __grid_constant__ NarrowProblems problems) {
  const NarrowProblem &p = problems.problem[blockIdx.z];
  if (static_cast<int>(blockIdx.x) >= p.tiles) return;
  const NarrowTile tile(p, NarrowPlace(problems));
  if (problems.channels_next) {
    narrow_conv<kChannels, 8>(tile, problems);
  } else {
    narrow_conv<kChannels, 32>(tile, problems);
  }
}

namespace {

struct Narrow {
  static bool supports(const ConvDesc &desc, int) {
    constexpr int64_t kMostBlocks = 65535;  // limit of the grid's y
    if (desc.direction == Conv::weight_gradient || !conv_fits(desc)) return false;
    const int64_t tiles = ceil_div(desc.direction == Conv::forward ? desc.p : desc.h, kNarrowRows) *
                          ceil_div(desc.direction == Conv::forward ? desc.q : desc.w, kNarrowColumns);
    if (quads(desc) > kNarrowQuads || blocks_along_y(desc) > kMostBlocks || tiles > INT_MAX / 2) return false;
    const ConvSizes sizes(desc);
    for (int i = 0; i < sizes.count(); ++i) {
      const ConvGeometry g = conv_geometry(desc, sizes.product(i));
      const auto narrow = [](int stride, int dilation, int taps, int size) {
        return (stride == 1 || size == 1) && (dilation == 1 || taps <= 1) && taps <= kNarrowTaps;
      };
      if (!narrow(g.stride_h, g.dilation_h, g.filters.taps_h, g.p) ||
          !narrow(g.stride_w, g.dilation_w, g.filters.taps_w, g.q)) {
        return false;
      }
    }
    return true;
  }

  static double cost(const ConvDesc &desc, int index) {
    // Costs, in FMAs, of copying an element, and of storing one of neighbouring columns or of a quad, a strided one,
    // and one of neighbouring channels not stored as quads.
    constexpr double kPeakFraction = 0.45, kCopy = 20, kStore = 10, kStoreApart = 40, kStoreAlone = 60;
    constexpr int kColumns = kNarrowColumns + 32;  // columns that a warp copies, some of them idle
    const Device &d = device(index);
    double work = 0, tiles = 0;  // FMAs of an image and a quad
    const ConvSizes sizes(desc);
    for (int i = 0; i < sizes.count(); ++i) {
      const NarrowProblem p = problem(desc, sizes.product(i));
      const double count = static_cast<double>(sizes.products(i)) * p.tiles;
      const double taps = static_cast<double>(p.filters.taps_h) * p.filters.taps_w;
      const double copied = static_cast<double>(kNarrowRows + p.filters.taps_h - 1) * kColumns;
      const double sums = kNarrowRows * kNarrowColumns * instance(desc);
      const double store = p.out_vectors || p.out_w == 1 ? kStore : p.out_k == 1 ? kStoreAlone : kStoreApart;
      const double depth = taps > 0 ? static_cast<double>(padded_channels(p)) : 0;
      work += count * (depth * (taps * sums + kCopy * copied) + store * sums);
      tiles += count;
    }
    const double along_y = static_cast<double>(blocks_along_y(desc));
    work *= along_y;
    // A block alone on a multiprocessor waits half of the time.
    const double share = std::min(1.0, tiles * along_y / (2.0 * d.compute_units));
    const double launches = std::ceil(static_cast<double>(conv_products(desc)) / NarrowProblems::kMost);
    return kLaunchSeconds * launches +
           overlapped(2 * work / (kPeakFraction * share * fma_peak(d)), memory_seconds(d, conv_bytes(desc)));
  }

  static libsgemm_status_t launch(const ConvDesc &desc, const Launch &launch, Error *error) {
    const int64_t products = conv_products(desc);
    libsgemm_status_t status = LIBSGEMM_SUCCESS;
    for (int64_t first = 0; first < products && status == LIBSGEMM_SUCCESS; first += NarrowProblems::kMost) {
      NarrowProblems problems = {};
      problems.alpha = desc.alpha, problems.beta = desc.beta;
      problems.quads = Divisor::of(static_cast<int>(quads(desc)));
      problems.groups = Divisor::of(static_cast<int>(desc.groups));
      const int count = static_cast<int>(std::min<int64_t>(products - first, NarrowProblems::kMost));
      int tiles = 0;
      for (int i = 0; i < count; ++i) {
        const NarrowProblem p = problem(desc, conv_product(desc, first + i));
        problems.problem[i] = p;
        tiles = std::max(tiles, p.tiles);
        const int rows = kNarrowRows + std::max(p.filters.taps_h, 1) - 1;
        const int floats = kNarrowDepth * (rows * kNarrowPitch + 4 * p.filters.taps_h * p.filters.taps_w);
        problems.stage_floats = std::max(problems.stage_floats, floats);
        problems.channels_next = p.image.c == 1;
      }
      const dim3 grid(static_cast<unsigned>(tiles), static_cast<unsigned>(blocks_along_y(desc)),
                      static_cast<unsigned>(count));
      const auto enqueue = [&](auto kernel) {
        return launch_kernel(kernel, grid, dim3(kNarrowThreads), 8 * static_cast<size_t>(problems.stage_floats), launch,
                             error, problems);
      };
      const int most = instance(desc);
      status = most == 1   ? enqueue(&sm75_ffma_16x64x4_narrow_conv<1>)
               : most == 3 ? enqueue(&sm75_ffma_16x64x4_narrow_conv<3>)
                           : enqueue(&sm75_ffma_16x64x4_narrow_conv<4>);
    }
    return status;
  }

 private:
  static int64_t padded_channels(const NarrowProblem &p) {
    return ceil_div(p.image.channels, kNarrowDepth) * kNarrowDepth;
  }

  static int64_t channels(const ConvDesc &desc) {
    return (desc.direction == Conv::forward ? desc.k : desc.c) / desc.groups;
  }
  static int64_t quads(const ConvDesc &desc) { return ceil_div(channels(desc), 4); }
  static int64_t blocks_along_y(const ConvDesc &desc) { return desc.n * desc.groups * quads(desc); }
  static int instance(const ConvDesc &desc) {
    const int64_t most = std::min<int64_t>(channels(desc), 4);
    return most == 2 ? 3 : static_cast<int>(most);
  }

  static NarrowProblem problem(const ConvDesc &desc, const ConvProduct &product) {
    const ConvGeometry g = conv_geometry(desc, product);
    NarrowProblem p = {};
    p.image = g.image, p.filters = g.filters;
    p.p = g.p, p.q = g.q;
    p.first_h = g.first_h, p.first_w = g.first_w;
    p.out = g.out;
    p.out_n = g.out_n, p.out_h = g.out_h, p.out_w = g.out_w, p.out_k = g.out_k;
    p.image_group = product.image_group, p.filter_group = product.other_group, p.out_group = product.out_group;
    const int64_t all_steps = p.out_n | p.out_h | p.out_w | p.out_group;
    p.out_vectors =
        p.out_k == 1 && channels(desc) % 4 == 0 && all_steps % 4 == 0 && reinterpret_cast<uintptr_t>(p.out) % 16 == 0;
    p.taps_w = Divisor::of(std::max(g.filters.taps_w, 1));
    p.tiles_w = static_cast<int>(ceil_div(g.q, kNarrowColumns));
    p.tiles = static_cast<int>(ceil_div(g.p, kNarrowRows)) * p.tiles_w;
    return p;
  }
};

}  // namespace

KernelList sm75_ffma_16x64x4_narrow_conv() {
  static constexpr ConvLaunch conv = {prepare_fixed<Narrow::supports, Narrow::cost>, Narrow::launch};
  return kernel_of_conv("sm75_ffma_16x64x4_narrow_conv", LIBSGEMM_MATH_FP32, "", &conv);
}

}  // namespace libsgemm::cuda
