// What a name of a BLAS leads to without the drop-in.
//
// Preloading is not to change who computes on the CPU. Whose a call is tells the object that makes it: NumPy's and
// SciPy's wheels bring an OpenBLAS each, PyTorch has its BLAS in a library of its own, and all may use the same names.
// A BLAS with all of the routines computes as the backend of the CPU. Otherwise a call that no GPU takes goes back to
// the function that the program would have called.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "contract/cpu_blas.h"

namespace libsgemm {

struct Own {
  uintptr_t begin, end;  // where the object that calls lies; both 0: the code is in none
  const char *entry;     // the name that it calls
  const CpuBlas *blas;   // NULL: there is none that has all of the routines
  void *definition;      // the function that it would have called; NULL: there is none
  const Own *next;

  bool is_for(const char *name, uintptr_t caller) const { return entry == name && begin <= caller && caller < end; }
};

constexpr unsigned kOwnSlotBits = 10;
extern std::atomic<const Own *> g_own[1 << kOwnSlotBits];  // those found lately, by caller and name

// `caller`: an address in the code that makes the call.
const Own &find_own(const char *entry, int spelling, const void *caller);

inline std::atomic<const Own *> &own_slot(const char *entry, uintptr_t caller) {
  const uint64_t key = (caller ^ reinterpret_cast<uintptr_t>(entry)) * 0x9e3779b97f4a7c15u;
  return g_own[key >> (64 - kOwnSlotBits)];
}

inline const Own &own_of(const char *entry, int spelling, const void *caller) {
  const auto at = reinterpret_cast<uintptr_t>(caller);
  const Own *const own = own_slot(entry, at).load(std::memory_order_acquire);
  return own != nullptr && own->is_for(entry, at) ? *own : find_own(entry, spelling, caller);
}

// A value of trans in CBLAS's enumeration, which some BLAS know beyond the standard.
constexpr int kConjNoTrans = 114;

// The spelling of an entry point of the drop-in with integers INT.
template <typename INT>
constexpr int spelling_of(const char *entry) {
  const bool scipy = entry[0] == 's' && entry[1] == 'c';
  return (scipy ? 2 : 0) + (sizeof(INT) == 8 ? 1 : 0);
}

// In an entry point itself, whose return address it takes.
#define LIBSGEMM_OWN(INT, name) \
  own_of(#name, std::integral_constant<int, spelling_of<INT>(#name)>::value, __builtin_return_address(0))

}  // namespace libsgemm
