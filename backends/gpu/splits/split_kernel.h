// Host side of products of split operands: their layout in the workspace, and the launches of a kernel.
//
//   workspace: [largest magnitudes of the rows of A and B][splits of A][splits of B], each of all products at a time
//              mode fp32_fast: an operand's smallest magnitudes, and what is derived from them, follow its largest
//   plan:      [largest magnitudes][splits] of one operand over all of k, which then needs no workspace and no pass
//
// docs/kernels/splits.md has the launches. If the workspace is too small, k is cut into panels that accumulate into C,
// or a batch into groups of products. A product that converts A itself runs in blocks of columns, each over all of k,
// whose splits of B fit. It uses panels of k only if not even a tile's columns fit, or blocks leave too much of the GPU
// idle.
#pragma once

#include "gpu/cost.h"
#include "gpu/kernels.h"
#include "splits.h"

namespace libsgemm::gpu {

// Data that a kernel writes into the workspace.
struct SplitsShape {
  int splits, element_bytes;
  bool scaled_rows;
  bool a, b;            // operands to write; others are in place, or from a plan
  bool ranges = false;  // smallest magnitudes, too
  // tile_n > 0: the product converts A in tiles of tile_m x tile_n of C, `resident` at a time.
  int tile_m = 0, tile_n = 0;
  int resident = 1;

  bool converts_a() const { return tile_n > 0 && a; }
};

struct SplitsLayout {
  int64_t rows_a, rows_b;   // padded; 0: in place
  int64_t columns;          // columns of C at a time, for which B has splits
  int64_t depth, panels;    // padded k of a panel; number of panels
  int64_t products;         // products of a batch, at a time
  int64_t most_words;       // words of one product
  size_t most_bytes;        // size for all products
  size_t bytes_a, bytes_b;  // one product's splits

  size_t bytes() const { return most_bytes + static_cast<size_t>(products) * (bytes_a + bytes_b); }
};

SplitsLayout splits_layout(const GemmDesc &desc, const SplitsShape &shape, size_t bytes);

// Least size, for a panel of a few hundred k elements.
size_t splits_workspace(const GemmDesc &desc, const SplitsShape &shape);

// Passes over layout.products products from `first`, k elements from first_k, and layout.columns columns of B.
PassProblem splits_pass(const GemmDesc &desc, const SplitsShape &shape, const SplitsLayout &layout, void *workspace,
                        int64_t first, int64_t first_k, int64_t k);

// C and the sizes of a panel; later panels add to C. The operands stay whole: splits_pass() knows where a panel's
// splits begin.
GemmDesc splits_panel(const GemmDesc &desc, int64_t first, int64_t products, int64_t first_k, int64_t k);

// Launches can be as large as the passes need. For gemm and its batches except by pointers.
bool splits_fit(const GemmDesc &desc);

// Passes, and accumulation of C over panels.
double splits_seconds(const GemmDesc &desc, const SplitsShape &shape, int device);

// ---- Kernels of modes bf16x6, fp16x3 and fp32_fast

struct SplitProduct {
  Scheme scheme;
  int splits;
  int products;   // products on tensor cores for each of the caller's
  Tiling tiling;  // peak_fraction: share of the tensor cores' peak
  size_t shared_bytes;
  // Enqueues C = alpha A B + beta C of a panel without the guarded tiles. If A has no splits, panel.a begins at the
  // panel's first k element.
  libsgemm_status_t (*enqueue)(const GemmDesc &panel, const Splits &a, const Splits &b, const Guard &guard,
                               const Launch &launch, Error *error);
  // FMAs per clock of a compute unit by these instructions; 0: none.
  int (*per_clock)(int device);
  decltype(&launch_repair) repair = launch_repair;
  // Tile of a cluster in kernels that convert A, else 0.
  int convert_m = 0, convert_n = 0;
  // Mode fp32_fast, where `repair` sums in FP64.
  bool keeps_bound = false;
};

Plan prepare_split_product(const GemmDesc &desc, const SplitProduct &product, int device);
libsgemm_status_t launch_split_product(const GemmDesc &desc, const SplitProduct &product, const Launch &launch,
                                       Error *error);

bool has_splits(libsgemm_math_mode_t mode, int device);

// Backend::plan_bytes and Backend::plan: splits for kernels of the same scheme.
size_t split_plan_bytes(const GemmDesc &operand, int device);
libsgemm_status_t launch_split_plan(const GemmDesc &operand, void *memory, const Launch &launch, Error *error);

template <class DeviceCode>
Kernel split_product_kernel(const char *name, libsgemm_math_mode_t mode) {
  Kernel kernel = {
      name, mode,
      [](const GemmDesc &desc, int device) { return prepare_split_product(desc, DeviceCode::product(), device); },
      [](const GemmDesc &desc, const Launch &launch, Error *error) {
        return launch_split_product(desc, DeviceCode::product(), launch, error);
      }};
  kernel.in_steps = true;
  return kernel;
}
}  // namespace libsgemm::gpu
