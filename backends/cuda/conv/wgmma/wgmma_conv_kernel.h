// Host side of wgmma_conv.cuh. A kernel's file defines a DeviceCode:
//
//   struct DeviceCode {
//     static constexpr Scheme scheme = ...;
//     static constexpr double peak_fraction = ...;  // of the peak of 16-bit numbers, with the largest tiles
//     template <int Halves, int N, int Cluster> static WgmmaConvKernel kernel();
//   };
#pragma once

#include "cuda/wgmma/wgmma_kernel.h"
#include "cuda/wgmma/wgmma_launch.h"
#include "gpu/conv/conv_kernel.h"
#include "wgmma_conv.h"

namespace libsgemm::cuda {

template <Scheme kScheme>
constexpr Number kConvNumber = kScheme == Scheme::tf32                                ? Number::tf32
                               : kScheme == Scheme::bf16x3 || kScheme == Scheme::bf16 ? Number::bf16
                                                                                      : Number::f16;
template <Scheme kScheme>
constexpr int kConvLine = kConvFormat<kScheme>.channels *kConvFormat<kScheme>.bytes;
// Takes as many stages as leave room for the boxes of stores, but at least three.
template <Scheme kScheme, int kHalves, int kN>
constexpr int kConvStages = std::max(3, 192 * 1024 / ((128 * kHalves + kN) * kSplits<kScheme> * kConvLine<kScheme>));
template <Scheme kScheme, int kHalves, int kN, int kCluster>
using ConvShape =
    WgmmaShape<kConvNumber<kScheme>, ptx::AlongK<kConvLine<kScheme>>, ptx::AlongK<kConvLine<kScheme>>, kHalves, kN,
               kConvFormat<kScheme>.channels, kConvStages<kScheme, kHalves, kN>, kCluster, kSplits<kScheme>>;

using WgmmaConvKernel = void (*)(WgmmaMaps, WgmmaConvProblem);

// Times to begin and to store a tile, in k of a 256 x 128 tile by FP32 FMAs. Fitted to ten layers on an H100 before
// stores other than `rows` went through shared memory: upper bounds for these.
constexpr double kBeginSteps = 7;
constexpr ConvStoreSteps kPlainStoreSteps = {14, 65, 240, 175}, kSplitStoreSteps = {104, 272, 194, 545};

template <class Shape>
Tiling wgmma_tiling(const Device &d, double peak_fraction, double store_steps) {
  const double rate = static_cast<double>(d.wgmma_per_clock) / d.fma_per_clock / Promotion<Shape::planes>::count;
  Tiling tiling = {Shape::tile_y, Shape::tile_x, kWgmmaThreads, 1, {peak_fraction * rate}};
  const double begin = kBeginSteps * 256 * 128 / (Shape::tile_x * Shape::tile_y);
  tiling.figures.steps = (begin + store_steps) * tiling.figures.peak_fraction;
  return tiling;
}

template <class DeviceCode, bool kKeepsBound>
struct WgmmaConv {
  static constexpr ConvFormat format = kConvFormat<DeviceCode::scheme>;

  static bool supports(const ConvDesc &desc, int index) {
    const Device &d = device(index);
    if (d.wgmma_per_clock == 0 || d.code_arch < 90 || !wgmma_conv_fits(desc)) return false;
    // With fewer channels k-steps are mostly zeros, and FP32 and FP64 faster.
    if (!format.scaled) return conv_geometry(desc, 0).image.channels >= 8;
    if (!kKeepsBound) return d.fp64_tensor_per_clock > 0;
    return conv_least_terms(desc) >= kLeastFast && d.fp64_tensor_per_clock >= d.fma_per_clock;
  }

  static double cost(const ConvDesc &desc, int index) {
    constexpr double kNextLaunchSeconds = 0.5e-6;  // a launch that follows another one
    const Device &d = device(index);
    const size_t least = conv_splits_layout(desc, format, 0).least_bytes;
    const ConvSplitsLayout l = conv_splits_layout(desc, format, std::max(LIBSGEMM_WORKSPACE_DEFAULT_BYTES, least));
    const double parts = static_cast<double>(ceil_div(desc.n, l.images));
    const int64_t products = conv_products(desc);
    double seconds = 0, bytes = l.in_place ? 0 : image_pass_bytes(conv_geometry(desc, 0), format);
    double moved = image_split_bytes(conv_geometry(desc, 0), format);  // traffic of the kernel that multiplies
    for (int64_t i = 0; i < products; ++i) {
      const ConvGeometry g = conv_geometry(desc, i);
      seconds += parts * best_tile(g, l.images, index).seconds;
      bytes += filter_pass_bytes(g, format);
      moved += 4.0 * g.image.images * g.p * g.q * g.filters.filters;
    }
    const double launches = parts * static_cast<double>((l.in_place ? 0 : 1) + (format.scaled ? 3 : 2) * products);
    return kLaunchSeconds + launches * kNextLaunchSeconds + memory_seconds(d, bytes) +
           overlapped(seconds, memory_seconds(d, moved));
  }

  static size_t workspace(const ConvDesc &desc, int) { return conv_splits_layout(desc, format, 0).least_bytes; }

  static libsgemm_status_t launch(const ConvDesc &desc, const Launch &launch, Error *error) {
    const ConvSplitsLayout l = conv_splits_layout(desc, format, launch.workspace_bytes);
    return enqueue_rehearsed(launch, l.images < desc.n || conv_products(desc) > 1, [&](const Launch &how) {
      libsgemm_status_t status = LIBSGEMM_SUCCESS;
      if (format.scaled) status = clear(how.workspace, l.words_bytes, how, error);
      for (int64_t first = 0; first < desc.n && status == LIBSGEMM_SUCCESS; first += l.images) {
        status = launch_images(desc, l, first, std::min(l.images, desc.n - first), how, error);
      }
      return status;
    });
  }

 private:
  struct Tile {
    double seconds;
    libsgemm_status_t (*enqueue)(const ConvGeometry &g, const ConvPass &pass, bool in_place, WgmmaConvProblem *q,
                                 const Launch &launch, Error *error);
  };

  template <int kHalves, int kN, int kCluster>
  static void consider(const ConvGeometry &g, int64_t images, double fraction, int index, Tile *best) {
    using Shape = ConvShape<DeviceCode::scheme, kHalves, kN, kCluster>;
    const Device &d = device(index);
    constexpr ConvStoreSteps kStore = format.scaled ? kSplitStoreSteps : kPlainStoreSteps;
    Tiling tiling = wgmma_tiling<Shape>(d, DeviceCode::peak_fraction * fraction, store_steps(g, images, kStore));
    const int64_t clusters =
        ceil_div(images * g.p * g.q, Shape::cluster_x) * ceil_div(g.filters.filters, Shape::cluster_y);
    const double seconds = tiles_seconds(d, tiling, static_cast<double>(kCluster * clusters),
                                         static_cast<double>(conv_steps(g, format) * format.channels));
    if (best->enqueue == nullptr || seconds < best->seconds) *best = {seconds, &enqueue<kHalves, kN, kCluster>};
  }

  static Tile best_tile(const ConvGeometry &g, int64_t images, int index) {
    Tile best = {};
    consider<2, 128, 2>(g, images, 1, index, &best);
    consider<2, 128, 1>(g, images, 0.88, index, &best);
    consider<2, 64, 1>(g, images, 0.63, index, &best);
    consider<1, 128, 1>(g, images, 0.84, index, &best);
    consider<1, 64, 1>(g, images, 0.58, index, &best);
    return best;
  }

  static libsgemm_status_t launch_images(const ConvDesc &desc, const ConvSplitsLayout &l, int64_t first, int64_t count,
                                         const Launch &launch, Error *error) {
    const int64_t products = conv_products(desc);
    for (int64_t i = 0; i < products; ++i) {
      const ConvGeometry g = conv_geometry(desc, i);
      const ConvPass pass = conv_pass(g, format, l, launch.workspace, first, count);
      libsgemm_status_t status = LIBSGEMM_SUCCESS;
      // With one product, the filters' splits stay for all parts.
      const ConvSurvey survey = {format.scaled && i == 0, products > 1 || first == 0};
      if (survey.images || survey.filters) status = launch_conv_survey(DeviceCode::scheme, pass, survey, launch, error);
      if (status == LIBSGEMM_SUCCESS && i == 0 && !l.in_place)
        status = launch_conv_split(DeviceCode::scheme, pass, launch, error);
      if (status != LIBSGEMM_SUCCESS) return status;
      WgmmaConvProblem q = conv_windows(g, format, pass, kKeepsBound);
      q.product.alpha = desc.alpha, q.product.beta = desc.beta;
      q.product.c = moved(g.out, first * g.out_n);
      status = best_tile(g, count, launch.device).enqueue(g, pass, l.in_place, &q, launch, error);
      if (status != LIBSGEMM_SUCCESS) return status;
      if (format.scaled) status = launch_conv_repair(conv_images(desc, first, count), i, q.guard, launch, error);
      if (status != LIBSGEMM_SUCCESS) return status;
    }
    return LIBSGEMM_SUCCESS;
  }

  template <int kHalves, int kN, int kCluster>
  static libsgemm_status_t enqueue(const ConvGeometry &g, const ConvPass &pass, bool in_place, WgmmaConvProblem *q,
                                   const Launch &launch, Error *error) {
    const WgmmaInstance i = wgmma_instance<ConvShape<DeviceCode::scheme, kHalves, kN, kCluster>>(nullptr);
    WgmmaMaps maps;
    libsgemm_status_t status = encode(conv_boxes(g, format, pass, i.x_box[1], in_place), launch, &maps.x, error);
    if (status != LIBSGEMM_SUCCESS) return status;
    const TensorBoxes filters = split_boxes(pass.filter_splits, pass.filter_ld, pass.filters.filters,
                                            pass.filter_split_bytes, format, i.y_box, format.splits, i.y_swizzle);
    status = encode(filters, launch, &maps.y, error);
    if (status != LIBSGEMM_SUCCESS) return status;
    WgmmaProblem &p = q->product;
    p.x = pass.image.images * g.p * g.q, p.y = g.filters.filters;
    p.k_steps = static_cast<int>(conv_steps(g, format));
    p.slices = p.products = 1;
    count_tiles(i, &p);
    p.step_x = g.out_w, p.step_y = g.out_k;
    const auto even = static_cast<uint64_t>(g.out_n | g.out_h | g.out_w) % 2;
    p.vectors = g.out_k == 1 && (reinterpret_cast<uintptr_t>(p.c) % 8 | even) == 0;
    if (p.beta == 0 && evenly_apart(g, pass.image.images)) status = describe_boxes(i, 1, launch, &p, &maps.c, error);
    if (status != LIBSGEMM_SUCCESS) return status;
    return launch_wgmma_kernel(DeviceCode::template kernel<kHalves, kN, kCluster>(), i, p, launch, error, maps, *q);
  }
};

template <class DeviceCode, bool kKeepsBound = false>
Kernel wgmma_conv_kernel(const char *name, libsgemm_math_mode_t mode) {
  using Conv = WgmmaConv<DeviceCode, kKeepsBound>;
  static constexpr ConvLaunch conv = {prepare_fixed<Conv::supports, Conv::cost, Conv::workspace>, Conv::launch};
  Kernel kernel = kernel_of_conv(name, mode, kKeepsBound ? "FP32's bound" : "", &conv);
  kernel.truncates = !Conv::format.scaled;
  return kernel;
}

}  // namespace libsgemm::cuda
