// Checks arguments in the caller's layout, then makes the call column-major: C^T = op(B)^T op(A)^T.
#include "check.h"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <utility>

#include "contract/cpu_blas.h"
#include "contract/float_mode.h"
#include "matrix/overlap.h"

namespace libsgemm {
namespace {

// Positions as in CBLAS; 0: no such argument.
struct Positions {
  int side, uplo, transa, transb, diag, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c;
  int batch_count;
};

constexpr Positions make_positions(const RoutineTraits &r, const char *arguments) {
  const auto at = [=](const char *name) { return arguments != nullptr ? position_of(arguments, name) : 0; };
  const bool in_place = r.in_place();
  return {at("side"),
          at("uplo"),
          at(r.row_major == RoutineTraits::trans_flips ? "trans" : "transa"),
          at("transb"),
          at("diag"),
          at("m"),
          at("n"),
          at("k"),
          at("alpha"),
          at("A"),
          at("lda"),
          at("stride_a"),
          in_place ? 0 : at("B"),
          in_place ? 0 : at("ldb"),
          in_place ? 0 : at("stride_b"),
          at("beta"),
          at(in_place ? "B" : "C"),
          at(in_place ? "ldb" : "ldc"),
          at(in_place ? "stride_b" : "stride_c"),
          at("batch_count")};
}

struct AllPositions {
  Positions single[std::size(kRoutines)], strided[std::size(kRoutines)], planned[std::size(kRoutines)];
};

constexpr AllPositions make_all_positions() {
  AllPositions all = {};
  for (size_t i = 0; i < std::size(kRoutines); ++i) {
    const RoutineTraits &r = kRoutines[i];
    all.single[i] = make_positions(r, r.arguments);
    all.strided[i] = make_positions(r, r.strided);
    all.planned[i] = make_positions(r, r.planned);
  }
  return all;
}

constexpr AllPositions kPositions = make_all_positions();

// An argument spelt differently would go unchecked.
constexpr bool all_known(const char *arguments) {
  constexpr const char *kNames[] = {"layout", "side",     "uplo",   "trans", "transa",   "transb",
                                    "diag",   "m",        "n",      "k",     "alpha",    "A",
                                    "lda",    "stride_a", "plan_a", "B",     "ldb",      "stride_b",
                                    "plan_b", "beta",     "C",      "ldc",   "stride_c", "batch_count"};
  if (arguments == nullptr) return true;
  int words = 1, known = 0;
  for (const char *c = arguments; *c != '\0'; ++c) words += *c == ' ' ? 1 : 0;
  for (const char *name : kNames) known += position_of(arguments, name) != 0 ? 1 : 0;
  return known == words;
}

constexpr bool all_known() {
  for (const RoutineTraits &r : kRoutines) {
    if (!all_known(r.arguments) || !all_known(r.strided) || !all_known(r.planned)) return false;
  }
  return true;
}
static_assert(all_known(), "an argument of a routine has a name that checks do not know");

const Positions &positions(const Call &call) {
  const auto routine = static_cast<size_t>(call.routine);
  if (call.planned) return kPositions.planned[routine];
  return call.batch == Batch::strided ? kPositions.strided[routine] : kPositions.single[routine];
}

// Largest legal extent of an operand. An address plus a few extents fits 64 bits.
constexpr int64_t kMaxBytes = INT64_MAX / 8;

// A routine in place overwrites its B.
const char *name_of_c(const Call &call) { return traits_of(call.routine).in_place() ? "B" : "C"; }
const char *name_of_ldc(const Call &call) { return traits_of(call.routine).in_place() ? "ldb" : "ldc"; }
const char *name_of_stride_c(const Call &call) { return traits_of(call.routine).in_place() ? "stride_b" : "stride_c"; }

int64_t rows_of_c(const Call &call) { return traits_of(call.routine).triangle_of_c ? call.n : call.m; }

bool swaps_operands(const Call &call) {
  return call.layout == LIBSGEMM_ROW_MAJOR && traits_of(call.routine).row_major == RoutineTraits::operands_swap;
}

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

  // `words`: the legal numbers. `letters`: Fortran's legal letters. An illegal one arrives as 0, so the message cannot
  // name it.
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
  int skipped_;  // arguments of CBLAS that the interface lacks
  int64_t group_;
};

// The operand is stored as rows x cols. ld has no upper bound if it is not accessed. `sgemm_of`: the BLAS whose sgemm
// the program calls (OpenBLAS accepts 0 for an empty operand), or NULL.
void check_ld(Report *report, int position, const char *name, int64_t ld, int64_t rows, int64_t cols, bool row_major,
              size_t size, bool accessed, const CpuBlas *sgemm_of = nullptr) {
  const int64_t length = row_major ? cols : rows;
  const int64_t count = row_major ? rows : cols;
  if (ld < std::max<int64_t>(1, length)) {
    if (ld == length && sgemm_of != nullptr && sgemm_of->is_openblas()) return;
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

// C if it is not empty; A and B if products contribute.
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
  report->not_negative(at.batch_count, "batch_count", call.batch_count);
  report->not_negative(at.stride_a, "stride_a", call.stride_a);
  report->not_negative(at.stride_b, "stride_b", call.stride_b);
  if (report->failed() || !used.c) return;
  const int64_t rows = rows_of_c(call);
  const int64_t size = (row_major ? rows - 1 : call.n - 1) * call.ldc + (row_major ? call.n : rows);
  if (call.batch_count > 1 && call.stride_c < size) {
    report->fail(at.stride_c, name_of_stride_c(call), "is %" PRId64 ", must be at least the size of %s, %" PRId64,
                 call.stride_c, name_of_c(call), size);
  }
  const std::pair<int64_t, int> strides[] = {
      {call.stride_c, at.stride_c}, {call.stride_a, at.stride_a}, {call.stride_b, at.stride_b}};
  const char *const names[] = {name_of_stride_c(call), "stride_a", "stride_b"};
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
  const bool one_trans = traits_of(call.routine).row_major == RoutineTraits::trans_flips;
  report->one_of(at.transa, one_trans ? "trans" : "transa", call.transa, 111, 113, kOpWords, "N, T or C");
  report->one_of(at.transb, "transb", call.transb, 111, 113, kOpWords, "N, T or C");
  report->one_of(at.diag, "diag", call.diag, 131, 132, "131 (non-unit) or 132 (unit)", "N or U");
}

// Stored shapes in the caller's layout. B's is valid only if the routine has B.
struct Shapes {
  int64_t a_rows, a_cols, b_rows, b_cols;
};

Shapes shapes(const Call &call) {
  const RoutineTraits &r = traits_of(call.routine);
  if (r.one_sided()) {
    const int64_t order = call.side == LIBSGEMM_LEFT ? call.m : call.n;
    return {order, order, call.m, call.n};
  }
  const bool plain_a = call.transa == LIBSGEMM_NO_TRANS, plain_b = call.transb == LIBSGEMM_NO_TRANS;
  const int64_t m = rows_of_c(call);
  const int64_t a_rows = plain_a ? m : call.k, a_cols = plain_a ? call.k : m;
  if (r.b == RoutineTraits::as_a) return {a_rows, a_cols, a_rows, a_cols};
  return {a_rows, a_cols, plain_b ? call.k : call.n, plain_b ? call.n : call.k};
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

// Writes in place: copying or clearing *desc would cost more than the rest of a call.
void describe(const Call &call, GemmDesc *desc) {
  GemmDesc &d = *desc;
  const RoutineTraits &r = traits_of(call.routine);
  const auto op = [](int value) { return value == LIBSGEMM_NO_TRANS ? LIBSGEMM_NO_TRANS : LIBSGEMM_TRANS; };
  d.routine = call.routine;
  d.type = call.type;
  d.math_mode = LIBSGEMM_MATH_FP32;
  d.deterministic = LIBSGEMM_DETERMINISTIC_OFF;
  d.transa = op(call.transa == 0 ? LIBSGEMM_NO_TRANS : call.transa);
  d.transb = op(call.transb == 0 ? LIBSGEMM_NO_TRANS : call.transb);
  d.side = call.side == LIBSGEMM_RIGHT ? LIBSGEMM_RIGHT : LIBSGEMM_LEFT;
  d.uplo = call.uplo == LIBSGEMM_LOWER ? LIBSGEMM_LOWER : LIBSGEMM_UPPER;
  d.diag = call.diag == LIBSGEMM_UNIT ? LIBSGEMM_UNIT : LIBSGEMM_NON_UNIT;
  d.m = rows_of_c(call);
  d.n = call.n;
  d.k = call.k;
  d.alpha = factor_of_call(call.alpha);
  d.beta = !r.in_place() ? factor_of_call(call.beta) : call.routine == Routine::trsm ? 1.0f : 0.0f;
  d.a = call.a;
  d.b = call.b;
  d.c = call.c;
  d.lda = std::max<int64_t>(1, call.lda);  // 0 can be legal (check_ld())
  d.ldb = std::max<int64_t>(1, call.ldb);
  d.ldc = std::max<int64_t>(1, call.ldc);
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
    if (r.row_major == RoutineTraits::trans_flips) d.transa = flip(d.transa, LIBSGEMM_NO_TRANS, LIBSGEMM_TRANS);
    if (r.row_major == RoutineTraits::operands_swap) {
      std::swap(d.transa, d.transb);
      std::swap(d.a, d.b);
      std::swap(d.lda, d.ldb);
      std::swap(d.stride_a, d.stride_b);
      std::swap(d.plan_a, d.plan_b);
    }
  }
  if (r.row_major == RoutineTraits::trans_flips) d.transb = d.transa;
  if (r.one_sided()) d.k = d.side == LIBSGEMM_LEFT ? d.m : d.n;
}

}  // namespace

libsgemm_status_t check_call(const Call &call, ThreadInfo *info, GemmDesc *desc) {
  const Positions &at = positions(call);
  Report report(info, call.interface, call.group);
  check_enums(&report, at, call);
  report.not_negative(at.m, "m", call.m);
  report.not_negative(at.n, "n", call.n);
  report.not_negative(at.k, "k", call.k);
  if (report.failed()) return info->status;

  const bool row_major = call.layout == LIBSGEMM_ROW_MAJOR;
  const Shapes s = shapes(call);
  const size_t size = size_of(call.type);
  const Accessed used = accessed(call, at);
  const CpuBlas *const sgemm_of = call.routine == Routine::gemm ? call.blas : nullptr;
  check_ld(&report, at.lda, "lda", call.lda, s.a_rows, s.a_cols, row_major, size, used.inputs, sgemm_of);
  if (at.b != 0) check_ld(&report, at.ldb, "ldb", call.ldb, s.b_rows, s.b_cols, row_major, size, used.inputs, sgemm_of);
  check_ld(&report, at.ldc, name_of_ldc(call), call.ldc, rows_of_c(call), call.n, row_major, sizeof(float), used.c,
           sgemm_of);
  if (call.batch == Batch::strided) check_strides(&report, at, call, used);
  if (call.planned) check_plans(&report, call);
  if (report.failed()) return info->status;

  describe(call, desc);
  if (desc->m == 0 || desc->n == 0 || desc->batch_count == 0 || call.group >= 0) return LIBSGEMM_SUCCESS;
  const char *const null = "is NULL";
  if (call.c == nullptr) report.fail(at.c, name_of_c(call), null);
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
  const Positions &at = kPositions.single[static_cast<size_t>(Routine::gemm)];
  const int group_count = at.ldc + 1, group_size = at.ldc + 2;
  report.not_negative(group_count, "group_count", call.group_count);
  if (report.failed() || call.group_count == 0) return info->status;
  const struct {
    int position;
    const char *name;
    const void *array;
  } arrays[] = {{at.transa, "transa", call.transa},
                {at.transb, "transb", call.transb},
                {at.m, "m", call.m},
                {at.n, "n", call.n},
                {at.k, "k", call.k},
                {at.alpha, "alpha", call.alpha},
                {at.lda, "lda", call.lda},
                {at.ldb, "ldb", call.ldb},
                {at.beta, "beta", call.beta},
                {at.ldc, "ldc", call.ldc},
                {group_size, "group_size", call.group_size}};
  for (const auto &array : arrays) {
    if (array.array == nullptr) report.fail(array.position, array.name, "is NULL");
  }
  if (report.failed()) return info->status;
  int64_t total = 0;
  for (int64_t g = 0; g < call.group_count && !report.failed(); ++g) {
    const int64_t size = call.group_size[g];
    if (size < 0) {
      report.fail(group_size, "group_size", "of group %" PRId64 " is %" PRId64 ", must be >= 0", g, size);
    } else if (size > kMaxBytes / static_cast<int64_t>(sizeof(void *)) - total) {
      report.fail(group_size, "group_size",
                  "of group %" PRId64 " is %" PRId64 ": that many pointers overflow the address space", g, size);
    }
    total += size;
  }
  return info->status;
}

namespace {

void report_overlap(Report *report, const Call &call, bool a, bool b) {
  if (!a && !b) return;
  report->fail(positions(call).c, name_of_c(call), "overlaps %s", (swaps_operands(call) ? b : a) ? "A" : "B");
}

void check_overlap(Report *report, const Call &call, const GemmDesc &item) {
  const Stored c = stored_c(item);
  report_overlap(report, call, overlap(c, stored_a(item)), overlap(c, stored_b(item)));
}

void check_strided_overlap(Report *report, const Call &call, const GemmDesc &desc) {
  const GemmDesc first = batch_item(desc, 0);
  const auto batch = [&](const Stored &x, int64_t stride) {
    return StoredBatch{x, stride * static_cast<int64_t>(x.size), desc.batch_count};
  };
  const StoredBatch c = batch(stored_c(first), desc.stride_c);
  report_overlap(report, call, overlap(c, batch(stored_a(first), desc.stride_a)),
                 overlap(c, batch(stored_b(first), desc.stride_b)));
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
    const Positions &at = positions(call);
    const bool swapped = swaps_operands(call);
    for (int64_t i = 0; i < desc.batch_count && !report.failed(); ++i) {
      const GemmDesc item = batch_item(desc, i);
      if (item.c == nullptr) report.fail(at.c, name_of_c(call), "has NULL as pointer %" PRId64, i);
      if (inputs && item.a == nullptr)
        report.fail(swapped ? at.b : at.a, swapped ? "B" : "A", "has NULL as pointer %" PRId64, i);
      if (inputs && item.b == nullptr)
        report.fail(swapped ? at.a : at.b, swapped ? "A" : "B", "has NULL as pointer %" PRId64, i);
      if (!report.failed() && call.interface == Interface::native && inputs) check_overlap(&report, call, item);
    }
  }
  return info->status;
}

}  // namespace libsgemm
