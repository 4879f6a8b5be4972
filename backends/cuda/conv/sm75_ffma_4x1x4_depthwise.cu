// Convolutions in which each channel of the image meets filters of its own, and their data gradient
// (gpu/depthwise.h), on any architecture.
//
// sm75_ffma_4x1x4_depthwise_weights: their weight gradient, for filters of 3 x 3, 5 x 5 and 7 x 7.
//
// A thread computes strips of 4 x 1 elements of 4 channels that are neighbours, or of one. Shared memory, bytes: the
// filters of the block's channels, at most 48 KiB; of the weight gradient a double for each thread and channel.
//
// Requires: one channel of the image in each group; k / groups r s up to 96; weights: the filters named, without
// dilation down, strides of 1 or 2, a workspace of 8 k r s bytes for up to 128 slices.
#include "dynamic_shared.cuh"
#include "gpu/conv_product.h"
#include "gpu/depthwise.h"
#include "gpu/depthwise_plan.h"
#include "runtime/launch.h"

namespace libsgemm::cuda {

using namespace gpu;

template <int Width, int Taps, int Down>
__global__ void __launch_bounds__(kDepthwiseThreads, 2)
    sm75_ffma_4x1x4_depthwise(const __grid_constant__ DepthwiseProblem p) {
  depthwise<Width, Taps, Down>(p, dynamic_shared());
}

template <int Width, int Taps, int Down>
__global__ void __launch_bounds__(kDepthwiseThreads)
    sm75_ffma_4x1x4_depthwise_weights(const __grid_constant__ DepthwiseProblem p, double *partial) {
  depthwise_weights<Width, Taps, Taps, Down>(p, partial, reinterpret_cast<double *>(dynamic_shared()));
}

namespace {

__global__ void __launch_bounds__(kDepthwiseThreads)
    depthwise_weights_sum(const __grid_constant__ DepthwiseProblem p, const double *partial, int slices) {
  depthwise_sum(p, partial, slices);
}

template <int... Values>
using Numbers = std::integer_sequence<int, Values...>;

// Calls run(constant) for `value` if it is one of them, otherwise for the last one.
template <int First, int... More, typename Run>
libsgemm_status_t with_number(Numbers<First, More...>, int value, const Run &run) {
  if constexpr (sizeof...(More) == 0) {
    return run(std::integral_constant<int, First>());
  } else {
    return value == First ? run(std::integral_constant<int, First>()) : with_number(Numbers<More...>(), value, run);
  }
}

dim3 grid_of(const DepthwisePlan &plan) {
  return dim3(static_cast<unsigned>(plan.position_blocks), static_cast<unsigned>(plan.channel_blocks));
}
dim3 block_of(const DepthwisePlan &plan) {
  return dim3(static_cast<unsigned>(plan.lanes), static_cast<unsigned>(plan.places));
}

libsgemm_status_t enqueue(const DepthwisePlan &plan, const Launch &launch, Error *error) {
  const DepthwiseProblem &p = plan.problem;
  // Rows of the image that follow one another with the taps, and are one or two apart from strip's row to row.
  const int taps = p.tap_h == 1 || p.r == 1 ? p.r : 0, down = p.down;
  const int known = (down == 1 && taps <= 7) || (down == 2 && (taps == 3 || taps == 5 || taps == 7)) ? taps : 0;
  return with_number(Numbers<1, 4>(), plan.width, [&](auto width) {
    const auto run = [&](auto rows, auto apart) {
      return launch_kernel(
          &sm75_ffma_4x1x4_depthwise<decltype(width)::value, decltype(rows)::value, decltype(apart)::value>,
          grid_of(plan), block_of(plan), static_cast<size_t>(plan.filter_bytes), launch, error, p);
    };
    const auto one = std::integral_constant<int, 1>();
    const auto two = std::integral_constant<int, 2>();
    if (down == 2 && known != 0)
      return with_number(Numbers<3, 5, 7>(), known, [&](auto rows) { return run(rows, two); });
    return with_number(Numbers<1, 2, 3, 4, 5, 7, 0>(), known, [&](auto rows) { return run(rows, one); });
  });
}

bool supports(const ConvDesc &desc, int) { return desc.direction != Conv::weight_gradient && is_depthwise(desc); }

libsgemm_status_t launch(const ConvDesc &desc, const Launch &launch, Error *error) {
  const auto enqueue_all = [&](const Launch &how) {
    libsgemm_status_t status = LIBSGEMM_SUCCESS;
    for (int64_t i = 0; i < conv_products(desc) && status == LIBSGEMM_SUCCESS; ++i) {
      status = enqueue(depthwise_plan(desc, i, how.device), how, error);
    }
    return status;
  };
  if (conv_products(desc) > 1 && !launch.rehearsal) {  // what a later launch needs is loaded first
    Launch rehearsal = launch;
    rehearsal.rehearsal = true;
    const libsgemm_status_t status = enqueue_all(rehearsal);
    if (status != LIBSGEMM_SUCCESS) return status;
  }
  return enqueue_all(launch);
}

bool supports_weights(const ConvDesc &desc, int) {
  return desc.direction == Conv::weight_gradient && is_depthwise(desc) && desc.r == desc.s &&
         (desc.r == 3 || desc.r == 5 || desc.r == 7) && desc.dilation_h == 1 && desc.stride_h <= 2;
}

libsgemm_status_t launch_weights(const ConvDesc &desc, const Launch &launch, Error *error) {
  const DepthwisePlan plan = depthwise_plan(desc, 0, launch.device);
  const DepthwiseProblem &p = plan.problem;
  double *partial = static_cast<double *>(launch.workspace);
  const auto run = [&](auto width, auto taps) {
    return with_number(Numbers<1, 2>(), p.down, [&](auto down) {
      const size_t bytes = 2 * sizeof(double) * static_cast<size_t>(plan.places * plan.lanes * plan.width);
      return launch_kernel(
          &sm75_ffma_4x1x4_depthwise_weights<decltype(width)::value, decltype(taps)::value, decltype(down)::value>,
          grid_of(plan), block_of(plan), bytes, launch, error, p, partial);
    });
  };
  const libsgemm_status_t status =
      plan.width == 4   ? run(std::integral_constant<int, 4>(), std::integral_constant<int, 3>())
      : plan.width == 2 ? run(std::integral_constant<int, 2>(), std::integral_constant<int, 5>())
                        : with_number(Numbers<3, 5, 7>(), p.r,
                                      [&](auto taps) { return run(std::integral_constant<int, 1>(), taps); });
  if (status != LIBSGEMM_SUCCESS) return status;
  const dim3 grid(static_cast<unsigned>((p.channels * p.r * p.s - 1) / 32 + 1));
  return launch_kernel(&depthwise_weights_sum, grid, dim3(32, kDepthwiseThreads / 32), 0, launch, error, p, partial,
                       plan.position_blocks);
}

}  // namespace

Kernel sm75_ffma_4x1x4_depthwise() {
  static constexpr ConvLaunch conv = {supports, depthwise_seconds, nullptr, launch};
  return conv_row("sm75_ffma_4x1x4_depthwise", LIBSGEMM_MATH_FP32, "", &conv);
}

Kernel sm75_ffma_4x1x4_depthwise_weights() {
  static constexpr ConvLaunch conv = {supports_weights, depthwise_seconds, depthwise_bytes, launch_weights};
  return conv_row("sm75_ffma_4x1x4_depthwise_weights", LIBSGEMM_MATH_FP32, "", &conv);
}

}  // namespace libsgemm::cuda
