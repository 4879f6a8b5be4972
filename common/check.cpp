// Checks in the caller's layout, then the row-major swap: a row-major matrix is the transpose of a column-major one, so
// C^T = op(B)^T op(A)^T turns every row-major call into a column-major one on the same memory.
#include "check.h"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <utility>

#include "overlap.h"

namespace libsgemm {
namespace {

// Positions of the arguments as in CBLAS; 0: the routine has no such argument.
struct Positions {
  int8_t side, uplo, transa, transb, diag, m, n, k, a, lda, stride_a, b, ldb, stride_b, c, ldc, stride_c, count;
};

constexpr Positions kGemm = {0, 0, 2, 3, 0, 4, 5, 6, 8, 9, 0, 10, 11, 0, 13, 14, 0, 0};
constexpr Positions kGemmStrided = {0, 0, 2, 3, 0, 4, 5, 6, 8, 9, 10, 11, 12, 13, 15, 16, 17, 18};
constexpr Positions kGemmPlanned = {0, 0, 2, 3, 0, 4, 5, 6, 8, 9, 0, 11, 12, 0, 15, 16, 0, 0};
constexpr Positions kSymm = {2, 3, 0, 0, 0, 4, 5, 0, 7, 8, 0, 9, 10, 0, 12, 13, 0, 0};
constexpr Positions kSyrk = {0, 2, 3, 0, 0, 0, 4, 5, 7, 8, 0, 0, 0, 0, 10, 11, 0, 0};
constexpr Positions kSyr2k = {0, 2, 3, 0, 0, 0, 4, 5, 7, 8, 0, 9, 10, 0, 12, 13, 0, 0};
constexpr Positions kTriangular = {2, 3, 4, 0, 5, 6, 7, 0, 9, 10, 0, 0, 0, 0, 11, 12, 0, 0};
constexpr Positions kGemmtr = {0, 2, 3, 4, 0, 0, 5, 6, 8, 9, 0, 10, 11, 0, 13, 14, 0, 0};

const Positions &positions(const Call &call) {
  switch (call.routine) {
    case Routine::symm:
      return kSymm;
    case Routine::syrk:
      return kSyrk;
    case Routine::syr2k:
      return kSyr2k;
    case Routine::trmm:
    case Routine::trsm:
      return kTriangular;
    case Routine::gemmtr:
      return kGemmtr;
    case Routine::gemm:
      break;
  }
  if (call.planned) return kGemmPlanned;
  return call.batch == Batch::strided ? kGemmStrided : kGemm;
}

// No address space is this large, and sums of an address and a few such extents fit 64 bits.
constexpr int64_t kMaxBytes = INT64_MAX / 8;

bool has_one_trans(const Call &call) { return call.routine == Routine::syrk || call.routine == Routine::syr2k; }
bool is_triangular(const Call &call) { return call.routine == Routine::trmm || call.routine == Routine::trsm; }

// Keeps the error with the lowest position.
class Report {
 public:
  Report(ThreadInfo *info, Interface interface, int64_t group)
      : info_(info), skipped_(interface == Interface::fortran ? 1 : 0), group_(group) {}

  bool failed() const { return info_->status != LIBSGEMM_SUCCESS; }

  __attribute__((format(printf, 4, 5))) void fail(int cblas_position, const char *name, const char *format, ...) {
    const int position = cblas_position - skipped_;
    if (failed() && info_->argument <= position) return;
    info_->status = LIBSGEMM_INVALID_ARGUMENT;
    info_->argument = position;
    char what[256], where[48] = "";
    va_list args;
    va_start(args, format);
    std::vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (group_ >= 0) std::snprintf(where, sizeof where, " of group %" PRId64, group_);
    std::snprintf(info_->message, sizeof info_->message, "%s: argument %d (%s)%s %s", info_->entry, position, name,
                  where, what);
  }

  // `letters`: what Fortran has in place of the numbers `words`; there any other letter arrives as 0.
  void one_of(int position, const char *name, int value, int first, int last, const char *words, const char *letters) {
    if (position == 0 || (value >= first && value <= last)) return;
    if (skipped_ != 0) {
      fail(position, name, "must be %s", letters);
    } else {
      fail(position, name, "is %d, must be %s", value, words);
    }
  }

  void not_negative(int position, const char *name, int64_t value) {
    if (position != 0 && value < 0) fail(position, name, "is %" PRId64 ", must be >= 0", value);
  }

 private:
  ThreadInfo *info_;
  int skipped_;  // arguments of CBLAS that the caller's interface does not have
  int64_t group_;
};

// Leading dimension of an operand stored as rows x cols in the caller's layout. One that is not accessed may be of any
// size.
void check_ld(Report *report, int position, const char *name, int64_t ld, int64_t rows, int64_t cols, bool row_major,
              size_t size, bool accessed) {
  const int64_t length = row_major ? cols : rows;
  const int64_t count = row_major ? rows : cols;
  if (ld < std::max<int64_t>(1, length)) {
    report->fail(position, name, "is %" PRId64 ", must be at least max(1, %s) = %" PRId64, ld,
                 row_major ? "columns" : "rows", std::max<int64_t>(1, length));
    return;
  }
  if (!accessed || count == 0 || length == 0) return;
  int64_t elements = 0, bytes = 0;
  const bool overflows = __builtin_mul_overflow(count - 1, ld, &elements) ||
                         __builtin_add_overflow(elements, length, &elements) ||
                         __builtin_mul_overflow(elements, static_cast<int64_t>(size), &bytes);
  if (overflows || bytes > kMaxBytes) {
    report->fail(position, name, "is %" PRId64 ": %" PRId64 " %s of it overflow the address space", ld, count,
                 row_major ? "rows" : "columns");
  }
}

// What a call accesses: nothing if there is no element of C, and A and B only if products of them count.
struct Accessed {
  bool c, inputs;
};

Accessed accessed(const Call &call, const Positions &at) {
  const bool batched = call.batch == Batch::strided || call.group >= 0;
  const bool c = (call.m != 0 || at.m == 0) && call.n != 0 && (call.batch_count != 0 || !batched);
  return {c, c && call.alpha != 0.0f && (call.k != 0 || at.k == 0)};
}

void check_strides(Report *report, const Positions &at, const Call &call, const Accessed &used) {
  const bool row_major = call.layout == LIBSGEMM_ROW_MAJOR;
  report->not_negative(at.count, "batch_count", call.batch_count);
  report->not_negative(at.stride_a, "stride_a", call.stride_a);
  report->not_negative(at.stride_b, "stride_b", call.stride_b);
  if (report->failed() || !used.c) return;
  const int64_t size = (row_major ? call.m - 1 : call.n - 1) * call.ldc + (row_major ? call.n : call.m);
  if (call.batch_count > 1 && call.stride_c < size) {
    report->fail(at.stride_c, "stride_c", "is %" PRId64 ", must be at least the size of C, %" PRId64, call.stride_c,
                 size);
  }
  const std::pair<int64_t, int> strides[] = {
      {call.stride_c, at.stride_c}, {call.stride_a, at.stride_a}, {call.stride_b, at.stride_b}};
  const char *const names[] = {"stride_c", "stride_a", "stride_b"};
  for (int i = 0; i < (used.inputs ? 3 : 1); ++i) {
    int64_t bytes = 0;
    if (__builtin_mul_overflow(strides[i].first, call.batch_count, &bytes) ||
        __builtin_mul_overflow(bytes, 4, &bytes) || bytes > kMaxBytes) {
      report->fail(strides[i].second, names[i], "is %" PRId64 ": times batch_count it overflows the address space",
                   strides[i].first);
    }
  }
}

constexpr const char *kLayoutWords = "101 (row-major) or 102 (column-major)";
constexpr const char *kSideWords = "141 (left) or 142 (right)";
constexpr const char *kOpWords = "111 (no transpose), 112 (transpose) or 113 (conjugate transpose)";

void check_enums(Report *report, const Positions &at, const Call &call) {
  report->one_of(1, "layout", call.layout, 101, 102, kLayoutWords, "");
  report->one_of(at.side, "side", call.side, 141, 142, kSideWords, "L or R");
  report->one_of(at.uplo, "uplo", call.uplo, 121, 122, "121 (upper) or 122 (lower)", "U or L");
  report->one_of(at.transa, has_one_trans(call) ? "trans" : "transa", call.transa, 111, 113, kOpWords, "N, T or C");
  report->one_of(at.transb, "transb", call.transb, 111, 113, kOpWords, "N, T or C");
  report->one_of(at.diag, "diag", call.diag, 131, 132, "131 (non-unit) or 132 (unit)", "N or U");
}

// Shapes of the stored operands in the caller's terms.
struct Shapes {
  int64_t a_rows, a_cols, b_rows, b_cols;
};

Shapes shapes(const Call &call) {
  const bool plain_a = call.transa == LIBSGEMM_NO_TRANS, plain_b = call.transb == LIBSGEMM_NO_TRANS;
  const int64_t order = call.side == LIBSGEMM_LEFT ? call.m : call.n;
  switch (call.routine) {
    case Routine::symm:
      return {order, order, call.m, call.n};
    case Routine::trmm:
    case Routine::trsm:
      return {order, order, 0, 0};
    case Routine::syrk:
    case Routine::syr2k:
      return {plain_a ? call.n : call.k, plain_a ? call.k : call.n, plain_a ? call.n : call.k,
              plain_a ? call.k : call.n};
    case Routine::gemm:
    case Routine::gemmtr:
      break;
  }
  const int64_t m = call.routine == Routine::gemmtr ? call.n : call.m;
  return {plain_a ? m : call.k, plain_a ? call.k : m, plain_b ? call.k : call.n, plain_b ? call.n : call.k};
}

void check_plans(Report *report, const Call &call) {
  const auto check = [report](int position, const char *name, const libsgemm_plan *plan, const PlanOperand &operand) {
    const std::string fault = plan_fault(plan, operand);
    if (!fault.empty()) report->fail(position, name, "%s", fault.c_str());
  };
  check(kPlanA, "plan_a", call.plan_a, {call.layout, LIBSGEMM_LEFT, call.transa, call.m, call.k, call.a, call.lda});
  check(kPlanB, "plan_b", call.plan_b, {call.layout, LIBSGEMM_RIGHT, call.transb, call.k, call.n, call.b, call.ldb});
}

template <typename Enum>
Enum flip(Enum value, Enum one, Enum other) {
  return value == one ? other : one;
}

// Fills *desc in place: this is the path of every call, and a copy, or clearing it first, costs more than the rest.
void describe(const Call &call, GemmDesc *desc) {
  GemmDesc &d = *desc;
  const auto op = [](int value) { return value == LIBSGEMM_NO_TRANS ? LIBSGEMM_NO_TRANS : LIBSGEMM_TRANS; };
  d.routine = call.routine;
  d.type = call.type;
  d.math_mode = LIBSGEMM_MATH_FP32;
  d.deterministic = false;
  d.transa = op(call.transa == 0 ? LIBSGEMM_NO_TRANS : call.transa);
  d.transb = op(call.transb == 0 ? LIBSGEMM_NO_TRANS : call.transb);
  d.side = call.side == LIBSGEMM_RIGHT ? LIBSGEMM_RIGHT : LIBSGEMM_LEFT;
  d.uplo = call.uplo == LIBSGEMM_LOWER ? LIBSGEMM_LOWER : LIBSGEMM_UPPER;
  d.diag = call.diag == LIBSGEMM_UNIT ? LIBSGEMM_UNIT : LIBSGEMM_NON_UNIT;
  const bool square = has_one_trans(call) || call.routine == Routine::gemmtr;
  d.m = square ? call.n : call.m;
  d.n = call.n;
  d.k = call.k;
  d.alpha = call.alpha;
  d.beta = call.routine == Routine::trmm ? 0.0f : call.routine == Routine::trsm ? 1.0f : call.beta;
  d.a = call.a;
  d.b = call.b;
  d.c = call.c;
  d.lda = call.lda;
  d.ldb = call.ldb;
  d.ldc = call.ldc;
  d.batch = call.batch;
  d.batch_count = call.batch == Batch::none ? 1 : call.batch_count;
  d.stride_a = call.stride_a;
  d.stride_b = call.stride_b;
  d.stride_c = call.stride_c;
  d.a_array = nullptr;
  d.b_array = nullptr;
  d.c_array = nullptr;
  d.plan_a = call.plan_a != nullptr ? call.plan_a->memory : nullptr;
  d.plan_b = call.plan_b != nullptr ? call.plan_b->memory : nullptr;
  if (call.layout == LIBSGEMM_ROW_MAJOR) {
    std::swap(d.m, d.n);
    d.side = flip(d.side, LIBSGEMM_LEFT, LIBSGEMM_RIGHT);
    d.uplo = flip(d.uplo, LIBSGEMM_UPPER, LIBSGEMM_LOWER);
    if (has_one_trans(call)) d.transa = flip(d.transa, LIBSGEMM_NO_TRANS, LIBSGEMM_TRANS);
    if (call.routine == Routine::gemm || call.routine == Routine::gemmtr) {
      std::swap(d.transa, d.transb);
      std::swap(d.a, d.b);
      std::swap(d.lda, d.ldb);
      std::swap(d.stride_a, d.stride_b);
      std::swap(d.plan_a, d.plan_b);
    }
  }
  if (has_one_trans(call)) d.transb = d.transa;
  if (call.routine == Routine::symm || is_triangular(call)) d.k = d.side == LIBSGEMM_LEFT ? d.m : d.n;
}

}  // namespace

libsgemm_status_t check_call(const Call &call, ThreadInfo *info, GemmDesc *desc) {
  const Positions &at = positions(call);
  Report report(info, call.interface, call.group);
  check_enums(&report, at, call);
  report.not_negative(at.m, "m", call.m);
  report.not_negative(at.n, "n", call.n);
  report.not_negative(at.k, "k", call.k);
  if (report.failed()) return info->status;  // what follows would be computed from them

  const bool row_major = call.layout == LIBSGEMM_ROW_MAJOR;
  const Shapes s = shapes(call);
  const size_t size = size_of(call.type);
  const Accessed used = accessed(call, at);
  check_ld(&report, at.lda, "lda", call.lda, s.a_rows, s.a_cols, row_major, size, used.inputs);
  if (at.b != 0) check_ld(&report, at.ldb, "ldb", call.ldb, s.b_rows, s.b_cols, row_major, size, used.inputs);
  const int64_t c_rows = at.m == 0 ? call.n : call.m;
  check_ld(&report, at.ldc, is_triangular(call) ? "ldb" : "ldc", call.ldc, c_rows, call.n, row_major, sizeof(float),
           used.c);
  if (call.batch == Batch::strided) check_strides(&report, at, call, used);
  if (call.planned) check_plans(&report, call);
  if (report.failed()) return info->status;

  describe(call, desc);
  if (desc->m == 0 || desc->n == 0 || desc->batch_count == 0 || call.group >= 0) return LIBSGEMM_SUCCESS;
  const char *const null = "is NULL";
  if (call.c == nullptr) report.fail(at.c, is_triangular(call) ? "B" : "C", null);
  if (reads_inputs(*desc)) {
    if (call.a == nullptr) report.fail(at.a, "A", null);
    if (at.b != 0 && call.b == nullptr) report.fail(at.b, "B", null);
  }
  return info->status;
}

libsgemm_status_t check_plan_operand(const PlanOperand &x, ThreadInfo *info) {
  Report report(info, Interface::native, -1);
  report.one_of(2, "layout", x.layout, 101, 102, kLayoutWords, "");
  report.one_of(3, "side", x.side, 141, 142, kSideWords, "");
  report.one_of(4, "trans", x.trans, 111, 113, kOpWords, "");
  report.not_negative(5, "rows", x.rows);
  report.not_negative(6, "cols", x.cols);
  if (report.failed()) return info->status;
  const bool plain = x.trans == LIBSGEMM_NO_TRANS;
  check_ld(&report, 8, "ldx", x.ldx, plain ? x.rows : x.cols, plain ? x.cols : x.rows, x.layout == LIBSGEMM_ROW_MAJOR,
           sizeof(float), true);
  if (x.x == nullptr && x.rows > 0 && x.cols > 0) report.fail(7, "X", "is NULL");
  return info->status;
}

libsgemm_status_t check_groups(const GroupCall &call, ThreadInfo *info) {
  Report report(info, call.interface, -1);
  report.one_of(1, "layout", call.layout, 101, 102, kLayoutWords, "");
  report.not_negative(15, "group_count", call.group_count);
  if (report.failed() || call.group_count == 0) return info->status;
  const struct {
    int position;
    const char *name;
    const void *array;
  } arrays[] = {{2, "transa", call.transa},
                {3, "transb", call.transb},
                {4, "m", call.m},
                {5, "n", call.n},
                {6, "k", call.k},
                {7, "alpha", call.alpha},
                {9, "lda", call.lda},
                {11, "ldb", call.ldb},
                {12, "beta", call.beta},
                {14, "ldc", call.ldc},
                {16, "group_size", call.group_size}};
  for (const auto &array : arrays) {
    if (array.array == nullptr) report.fail(array.position, array.name, "is NULL");
  }
  if (report.failed()) return info->status;
  int64_t total = 0;
  for (int64_t g = 0; g < call.group_count && !report.failed(); ++g) {
    const int64_t size = call.group_size[g];
    if (size < 0) {
      report.fail(16, "group_size", "of group %" PRId64 " is %" PRId64 ", must be >= 0", g, size);
    } else if (size > kMaxBytes / static_cast<int64_t>(sizeof(void *)) - total) {
      report.fail(16, "group_size", "of group %" PRId64 " is %" PRId64 ": so many pointers overflow the address space",
                  g, size);
    }
    total += size;
  }
  return info->status;
}

namespace {

// One product: the output against each input.
void check_overlap(Report *report, const Call &call, const GemmDesc &item) {
  const Positions &at = positions(call);
  const Stored c = stored_c(item);
  // The row-major swap of gemm and gemmtr exchanged the operands; the caller wants to hear its own names.
  const bool swapped =
      call.layout == LIBSGEMM_ROW_MAJOR && (call.routine == Routine::gemm || call.routine == Routine::gemmtr);
  const bool a = overlap(c, stored_a(item)), b = overlap(c, stored_b(item));
  if (a || b) {
    report->fail(at.c, is_triangular(call) ? "B" : "C", "overlaps %s", (swapped ? b : a) ? "A" : "B");
  }
}

// Strided batches: every output against every input, but only those pairs whose addresses can meet.
void check_strided_overlap(Report *report, const Call &call, const GemmDesc &desc) {
  const GemmDesc first = batch_item(desc, 0);
  const Stored inputs[] = {stored_a(first), stored_b(first)};
  const int64_t strides[] = {desc.stride_a, desc.stride_b};
  const Stored c = stored_c(first);
  const int64_t c_bytes = ((c.cols - 1) * c.ld + c.rows) * 4;
  for (int which = 0; which < 2; ++which) {
    Stored x = inputs[which];
    const int64_t size = static_cast<int64_t>(x.size), step = strides[which] * size;
    const int64_t bytes = ((x.cols - 1) * x.ld + x.rows) * size;
    const int64_t c_total = (desc.batch_count - 1) * desc.stride_c * 4 + c_bytes;
    const int64_t apart =
        static_cast<int64_t>(reinterpret_cast<uintptr_t>(x.base) - reinterpret_cast<uintptr_t>(c.base));
    const int64_t last = step == 0 ? 0 : desc.batch_count - 1;
    if (apart >= c_total || apart + last * step + bytes <= 0) continue;
    for (int64_t i = 0; i < desc.batch_count && !report->failed(); ++i) {
      const Stored ci = stored_c(batch_item(desc, i));
      const int64_t offset = i * desc.stride_c * 4 - apart;  // of C_i from the first input
      const int64_t from = step == 0 ? 0 : std::max<int64_t>(0, (offset - bytes) / step);
      const int64_t to = step == 0 ? 0 : std::min(last, (offset + c_bytes) / step);
      for (int64_t j = from; j <= to && !report->failed(); ++j) {
        Stored xj = x;
        xj.base += j * step;
        const bool swapped = call.layout == LIBSGEMM_ROW_MAJOR;
        if (overlap(ci, xj)) report->fail(positions(call).c, "C", "overlaps %s", (which == 0) != swapped ? "A" : "B");
      }
    }
  }
}

}  // namespace

libsgemm_status_t check_memory(const Call &call, const GemmDesc &desc, bool arrays_on_host, ThreadInfo *info) {
  Report report(info, call.interface, call.group);
  const bool inputs = reads_inputs(desc);
  if (desc.batch == Batch::none) {
    if (call.interface == Interface::native && inputs) check_overlap(&report, call, desc);
  } else if (desc.batch == Batch::strided) {
    if (call.interface == Interface::native && inputs) check_strided_overlap(&report, call, desc);
  } else if (arrays_on_host) {
    const bool swapped = call.layout == LIBSGEMM_ROW_MAJOR;
    for (int64_t i = 0; i < desc.batch_count && !report.failed(); ++i) {
      const GemmDesc item = batch_item(desc, i);
      if (item.c == nullptr) report.fail(13, "C", "has NULL as pointer %" PRId64, i);
      if (inputs && item.a == nullptr)
        report.fail(swapped ? 10 : 8, swapped ? "B" : "A", "has NULL as pointer %" PRId64, i);
      if (inputs && item.b == nullptr)
        report.fail(swapped ? 8 : 10, swapped ? "A" : "B", "has NULL as pointer %" PRId64, i);
      if (!report.failed() && call.interface == Interface::native && inputs) check_overlap(&report, call, item);
    }
  }
  return info->status;
}

}  // namespace libsgemm
