#pragma once

#include "col2im_plan.h"
#include "conv_kernel.h"

namespace libsgemm::gpu {

libsgemm_status_t launch_col2im(const Col2imProblem &p, const Launch &launch, Error *error);

template <class DeviceCode>
struct Col2im {
  using Tiles = ConvTiles<DeviceCode>;

  static bool supports(const ConvDesc &desc, int index) {
    if (desc.direction != Conv::data_gradient || !DeviceCode::runs_on(index) || !conv_fits(desc)) return false;
    const Columns columns(desc);
    return desc.groups <= kMostProducts && col2im_fits(desc, columns) &&
           Tiles::fits(product(desc, columns, 0, nullptr));
  }

  static double cost(const ConvDesc &desc, int index) {
    const Columns columns(desc);
    const double seconds = Tiles::seconds(desc, product(desc, columns, 0, nullptr), index);
    // L2 takes the columns about twice as fast as memory does.
    const double bytes = conv_bytes(desc) / static_cast<double>(columns.chunks) +
                         sizeof(float) / 2.0 * static_cast<double>(columns.count);
    return static_cast<double>(columns.chunks) *
           (2 * kLaunchSeconds + overlapped(seconds, memory_seconds(model(index), bytes)) +
            col2im_seconds(model(index), desc, columns));
  }

  static size_t workspace(const ConvDesc &desc, int) {
    return sizeof(float) * static_cast<size_t>(Columns(desc).count);
  }

  static libsgemm_status_t launch(const ConvDesc &desc, const Launch &launch, Error *error) {
    const Columns columns(desc);
    auto *memory = static_cast<float *>(launch.workspace);
    const auto enqueue_all = [&](const Launch &how) {
      libsgemm_status_t status = LIBSGEMM_SUCCESS;
      for (int64_t i = 0; i < columns.chunks && status == LIBSGEMM_SUCCESS; ++i) {
        const int64_t first = i * columns.images;
        status = Tiles::launch_product(product(desc, columns, first, memory), desc.groups, how, error);
        if (status != LIBSGEMM_SUCCESS) return status;
        status = launch_col2im(col2im_problem(desc, columns, first, memory), how, error);
      }
      return status;
    };
    return enqueue_rehearsed(launch, columns.chunks > 1, enqueue_all);
  }

 private:
  static ConvProblem product(const ConvDesc &desc, const Columns &columns, int64_t first, float *memory) {
    return Tiles::cut(conv_problem(columns_product(desc, columns, first, memory), 1.0f, 0.0f));
  }
};

template <class DeviceCode>
Kernel col2im_kernel(const char *name) {
  using Conv = Col2im<DeviceCode>;
  static constexpr ConvLaunch conv = {prepare_fixed<Conv::supports, Conv::cost, Conv::workspace>, Conv::launch};
  return kernel_of_conv(name, LIBSGEMM_MATH_FP32, "data gradients of strides", &conv);
}

}  // namespace libsgemm::gpu
