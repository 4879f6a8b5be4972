// C = alpha op(A) op(B) + beta C of 16-bit matrices, where some operand has columns that do not start at multiples of
// 16 bytes. Such an operand is copied to the workspace in the same order, with each line (a stored column) at such a
// multiple (aligned_copy.cuh); the cheapest kernel for aligned operands then multiplies. Why: docs/kernels/mma.md.
//
// Requires: gemm of FP16 (sm_75) or bfloat16 (sm_80) operands, single or in strided batches, with an operand to copy;
// workspace for panels of k = 256, or for a slab of 512 rows of A or columns of B and all of the other operand: 2 bytes
// for each element of an operand that is copied. Any size, transposition and alignment.
//
// If the workspace is too small, a batch is divided into groups of products, and a product into slabs of the operand
// with the larger copy, each for a part of C that is written once. If not even a slab fits, k is cut into panels that
// accumulate into C.
#include <algorithm>

#include "aligned_copy.cuh"
#include "gpu/kernels.h"
#include "gpu/level3/gemm_step.h"
#include "gpu/splits/split_kernel.h"
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
constexpr int64_t kLeastDepth = 256, kDepthStep = 64;  // k of a panel, unless k is smaller
constexpr int64_t kLeastSlab = 512, kSlabStep = 128;   // rows or columns; keeps parts of C as aligned as C
constexpr size_t kMostBytes = size_t{1} << 34;         // limit of the copies at a time: an int counts vectors
constexpr size_t kRounded = 256;                       // alignment of copies, bytes

// Long lines begin at a cache line of L2: if two share one, the product takes up to 40 % longer.
int64_t pitch_of(int64_t length) {
  const int64_t whole = length < 512 ? kVectorElements : 64;
  return ceil_div(length, whole) * whole;
}

// `outer` rows of A or columns of B, and `depth` of k, are copied.
struct Operand {
  const void *base;
  int64_t ld, stride;  // stride 0: all products share it
  bool along_k, copied;

  int64_t length(int64_t outer, int64_t depth) const { return along_k ? depth : outer; }
  int64_t lines(int64_t outer, int64_t depth) const { return along_k ? outer : depth; }
  int64_t pitch(int64_t outer, int64_t depth) const { return pitch_of(length(outer, depth)); }
  int64_t copies(int64_t products) const { return stride == 0 ? 1 : products; }
  // bytes(): size of all copies. own_bytes(): size of a product's own copy, 0 if all share one.
  size_t bytes(int64_t outer, int64_t depth, int64_t products) const {
    const int64_t elements = copies(products) * lines(outer, depth) * pitch(outer, depth);
    return copied ? static_cast<size_t>(elements * kElementBytes) : 0;
  }
  size_t own_bytes(int64_t outer, int64_t depth) const { return stride == 0 ? 0 : bytes(outer, depth, 1); }
  double moved_bytes(int64_t outer, int64_t depth, int64_t times) const {
    if (!copied) return 0;
    const int64_t once = lines(outer, depth) * (length(outer, depth) + pitch(outer, depth)) * kElementBytes;
    return static_cast<double>(once) * static_cast<double>(times);
  }
};

Operand operand_a(const GemmDesc &desc) {
  const int64_t stride = desc.batch == Batch::strided ? desc.stride_a : 0;
  return {desc.a, desc.lda, stride, along_k_a(desc), !chunks_fit_a(desc)};
}
Operand operand_b(const GemmDesc &desc) {
  const int64_t stride = desc.batch == Batch::strided ? desc.stride_b : 0;
  return {desc.b, desc.ldb, stride, along_k_b(desc), !chunks_fit_b(desc)};
}

// The workspace holds A's copies, then B's.
struct CopyPlan {
  Operand a, b;
  int64_t rows, columns;  // part of C that is computed at a time
  int64_t depth;          // k of a panel
  int64_t products;       // products of a batch, at a time

  explicit CopyPlan(const GemmDesc &desc)
      : a(operand_a(desc)), b(operand_b(desc)), rows(desc.m), columns(desc.n), depth(desc.k), products(1) {}
  size_t bytes_a() const { return rounded(a.bytes(rows, depth, products)); }
  size_t bytes_b() const { return rounded(b.bytes(columns, depth, products)); }
  size_t bytes() const { return bytes_a() + bytes_b(); }

 private:
  static size_t rounded(size_t bytes) { return (bytes + kRounded - 1) / kRounded * kRounded; }
};

CopyPlan least_panel(const GemmDesc &desc) {
  CopyPlan plan(desc);
  plan.depth = std::min(desc.k, kLeastDepth);
  return plan;
}
CopyPlan least_slab(const GemmDesc &desc) {
  CopyPlan plan(desc);
  int64_t &cut = plan.bytes_a() >= plan.bytes_b() ? plan.rows : plan.columns;
  cut = std::min(cut, kLeastSlab);
  return plan;
}

size_t workspace_of(const GemmDesc &desc) { return std::min(least_panel(desc).bytes(), least_slab(desc).bytes()); }

// Divides `whole` into the fewest equal parts of at most `most`; returns their size, a multiple of `step`.
int64_t equal_parts(int64_t whole, int64_t most, int64_t step) {
  return ceil_div(ceil_div(whole, ceil_div(whole, most)), step) * step;
}

// `bytes`: at least workspace_of().
CopyPlan plan_of(const GemmDesc &desc, size_t bytes) {
  const size_t most = std::min(bytes, kMostBytes);
  // How many times `more` bytes fit in addition to the plan.
  const auto fitting = [most](const CopyPlan &plan, size_t more) {
    const size_t needed = plan.bytes() + 2 * kRounded;
    return needed < most ? static_cast<int64_t>((most - needed) / more) : 0;
  };
  CopyPlan whole(desc);
  if (whole.bytes() <= most) {
    const size_t product = whole.a.own_bytes(desc.m, desc.k) + whole.b.own_bytes(desc.n, desc.k);
    whole.products = product == 0 ? desc.batch_count : std::min(desc.batch_count, 1 + fitting(whole, product));
    return whole;
  }
  CopyPlan slab = least_slab(desc);
  if (slab.bytes() <= most) {
    const bool cuts_a = slab.rows < desc.m;
    const size_t more = (cuts_a ? slab.a : slab.b).bytes(kSlabStep, desc.k, 1);
    int64_t &cut = cuts_a ? slab.rows : slab.columns;
    // A quarter stays for the product's own workspace: a slab has few tiles of C, so k is split.
    const int64_t largest = cut + fitting(slab, more) * 3 / 4 * kSlabStep;
    cut = equal_parts(cuts_a ? desc.m : desc.n, largest, kSlabStep);
    return slab;
  }
  CopyPlan panel = least_panel(desc);
  const size_t more = panel.a.bytes(desc.m, kDepthStep, 1) + panel.b.bytes(desc.n, kDepthStep, 1);
  panel.depth = equal_parts(desc.k, panel.depth + fitting(panel, more) * kDepthStep, kDepthStep);
  return panel;
}

size_t usual_workspace(const GemmDesc &desc) { return std::max(LIBSGEMM_WORKSPACE_DEFAULT_BYTES, workspace_of(desc)); }

struct Range {
  int64_t first, count;
};

struct Part {
  Range products, rows, columns, k;
};

int64_t slabs_of(const GemmDesc &desc, const CopyPlan &plan) {
  return ceil_div(desc.m, plan.rows) * ceil_div(desc.n, plan.columns);
}
int64_t panels_of(const GemmDesc &desc, const CopyPlan &plan) { return ceil_div(desc.k, plan.depth); }
int64_t turns_of(const GemmDesc &desc, const CopyPlan &plan) {
  return slabs_of(desc, plan) * panels_of(desc, plan) * ceil_div(desc.batch_count, plan.products);
}

// Turns take all slabs or panels of a group of products before the next group.
Part part_of(const GemmDesc &desc, const CopyPlan &plan, int64_t turn) {
  const auto next = [&turn](int64_t whole, int64_t step) {
    const int64_t parts = ceil_div(whole, step), first = turn % parts * step;
    turn /= parts;
    return Range{first, std::min(step, whole - first)};
  };
  Part part;
  part.k = next(desc.k, plan.depth);
  part.rows = next(desc.m, plan.rows);
  part.columns = next(desc.n, plan.columns);
  part.products = next(desc.batch_count, plan.products);
  return part;
}

const char *source_of(const Operand &o, const Part &part, const Range &outer) {
  const int64_t line = o.along_k ? outer.first : part.k.first, at = o.along_k ? part.k.first : outer.first;
  return static_cast<const char *>(o.base) + (part.products.first * o.stride + line * o.ld + at) * kElementBytes;
}

CopiedOperand copy_of(const Operand &o, const Part &part, const Range &outer, char *target) {
  CopiedOperand copy = {};
  if (!o.copied) return copy;
  const int64_t lines = o.lines(outer.count, part.k.count), length = o.length(outer.count, part.k.count);
  const int64_t vectors = ceil_div(length, kVectorElements);
  copy.source = source_of(o, part, outer), copy.target = target;
  copy.source_pitch = o.ld * kElementBytes, copy.source_stride = o.stride * kElementBytes;
  copy.readable = std::max<int64_t>(0, ((lines - 1) * o.ld + length) * kElementBytes - 2 * kVectorBytes + 1);
  copy.pitch = static_cast<int>(pitch_of(length) / kVectorElements);
  copy.length = static_cast<int>(length);
  copy.vectors = static_cast<int>(o.copies(part.products.count) * lines * vectors);
  copy.line_vectors = Divisor::of(static_cast<int>(vectors));
  copy.product_lines = Divisor::of(static_cast<int>(lines));
  copy.blocks = static_cast<unsigned>(ceil_div(copy.vectors, kCopyThreads * kCopyVectors));
  return copy;
}

bool same_copy(const CopiedOperand &x, const CopiedOperand &y) {
  return x.source == y.source && x.length == y.length && x.vectors == y.vectors;
}

struct Placed {
  const void *base;
  int64_t ld, stride;
};

Placed placed(const Operand &o, const Part &part, const Range &outer, const char *copy) {
  if (!o.copied) return {source_of(o, part, outer), o.ld, o.stride};
  const int64_t pitch = o.pitch(outer.count, part.k.count);
  return {copy, pitch, o.stride == 0 ? 0 : o.lines(outer.count, part.k.count) * pitch};
}

GemmDesc product_of(const GemmDesc &desc, const CopyPlan &plan, const Part &part, const char *workspace) {
  GemmDesc product = splits_panel(desc, part.products.first, part.products.count, part.k.first, part.k.count);
  const Placed a = placed(plan.a, part, part.rows, workspace);
  const Placed b = placed(plan.b, part, part.columns, workspace + plan.bytes_a());
  product.a = a.base, product.lda = a.ld, product.stride_a = a.stride;
  product.b = b.base, product.ldb = b.ld, product.stride_b = b.stride;
  product.c += part.rows.first + part.columns.first * desc.ldc;
  product.m = part.rows.count, product.n = part.columns.count;
  return product;
}

// Assumes that all panels and products are multiplied at once.
double product_seconds(const GemmDesc &desc, int index) {
  const size_t bytes = usual_workspace(desc);
  const CopyPlan plan = plan_of(desc, bytes);
  const int64_t slabs = slabs_of(desc, plan), products = slabs > 1 ? 1 : desc.batch_count;
  const Part part = {{0, products}, {0, plan.rows}, {0, plan.columns}, {0, desc.k}};
  const auto *somewhere = reinterpret_cast<const char *>(uintptr_t{256});  // aligned like a workspace
  const double turns = static_cast<double>(slabs * (desc.batch_count / products));
  return turns * step_seconds(product_of(desc, plan, part, somewhere), index, bytes - plan.bytes());
}

// Copies, launches after the first, and accumulation of C over panels.
double copy_seconds(const GemmDesc &desc, int index) {
  constexpr double kNextLaunchSeconds = 2.5e-6;
  const CopyPlan plan = plan_of(desc, usual_workspace(desc));
  const double panels = static_cast<double>(panels_of(desc, plan)), turns = static_cast<double>(turns_of(desc, plan));
  // A shared operand is copied once, unless its parts overwrite each other.
  const auto copies = [&](const Operand &o, bool cut) { return cut ? desc.batch_count : o.copies(desc.batch_count); };
  const bool cuts_k = plan.depth < desc.k;
  const double copied = plan.a.moved_bytes(desc.m, desc.k, copies(plan.a, cuts_k || plan.rows < desc.m)) +
                        plan.b.moved_bytes(desc.n, desc.k, copies(plan.b, cuts_k || plan.columns < desc.n));
  const double c_bytes = static_cast<double>(sizeof(float)) * static_cast<double>(desc.m) *
                         static_cast<double>(desc.n) * static_cast<double>(desc.batch_count);
  return (2 * turns - 1) * kNextLaunchSeconds + memory_seconds(device(index), copied + 2 * c_bytes * (panels - 1));
}

bool supports(const GemmDesc &desc, int index) {
  const bool runs = desc.type == Type::f16 ? runs_code_of<75>(index) : runs_code_of<80>(index);
  return runs && desc.type != Type::f32 && splits_fit(desc) && !chunks_fit(desc) && workspace_of(desc) <= kMostBytes;
}

libsgemm_status_t launch_copied(const GemmDesc &desc, const Launch &launch, Error *error) {
  const CopyPlan plan = plan_of(desc, launch.workspace_bytes);
  auto *workspace = static_cast<char *>(launch.workspace);
  const char *pass = !plan.a.copied ? "copy of B" : !plan.b.copied ? "copy of A" : "copy of A and B";
  if (launch.ran != nullptr) *launch.ran = {nullptr, pass};
  Launch rest = launch;
  rest.workspace = workspace + plan.bytes(), rest.workspace_bytes = launch.workspace_bytes - plan.bytes();
  const int64_t turns = turns_of(desc, plan);
  CopyProblem before = {};
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  for (int64_t turn = 0; turn < turns && status == LIBSGEMM_SUCCESS; ++turn) {
    const Part part = part_of(desc, plan, turn);
    CopyProblem p = {copy_of(plan.a, part, part.rows, workspace),
                     copy_of(plan.b, part, part.columns, workspace + plan.bytes_a())};
    const bool has_a = same_copy(p.a, before.a), has_b = same_copy(p.b, before.b);
    before = p;
    // The previous part left copies in the workspace.
    if (has_a) p.a.blocks = 0;
    if (has_b) p.b.blocks = 0;
    if (p.a.blocks + p.b.blocks > 0) {
      status = launch_after(sm75_mma_64x64x64_packed, 1, dim3(p.a.blocks + p.b.blocks), dim3(kCopyThreads), 0, launch,
                            error, p);
      if (status != LIBSGEMM_SUCCESS) return status;
    }
    status = launch_step(product_of(desc, plan, part, workspace), rest, error, nullptr, pass);
  }
  return status;
}

}  // namespace

KernelList sm75_mma_64x64x64_packed() {
  const auto prepare = [](const GemmDesc &desc, int index) {
    if (!supports(desc, index)) return Plan();
    return planned(copy_seconds(desc, index) + product_seconds(desc, index), workspace_of(desc));
  };
  Kernel kernel = {"sm75_mma_64x64x64_packed", LIBSGEMM_MATH_FP32, prepare, launch_copied};
  kernel.truncates = true;
  kernel.in_steps = true;
  return kernel;
}

}  // namespace libsgemm::cuda
