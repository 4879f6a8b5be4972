// Host side of products of split operands: their layout in the workspace, and the launches of a kernel.
//
//   workspace: [largest magnitudes of the rows of A and B][splits of A][splits of B], each of all products at a time
//              mode fp32_fast: an operand's smallest magnitudes, and what is derived from them, follow its largest
//   plan:      [largest magnitudes][splits] of one operand over all of k, in its own memory; such an operand needs no
//              workspace and no pass, and panels begin within it
//
// Launches: splits_survey finds the largest magnitude of each row of A and column of B. splits_write scales rows and
// columns by powers of two and writes their splits, K-major. The product leaves out the guard's tiles (Guard in
// splits.h); splits_repair, in mode fp32_fast splits_repair_fp64, computes these.
//
// If not everything fits at once, k is cut into panels, which C accumulates, or a batch into a few products at a time.
// If the product converts A itself, A has no splits, and C is computed in blocks of columns, each over all of k and
// written once, for which the splits of B fit. If not even a tile's columns fit, or blocks leave too much of the GPU
// idle, k is cut into panels.
#pragma once

#include "gpu/cost.h"
#include "splits.h"

namespace libsgemm::gpu {

// Data that a kernel writes into the workspace.
struct SplitsShape {
  int splits, element_bytes;
  bool scaled_rows;
  bool a, b;            // operands that are written; the other one is read in place, or comes from a plan
  bool ranges = false;  // also the smallest magnitudes of rows
  // tile_n > 0: the product converts A, which then has no splits, in tiles of tile_m x tile_n of C, `resident` at a
  // time.
  int tile_m = 0, tile_n = 0;
  int resident = 1;

  bool converts_a() const { return tile_n > 0 && a; }
};

// Cuts of a product, and places of its operands.
struct SplitsLayout {
  int64_t rows_a, rows_b;   // padded; 0: the operand stays in place
  int64_t columns;          // columns of C at a time, for which B has splits
  int64_t depth, panels;    // padded k of a panel; number of panels
  int64_t products;         // products of a batch, at a time
  int64_t most_words;       // words of one product
  size_t most_bytes;        // bytes of all products
  size_t bytes_a, bytes_b;  // bytes of one product's splits

  size_t bytes() const { return most_bytes + static_cast<size_t>(products) * (bytes_a + bytes_b); }
};

// Returns the layout for a workspace of `bytes` bytes, at least splits_workspace().
SplitsLayout splits_layout(const GemmDesc &desc, const SplitsShape &shape, size_t bytes);

// The least workspace of a product: for a panel of a few hundred k elements.
size_t splits_workspace(const GemmDesc &desc, const SplitsShape &shape);

// The passes over at most `layout.products` products from `first` on, over k from `first_k` to `first_k + k`. Only the
// first layout.columns columns of B are split.
PassProblem splits_pass(const GemmDesc &desc, const SplitsShape &shape, const SplitsLayout &layout, void *workspace,
                        int64_t first, int64_t first_k, int64_t k);

// C and the sizes of a panel: `products` products from `first` on, k from `first_k` to `first_k + k`. Later panels add
// to C. The operands are whole: splits_pass() knows where the panel's splits begin.
GemmDesc splits_panel(const GemmDesc &desc, int64_t first, int64_t products, int64_t first_k, int64_t k);

// True if launches can be as large as the passes need. Takes gemm and its batches except by pointers, of any type.
bool splits_fit(const GemmDesc &desc);

// Seconds of the passes, and of accumulating C over the panels.
double splits_seconds(const GemmDesc &desc, const SplitsShape &shape, int device);

// ---- Kernels of FP32-level products: modes bf16x6, fp16x3 and fp32_fast

struct SplitRow {
  Scheme scheme;
  int splits;
  int products;   // products on tensor cores for each product of the caller
  Tiling tiling;  // peak_fraction refers to the tensor cores' peak
  size_t shared_bytes;
  // Enqueues C = alpha A B + beta C of a panel from its operands' splits, without the guarded tiles. If A has no
  // splits, panel.a is A from the panel's first k element on.
  libsgemm_status_t (*enqueue)(const GemmDesc &panel, const Splits &a, const Splits &b, const Guard &guard,
                               const Launch &launch, Error *error);
  // Fused multiply-adds of a compute unit in a clock, with the product's instructions; 0: the device lacks them.
  int (*per_clock)(int device);
  // Enqueues the tiles that the guard leaves out.
  decltype(&launch_repair) repair = launch_repair;
  // Tile of a cluster, for kernels that convert A if TMA can read it in place; 0: other kernels.
  int convert_m = 0, convert_n = 0;
  // Mode fp32_fast: the guard keeps FP32's error bound, and `repair` sums in FP64.
  bool keeps_bound = false;
};

bool split_row_supports(const GemmDesc &desc, const SplitRow &product, int device);
double split_row_seconds(const GemmDesc &desc, const SplitRow &product, int device);
size_t split_row_workspace(const GemmDesc &desc, const SplitRow &product, int device);
libsgemm_status_t launch_split_row(const GemmDesc &desc, const SplitRow &product, const Launch &launch, Error *error);

// True if the device has kernels of a mode that splits. Each backend defines it.
bool has_splits(libsgemm_math_mode_t mode, int device);

// Backend::plan_bytes and Backend::plan: split operands that are kept. A kernel reads plans of its own scheme.
size_t split_plan_bytes(const GemmDesc &operand, int device);
libsgemm_status_t launch_split_plan(const GemmDesc &operand, void *memory, const Launch &launch, Error *error);

template <class Row>
Kernel split_row_kernel(const char *name, libsgemm_math_mode_t mode) {
  Kernel kernel = {name,
                   mode,
                   [](const GemmDesc &desc, int device) { return split_row_supports(desc, Row::product(), device); },
                   [](const GemmDesc &desc, int device) { return split_row_seconds(desc, Row::product(), device); },
                   [](const GemmDesc &desc, int device) { return split_row_workspace(desc, Row::product(), device); },
                   [](const GemmDesc &desc, const Launch &launch, Error *error) {
                     return launch_split_row(desc, Row::product(), launch, error);
                   }};
  kernel.in_steps = true;
  return kernel;
}
}  // namespace libsgemm::gpu
