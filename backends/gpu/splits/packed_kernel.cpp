#include "packed_kernel.h"

#include <algorithm>

#include "gpu/launch.h"

namespace libsgemm::gpu {
namespace {

SplitsShape shape_of(const GemmDesc &desc, const PackedProduct &product) {
  return {1, static_cast<int>(size_of(product.type)), false, product.packs(desc, true), product.packs(desc, false)};
}

GemmDesc step_of(const GemmDesc &desc, const PackedProduct &product, const PassProblem &p, int64_t first,
                 int64_t products, int64_t first_k, int64_t k) {
  GemmDesc step = splits_panel(desc, first, products, first_k, k);
  const int64_t size = static_cast<int64_t>(size_of(product.type));
  step.type = product.type, step.math_mode = product.math_mode;
  step.a = p.a.source, step.b = p.b.source;
  if (p.a.split > 0) {
    step.a = p.a.splits.base, step.lda = p.a.splits.ld, step.transa = LIBSGEMM_TRANS;
    step.stride_a = p.a.splits.product_bytes / size;
  }
  if (p.b.split > 0) {
    step.b = p.b.splits.base, step.ldb = p.b.splits.ld, step.transb = LIBSGEMM_NO_TRANS;
    step.stride_b = p.b.splits.product_bytes / size;
  }
  return step;
}

struct PackedPlan {
  SplitsLayout layout;
  size_t rest;  // workspace of the product
};

PackedPlan plan_of(const GemmDesc &desc, const SplitsShape &shape, size_t bytes) {
  PackedPlan plan = {splits_layout(desc, shape, bytes), 0};
  plan.rest = bytes - plan.layout.bytes();
  return plan;
}

// Name of the pass; NULL if there is none.
const char *words(const SplitsShape &shape) {
  if (!shape.a && !shape.b) return nullptr;
  return !shape.a ? "rounding of B" : !shape.b ? "rounding of A" : "rounding of A and B";
}

PackedPlan usual_plan(const GemmDesc &desc, const SplitsShape &shape) {
  return plan_of(desc, shape, std::max(LIBSGEMM_WORKSPACE_DEFAULT_BYTES, splits_workspace(desc, shape)));
}

double product_seconds(const GemmDesc &desc, const PackedProduct &product, int index) {
  const SplitsShape shape = shape_of(desc, product);
  const PackedPlan plan = usual_plan(desc, shape);
  void *somewhere = reinterpret_cast<void *>(uintptr_t{256});  // aligned like a workspace
  const PassProblem p = splits_pass(desc, shape, plan.layout, somewhere, 0, 0, desc.k);
  const GemmDesc step = step_of(desc, product, p, 0, desc.batch_count, 0, desc.k);
  return product.kernel != nullptr ? product.kernel->prepare(step, index).seconds
                                   : step_seconds(step, index, plan.rest);
}

}  // namespace

Plan prepare_packed(const GemmDesc &desc, const PackedProduct &product, int index) {
  if (!product.runs_on(index) || !splits_fit(desc)) return {};
  const SplitsShape shape = shape_of(desc, product);
  return planned(splits_seconds(desc, shape, index) + product_seconds(desc, product, index),
                 splits_workspace(desc, shape));
}

libsgemm_status_t launch_packed(const GemmDesc &desc, const PackedProduct &product, const Launch &launch,
                                Error *error) {
  const SplitsShape shape = shape_of(desc, product);
  const PackedPlan plan = plan_of(desc, shape, launch.workspace_bytes);
  const SplitsLayout &l = plan.layout;
  const char *pass = words(shape);
  if (launch.ran != nullptr) *launch.ran = {nullptr, pass};
  Launch rest = launch;
  rest.workspace = static_cast<char *>(launch.workspace) + l.bytes();
  rest.workspace_bytes = plan.rest;
  for (int64_t first = 0; first < desc.batch_count; first += l.products) {
    const int64_t products = std::min(l.products, desc.batch_count - first);
    for (int64_t k = 0; k < desc.k; k += l.depth) {
      const int64_t depth = std::min(l.depth, desc.k - k);
      const PassProblem p = splits_pass(desc, shape, l, launch.workspace, first, k, depth);
      const dim3 grid(p.a.split + p.b.split, 1, static_cast<unsigned>(products));
      libsgemm_status_t status = LIBSGEMM_SUCCESS;
      if (grid.x > 0) status = launch_kernel(product.pass, grid, dim3(kPassThreads), 0, launch, error, p);
      if (status == LIBSGEMM_SUCCESS) {
        const GemmDesc step = step_of(desc, product, p, first, products, k, depth);
        status = product.kernel != nullptr ? product.kernel->launch(step, rest, error)
                                           : launch_step(step, rest, error, nullptr, pass);
      }
      if (status != LIBSGEMM_SUCCESS) return status;
    }
  }
  return LIBSGEMM_SUCCESS;
}

}  // namespace libsgemm::gpu
