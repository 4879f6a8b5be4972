#include "desc.h"

#include <cstdio>

#include "finish.h"
#include "math_mode.h"

namespace libsgemm {
namespace {

Stored::Part part_of(libsgemm_uplo_t uplo) { return uplo == LIBSGEMM_UPPER ? Stored::upper : Stored::lower; }

char op_letter(libsgemm_op_t op) { return op == LIBSGEMM_NO_TRANS ? 'N' : 'T'; }

constexpr bool in_order() {
  int index = 0;
  for (const RoutineTraits &r : kRoutines) {
    if (static_cast<int>(r.routine) != index++) return false;
  }
  return true;
}
static_assert(in_order(), "traits_of() finds a routine's traits by its number");

}  // namespace

bool cuts_sums(const GemmDesc &d) {
  return invariant(d) && d.math_mode == LIBSGEMM_MATH_FP64 && (d.k > kChainTerms || traits_of(d).terms() > 1);
}

Stored stored_a(const GemmDesc &d) {
  const char *base = static_cast<const char *>(d.a);
  if (traits_of(d).one_sided()) return {base, d.k, d.k, d.lda, size_of(d.type), part_of(d.uplo)};
  const bool plain = d.transa == LIBSGEMM_NO_TRANS;
  return {base, plain ? d.m : d.k, plain ? d.k : d.m, d.lda, size_of(d.type), Stored::all};
}

Stored stored_b(const GemmDesc &d) {
  const RoutineTraits &r = traits_of(d);
  const size_t size = size_of(d.type);
  if (!r.has_b()) return {nullptr, 0, 0, 0, size, Stored::all};
  const char *base = static_cast<const char *>(d.b);
  if (r.b == RoutineTraits::as_c) return {base, d.m, d.n, d.ldb, size, Stored::all};
  const bool as_a = r.b == RoutineTraits::as_a;  // op(B) is n x k; otherwise k x n
  const bool plain = (as_a ? d.transa : d.transb) == LIBSGEMM_NO_TRANS, n_first = plain == as_a;
  return {base, n_first ? d.n : d.k, n_first ? d.k : d.n, d.ldb, size, Stored::all};
}

Stored stored_c(const GemmDesc &d) {
  const bool triangle = traits_of(d).triangle_of_c;
  return {reinterpret_cast<const char *>(d.c), d.m, d.n, d.ldc, 4, triangle ? part_of(d.uplo) : Stored::all};
}

GemmDesc batch_item(const GemmDesc &desc, int64_t i) {
  GemmDesc item = desc;
  item.batch = Batch::none;
  item.batch_count = 1;
  if (desc.batch == Batch::strided) {
    const int64_t size = static_cast<int64_t>(size_of(desc.type));
    if (desc.a != nullptr) item.a = static_cast<const char *>(desc.a) + i * desc.stride_a * size;
    if (desc.b != nullptr) item.b = static_cast<const char *>(desc.b) + i * desc.stride_b * size;
    item.c = desc.c + i * desc.stride_c;
  } else if (desc.batch == Batch::pointers) {
    item.a = desc.a_array != nullptr ? desc.a_array[i] : nullptr;
    item.b = desc.b_array != nullptr ? desc.b_array[i] : nullptr;
    item.c = desc.c_array[i];
  }
  return item;
}

double flop_count(const GemmDesc &d) {
  const RoutineTraits &r = traits_of(d);
  const double m = static_cast<double>(d.m), n = static_cast<double>(d.n), k = static_cast<double>(d.k);
  // Half of a triangular A is zeros; only half of a triangular C is computed.
  const double elements = r.triangle_of_c ? n * (n + 1) / 2 : m * n;
  const double each = r.a == RoutineTraits::triangular ? 1 : 2 * r.terms();
  return each * elements * k * static_cast<double>(d.batch_count);
}

std::string routine_name(const GemmDesc &d) {
  std::string name = d.type == Type::f32 ? "s" : d.type == Type::f16 ? "sh" : "sb";
  name += traits_of(d).name;
  if (d.batch == Batch::strided) name += "_batch_strided";
  if (d.batch == Batch::pointers) name += "_batch";
  return name;
}

std::string to_string(const GemmDesc &d) {
  char text[512];
  const RoutineTraits &r = traits_of(d);
  char flags[8] = {op_letter(d.transa), 0};
  if (r.b == RoutineTraits::free) flags[1] = op_letter(d.transb);
  char structure[8] = {0};
  if (r.one_sided() || r.triangle_of_c) {
    std::snprintf(structure, sizeof structure, " %c%c%c", d.side == LIBSGEMM_LEFT ? 'L' : 'R',
                  d.uplo == LIBSGEMM_UPPER ? 'U' : 'L', d.diag == LIBSGEMM_UNIT ? 'U' : 'N');
  }
  std::snprintf(text, sizeof text,
                "%s %s%s m=%lld n=%lld k=%lld alpha=%g lda=%lld ldb=%lld beta=%g ldc=%lld batch=%lld math=%s",
                routine_name(d).c_str(), flags, structure, static_cast<long long>(d.m), static_cast<long long>(d.n),
                static_cast<long long>(d.k), static_cast<double>(d.alpha), static_cast<long long>(d.lda),
                static_cast<long long>(d.ldb), static_cast<double>(d.beta), static_cast<long long>(d.ldc),
                static_cast<long long>(d.batch_count), math_mode_name(d.math_mode));
  return text;
}

const char *math_mode_name(libsgemm_math_mode_t mode) { return mode_traits(mode).name; }

}  // namespace libsgemm
