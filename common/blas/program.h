// The BLAS that a program would have called if the drop-in were not there.
//
// Preloading is not to change who computes on the CPU, so calls of the drop-in carry the BLAS on to the backend. Names
// tell whose a call is: NumPy's and SciPy's wheels bring an OpenBLAS each and spell them differently. Under one
// spelling the first caller's BLAS computes for all.
#pragma once

#include <atomic>
#include <type_traits>

#include "cpu_blas.h"
#include "libsgemm.h"

namespace libsgemm {

// By spelling; NULL: not looked for yet. kNoBlas: there is none.
extern std::atomic<const CpuBlas *> g_program_blas[kSpellingCount];
extern const CpuBlas kNoBlas;

const CpuBlas *find_program_blas(int spelling, const void *caller);

// NULL if there is none. `caller`: an address in the code that makes the call.
inline const CpuBlas *program_blas(int spelling, const void *caller) {
  const CpuBlas *blas = g_program_blas[spelling].load(std::memory_order_acquire);
  if (blas == nullptr) blas = find_program_blas(spelling, caller);
  return blas != &kNoBlas ? blas : nullptr;
}

// A value of trans in CBLAS's enumeration, which a BLAS of the program may know more of.
constexpr int kConjNoTrans = 114;
inline int known_op(const CpuBlas *blas, int op) {
  return op == kConjNoTrans && blas != nullptr && blas->is_openblas() ? static_cast<int>(LIBSGEMM_NO_TRANS) : op;
}

// The spelling of an entry point of the drop-in with integers INT.
template <typename INT>
constexpr int spelling_of(const char *entry) {
  const bool scipy = entry[0] == 's' && entry[1] == 'c';
  return (scipy ? 2 : 0) + (sizeof(INT) == 8 ? 1 : 0);
}

// In an entry point itself, whose return address it takes.
#define LIBSGEMM_PROGRAM_BLAS(INT, name) \
  program_blas(std::integral_constant<int, spelling_of<INT>(#name)>::value, __builtin_return_address(0))

}  // namespace libsgemm
