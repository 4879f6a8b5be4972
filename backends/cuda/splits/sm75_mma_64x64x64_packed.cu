// C = alpha op(A) op(B) + beta C of 16-bit matrices, where an operand does not start at multiples of 16 bytes in every
// column: such operands are copied to the workspace as they lie, each line (a stored column) to a multiple of 16 bytes,
// from where the cheapest row for those multiplies them.
//
// The rows for any alignment fetch such operands by words, for each tile again; a copy, which reads and writes each
// element once at the speed of memory, is cheaper from a few hundred rows and columns on.
//
//   pass: block of 256 threads, 1024 vectors of 8 elements, described in aligned_copy.cuh
//
// Shared memory: none. The product's is its row's.
//
// Requires: gemm of FP16 (sm_75) or bfloat16 (sm_80) operands, single or in strided batches, with an operand to copy;
// workspace for panels of 256 steps of k: 2 bytes for each element of an operand that is copied, in lines of a multiple
// of 8 elements, from 512 on of 64. What the workspace does not hold at once is multiplied in panels, which C
// accumulates, or a few products of a batch at a time. Any size, transposition and alignment.
//
// Parameters: kCopyThreads and kCopyVectors (aligned_copy.cuh).
#include <algorithm>
#include <cmath>

#include "aligned_copy.cuh"
#include "gpu/kernels.h"
#include "gpu/level3/gemm_step.h"
#include "gpu/splits/split_row.h"
#include "runtime/device.h"
#include "runtime/launch.h"
#include "tensor/tensor_operands.h"

namespace libsgemm::cuda {

__global__ void __launch_bounds__(kCopyThreads) sm75_mma_64x64x64_packed(const __grid_constant__ CopyProblem p) {
  ptx::let_next_grid_start();
  ptx::wait_for_grid_before();
  copy_operands(p);
}

namespace {

constexpr int64_t kElementBytes = 2;
constexpr int64_t kLeastDepth = 256, kDepthStep = 64;  // of a panel, unless it is all of k
constexpr size_t kMostBytes = size_t{1} << 34;         // of copies at a time: their vectors are counted by an int
constexpr size_t kRounded = 256;                       // the copies of an operand begin at multiples of so many bytes

// Elements from one copied line to the next. Long ones begin at lines of the L2 cache: of such that two share the
// product takes up to 40 % longer.
int64_t pitch_of(int64_t length) {
  const int64_t whole = length < 512 ? kVectorElements : 64;
  return ceil_div(length, whole) * whole;
}

// An operand of a call, and how a panel of it is copied.
struct Operand {
  const void *base;
  int64_t ld, stride;  // elements; stride 0: all products share it
  int64_t outer;       // rows of A, columns of B
  bool along_k, copied;

  int64_t length(int64_t depth) const { return along_k ? depth : outer; }
  int64_t lines(int64_t depth) const { return along_k ? outer : depth; }
  int64_t pitch(int64_t depth) const { return pitch_of(length(depth)); }
  int64_t copies(int64_t products) const { return stride == 0 ? 1 : products; }
  // Of the copies; of that which each product has of its own.
  size_t bytes(int64_t depth, int64_t products) const {
    return copied ? static_cast<size_t>(copies(products) * lines(depth) * pitch(depth) * kElementBytes) : 0;
  }
  size_t own_bytes(int64_t depth) const { return stride == 0 ? 0 : bytes(depth, 1); }
  // Read and written for so many products.
  double moved_bytes(int64_t depth, double products) const {
    if (!copied) return 0;
    const int64_t once = lines(depth) * (length(depth) + pitch(depth)) * kElementBytes;
    return static_cast<double>(once) * (stride == 0 ? 1 : products);
  }
};

Operand operand_a(const GemmDesc &desc) {
  const int64_t stride = desc.batch == Batch::strided ? desc.stride_a : 0;
  return {desc.a, desc.lda, stride, desc.m, along_k_a(desc), !chunks_fit_a(desc)};
}
Operand operand_b(const GemmDesc &desc) {
  const int64_t stride = desc.batch == Batch::strided ? desc.stride_b : 0;
  return {desc.b, desc.ldb, stride, desc.n, along_k_b(desc), !chunks_fit_b(desc)};
}

// How a call is cut, and what it takes of the workspace: the copies of A, then those of B.
struct Plan {
  Operand a, b;
  int64_t depth;     // steps of k of a panel
  int64_t products;  // of a batch, at a time

  // A panel of a product, the least.
  explicit Plan(const GemmDesc &desc)
      : a(operand_a(desc)), b(operand_b(desc)), depth(std::min(desc.k, kLeastDepth)), products(1) {}
  size_t bytes_a() const { return rounded(a.bytes(depth, products)); }
  size_t bytes() const { return bytes_a() + rounded(b.bytes(depth, products)); }

 private:
  static size_t rounded(size_t bytes) { return (bytes + kRounded - 1) / kRounded * kRounded; }
};

size_t workspace_of(const GemmDesc &desc) { return Plan(desc).bytes(); }

// What a workspace of `bytes` bytes allows, workspace_of() or more.
Plan plan_of(const GemmDesc &desc, size_t bytes) {
  const size_t most = std::min(bytes, kMostBytes);
  // How often `more` bytes fit besides.
  const auto fitting = [most](const Plan &plan, size_t more) {
    const size_t needed = plan.bytes() + 2 * kRounded;
    return needed < most ? static_cast<int64_t>((most - needed) / more) : 0;
  };
  Plan whole(desc);
  whole.depth = desc.k;
  if (whole.bytes() <= most) {
    const size_t product = whole.a.own_bytes(desc.k) + whole.b.own_bytes(desc.k);
    whole.products = product == 0 ? desc.batch_count : std::min(desc.batch_count, 1 + fitting(whole, product));
    return whole;
  }
  Plan plan(desc);
  plan.depth += fitting(plan, plan.a.bytes(kDepthStep, 1) + plan.b.bytes(kDepthStep, 1)) * kDepthStep;
  const int64_t panels = ceil_div(desc.k, plan.depth);
  plan.depth = ceil_div(ceil_div(desc.k, panels), kDepthStep) * kDepthStep;
  return plan;
}

// What the cost assumes.
size_t usual_workspace(const GemmDesc &desc) { return std::max(LIBSGEMM_WORKSPACE_DEFAULT_BYTES, workspace_of(desc)); }

// Some products of a batch, and steps of k.
struct Part {
  int64_t first, products, first_k, k;
};

const char *source_of(const Operand &o, const Part &part) {
  const int64_t begin = part.first * o.stride + part.first_k * (o.along_k ? 1 : o.ld);
  return static_cast<const char *>(o.base) + begin * kElementBytes;
}

CopiedOperand copy_of(const Operand &o, const Part &part, char *target) {
  CopiedOperand copy = {};
  if (!o.copied) return copy;
  const int64_t lines = o.lines(part.k), length = o.length(part.k), vectors = ceil_div(length, kVectorElements);
  copy.source = source_of(o, part), copy.target = target;
  copy.source_pitch = o.ld * kElementBytes, copy.source_stride = o.stride * kElementBytes;
  copy.readable = std::max<int64_t>(0, ((lines - 1) * o.ld + length) * kElementBytes - 2 * kVectorBytes + 1);
  copy.pitch = static_cast<int>(o.pitch(part.k) / kVectorElements);
  copy.length = static_cast<int>(length);
  copy.vectors = static_cast<int>(o.copies(part.products) * lines * vectors);
  copy.line_vectors = Divisor::of(static_cast<int>(vectors));
  copy.product_lines = Divisor::of(static_cast<int>(lines));
  copy.blocks = static_cast<unsigned>(ceil_div(copy.vectors, kCopyThreads * kCopyVectors));
  return copy;
}

// An operand as the product finds it.
struct Placed {
  const void *base;
  int64_t ld, stride;
};

Placed placed(const Operand &o, const Part &part, const char *copy) {
  if (!o.copied) return {source_of(o, part), o.ld, o.stride};
  return {copy, o.pitch(part.k), o.stride == 0 ? 0 : o.lines(part.k) * o.pitch(part.k)};
}

GemmDesc product_of(const GemmDesc &desc, const Plan &plan, const Part &part, const char *workspace) {
  GemmDesc product = splits_panel(desc, part.first, part.products, part.first_k, part.k);
  const Placed a = placed(plan.a, part, workspace), b = placed(plan.b, part, workspace + plan.bytes_a());
  product.a = a.base, product.lda = a.ld, product.stride_a = a.stride;
  product.b = b.base, product.ldb = b.ld, product.stride_b = b.stride;
  return product;
}

double product_seconds(const GemmDesc &desc, int index) {
  const size_t bytes = usual_workspace(desc);
  const Plan plan = plan_of(desc, bytes);
  const auto *somewhere = reinterpret_cast<const char *>(uintptr_t{256});  // aligned as a workspace is
  const GemmDesc product = product_of(desc, plan, {0, desc.batch_count, 0, desc.k}, somewhere);
  return step_seconds(product, index, bytes - plan.bytes());
}

// Of the copies, of the launches behind the first, and of accumulating C over the panels.
double copy_seconds(const GemmDesc &desc, int index) {
  constexpr double kNextLaunchSeconds = 2.5e-6;  // of a kernel behind another one
  const Plan plan = plan_of(desc, usual_workspace(desc));
  const double count = static_cast<double>(desc.batch_count);
  const double panels = static_cast<double>(ceil_div(desc.k, plan.depth));
  const double turns = panels * static_cast<double>(ceil_div(desc.batch_count, plan.products));
  const double c_bytes = static_cast<double>(sizeof(float)) * static_cast<double>(desc.m) * static_cast<double>(desc.n);
  const double copied = plan.a.moved_bytes(desc.k, count) + plan.b.moved_bytes(desc.k, count);
  return (2 * turns - 1) * kNextLaunchSeconds +
         memory_seconds(device(index), copied + 2 * c_bytes * (panels - 1) * count);
}

bool supports(const GemmDesc &desc, int index) {
  const bool runs = desc.type == Type::f16 ? runs_code_of<75>(index) : runs_code_of<80>(index);
  return runs && desc.type != Type::f32 && splits_fit(desc) && !chunks_fit(desc) && workspace_of(desc) <= kMostBytes &&
         std::isfinite(product_seconds(desc, index));
}

libsgemm_status_t launch_copied(const GemmDesc &desc, const Launch &launch, Error *error) {
  const Plan plan = plan_of(desc, launch.workspace_bytes);
  auto *workspace = static_cast<char *>(launch.workspace);
  const char *pass = !plan.a.copied ? "copy of B" : !plan.b.copied ? "copy of A" : "copy of A and B";
  if (launch.ran != nullptr) *launch.ran = {nullptr, pass};
  Launch rest = launch;
  rest.workspace = workspace + plan.bytes(), rest.workspace_bytes = launch.workspace_bytes - plan.bytes();
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  for (int64_t first = 0; first < desc.batch_count; first += plan.products) {
    for (int64_t k = 0; k < desc.k; k += plan.depth) {
      const Part part = {first, std::min(plan.products, desc.batch_count - first), k, std::min(plan.depth, desc.k - k)};
      const CopyProblem p = {copy_of(plan.a, part, workspace), copy_of(plan.b, part, workspace + plan.bytes_a())};
      status = launch_after(sm75_mma_64x64x64_packed, 1, dim3(p.a.blocks + p.b.blocks), dim3(kCopyThreads), 0, launch,
                            error, p);
      if (status != LIBSGEMM_SUCCESS) return status;
      status = launch_step(product_of(desc, plan, part, workspace), rest, error, nullptr, pass);
      if (status != LIBSGEMM_SUCCESS) return status;
    }
  }
  return status;
}

}  // namespace

Kernel sm75_mma_64x64x64_packed() {
  const auto cost = [](const GemmDesc &desc, int index) {
    return copy_seconds(desc, index) + product_seconds(desc, index);
  };
  const auto workspace = [](const GemmDesc &desc, int) { return workspace_of(desc); };
  Kernel kernel = {"sm75_mma_64x64x64_packed", LIBSGEMM_MATH_FP32, supports, cost, workspace, launch_copied};
  kernel.truncates = true;
  kernel.in_steps = true;
  return kernel;
}

}  // namespace libsgemm::cuda
