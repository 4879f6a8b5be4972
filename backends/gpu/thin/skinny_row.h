// Host side of the skinny kernels. A kernel's file defines a Row:
//
//   struct Row {
//     static constexpr SkinnyTile tile = ...;
//     static void (*kernel(const SkinnyPlan &plan))(SkinnyWork);
//     static size_t shared_bytes(const SkinnyPlan &plan);
//   };
#pragma once

#include "gpu/kernels.h"
#include "gpu/launch.h"
#include "skinny.h"

namespace libsgemm::gpu {

template <typename Row>
libsgemm_status_t launch_skinny(const GemmDesc &desc, const Launch &launch, Error *error) {
  SkinnyPlan plan = skinny_plan(Row::tile, desc, launch.device);
  plan.work.partial = static_cast<float *>(launch.workspace);
  const dim3 grid(static_cast<unsigned>(plan.blocks)), block(static_cast<unsigned>(plan.threads));
  const libsgemm_status_t status =
      launch_kernel(Row::kernel(plan), grid, block, Row::shared_bytes(plan), launch, error, plan.work);
  if (status != LIBSGEMM_SUCCESS || plan.workspace_bytes == 0) return status;
  return sum_skinny_partials(Row::tile, plan, launch, error);
}

template <typename Row>
Plan prepare_skinny(const GemmDesc &desc, int device) {
  if (!skinny_supports(Row::tile, desc, device)) return {};
  const SkinnyPlan plan = skinny_plan(Row::tile, desc, device);
  return planned(plan.seconds, plan.workspace_bytes);
}

template <typename Row>
Kernel skinny_kernel(const char *name) {
  return {name, LIBSGEMM_MATH_FP32, prepare_skinny<Row>, launch_skinny<Row>};
}

}  // namespace libsgemm::gpu
