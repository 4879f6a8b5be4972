// The order of the triangle alone determines its division, so that results are reproducible.
#include "blocked.h"

namespace libsgemm::gpu::level3 {
namespace {

// Tiles of a good gemm and of the kernel for small blocks: predict the time of steps without a search of the table.
constexpr Tiling kGemm = {128, 128, 256, 2, {0.75}};
constexpr Tiling kDiagonal = {64, 64, 64, 6, {0.5}};

const float *f32(const void *data) { return static_cast<const float *>(data); }

int64_t first_half(int64_t order, int64_t leaf) { return (ceil_div(order, leaf) + 1) / 2 * leaf; }

GemmDesc part_of(const GemmDesc &d, int64_t first, int64_t order, float alpha) {
  GemmDesc part = d;
  const bool left = d.side == LIBSGEMM_LEFT;
  part.a = f32(d.a) + first + first * d.lda;
  part.c = d.c + (left ? first : first * d.ldc);
  part.k = order;
  (left ? part.m : part.n) = order;
  part.alpha = alpha;
  return part;
}

// The gemm reads C of `source` and updates that of `target`.
struct Division {
  GemmDesc source, target, gemm;
};

Division divide(const GemmDesc &d, const Leaf &leaf) {
  const bool left = d.side == LIBSGEMM_LEFT, solve = d.routine == Routine::trsm;
  const bool upper = d.uplo == LIBSGEMM_UPPER;
  const bool acts_upper = upper == (d.transa == LIBSGEMM_NO_TRANS);  // op(A) is upper
  const int64_t cut = first_half(d.k, leaf.order), rest = d.k - cut;
  const GemmDesc one = part_of(d, 0, cut, d.alpha), two = part_of(d, cut, rest, d.alpha);
  Division h;
  const bool source_first = acts_upper != left;
  h.source = source_first ? one : two;
  h.target = source_first ? two : one;
  if (solve) h.target.alpha = 1.0f;
  const float alpha = solve ? -1.0f : d.alpha, beta = solve ? d.alpha : 1.0f;
  const float *square = f32(d.a) + (upper ? cut * d.lda : cut);
  h.gemm = gemm_step(d, h.target.m, h.target.n, h.source.k, alpha, beta);
  h.gemm.math_mode = leaf.gemms;
  h.gemm.a = left ? square : h.source.c;
  h.gemm.lda = left ? d.lda : d.ldc;
  h.gemm.transa = left ? d.transa : LIBSGEMM_NO_TRANS;
  h.gemm.b = left ? h.source.c : square;
  h.gemm.ldb = left ? d.ldc : d.lda;
  h.gemm.transb = left ? LIBSGEMM_NO_TRANS : d.transa;
  h.gemm.c = h.target.c;
  h.gemm.ldc = d.ldc;
  h.gemm.batch = d.batch;
  h.gemm.batch_count = d.batch_count;
  h.gemm.stride_a = left ? d.stride_a : d.stride_c;
  h.gemm.stride_b = left ? d.stride_c : d.stride_a;
  h.gemm.stride_c = d.stride_c;
  return h;
}

// Blocks of order `leaf` on the diagonal, and squares of leaf * 2^i, i < levels.
struct Cut {
  int64_t leaf;
  int levels;
};

Cut cut(int64_t order) {
  constexpr int64_t kAlign = 64;
  Cut c = {order, 0};
  while (c.leaf > kLeaf) {
    ++c.levels;
    const int64_t step = kAlign << c.levels;
    c.leaf = (order + step - 1) / step * kAlign;
  }
  return c;
}

const void *rows_of(const void *a, Type type, int64_t lda, libsgemm_op_t op, int64_t row) {
  return static_cast<const char *>(a) +
         (op == LIBSGEMM_NO_TRANS ? row : row * lda) * static_cast<int64_t>(size_of(type));
}
const void *cols_of(const void *b, Type type, int64_t ldb, libsgemm_op_t op, int64_t col) {
  return static_cast<const char *>(b) +
         (op == LIBSGEMM_NO_TRANS ? col * ldb : col) * static_cast<int64_t>(size_of(type));
}

struct Term {
  const void *a, *b;
  int64_t lda, ldb;
  libsgemm_op_t transa, transb;
};

int terms(const GemmDesc &d, Term *term) {
  const libsgemm_op_t other = d.transa == LIBSGEMM_NO_TRANS ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
  const RoutineTraits &r = traits_of(d);
  term[0] = r.has_b() ? Term{d.a, d.b, d.lda, d.ldb, d.transa, r.b == RoutineTraits::free ? d.transb : other}
                      : Term{d.a, d.a, d.lda, d.lda, d.transa, other};
  if (r.terms() == 2) term[1] = {d.b, d.a, d.ldb, d.lda, d.transa, other};
  return r.terms();
}

// `count` gemms of m x n, the first at (row, col), the next `apart` further along the diagonal.
GemmDesc squares(const GemmDesc &d, const Term &t, float beta, int64_t row, int64_t col, int64_t m, int64_t n,
                 int64_t apart, int64_t count) {
  GemmDesc gemm = gemm_step(d, m, n, d.k, d.alpha, beta);
  gemm.type = d.type;
  gemm.transa = t.transa;
  gemm.transb = t.transb;
  gemm.lda = t.lda;
  gemm.ldb = t.ldb;
  gemm.ldc = d.ldc;
  gemm.a = rows_of(t.a, d.type, t.lda, t.transa, row);
  gemm.b = cols_of(t.b, d.type, t.ldb, t.transb, col);
  gemm.c = d.c + row + col * d.ldc;
  if (count > 1) {
    gemm.batch = Batch::strided;
    gemm.batch_count = count;
    gemm.stride_a = t.transa == LIBSGEMM_NO_TRANS ? apart : apart * t.lda;
    gemm.stride_b = t.transb == LIBSGEMM_NO_TRANS ? apart * t.ldb : apart;
    gemm.stride_c = apart + apart * d.ldc;
  }
  return gemm;
}

// Blocks on the diagonal, as a batch of the routine itself.
GemmDesc diagonal(const GemmDesc &d, int64_t first, int64_t order, int64_t count) {
  GemmDesc block = d;
  const libsgemm_op_t other = d.transa == LIBSGEMM_NO_TRANS ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
  const libsgemm_op_t transb = traits_of(d).b == RoutineTraits::free ? d.transb : other;
  block.m = block.n = order;
  block.a = rows_of(d.a, d.type, d.lda, d.transa, first);
  if (d.b != nullptr) block.b = cols_of(d.b, d.type, d.ldb, transb, first);
  block.c = d.c + first + first * d.ldc;
  if (count > 1) {
    block.batch = Batch::strided;
    block.batch_count = count;
    block.stride_a = d.transa == LIBSGEMM_NO_TRANS ? order : order * d.lda;
    block.stride_b = transb == LIBSGEMM_NO_TRANS ? order * d.ldb : order;
    block.stride_c = order + order * d.ldc;
  }
  return block;
}

// True if a batch's products run one by one: the squares of one size already form a batch.
bool one_by_one(const GemmDesc &d) { return d.batch != Batch::none && cut(d.n).levels > 0; }

template <typename Step>
libsgemm_status_t for_squares(const GemmDesc &d, const Step &step) {
  const Cut c = cut(d.n);
  const bool upper = d.uplo == LIBSGEMM_UPPER;
  Term term[2];
  const int count = terms(d, term);
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  for (int level = c.levels - 1; level >= 0; --level) {
    const int64_t size = c.leaf << level, whole = d.n / (2 * size);
    const int64_t tail = 2 * size * whole + size;  // start of the last square, which the end cuts off
    for (int t = 0; t < count; ++t) {
      const float beta = t == 0 ? d.beta : 1.0f;
      if (whole > 0 && status == LIBSGEMM_SUCCESS) {
        status = step(squares(d, term[t], beta, upper ? 0 : size, upper ? size : 0, size, size, 2 * size, whole));
      }
      if (tail < d.n && status == LIBSGEMM_SUCCESS) {
        const int64_t rest = d.n - tail, before = tail - size;
        status = step(upper ? squares(d, term[t], beta, before, tail, size, rest, 0, 1)
                            : squares(d, term[t], beta, tail, before, rest, size, 0, 1));
      }
    }
  }
  const int64_t blocks = d.n / c.leaf, rest = d.n - blocks * c.leaf;
  if (status == LIBSGEMM_SUCCESS) status = step(diagonal(d, 0, c.leaf, blocks));
  if (status == LIBSGEMM_SUCCESS && rest > 0) status = step(diagonal(d, blocks * c.leaf, rest, 1));
  return status;
}

}  // namespace

libsgemm_status_t launch_recursively(const GemmDesc &desc, const Launch &launch, Error *error, LaunchFunction asking,
                                     const Leaf &leaf) {
  if (desc.k <= leaf.order) {
    return leaf.launch != nullptr ? leaf.launch(desc, launch, error) : launch_step(desc, launch, error, asking);
  }
  const Division h = divide(desc, leaf);
  const bool solve = desc.routine == Routine::trsm;
  libsgemm_status_t status = launch_recursively(solve ? h.source : h.target, launch, error, asking, leaf);
  if (status == LIBSGEMM_SUCCESS) status = launch_step(h.gemm, launch, error, asking);
  if (status == LIBSGEMM_SUCCESS) {
    status = launch_recursively(solve ? h.target : h.source, launch, error, asking, leaf);
  }
  return status;
}

double recursive_seconds(const GemmDesc &desc, int device, const Leaf &leaf) {
  if (desc.k <= leaf.order) return leaf.seconds(desc, device);
  const Division h = divide(desc, leaf);
  // Assumes halves as long as the larger one.
  const GemmDesc &larger = h.source.k > h.target.k ? h.source : h.target;
  Tiling gemm = kGemm;
  gemm.figures.peak_fraction *= leaf.gemm_peak;
  return 2 * recursive_seconds(larger, device, leaf) + gemm_seconds(model(device), h.gemm, gemm);
}

libsgemm_status_t launch_squares(const GemmDesc &desc, const Launch &launch, Error *error, LaunchFunction asking,
                                 LaunchFunction diagonal) {
  const auto launch_one = [&](const GemmDesc &step) {
    const bool itself = diagonal != nullptr && step.routine == desc.routine;
    return itself ? diagonal(step, launch, error) : launch_step(step, launch, error, asking);
  };
  if (!one_by_one(desc)) return for_squares(desc, launch_one);
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  for (int64_t i = 0; i < desc.batch_count && status == LIBSGEMM_SUCCESS; ++i) {
    status = for_squares(batch_item(desc, i), launch_one);
  }
  return status;
}

double squares_seconds(const GemmDesc &desc, int device, double (*seconds)(const GemmDesc &step, int device)) {
  if (one_by_one(desc)) {
    return static_cast<double>(desc.batch_count) * squares_seconds(batch_item(desc, 0), device, seconds);
  }
  double sum = 0;
  for_squares(desc, [&](const GemmDesc &step) {
    const bool gemm = step.routine == Routine::gemm;
    sum += seconds != nullptr ? seconds(step, device)
           : gemm             ? gemm_seconds(model(device), step, kGemm)
                              : tiles_seconds(step, model(device), kDiagonal);
    return LIBSGEMM_SUCCESS;
  });
  return sum;
}

DiagonalBlocks diagonal_blocks(const GemmDesc &desc) {
  const Cut c = cut(desc.n);
  return c.levels == 0 ? DiagonalBlocks{desc.n, desc.batch_count} : DiagonalBlocks{c.leaf, desc.n / c.leaf};
}

}  // namespace libsgemm::gpu::level3
