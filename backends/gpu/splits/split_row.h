// The host's side of products of split operands: how they lie in the workspace, and the launches of a row.
//
//   workspace: [largest magnitudes of the rows of A and B][splits of A][splits of B], each of all products at a time
//
// In mode fp32_fast the smallest magnitudes of an operand, and what follows from them, follow its largest.
//
// What does not fit at once is multiplied in panels of k, which C accumulates, or a few products of a batch at a time.
// Where the product converts A itself, A has no splits there, and those of B for some columns of C over all of k serve
// as well: then C is computed in such blocks of columns, and written once, unless they leave too much of the GPU idle.
//
//   plan: [largest magnitudes][splits] of one operand over all of k, in memory of its own; such an operand needs no
//   workspace and no pass, and panels begin within it
#pragma once

#include "gpu/cost.h"
#include "splits.h"

namespace libsgemm::gpu {

// What a row writes into the workspace.
struct SplitsShape {
  int splits, element_bytes;
  bool scaled_rows;
  bool a, b;            // which operands; the other is read where it is, or comes from a plan
  bool ranges = false;  // also the smallest magnitudes of rows
  // Of A no splits, for the product converts it: in tiles of so many rows and columns of C, `resident` at a time. 0: it
  // does not.
  int tile_m = 0, tile_n = 0;
  int resident = 1;

  bool converts_a() const { return tile_n > 0 && a; }
};

// How a product is cut, and where its operands lie.
struct SplitsLayout {
  int64_t rows_a, rows_b;   // padded; 0: of an operand that stays where it is
  int64_t columns;          // of C at a time, of whose operand there are splits
  int64_t depth, panels;    // steps of k of a panel, padded; panels
  int64_t products;         // of a batch, at a time
  int64_t most_words;       // of a product
  size_t most_bytes;        // of all
  size_t bytes_a, bytes_b;  // of a product's splits

  size_t bytes() const { return most_bytes + static_cast<size_t>(products) * (bytes_a + bytes_b); }
};

// The layout that a workspace of `bytes` bytes allows, splits_workspace() or more.
SplitsLayout splits_layout(const GemmDesc &desc, const SplitsShape &shape, size_t bytes);

// The least that a product needs: for a panel of a few hundred steps.
size_t splits_workspace(const GemmDesc &desc, const SplitsShape &shape);

// The passes over `layout.products` products or fewer from `first` on: over `k` steps from `first_k` on. The split of
// the first layout.columns columns of B.
PassProblem splits_pass(const GemmDesc &desc, const SplitsShape &shape, const SplitsLayout &layout, void *workspace,
                        int64_t first, int64_t first_k, int64_t k);

// C and the numbers of a panel: `products` products from `first` on, `k` steps from `first_k` on. Later panels add to
// C. The operands are whole: splits_pass() knows where the panel's splits begin.
GemmDesc splits_panel(const GemmDesc &desc, int64_t first, int64_t products, int64_t first_k, int64_t k);

// Whether launches can be as large as these passes need them: any gemm or batch but pointers, of any type.
bool splits_fit(const GemmDesc &desc);

// Seconds of the passes, and of accumulating C over the panels.
double splits_seconds(const GemmDesc &desc, const SplitsShape &shape, int device);

// ---- Rows of FP32-level products: modes bf16x6, fp16x3 and fp32_fast

struct SplitRow {
  Scheme scheme;
  int splits;
  int products;   // on tensor cores, for one of the caller's
  Tiling tiling;  // peak_fraction: of the tensor cores' peak
  size_t shared_bytes;
  // Enqueues C = alpha A B + beta C of a panel from its operands' splits, without the guarded tiles. Where A has none,
  // panel.a is A from the panel's first step of k on.
  libsgemm_status_t (*enqueue)(const GemmDesc &panel, const Splits &a, const Splits &b, const Guard &guard,
                               const Launch &launch, Error *error);
  // Fused multiply-adds of a compute unit in a clock by the instructions that it multiplies with; 0: it has none.
  int (*per_clock)(int device);
  // Enqueues the tiles that the guard leaves out, from the operands themselves.
  decltype(&launch_repair) repair = launch_repair;
  // The tile of a cluster, of rows that convert A themselves if it lies as TMA wants it; 0: others.
  int convert_m = 0, convert_n = 0;
  // In mode fp32_fast: the guard keeps the promise of splits.h, and FP64 sums compute the tiles that are left out.
  bool keeps_bound = false;
};

bool split_row_supports(const GemmDesc &desc, const SplitRow &product, int device);
double split_row_seconds(const GemmDesc &desc, const SplitRow &product, int device);
size_t split_row_workspace(const GemmDesc &desc, const SplitRow &product, int device);
libsgemm_status_t launch_split_row(const GemmDesc &desc, const SplitRow &product, const Launch &launch, Error *error);

// Whether the device has rows of a mode that splits. Each backend defines it.
bool has_splits(libsgemm_math_mode_t mode, int device);

// Backend::plan_bytes and Backend::plan: split operands that are kept. A row reads those of its own scheme.
size_t split_plan_bytes(const GemmDesc &operand, int device);
libsgemm_status_t launch_split_plan(const GemmDesc &operand, void *memory, const Launch &launch, Error *error);

// Row::product() is its SplitRow.
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
