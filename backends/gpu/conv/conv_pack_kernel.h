#pragma once

#include <climits>

#include "conv_kernel.h"

namespace libsgemm::gpu {

struct ConvPackProblem {
  const float *from;
  float *to;
  Divisor channels, taps_w, taps_h;
  int count;
  int64_t from_k, from_c, from_r, from_s;
};

libsgemm_status_t launch_conv_pack(const ConvPackProblem &p, const Launch &launch, Error *error);

template <class DeviceCode>
struct ConvPacked {
  using Tiles = ConvTiles<DeviceCode>;

  static bool supports(const ConvDesc &desc, int index) {
    constexpr int64_t kVector = 4;  // packing gains nothing without vectors of channels
    return desc.direction == Conv::data_gradient && desc.f_steps.c != 1 && desc.c / desc.groups % kVector == 0 &&
           Tiles::supports(desc, index) && elements(desc) < INT_MAX / 2;
  }

  static double cost(const ConvDesc &desc, int index) {
    constexpr double kBytes = 20;  // memory traffic of an element, assumed
    return kLaunchSeconds + memory_seconds(model(index), kBytes * elements(desc)) +
           Tiles::cost(packed(desc, nullptr), index);
  }

  static size_t workspace(const ConvDesc &desc, int) { return sizeof(float) * static_cast<size_t>(elements(desc)); }

  static libsgemm_status_t launch(const ConvDesc &desc, const Launch &launch, Error *error) {
    const auto number = [](int64_t x) { return Divisor::of(static_cast<int>(x)); };
    auto *memory = static_cast<float *>(launch.workspace);
    const Steps &f = desc.f_steps;
    const ConvPackProblem p = {desc.f,
                               memory,
                               number(desc.c / desc.groups),
                               number(desc.s),
                               number(desc.r),
                               static_cast<int>(elements(desc)),
                               f.n,
                               f.c,
                               f.h,
                               f.w};
    const libsgemm_status_t status = launch_conv_pack(p, launch, error);
    return status == LIBSGEMM_SUCCESS ? Tiles::launch(packed(desc, memory), launch, error) : status;
  }

 private:
  static double elements(const ConvDesc &desc) {
    return static_cast<double>(desc.k) * static_cast<double>(desc.c / desc.groups) *
           static_cast<double>(desc.r * desc.s);
  }
  static ConvDesc packed(ConvDesc desc, const float *memory) {
    const int64_t channels = desc.c / desc.groups;
    desc.f = memory;
    desc.f_steps = {desc.r * desc.s * channels, 1, desc.s * channels, channels};
    return desc;
  }
};

template <class DeviceCode>
Kernel conv_packed_kernel(const char *name) {
  using Conv = ConvPacked<DeviceCode>;
  static constexpr ConvLaunch conv = {prepare_fixed<Conv::supports, Conv::cost, Conv::workspace>, Conv::launch};
  return kernel_of_conv(name, DeviceCode::math_mode, "data gradients from packed filters", &conv);
}

}  // namespace libsgemm::gpu
