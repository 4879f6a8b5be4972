#include "routines.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "command.h"

namespace command {
namespace {

constexpr Traits make_traits(Routine routine, const char *name, libsgemm::Routine base, Element element) {
  const libsgemm::RoutineTraits &r = libsgemm::traits_of(base);
  const auto has = [&](const char *argument) { return libsgemm::position_of(r.arguments, argument) != 0; };
  return {routine,
          name,
          base,
          has("transa") || has("trans"),
          has("transb"),
          r.has_b(),
          r.in_place(),
          r.triangle_of_c,
          r.a == libsgemm::RoutineTraits::symmetric,
          r.a == libsgemm::RoutineTraits::triangular,
          element};
}

constexpr Traits kTraits[kRoutineCount] = {
    make_traits(Routine::kSgemm, "sgemm", libsgemm::Routine::gemm, Element::kFloat32),
    make_traits(Routine::kSsymm, "ssymm", libsgemm::Routine::symm, Element::kFloat32),
    make_traits(Routine::kSsyrk, "ssyrk", libsgemm::Routine::syrk, Element::kFloat32),
    make_traits(Routine::kSsyr2k, "ssyr2k", libsgemm::Routine::syr2k, Element::kFloat32),
    make_traits(Routine::kStrmm, "strmm", libsgemm::Routine::trmm, Element::kFloat32),
    make_traits(Routine::kStrsm, "strsm", libsgemm::Routine::trsm, Element::kFloat32),
    make_traits(Routine::kSgemmtr, "sgemmtr", libsgemm::Routine::gemmtr, Element::kFloat32),
    make_traits(Routine::kShgemm, "shgemm", libsgemm::Routine::gemm, Element::kBinary16),
    make_traits(Routine::kSbgemm, "sbgemm", libsgemm::Routine::gemm, Element::kBfloat16),
};

// The shape of a call as the library has it.
libsgemm::GemmDesc outline(Routine routine, libsgemm_op_t transa, libsgemm_op_t transb, int64_t m, int64_t n,
                           int64_t k) {
  libsgemm::GemmDesc d = {};
  d.routine = traits(routine).base;
  d.transa = transa;
  d.transb = transb;
  d.side = LIBSGEMM_LEFT;
  d.uplo = LIBSGEMM_UPPER;
  d.m = libsgemm::traits_of(d).triangle_of_c ? n : m;
  d.n = n;
  d.k = libsgemm::traits_of(d).one_sided() ? m : k;
  d.batch_count = 1;
  return d;
}
libsgemm::GemmDesc outline(const Call &x) { return outline(x.routine, x.transa, x.transb, x.m, x.n, x.k); }

Extent extent(const libsgemm::Stored &stored) { return {stored.rows, stored.cols}; }

}  // namespace

const Traits &traits(Routine routine) { return kTraits[static_cast<int>(routine)]; }

std::vector<std::string> routine_names() {
  std::vector<std::string> names;
  for (const Traits &row : kTraits) names.push_back(row.name);
  return names;
}

Routine parse_routine(const std::string &name) {
  for (const Traits &row : kTraits) {
    if (name == row.name) return row.routine;
  }
  throw Error(
      fmt::format("--routine {}: there is no such routine; there are {}", name, fmt::join(routine_names(), ", ")));
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

Extent extent_of_a(const Call &call) { return extent(stored_a(outline(call))); }
Extent extent_of_b(const Call &call) { return extent(stored_b(outline(call))); }
Extent extent_of_c(const Call &call) { return extent(stored_c(outline(call))); }

double flops(Routine routine, const Shape &shape) {
  return flop_count(outline(routine, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, shape.m, shape.n, shape.k));
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
