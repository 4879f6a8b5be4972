// Host side of depthwise.h. A kernel's file defines a DeviceCode:
//
//   struct DeviceCode {
//     template <int Width, int Taps, int Down> static auto kernel();          // calls depthwise()
//     template <int Width, int Taps, int Down> static auto weights_kernel();  // calls depthwise_weights()
//     static constexpr auto sum_kernel = ...;                                 // calls depthwise_sum()
//   };
#pragma once

#include <utility>

#include "conv_product.h"
#include "depthwise_plan.h"
#include "gpu/kernels.h"
#include "gpu/launch.h"
#include "gpu/rehearsal.h"

namespace libsgemm::gpu {

template <int... Values>
using Numbers = std::integer_sequence<int, Values...>;

// The last number serves all other values.
template <int First, int... More, typename Run>
libsgemm_status_t with_number(Numbers<First, More...>, int value, const Run &run) {
  if constexpr (sizeof...(More) == 0) {
    return run(std::integral_constant<int, First>());
  } else {
    return value == First ? run(std::integral_constant<int, First>()) : with_number(Numbers<More...>(), value, run);
  }
}

inline dim3 grid_of(const DepthwisePlan &plan) {
  return dim3(static_cast<unsigned>(plan.position_blocks), static_cast<unsigned>(plan.channel_blocks));
}
inline dim3 block_of(const DepthwisePlan &plan) {
  return dim3(static_cast<unsigned>(plan.lanes), static_cast<unsigned>(plan.places));
}

template <class DeviceCode>
struct Depthwise {
  static libsgemm_status_t enqueue(const DepthwisePlan &plan, const Launch &launch, Error *error) {
    const DepthwiseProblem &p = plan.problem;
    // Instances require taps on adjacent rows of the image, and strips with rows one or two apart.
    const int taps = p.tap_h == 1 || p.r == 1 ? p.r : 0, down = p.down;
    const int known = (down == 1 && taps <= 7) || (down == 2 && (taps == 3 || taps == 5 || taps == 7)) ? taps : 0;
    return with_number(Numbers<1, 4>(), plan.width, [&](auto width) {
      const auto run = [&](auto rows, auto apart) {
        return launch_kernel(
            DeviceCode::template kernel<decltype(width)::value, decltype(rows)::value, decltype(apart)::value>(),
            grid_of(plan), block_of(plan), static_cast<size_t>(plan.filter_bytes), launch, error, p);
      };
      const auto one = std::integral_constant<int, 1>();
      const auto two = std::integral_constant<int, 2>();
      if (down == 2 && known != 0)
        return with_number(Numbers<3, 5, 7>(), known, [&](auto rows) { return run(rows, two); });
      return with_number(Numbers<1, 2, 3, 4, 5, 7, 0>(), known, [&](auto rows) { return run(rows, one); });
    });
  }

  static bool supports(const ConvDesc &desc, int) {
    return desc.direction != Conv::weight_gradient && is_depthwise(desc);
  }

  static libsgemm_status_t launch(const ConvDesc &desc, const Launch &launch, Error *error) {
    const auto enqueue_all = [&](const Launch &how) {
      libsgemm_status_t status = LIBSGEMM_SUCCESS;
      for (int64_t i = 0; i < conv_products(desc) && status == LIBSGEMM_SUCCESS; ++i) {
        status = enqueue(depthwise_plan(desc, i, how.device), how, error);
      }
      return status;
    };
    return enqueue_rehearsed(launch, conv_products(desc) > 1, enqueue_all);
  }

  static bool supports_weights(const ConvDesc &desc, int) {
    return desc.direction == Conv::weight_gradient && is_depthwise(desc) && desc.r == desc.s &&
           (desc.r == 3 || desc.r == 5 || desc.r == 7) && desc.dilation_h == 1 && desc.stride_h <= 2;
  }

  static libsgemm_status_t launch_weights(const ConvDesc &desc, const Launch &launch, Error *error) {
    const DepthwisePlan plan = depthwise_plan(desc, 0, launch.device);
    const DepthwiseProblem &p = plan.problem;
    double *partial = static_cast<double *>(launch.workspace);
    const auto run = [&](auto width, auto taps) {
      return with_number(Numbers<1, 2>(), p.down, [&](auto down) {
        const size_t bytes = 2 * sizeof(double) * static_cast<size_t>(plan.places * plan.lanes * plan.width);
        return launch_kernel(
            DeviceCode::template weights_kernel<decltype(width)::value, decltype(taps)::value, decltype(down)::value>(),
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
    return launch_kernel(DeviceCode::sum_kernel, grid, dim3(32, kDepthwiseSharing), 0, launch, error, p, partial,
                         plan.position_blocks);
  }
};

template <class DeviceCode>
Kernel depthwise_kernel(const char *name) {
  static constexpr ConvLaunch conv = {prepare_fixed<Depthwise<DeviceCode>::supports, depthwise_seconds>,
                                      Depthwise<DeviceCode>::launch};
  return kernel_of_conv(name, LIBSGEMM_MATH_FP32, "", &conv);
}

template <class DeviceCode>
Kernel depthwise_weights_kernel(const char *name) {
  static constexpr ConvLaunch conv = {
      prepare_fixed<Depthwise<DeviceCode>::supports_weights, depthwise_seconds, depthwise_bytes>,
      Depthwise<DeviceCode>::launch_weights};
  return kernel_of_conv(name, LIBSGEMM_MATH_FP32, "", &conv);
}

}  // namespace libsgemm::gpu
