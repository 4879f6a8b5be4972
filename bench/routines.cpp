#include "routines.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "command.h"

namespace command {
namespace {

constexpr Traits kTraits[kRoutineCount] = {
    // routine, name, transa, transb, b, in place, triangular C, symmetric A, triangular A, element
    {Routine::kSgemm, "sgemm", true, true, true, false, false, false, false, Element::kFloat32},
    {Routine::kSsymm, "ssymm", false, false, true, false, false, true, false, Element::kFloat32},
    {Routine::kSsyrk, "ssyrk", true, false, false, false, true, false, false, Element::kFloat32},
    {Routine::kSsyr2k, "ssyr2k", true, false, true, false, true, false, false, Element::kFloat32},
    {Routine::kStrmm, "strmm", true, false, false, true, false, false, true, Element::kFloat32},
    {Routine::kStrsm, "strsm", true, false, false, true, false, false, true, Element::kFloat32},
    {Routine::kSgemmtr, "sgemmtr", true, true, true, false, true, false, false, Element::kFloat32},
    {Routine::kShgemm, "shgemm", true, true, true, false, false, false, false, Element::kBinary16},
    {Routine::kSbgemm, "sbgemm", true, true, true, false, false, false, false, Element::kBfloat16},
};

Extent stored(libsgemm_op_t op, int64_t rows, int64_t columns) {
  return op == LIBSGEMM_NO_TRANS ? Extent{rows, columns} : Extent{columns, rows};
}

bool square_a(Routine routine) { return traits(routine).symmetric_a || traits(routine).triangular_a; }

// Rows of the output: m, or n where it is n x n.
int64_t output_rows(const Call &call) { return traits(call.routine).triangular_output ? call.n : call.m; }

}  // namespace

const Traits &traits(Routine routine) { return kTraits[static_cast<int>(routine)]; }

Routine parse_routine(const std::string &name) {
  std::string names;
  for (const Traits &row : kTraits) {
    if (name == row.name) return row.routine;
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  throw Error(fmt::format("--routine {}: there is no such routine; there are {}", name, names));
}

std::vector<Routine> parse_routines(const std::vector<std::string> &names) {
  if (names.empty()) return {Routine::kSgemm};
  std::vector<Routine> routines;
  std::transform(names.begin(), names.end(), std::back_inserter(routines), parse_routine);
  return routines;
}

size_t element_bytes(Element element) { return element == Element::kFloat32 ? sizeof(float) : sizeof(uint16_t); }

Call make_call(Routine routine, const Shape &shape, libsgemm_op_t transa, libsgemm_op_t transb) {
  Call call{routine, transa, transb, shape.m, shape.n, shape.k, 1, 0, nullptr, 0, nullptr, 0, nullptr, 0};
  if (!traits(routine).has_transa) call.transa = LIBSGEMM_NO_TRANS;
  if (!traits(routine).has_transb) call.transb = LIBSGEMM_NO_TRANS;
  if (traits(routine).triangular_output) call.m = call.n;
  call.lda = extent_of_a(call).rows + shape.pad;
  call.ldb = extent_of_b(call).rows + shape.pad;
  call.ldc = extent_of_c(call).rows + shape.pad;
  return call;
}

std::string one_of_transposes(const std::vector<std::string> &texts, const char *otherwise, const char *who) {
  if (texts.empty()) return otherwise;
  const auto is_op = [](char letter) { return letter == 'N' || letter == 'T'; };
  if (texts.size() != 1 || texts[0].size() != 2 || !is_op(texts[0][0]) || !is_op(texts[0][1])) {
    throw Error(fmt::format("--transposes {}: {} wants one of NN, NT, TN, TT", fmt::join(texts, ","), who));
  }
  return texts[0];
}

Extent extent_of_a(const Call &call) {
  if (square_a(call.routine)) return {call.m, call.m};
  return stored(call.transa, output_rows(call), call.k);
}

Extent extent_of_b(const Call &call) {
  if (call.routine == Routine::kSsymm) return {call.m, call.n};
  if (call.routine == Routine::kSsyr2k) return extent_of_a(call);
  return stored(call.transb, call.k, call.n);
}

Extent extent_of_c(const Call &call) { return {output_rows(call), call.n}; }

double flops(Routine routine, const Shape &shape) {
  const double m = static_cast<double>(shape.m), n = static_cast<double>(shape.n), k = static_cast<double>(shape.k);
  switch (routine) {
    case Routine::kSsymm:
      return 2 * m * m * n;
    case Routine::kSsyrk:
    case Routine::kSgemmtr:
      return n * (n + 1) * k;
    case Routine::kSsyr2k:
      return 2 * n * (n + 1) * k;
    case Routine::kStrmm:
    case Routine::kStrsm:
      return m * m * n;
    default:
      return 2 * m * n * k;
  }
}

libsgemm_status_t call_library(libsgemm_handle_t h, const Call &x) {
  constexpr libsgemm_layout_t kLayout = LIBSGEMM_COL_MAJOR;
  const float *a = static_cast<const float *>(x.a), *b = static_cast<const float *>(x.b);
  const uint16_t *a16 = static_cast<const uint16_t *>(x.a), *b16 = static_cast<const uint16_t *>(x.b);
  float *c = static_cast<float *>(x.c);
  switch (x.routine) {
    case Routine::kSgemm:
      return libsgemm_sgemm_h(h, kLayout, x.transa, x.transb, x.m, x.n, x.k, x.alpha, a, x.lda, b, x.ldb, x.beta, c,
                              x.ldc);
    case Routine::kSsymm:
      return libsgemm_ssymm_h(h, kLayout, LIBSGEMM_LEFT, LIBSGEMM_UPPER, x.m, x.n, x.alpha, a, x.lda, b, x.ldb, x.beta,
                              c, x.ldc);
    case Routine::kSsyrk:
      return libsgemm_ssyrk_h(h, kLayout, LIBSGEMM_UPPER, x.transa, x.n, x.k, x.alpha, a, x.lda, x.beta, c, x.ldc);
    case Routine::kSsyr2k:
      return libsgemm_ssyr2k_h(h, kLayout, LIBSGEMM_UPPER, x.transa, x.n, x.k, x.alpha, a, x.lda, b, x.ldb, x.beta, c,
                               x.ldc);
    case Routine::kStrmm:
      return libsgemm_strmm_h(h, kLayout, LIBSGEMM_LEFT, LIBSGEMM_UPPER, x.transa, LIBSGEMM_NON_UNIT, x.m, x.n, x.alpha,
                              a, x.lda, c, x.ldc);
    case Routine::kStrsm:
      return libsgemm_strsm_h(h, kLayout, LIBSGEMM_LEFT, LIBSGEMM_UPPER, x.transa, LIBSGEMM_NON_UNIT, x.m, x.n, x.alpha,
                              a, x.lda, c, x.ldc);
    case Routine::kSgemmtr:
      return libsgemm_sgemmtr_h(h, kLayout, LIBSGEMM_UPPER, x.transa, x.transb, x.n, x.k, x.alpha, a, x.lda, b, x.ldb,
                                x.beta, c, x.ldc);
    case Routine::kShgemm:
      return libsgemm_shgemm_h(h, kLayout, x.transa, x.transb, x.m, x.n, x.k, x.alpha, a16, x.lda, b16, x.ldb, x.beta,
                               c, x.ldc);
    case Routine::kSbgemm:
      return libsgemm_sbgemm_h(h, kLayout, x.transa, x.transb, x.m, x.n, x.k, x.alpha, a16, x.lda, b16, x.ldb, x.beta,
                               c, x.ldc);
  }
  return LIBSGEMM_NOT_SUPPORTED;
}

}  // namespace command
