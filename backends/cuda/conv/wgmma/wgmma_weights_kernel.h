// Host side of wgmma_weights.cuh. A kernel's file defines a DeviceCode as in wgmma_conv_kernel.h.
#pragma once

#include "wgmma_conv_kernel.h"
#include "wgmma_weights.h"

namespace libsgemm::cuda {

// A k-step is 64 pixels, or 32 with several splits.
template <Scheme kScheme, int kHalves, int kN, int kCluster>
using WeightsShape =
    WgmmaShape<kConvNumber<kScheme>, ptx::AlongOuter<kConvFormat<kScheme>.channels>,
               ptx::AlongOuter<kConvFormat<kScheme>.channels>, kHalves, kN, kConvFormat<kScheme>.channels,
               kConvStages<kScheme, kHalves, kN>, kCluster, kSplits<kScheme>>;

template <class DeviceCode, bool kKeepsBound>
struct WgmmaWeights {
  static_assert(DeviceCode::scheme != Scheme::tf32, "wgmma reads TF32 along k only");
  static constexpr ConvFormat format = {kSplits<DeviceCode::scheme>, 2, 64, kScaledRows<DeviceCode::scheme>};

  static bool supports(const ConvDesc &desc, int index) {
    const Device &d = device(index);
    if (d.wgmma_per_clock == 0 || d.code_arch < 90 || !conv_weights_fit(desc)) return false;
    // With fewer channels blocks are mostly zeros, and FP32 and FP64 faster.
    if (!format.scaled) return desc.c >= 16;
    if (!kKeepsBound) return d.fp64_tensor_per_clock > 0;
    // Each part of the images adds two roundings: not too small.
    constexpr int64_t kLeastOfImage = 16;
    return desc.p * desc.q >= kLeastOfImage && desc.n * desc.p * desc.q >= kLeastFast &&
           d.fp64_tensor_per_clock >= d.fma_per_clock;
  }

  static double cost(const ConvDesc &desc, int index) {
    constexpr double kNextLaunchSeconds = 2.8e-6;  // a launch that follows another one; fitted to ten layers on an H100
    const Device &d = device(index);
    const size_t least = conv_weights_layout(desc, format, 0).least_bytes;
    const ConvWeightsLayout l = conv_weights_layout(desc, format, std::max(LIBSGEMM_WORKSPACE_DEFAULT_BYTES, least));
    const double parts = static_cast<double>(ceil_div(desc.n, l.images));
    ConvGeometry g = weights_geometry(desc);
    double bytes = image_pass_bytes(g, format);
    g.image = weights_dy(desc);
    bytes += image_pass_bytes(g, format);
    // An output costs a sector of memory unless channels are neighbours.
    const double outputs = static_cast<double>(desc.k * desc.c) * static_cast<double>(desc.r * desc.s);
    bytes += parts * outputs * (desc.f_steps.c == 1 ? 4 : 32);
    return kLaunchSeconds + parts * (format.scaled ? 7 : 3) * kNextLaunchSeconds + memory_seconds(d, bytes) +
           parts * best_tile(desc, l, l.images, index).seconds;
  }

  static size_t workspace(const ConvDesc &desc, int) { return conv_weights_layout(desc, format, 0).least_bytes; }

  static libsgemm_status_t launch(const ConvDesc &desc, const Launch &launch, Error *error) {
    const ConvWeightsLayout l = conv_weights_layout(desc, format, launch.workspace_bytes);
    return enqueue_rehearsed(launch, l.images < desc.n, [&](const Launch &how) {
      libsgemm_status_t status = LIBSGEMM_SUCCESS;
      if (format.scaled) status = clear(how.workspace, l.words_bytes, how, error);
      for (int64_t part = 0; part * l.images < desc.n && status == LIBSGEMM_SUCCESS; ++part) {
        status = launch_part(desc, l, part, how, error);
      }
      return status;
    });
  }

 private:
  struct Tile {
    double seconds;
    int slices;
    libsgemm_status_t (*enqueue)(const ConvGeometry &g, const ConvWeightsPasses &passes, const ConvWeightsSum &sum,
                                 const Launch &launch, Error *error);
  };

  template <int kHalves, int kN, int kCluster>
  static void consider(const ConvDesc &desc, const ConvWeightsLayout &l, int64_t images, double fraction, int index,
                       Tile *best) {
    using Shape = WeightsShape<DeviceCode::scheme, kHalves, kN, kCluster>;
    const Device &d = device(index);
    const Tiling tiling = wgmma_tiling<Shape>(d, DeviceCode::peak_fraction * fraction, 0);
    const int64_t clusters = ceil_div(l.rows, Shape::cluster_x) * ceil_div(desc.k, Shape::cluster_y);
    const int64_t pixels = images * desc.p * desc.q;
    const int slices =
        conv_weights_slices(clusters, ceil_div(pixels, Shape::depth), d.compute_units / kCluster, l.most_slices);
    const double sums = 2.0 * slices * static_cast<double>(l.slice_bytes);
    const double seconds = tiles_seconds(d, tiling, static_cast<double>(kCluster * clusters * slices),
                                         static_cast<double>(pixels) / slices) +
                           memory_seconds(d, sums);
    if (best->enqueue == nullptr || seconds < best->seconds) *best = {seconds, slices, &enqueue<kHalves, kN, kCluster>};
  }

  static Tile best_tile(const ConvDesc &desc, const ConvWeightsLayout &l, int64_t images, int index) {
    Tile best = {};
    consider<2, 128, 2>(desc, l, images, 1, index, &best);
    consider<2, 128, 1>(desc, l, images, 0.92, index, &best);
    consider<2, 64, 1>(desc, l, images, 0.55, index, &best);
    consider<1, 128, 1>(desc, l, images, 0.89, index, &best);
    return best;
  }

  static libsgemm_status_t launch_part(const ConvDesc &desc, const ConvWeightsLayout &l, int64_t part,
                                       const Launch &launch, Error *error) {
    const int64_t first = part * l.images, count = std::min(l.images, desc.n - first);
    const ConvWeightsPasses passes = conv_weights_passes(desc, format, l, launch.workspace, first, count, part);
    libsgemm_status_t status = LIBSGEMM_SUCCESS;
    for (const ConvPass *pass : {&passes.x, &passes.dy}) {
      if (format.scaled) status = launch_conv_survey(DeviceCode::scheme, *pass, {true, false}, launch, error);
      if (status == LIBSGEMM_SUCCESS) status = launch_conv_split(DeviceCode::scheme, *pass, launch, error);
      if (status != LIBSGEMM_SUCCESS) return status;
    }
    ConvDesc images = conv_images(desc, first, count);
    if (part > 0) images.beta = 1;
    const Tile tile = best_tile(desc, l, count, launch.device);
    const ConvWeightsSum sum = conv_weights_sum(images, format, l, launch.workspace, part, tile.slices, kKeepsBound);
    status = tile.enqueue(weights_geometry(desc), passes, sum, launch, error);
    if (status == LIBSGEMM_SUCCESS) status = launch_conv_weights_sum(sum, launch, error);
    if (status != LIBSGEMM_SUCCESS || !format.scaled) return status;
    void *sums = static_cast<char *>(launch.workspace) + l.words_bytes;
    return launch_conv_weights_repair(images, sum.guard, sums, l.sums_bytes(), launch, error);
  }

  template <int kHalves, int kN, int kCluster>
  static libsgemm_status_t enqueue(const ConvGeometry &g, const ConvWeightsPasses &passes, const ConvWeightsSum &sum,
                                   const Launch &launch, Error *error) {
    using Shape = WeightsShape<DeviceCode::scheme, kHalves, kN, kCluster>;
    const WgmmaInstance i = wgmma_instance<Shape>(nullptr);
    WgmmaConvProblem q = conv_windows(g, format, passes.x, false);
    WgmmaProblem &p = q.product;
    const int64_t pixels = int64_t{passes.dy.image.images} * g.p * g.q;
    p.x = sum.rows, p.y = static_cast<int>(sum.ld);
    // A slice is a whole number of promotions. Beyond the last pixel there are zeros.
    const int64_t together = format.splits > 1 ? int64_t{kPromoteDepth / Shape::depth} * sum.slices : 1;
    p.k_steps = static_cast<int>(ceil_div(ceil_div(pixels, Shape::depth), together) * together);
    p.slices = sum.slices, p.products = 1;
    count_tiles(i, &p);
    p.alpha = 1, p.beta = 0;
    p.c = const_cast<float *>(sum.sums), p.c_elements = sum.slice;
    p.step_x = sum.ld, p.step_y = 1;
    p.vectors = true;
    WgmmaMaps maps;
    libsgemm_status_t status =
        encode(conv_boxes(g, format, passes.x, static_cast<uint32_t>(Shape::depth)), launch, &maps.x, error);
    const ConvPass &dy = passes.dy;
    const TensorBoxes outputs =
        split_boxes(dy.image_splits, dy.padded, pixels, dy.image_split_bytes, format, i.y_box, 1, i.y_swizzle);
    if (status == LIBSGEMM_SUCCESS) status = encode(outputs, launch, &maps.y, error);
    if (status == LIBSGEMM_SUCCESS) status = describe_boxes(i, sum.slices, launch, &p, &maps.c, error);
    if (status != LIBSGEMM_SUCCESS) return status;
    return launch_wgmma_kernel(DeviceCode::template kernel<kHalves, kN, kCluster>(), i, p, launch, error, maps, q);
  }
};

template <class DeviceCode, bool kKeepsBound = false>
Kernel wgmma_weights_kernel(const char *name, libsgemm_math_mode_t mode) {
  using Weights = WgmmaWeights<DeviceCode, kKeepsBound>;
  static constexpr ConvLaunch conv = {prepare_fixed<Weights::supports, Weights::cost, Weights::workspace>,
                                      Weights::launch};
  Kernel kernel = kernel_of_conv(name, mode, kKeepsBound ? "FP32's bound" : "", &conv);
  kernel.truncates = !Weights::format.scaled;
  return kernel;
}

}  // namespace libsgemm::cuda
