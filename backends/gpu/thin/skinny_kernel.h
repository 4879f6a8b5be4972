// Host side of the skinny kernels. A kernel's file defines a DeviceCode:
//
//   struct DeviceCode {
//     static constexpr SkinnyTile tile = ...;
//     static void (*kernel(const SkinnyPlan &plan))(SkinnyWork);
//     static size_t shared_bytes(const SkinnyPlan &plan);
//   };
#pragma once

#include "gpu/kernels.h"
#include "gpu/launch.h"
#include "skinny.h"

namespace libsgemm::gpu {

template <typename DeviceCode>
libsgemm_status_t launch_skinny(const GemmDesc &desc, const Launch &launch, Error *error) {
  SkinnyPlan plan = skinny_plan(DeviceCode::tile, desc, launch.device);
  plan.work.partial = static_cast<float *>(launch.workspace);
  const dim3 grid(static_cast<unsigned>(plan.blocks)), block(static_cast<unsigned>(plan.threads));
  const libsgemm_status_t status =
      launch_kernel(DeviceCode::kernel(plan), grid, block, DeviceCode::shared_bytes(plan), launch, error, plan.work);
  if (status != LIBSGEMM_SUCCESS || plan.workspace_bytes == 0) return status;
  return sum_skinny_partials(DeviceCode::tile, plan, launch, error);
}

template <typename DeviceCode>
Plan prepare_skinny(const GemmDesc &desc, int device) {
  if (!skinny_supports(DeviceCode::tile, desc, device)) return {};
  const SkinnyPlan plan = skinny_plan(DeviceCode::tile, desc, device);
  return planned(plan.seconds, plan.workspace_bytes);
}

template <typename DeviceCode>
Kernel skinny_kernel(const char *name) {
  return {name, LIBSGEMM_MATH_FP32, prepare_skinny<DeviceCode>, launch_skinny<DeviceCode>};
}

}  // namespace libsgemm::gpu
