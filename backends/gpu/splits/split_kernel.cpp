#include "split_kernel.h"

#include <algorithm>
#include <climits>

#include "gpu/launch.h"

namespace libsgemm::gpu {
namespace {

constexpr int64_t kLeastDepth = 256;      // k elements of a panel, unless k is smaller
constexpr int64_t kMostDepth = 8192;      // k elements of one product of scaled rows
constexpr int64_t kMostProducts = 65535;  // limit of a launch: gridDim.z
constexpr double kNextLaunchSeconds = 2e-6;
// Time of clearing, survey and repair apart from memory traffic, in launches (on an H100, products of 1024 to 2048).
constexpr double kScaledLaunches = 8;
constexpr int kLeastTile = 64;
constexpr int kSplitBytes = 2;  // bytes of a number, in modes that split

int64_t padded(int64_t x, int64_t to) { return ceil_div(x, to) * to; }
// Length of the equal parts of `depth`, a multiple of kDepthPad. Errors of a sequence of FP32 additions grow with its
// length (docs/kernels/splits.md).
int64_t part_of_depth(int64_t depth) { return padded(ceil_div(depth, ceil_div(depth, kMostDepth)), kDepthPad); }
size_t padded_bytes(size_t x) { return (x + 255) / 256 * 256; }

struct Split {
  Scheme scheme;
  int splits;
  bool ranges;
};

Split split_of(libsgemm_math_mode_t mode) {
  if (mode == LIBSGEMM_MATH_BF16X6) return {Scheme::bf16x3, kSplits<Scheme::bf16x3>, false};
  if (mode == LIBSGEMM_MATH_FP16X3) return {Scheme::fp16x2, kSplits<Scheme::fp16x2>, false};
  if (mode == LIBSGEMM_MATH_FP32_FAST) return {Scheme::fp16x2, kSplits<Scheme::fp16x2>, true};
  return {};
}

SplitsShape plan_shape(int splits, bool ranges) { return {splits, kSplitBytes, true, true, false, ranges}; }

// True if TMA can read A in place: aligned, strides below 2^40 bytes, coordinates of 32 bits.
bool by_tma(const GemmDesc &desc) {
  constexpr int64_t kMostStride = int64_t{1} << 38, kMostSize = INT_MAX - 1024;
  const int64_t stride = desc.batch == Batch::strided ? desc.stride_a : 0;
  return (reinterpret_cast<uintptr_t>(desc.a) % 16 | static_cast<uint64_t>(desc.lda | stride) % 4) == 0 &&
         std::max(desc.lda, stride) < kMostStride && std::max(desc.m, desc.k) <= kMostSize;
}

SplitsShape shape_of(const GemmDesc &desc, const SplitProduct &product, int index) {
  const Split split = split_of(desc.math_mode);
  // A forced kernel of another mode ignores plans.
  const bool plans = split.splits > 0 && split.scheme == product.scheme && split.ranges == product.keeps_bound;
  SplitsShape shape = {
      product.splits,     kSplitBytes, true, !plans || desc.plan_a == nullptr, !plans || desc.plan_b == nullptr,
      product.keeps_bound};
  if (product.convert_n > 0 && by_tma(desc)) {
    shape.tile_m = product.convert_m, shape.tile_n = product.convert_n;
    shape.resident = std::max(1, model(index).compute_units / 2);  // clusters of two blocks
  }
  return shape;
}

// Words of Splits::most and block_most. row_words() adds those of least, excess and sparse.
int64_t most_words(int64_t rows) { return rows / kOuterPad * (kOuterPad + 1); }
int64_t row_words(const SplitsShape &shape, int64_t rows) {
  if (!shape.scaled_rows) return 0;
  return shape.ranges ? 2 * most_words(rows) + rows / kOuterPad : most_words(rows);
}

SplitsLayout rows_of(const GemmDesc &desc, const SplitsShape &shape) {
  SplitsLayout l = {};
  l.rows_a = shape.a ? padded(desc.m, kOuterPad) : 0;
  l.rows_b = shape.b ? padded(desc.n, kOuterPad) : 0;
  l.most_words = row_words(shape, l.rows_a) + row_words(shape, l.rows_b);
  l.products = 1;
  l.columns = desc.n;
  return l;
}

void set_depth(const SplitsShape &shape, int64_t depth, SplitsLayout *l) {
  const size_t step = static_cast<size_t>(shape.splits) * static_cast<size_t>(shape.element_bytes);
  l->depth = depth;
  l->bytes_a = shape.converts_a() ? 0 : static_cast<size_t>(l->rows_a * depth) * step;
  l->bytes_b = shape.b ? static_cast<size_t>(padded(l->columns, kOuterPad) * depth) * step : 0;
  l->most_bytes = padded_bytes(static_cast<size_t>(l->products * l->most_words) * sizeof(uint32_t));
}

PassOperand pass_operand(const void *base, const GemmDesc &desc, int64_t ld, int64_t stride, bool along_k,
                         int64_t outer, int64_t first, int64_t first_k, int64_t k) {
  const int64_t size = static_cast<int64_t>(size_of(desc.type));
  if (desc.batch != Batch::strided) stride = 0;
  PassOperand o = {};
  o.source = static_cast<const char *>(base) + (first * stride + first_k * (along_k ? 1 : ld)) * size;
  o.product_bytes = stride * size, o.ld = ld, o.outer = outer, o.k = k, o.along_k = along_k;
  const uint64_t four = 4 * static_cast<uint64_t>(size);
  o.vectors = along_k && (reinterpret_cast<uintptr_t>(base) % four | static_cast<uint64_t>(ld | stride) % 4) == 0;
  return o;
}

unsigned survey_blocks(int64_t outer, int64_t k, bool along_k) {
  const int64_t blocks = along_k ? ceil_div(outer, kSurveyRows) * ceil_div(k, kSurveyDepth)
                                 : ceil_div(outer, kSurveyOuter) * ceil_div(k, kSurveySteps);
  return static_cast<unsigned>(blocks);
}

// The words of `rows` rows, from `most` on, and the splits of `split_rows` rows, from `base` on.
Splits splits_of(const SplitsLayout &l, const SplitsShape &shape, int64_t rows, int64_t split_rows, size_t bytes,
                 uint32_t *most, char *base) {
  Splits splits = {};
  splits.base = bytes > 0 ? base : nullptr, splits.rows = split_rows, splits.ld = l.depth;
  splits.split_bytes = split_rows * l.depth * shape.element_bytes;
  splits.product_bytes = static_cast<int64_t>(bytes);
  splits.product_most = l.most_words;
  if (!shape.scaled_rows || rows == 0) return splits;
  splits.most = most, splits.block_most = most + rows;
  if (!shape.ranges) return splits;
  splits.least = most + most_words(rows), splits.excess = splits.least + rows;
  splits.sparse = splits.excess + rows / kOuterPad;
  return splits;
}

double pass_bytes(const GemmDesc &desc, const SplitsShape &shape) {
  const double size = static_cast<double>(size_of(desc.type));
  const double split = size + shape.splits * shape.element_bytes, survey = shape.scaled_rows ? size : 0;
  const double of_a = shape.converts_a() ? survey : shape.a ? survey + split : 0;
  const double of_b = shape.b ? survey + split : 0;
  return (of_a * static_cast<double>(desc.m) + of_b * static_cast<double>(desc.n)) * static_cast<double>(desc.k);
}

// ---- Products that convert A. A round (`turns`) is all tiles that run at once, over all of k

int64_t turns_of(const GemmDesc &desc, const SplitsShape &shape, int64_t tiles_n) {
  return ceil_div(ceil_div(desc.m, shape.tile_m) * tiles_n, shape.resident);
}

// In each round the end of a panel takes as long as kEnd k elements (measured on an H100 with 64 MiB of workspace and
// with enough for one panel).
double turns_in_panels(const GemmDesc &desc, const SplitsShape &shape, int64_t panels) {
  constexpr double kEnd = 800;
  const double ends = static_cast<double>(panels - 1) * kEnd / static_cast<double>(desc.k);
  return static_cast<double>(turns_of(desc, shape, ceil_div(desc.n, shape.tile_n))) * (1 + ends);
}

struct ColumnBlocks {
  int64_t columns;
  double turns;
};

// Chooses blocks of at most `most` tiles of columns whose last rounds leave few multiprocessors idle.
ColumnBlocks column_blocks(const GemmDesc &desc, const SplitsShape &shape, int64_t most) {
  constexpr double kLaunch = 0.05;  // split and launch of a block, in rounds
  constexpr int64_t kMostTries = 64;
  const int64_t all = ceil_div(desc.n, shape.tile_n);
  ColumnBlocks best = {};
  for (int64_t tiles = most; tiles > std::max<int64_t>(0, most - kMostTries); --tiles) {
    const int64_t blocks = ceil_div(all, tiles), last = all - (blocks - 1) * tiles;
    const int64_t turns = (blocks - 1) * turns_of(desc, shape, tiles) + turns_of(desc, shape, last);
    const double time = static_cast<double>(turns) + static_cast<double>(blocks) * kLaunch;
    if (best.columns == 0 || time < best.turns) best = {tiles * shape.tile_n, time};
  }
  return best;
}

}  // namespace

SplitsLayout splits_layout(const GemmDesc &desc, const SplitsShape &shape, size_t bytes) {
  const int64_t k = padded(desc.k, kDepthPad);
  SplitsLayout l = rows_of(desc, shape);
  set_depth(shape, k, &l);
  l.panels = 1;
  if (l.bytes() <= bytes) {
    const size_t product = l.bytes();  // includes alignment
    if (product == 0) {                // operands in place, or from plans, which batches do not have
      l.products = std::min(desc.batch_count, kMostProducts);
      return l;
    }
    const auto fitting = static_cast<int64_t>(std::min<size_t>(bytes / product, kMostProducts));
    l.products = std::min(desc.batch_count, fitting);
    set_depth(shape, k, &l);
    return l;
  }
  set_depth(shape, kDepthPad, &l);
  const size_t steps = (bytes - l.most_bytes) / (l.bytes_a + l.bytes_b);
  l.panels = ceil_div(k, static_cast<int64_t>(steps) * kDepthPad);
  set_depth(shape, padded(ceil_div(k, l.panels), kDepthPad), &l);
  l.panels = ceil_div(desc.k, l.depth);
  if (!shape.converts_a()) return l;
  SplitsLayout in_blocks = l;
  in_blocks.panels = 1;
  in_blocks.columns = shape.tile_n;
  set_depth(shape, k, &in_blocks);
  if (in_blocks.bytes() > bytes) return l;
  const auto most = static_cast<int64_t>((bytes - l.most_bytes) / in_blocks.bytes_b);
  const ColumnBlocks blocks = column_blocks(desc, shape, most);
  if (blocks.turns > turns_in_panels(desc, shape, l.panels)) return l;
  in_blocks.columns = blocks.columns;
  set_depth(shape, k, &in_blocks);
  return in_blocks;
}

size_t splits_workspace(const GemmDesc &desc, const SplitsShape &shape) {
  SplitsLayout l = rows_of(desc, shape);
  set_depth(shape, padded(std::min(desc.k, kLeastDepth), kDepthPad), &l);
  return l.bytes();
}

PassProblem splits_pass(const GemmDesc &desc, const SplitsShape &shape, const SplitsLayout &l, void *workspace,
                        int64_t first, int64_t first_k, int64_t k) {
  auto *most = static_cast<uint32_t *>(workspace);
  auto *base = static_cast<char *>(workspace) + l.most_bytes;
  PassProblem p = {};
  p.a =
      pass_operand(desc.a, desc, desc.lda, desc.stride_a, desc.transa != LIBSGEMM_NO_TRANS, desc.m, first, first_k, k);
  p.b =
      pass_operand(desc.b, desc, desc.ldb, desc.stride_b, desc.transb == LIBSGEMM_NO_TRANS, desc.n, first, first_k, k);
  p.a.splits = splits_of(l, shape, l.rows_a, l.rows_a, l.bytes_a, most, base);
  p.b.splits = splits_of(l, shape, l.rows_b, std::min(l.rows_b, padded(l.columns, kOuterPad)), l.bytes_b,
                         most + row_words(shape, l.rows_a), base + static_cast<size_t>(l.products) * l.bytes_a);
  for (PassOperand *o : {&p.a, &p.b}) {
    if (o->splits.rows == 0) continue;
    if (shape.scaled_rows) o->survey = survey_blocks(o->outer, k, o->along_k);
    const int64_t tiles = o->splits.rows / kSplitTile;
    // Without splits to write, the pass still computes Splits::excess.
    if (o->splits.base == nullptr) {
      o->split = static_cast<unsigned>(shape.ranges ? tiles : 0);
    } else {
      o->split = static_cast<unsigned>(tiles * (padded(k, kDepthPad) / kSplitTile));
    }
  }
  return p;
}

GemmDesc splits_panel(const GemmDesc &desc, int64_t first, int64_t products, int64_t first_k, int64_t k) {
  GemmDesc panel = desc;
  panel.batch_count = products;
  if (desc.batch == Batch::strided) {
    const int64_t size = static_cast<int64_t>(size_of(desc.type));
    panel.a = static_cast<const char *>(desc.a) + first * desc.stride_a * size;
    panel.b = static_cast<const char *>(desc.b) + first * desc.stride_b * size;
    panel.c = desc.c + first * desc.stride_c;
  }
  panel.k = k;
  if (first_k > 0) panel.beta = 1.0f;
  return panel;
}

bool splits_fit(const GemmDesc &desc) {
  if (desc.routine != Routine::gemm || desc.batch == Batch::pointers) return false;
  constexpr double kMost = INT_MAX / 16;
  const double m = static_cast<double>(desc.m), n = static_cast<double>(desc.n), k = static_cast<double>(desc.k);
  const double steps = k / kSurveySteps + 1;
  return (m / kLeastTile + 1) * (n / kLeastTile + 1) < kMost && (m / kSurveyRows + 1) * steps < kMost &&
         (n / kSurveyRows + 1) * steps < kMost;
}

double splits_seconds(const GemmDesc &desc, const SplitsShape &shape, int index) {
  if (!shape.a && !shape.b && !shape.scaled_rows) return 0;
  const size_t bytes = std::max(LIBSGEMM_WORKSPACE_DEFAULT_BYTES, splits_workspace(desc, shape));
  const SplitsLayout l = splits_layout(desc, shape, bytes);
  const int64_t parts = shape.scaled_rows ? ceil_div(l.depth, kMostDepth) : 1;
  const double panels = static_cast<double>(l.panels * parts), count = static_cast<double>(desc.batch_count);
  const double turns = static_cast<double>(ceil_div(desc.batch_count, l.products));
  const double blocks = static_cast<double>(ceil_div(desc.n, l.columns));
  const double accumulated = 8.0 * (panels - 1) * static_cast<double>(desc.m) * static_cast<double>(desc.n);
  return turns * ((shape.scaled_rows ? kScaledLaunches : 0) + 2 * panels * blocks) * kNextLaunchSeconds +
         memory_seconds(model(index), count * (pass_bytes(desc, shape) + accumulated));
}

namespace {

Splits from_step(Splits splits, int64_t step) {
  if (splits.base != nullptr) splits.base += kSplitBytes * step;
  return splits;
}

Splits splits_of_plan(const void *plan, int64_t outer, int64_t k, const SplitsShape &product, int64_t first_k) {
  GemmDesc operand = {};
  operand.m = outer, operand.k = k, operand.batch_count = 1;
  const SplitsShape shape = plan_shape(product.splits, product.ranges);
  const SplitsLayout l = splits_layout(operand, shape, SIZE_MAX);
  auto *memory = static_cast<char *>(const_cast<void *>(plan));  // products only read it
  auto *most = reinterpret_cast<uint32_t *>(memory);
  return from_step(splits_of(l, shape, l.rows_a, l.rows_a, l.bytes_a, most, memory + l.most_bytes), first_k);
}

// The splits of A and B, and the passes that write those that no plan has.
struct SplitPanel {
  PassProblem pass;
  Splits a, b;
};

SplitPanel split_panel(const GemmDesc &desc, const SplitsShape &shape, const SplitsLayout &l, void *workspace,
                       int64_t first, int64_t first_k, int64_t k) {
  const PassProblem p = splits_pass(desc, shape, l, workspace, first, first_k, k);
  return {p, shape.a ? p.a.splits : splits_of_plan(desc.plan_a, desc.m, desc.k, shape, first_k),
          shape.b ? p.b.splits : splits_of_plan(desc.plan_b, desc.n, desc.k, shape, first_k)};
}

struct Columns {
  int64_t first, count;
};

SplitPanel columns_of_panel(const GemmDesc &desc, SplitPanel panel, const Columns &columns) {
  if (columns.count == desc.n) return panel;
  PassOperand &o = panel.pass.b;
  const int64_t blocks = columns.first / kOuterPad, tiles = o.splits.rows / kSplitTile;
  o.source += columns.first * (o.along_k ? o.ld : 1) * static_cast<int64_t>(size_of(desc.type));
  o.outer = columns.count;
  Splits &s = o.splits;
  s.rows = padded(columns.count, kOuterPad);
  s.most += columns.first, s.block_most += blocks;
  if (s.least != nullptr) s.least += columns.first, s.excess += blocks, s.sparse += blocks;
  o.split = static_cast<unsigned>(o.split / tiles * (s.rows / kSplitTile));
  if (columns.first > 0) panel.pass.a.split = 0;  // the pass of the first columns found A's excess
  panel.b = s;
  return panel;
}
Guard columns_of_guard(Guard guard, const Columns &columns) {
  guard.b += columns.first / kOuterPad;
  if (guard.excess_b != nullptr) guard.excess_b += columns.first / kOuterPad;
  if (guard.sparse_b != nullptr) guard.sparse_b += columns.first / kOuterPad;
  return guard;
}

const char *from_step(const PassOperand &o, int64_t step) {
  return o.source + step * (o.along_k ? 1 : o.ld) * static_cast<int64_t>(sizeof(float));
}

// Does not convert A if all splits fit: the shared memory that conversion takes costs more than the pass.
SplitsShape shape_in(const GemmDesc &desc, const SplitProduct &product, const Launch &launch) {
  const SplitsShape shape = shape_of(desc, product, launch.device);
  SplitsShape split = shape;
  split.tile_m = split.tile_n = 0;
  const bool fits = splits_workspace(desc, split) <= launch.workspace_bytes &&
                    splits_layout(desc, split, launch.workspace_bytes).panels == 1;
  return fits ? split : shape;
}

libsgemm_status_t clear_and_survey(const PassProblem &pass, void *most, size_t most_bytes, int64_t products,
                                   const Launch &launch, Error *error) {
  const libsgemm_status_t status = clear(most, most_bytes, launch, error);
  return status == LIBSGEMM_SUCCESS ? launch_survey(pass, products, launch, error) : status;
}

Guard guard_of(const GemmDesc &desc, const SplitProduct &product, const SplitsLayout &l, const Splits &a,
               const Splits &b) {
  Guard guard = {};
  guard.a = a.block_most, guard.b = b.block_most;
  guard.product_most = l.most_words;
  guard.log2_k = log2_of(desc.k);
  if (product.keeps_bound) {
    guard.excess_a = a.excess, guard.excess_b = b.excess;
    guard.most_excess = static_cast<uint32_t>(most_excess(desc.k));
    // The split pass finds rows that are not dense. With several panels, the first product starts before the pass has
    // read all of k, but must leave out the same tiles as the last. Sparse rows of a converted A are not known.
    if (l.panels == 1 && a.base != nullptr) guard.sparse_a = a.sparse, guard.sparse_b = b.sparse;
  }
  return guard;
}

// With a small k splits do not keep the bound: FP64 computes all tiles.
libsgemm_status_t repair_all(const GemmDesc &desc, const SplitProduct &product, const Launch &launch, Error *error) {
  Guard guard = {};
  guard.all = true;
  return product.repair(desc, guard, launch, error);
}

}  // namespace

Plan prepare_split_product(const GemmDesc &desc, const SplitProduct &product, int index) {
  const DeviceModel &d = model(index);
  if (product.keeps_bound && !has_splits(LIBSGEMM_MATH_FP32_FAST, index)) return {};
  if (desc.type != Type::f32 || product.per_clock(index) == 0 || !splits_fit(desc)) return {};
  if (product.shared_bytes > d.shared_memory_per_block) return {};
  const SplitsShape shape = shape_of(desc, product, index);
  const double rate = static_cast<double>(product.per_clock(index)) / d.fma_per_clock / product.products;
  Tiling tiling = product.tiling;
  tiling.figures.peak_fraction *= rate;
  tiling.figures.steps *= rate;  // start and end take as long as without tensor cores
  const double forced = product.keeps_bound && desc.k < kLeastFast ? kForcedOnly : 0;
  return planned(forced + splits_seconds(desc, shape, index) + gemm_seconds(d, desc, tiling),
                 splits_workspace(desc, shape));
}

libsgemm_status_t launch_split_product(const GemmDesc &desc, const SplitProduct &product, const Launch &launch,
                                       Error *error) {
  if (product.keeps_bound && desc.k < kLeastFast) return repair_all(desc, product, launch, error);
  const SplitsShape shape = shape_in(desc, product, launch);
  const SplitsLayout l = splits_layout(desc, shape, launch.workspace_bytes);
  const bool passes = shape.a || shape.b;
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  for (int64_t first = 0; first < desc.batch_count && status == LIBSGEMM_SUCCESS; first += l.products) {
    const int64_t products = std::min(l.products, desc.batch_count - first);
    // The survey covers all of k: every panel must leave out the same tiles.
    const SplitPanel all = split_panel(desc, shape, l, launch.workspace, first, 0, desc.k);
    const Guard guard = guard_of(desc, product, l, all.a, all.b);
    if (passes) status = clear_and_survey(all.pass, launch.workspace, l.most_bytes, products, launch, error);
    const auto multiply = [&](const SplitPanel &whole, int64_t k, int64_t depth, const Columns &columns) {
      const SplitPanel panel = columns_of_panel(desc, whole, columns);
      if (panel.pass.a.split + panel.pass.b.split > 0) {
        const libsgemm_status_t split = launch_split(product.scheme, panel.pass, products, launch, error);
        if (split != LIBSGEMM_SUCCESS) return split;
      }
      const int64_t step = part_of_depth(depth);
      libsgemm_status_t multiplied = LIBSGEMM_SUCCESS;
      for (int64_t at = 0; at < depth && multiplied == LIBSGEMM_SUCCESS; at += step) {
        GemmDesc part = splits_panel(desc, first, products, k + at, std::min(step, depth - at));
        part.n = columns.count, part.c += columns.first * desc.ldc;
        if (shape.converts_a()) part.a = from_step(panel.pass.a, at);
        multiplied = product.enqueue(part, from_step(panel.a, at), from_step(panel.b, at),
                                     columns_of_guard(guard, columns), launch, error);
      }
      return multiplied;
    };
    for (int64_t k = 0; k < desc.k && status == LIBSGEMM_SUCCESS; k += l.depth) {
      const int64_t depth = std::min(l.depth, desc.k - k);
      const SplitPanel panel = split_panel(desc, shape, l, launch.workspace, first, k, depth);
      for (int64_t n = 0; n < desc.n && status == LIBSGEMM_SUCCESS; n += l.columns) {
        status = multiply(panel, k, depth, {n, std::min(l.columns, desc.n - n)});
      }
    }
    if (status == LIBSGEMM_SUCCESS) {
      const GemmDesc whole = splits_panel(desc, first, products, 0, desc.k);
      status = product.repair(whole, guard, launch, error);
    }
  }
  return status;
}

size_t split_plan_bytes(const GemmDesc &operand, int index) {
  const Split split = split_of(operand.math_mode);
  if (split.splits == 0 || !has_splits(operand.math_mode, index) || !splits_fit(operand)) return 0;
  return splits_layout(operand, plan_shape(split.splits, split.ranges), SIZE_MAX).bytes();
}

libsgemm_status_t launch_split_plan(const GemmDesc &operand, void *memory, const Launch &launch, Error *error) {
  const Split split = split_of(operand.math_mode);
  const SplitsShape shape = plan_shape(split.splits, split.ranges);
  const SplitsLayout l = splits_layout(operand, shape, SIZE_MAX);
  const PassProblem pass = splits_pass(operand, shape, l, memory, 0, 0, operand.k);
  const libsgemm_status_t status = clear_and_survey(pass, memory, l.most_bytes, 1, launch, error);
  return status == LIBSGEMM_SUCCESS ? launch_split(split.scheme, pass, 1, launch, error) : status;
}

}  // namespace libsgemm::gpu
