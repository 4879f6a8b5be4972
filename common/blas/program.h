// The function that a BLAS name refers to without the drop-in.
//
// Preloading must not change which BLAS computes on the CPU. The calling object decides that: NumPy's and SciPy's
// wheels and PyTorch each bring their own, under the same names. A BLAS with all routines becomes the CPU's backend.
// Otherwise a call that no GPU takes returns to the program's function.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "contract/cpu_blas.h"

namespace libsgemm {

struct Own {
  uintptr_t begin, end;  // calling object; both 0: code in no object
  const char *entry;     // called name
  const CpuBlas *blas;   // NULL: no BLAS has all routines
  void *definition;      // the program's function, or NULL
  const Own *next;

  bool is_for(const char *name, uintptr_t caller) const { return entry == name && begin <= caller && caller < end; }
};

constexpr unsigned kOwnSlotBits = 10;
extern std::atomic<const Own *> g_own[1 << kOwnSlotBits];  // recent results, by caller and name

// `caller` is an address in the calling code.
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

constexpr int kConjNoTrans = 114;

template <typename INT>
constexpr int spelling_of(const char *entry) {
  const bool scipy = entry[0] == 's' && entry[1] == 'c';
  return (scipy ? 2 : 0) + (sizeof(INT) == 8 ? 1 : 0);
}

// Only for entry points: takes their return address.
#define LIBSGEMM_OWN(INT, name) \
  own_of(#name, std::integral_constant<int, spelling_of<INT>(#name)>::value, __builtin_return_address(0))

}  // namespace libsgemm
