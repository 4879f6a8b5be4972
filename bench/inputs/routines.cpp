#include "routines.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/command.h"

namespace command {
namespace {

constexpr Traits make_traits(Routine routine, const char *name, libsgemm::Routine base, Element element) {
  const libsgemm::RoutineTraits &r = libsgemm::traits_of(base);
  const auto has = [&](const char *argument) { return libsgemm::position_of(r.arguments, argument) != 0; };
  return {routine,
          base,
          name,
          has("transa") || has("trans"),
          has("transb"),
          has("side"),
          has("uplo"),
          r.strided != nullptr,
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
    make_traits(Routine::kShsyrk, "shsyrk", libsgemm::Routine::syrk, Element::kBinary16),
    make_traits(Routine::kSbsyrk, "sbsyrk", libsgemm::Routine::syrk, Element::kBfloat16),
};

libsgemm_status_t call_strided(libsgemm_handle_t h, const Call &x) {
  constexpr libsgemm_layout_t kLayout = LIBSGEMM_COL_MAJOR;
  const float *a = static_cast<const float *>(x.a), *b = static_cast<const float *>(x.b);
  const uint16_t *a16 = static_cast<const uint16_t *>(x.a), *b16 = static_cast<const uint16_t *>(x.b);
  float *c = static_cast<float *>(x.c);
  switch (x.routine) {
    case Routine::kSgemm:
      return libsgemm_sgemm_batch_strided_h(h, kLayout, x.transa, x.transb, x.m, x.n, x.k, x.alpha, a, x.lda,
                                            x.stride_a, b, x.ldb, x.stride_b, x.beta, c, x.ldc, x.stride_c, x.batch);
    case Routine::kShgemm:
      return libsgemm_shgemm_batch_strided_h(h, kLayout, x.transa, x.transb, x.m, x.n, x.k, x.alpha, a16, x.lda,
                                             x.stride_a, b16, x.ldb, x.stride_b, x.beta, c, x.ldc, x.stride_c, x.batch);
    case Routine::kSbgemm:
      return libsgemm_sbgemm_batch_strided_h(h, kLayout, x.transa, x.transb, x.m, x.n, x.k, x.alpha, a16, x.lda,
                                             x.stride_a, b16, x.ldb, x.stride_b, x.beta, c, x.ldc, x.stride_c, x.batch);
    case Routine::kSsyrk:
      return libsgemm_ssyrk_batch_strided_h(h, kLayout, x.uplo, x.transa, x.n, x.k, x.alpha, a, x.lda, x.stride_a,
                                            x.beta, c, x.ldc, x.stride_c, x.batch);
    case Routine::kShsyrk:
      return libsgemm_shsyrk_batch_strided_h(h, kLayout, x.uplo, x.transa, x.n, x.k, x.alpha, a16, x.lda, x.stride_a,
                                             x.beta, c, x.ldc, x.stride_c, x.batch);
    case Routine::kSbsyrk:
      return libsgemm_sbsyrk_batch_strided_h(h, kLayout, x.uplo, x.transa, x.n, x.k, x.alpha, a16, x.lda, x.stride_a,
                                             x.beta, c, x.ldc, x.stride_c, x.batch);
    case Routine::kStrmm:
      return libsgemm_strmm_batch_strided_h(h, kLayout, x.side, x.uplo, x.transa, LIBSGEMM_NON_UNIT, x.m, x.n, x.alpha,
                                            a, x.lda, x.stride_a, c, x.ldc, x.stride_c, x.batch);
    case Routine::kStrsm:
      return libsgemm_strsm_batch_strided_h(h, kLayout, x.side, x.uplo, x.transa, LIBSGEMM_NON_UNIT, x.m, x.n, x.alpha,
                                            a, x.lda, x.stride_a, c, x.ldc, x.stride_c, x.batch);
    default:
      return LIBSGEMM_NOT_SUPPORTED;
  }
}

Extent extent(const libsgemm::Stored &stored) { return {stored.rows, stored.cols}; }

}  // namespace

const Traits &traits(Routine routine) { return kTraits[static_cast<int>(routine)]; }

std::vector<std::string> routine_names() {
  std::vector<std::string> names;
  for (const Traits &row : kTraits) names.push_back(row.name);
  return names;
}

std::vector<std::string> routine_names(bool Traits::*has) {
  std::vector<std::string> names;
  for (const Traits &row : kTraits) {
    if (row.*has) names.push_back(row.name);
  }
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

std::string side_text(libsgemm_side_t side) { return side == LIBSGEMM_LEFT ? "left" : "right"; }
std::string uplo_text(libsgemm_uplo_t uplo) { return uplo == LIBSGEMM_UPPER ? "upper" : "lower"; }

std::string transposes_text(Routine routine, const Form &form) {
  const Traits &t = traits(routine);
  const auto letter = [](libsgemm_op_t op) { return op == LIBSGEMM_NO_TRANS ? "N" : "T"; };
  if (!t.has_transa) return "-";
  return std::string(letter(form.transa)) + (t.has_transb ? letter(form.transb) : "");
}

std::string form_text(Routine routine, const Form &form) {
  const Traits &t = traits(routine);
  std::vector<std::string> words;
  if (t.has_side) words.push_back(side_text(form.side));
  if (t.has_uplo) words.push_back(uplo_text(form.uplo));
  if (t.has_transa) words.push_back(transposes_text(routine, form));
  if (form.batch > 1) words.push_back(fmt::format("x {}", form.batch));
  if (!t.in_place && form.beta != 0) words.push_back(fmt::format("beta {}", form.beta));
  return fmt::format("{}", fmt::join(words, " "));
}

Call make_call(Routine routine, const Shape &shape, const Form &form) {
  const Traits &t = traits(routine);
  Call call{};
  call.routine = routine;
  if (t.has_transa) call.transa = form.transa;
  if (t.has_transb) call.transb = form.transb;
  if (t.has_side) call.side = form.side;
  if (t.has_uplo) call.uplo = form.uplo;
  call.batch = form.batch;
  call.m = t.triangular_output ? shape.n : shape.m;
  call.n = shape.n;
  call.k = shape.k;
  call.alpha = 1;
  if (!t.in_place) call.beta = form.beta;
  const Extent a = extent_of_a(call), b = extent_of_b(call), c = extent_of_c(call);
  call.lda = a.rows + shape.pad;
  call.ldb = b.rows + shape.pad;
  call.ldc = c.rows + shape.pad;
  if (call.batch == 1) return call;
  call.stride_a = call.lda * a.columns;
  call.stride_b = call.ldb * b.columns;
  call.stride_c = call.ldc * c.columns;
  return call;
}

Call item_of(const Call &call, int64_t i) {
  const Traits &t = traits(call.routine);
  const auto element = static_cast<int64_t>(element_bytes(t.element));
  Call item = call;
  item.batch = 1;
  item.a = static_cast<const char *>(call.a) + i * call.stride_a * element;
  item.c = static_cast<float *>(call.c) + i * call.stride_c;
  if (t.has_b) item.b = static_cast<const char *>(call.b) + i * call.stride_b * element;
  if (t.in_place) item.b = static_cast<const float *>(call.b) + i * call.stride_c;
  return item;
}

libsgemm::GemmDesc outline(const Call &x) {
  const Traits &t = traits(x.routine);
  libsgemm::GemmDesc d = {};
  d.routine = t.base;
  d.type = t.element == Element::kFloat32    ? libsgemm::Type::f32
           : t.element == Element::kBinary16 ? libsgemm::Type::f16
                                             : libsgemm::Type::bf16;
  d.transa = x.transa;
  d.transb = x.transb;
  d.side = x.side;
  d.uplo = x.uplo;
  d.diag = LIBSGEMM_NON_UNIT;
  d.m = x.m;
  d.n = x.n;
  d.k = !libsgemm::traits_of(d).one_sided() ? x.k : x.side == LIBSGEMM_LEFT ? x.m : x.n;
  d.alpha = x.alpha;
  d.beta = t.base == libsgemm::Routine::trsm ? 1 : x.beta;
  d.lda = x.lda;
  d.ldb = x.ldb;
  d.ldc = x.ldc;
  d.batch = x.batch > 1 ? libsgemm::Batch::strided : libsgemm::Batch::none;
  d.batch_count = x.batch;
  d.stride_a = x.stride_a;
  d.stride_b = x.stride_b;
  d.stride_c = x.stride_c;
  return d;
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

double flops(Routine routine, const Shape &shape, const Form &form) {
  return flop_count(outline(make_call(routine, shape, form)));
}

libsgemm_status_t call_library(libsgemm_handle_t h, const Call &x) {
  constexpr libsgemm_layout_t kLayout = LIBSGEMM_COL_MAJOR;
  const float *a = static_cast<const float *>(x.a), *b = static_cast<const float *>(x.b);
  const uint16_t *a16 = static_cast<const uint16_t *>(x.a), *b16 = static_cast<const uint16_t *>(x.b);
  float *c = static_cast<float *>(x.c);
  if (x.batch > 1) return call_strided(h, x);
  switch (x.routine) {
    case Routine::kSgemm:
      return libsgemm_sgemm_h(h, kLayout, x.transa, x.transb, x.m, x.n, x.k, x.alpha, a, x.lda, b, x.ldb, x.beta, c,
                              x.ldc);
    case Routine::kSsymm:
      return libsgemm_ssymm_h(h, kLayout, x.side, x.uplo, x.m, x.n, x.alpha, a, x.lda, b, x.ldb, x.beta, c, x.ldc);
    case Routine::kSsyrk:
      return libsgemm_ssyrk_h(h, kLayout, x.uplo, x.transa, x.n, x.k, x.alpha, a, x.lda, x.beta, c, x.ldc);
    case Routine::kSsyr2k:
      return libsgemm_ssyr2k_h(h, kLayout, x.uplo, x.transa, x.n, x.k, x.alpha, a, x.lda, b, x.ldb, x.beta, c, x.ldc);
    case Routine::kStrmm:
      return libsgemm_strmm_h(h, kLayout, x.side, x.uplo, x.transa, LIBSGEMM_NON_UNIT, x.m, x.n, x.alpha, a, x.lda, c,
                              x.ldc);
    case Routine::kStrsm:
      return libsgemm_strsm_h(h, kLayout, x.side, x.uplo, x.transa, LIBSGEMM_NON_UNIT, x.m, x.n, x.alpha, a, x.lda, c,
                              x.ldc);
    case Routine::kSgemmtr:
      return libsgemm_sgemmtr_h(h, kLayout, x.uplo, x.transa, x.transb, x.n, x.k, x.alpha, a, x.lda, b, x.ldb, x.beta,
                                c, x.ldc);
    case Routine::kShgemm:
      return libsgemm_shgemm_h(h, kLayout, x.transa, x.transb, x.m, x.n, x.k, x.alpha, a16, x.lda, b16, x.ldb, x.beta,
                               c, x.ldc);
    case Routine::kSbgemm:
      return libsgemm_sbgemm_h(h, kLayout, x.transa, x.transb, x.m, x.n, x.k, x.alpha, a16, x.lda, b16, x.ldb, x.beta,
                               c, x.ldc);
    case Routine::kShsyrk:
      return libsgemm_shsyrk_h(h, kLayout, x.uplo, x.transa, x.n, x.k, x.alpha, a16, x.lda, x.beta, c, x.ldc);
    case Routine::kSbsyrk:
      return libsgemm_sbsyrk_h(h, kLayout, x.uplo, x.transa, x.n, x.k, x.alpha, a16, x.lda, x.beta, c, x.ldc);
  }
  return LIBSGEMM_NOT_SUPPORTED;
}

}  // namespace command
