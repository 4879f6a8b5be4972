// The properties of a call that decide its kernel, and a thread's latest choices.
#pragma once

#include <tuple>

#include "desc.h"
#include "half.h"

namespace libsgemm {

// Kernel::prepare() may depend only on a description's numbers, on which pointers are NULL, and on pointers modulo
// this: later calls reuse the plan.
constexpr uintptr_t kPointerAlignment = 16;

inline uint64_t place_in_line(const void *address) {
  constexpr uint64_t kNone = 0xff;
  return address == nullptr ? kNone : reinterpret_cast<uintptr_t>(address) % kPointerAlignment;
}

// Packs a byte each, in a register: reading a word back after byte writes would stall.
template <typename... Values>
uint64_t bytes(Values... values) {
  static_assert(sizeof...(values) <= sizeof(uint64_t), "they fit a word");
  uint64_t word = 0;
  ((word = word << 8 | static_cast<uint64_t>(values)), ...);
  return word;
}

// Equal keys get the same kernel, for one device and workspace.
struct ChoiceKey {
  int64_t m, n, k, lda, ldb, ldc, batch_count, stride_a, stride_b, stride_c;
  uint64_t scalars;    // bits of alpha and beta
  uint64_t kinds;      // one byte each
  uint64_t addresses;  // one byte each, with place_in_line()

  bool operator==(const ChoiceKey &other) const {
    const auto words = [](const ChoiceKey &x) {
      return std::tie(x.m, x.n, x.k, x.lda, x.ldb, x.ldc, x.batch_count, x.stride_a, x.stride_b, x.stride_c, x.scalars,
                      x.kinds, x.addresses);
    };
    static_assert(std::tuple_size_v<decltype(words(other))> * sizeof(uint64_t) == sizeof(ChoiceKey), "all of them");
    return words(*this) == words(other);
  }
};

inline ChoiceKey choice_key(const GemmDesc &desc) {
  // Names every member: a new one does not compile until it is decided if kernels may depend on it.
  const auto &[routine, type, math_mode, transa, transb, side, uplo, diag, deterministic, m, n, k, alpha, beta, lda,
               ldb, ldc, a, b, c, batch, batch_count, stride_a, stride_b, stride_c, a_array, b_array, c_array, plan_a,
               plan_b, ticket] = desc;
  // Kernels must not depend on the arrays, which may be in device memory.
  static_cast<void>(a_array), static_cast<void>(b_array), static_cast<void>(c_array);
  static_cast<void>(ticket);
  return {m,
          n,
          k,
          lda,
          ldb,
          ldc,
          batch_count,
          stride_a,
          stride_b,
          stride_c,
          uint64_t{bits_of(alpha)} << 32 | bits_of(beta),
          bytes(routine, type, math_mode, transa, transb, side, uplo, diag),
          bytes(place_in_line(a), place_in_line(b), place_in_line(c), place_in_line(plan_a), place_in_line(plan_b),
                batch, deterministic)};
}

inline uint64_t place_of(const ChoiceKey &key) {
  const uint64_t size = static_cast<uint64_t>(key.m) * 31 + static_cast<uint64_t>(key.n) * 17 +
                        static_cast<uint64_t>(key.k) * 7 + (key.kinds >> 24);
  return size ^ (size >> 4) ^ (size >> 8);
}

template <typename Key, typename Choice, size_t kCount>
class Choices {
 public:
  struct Of {
    const void *kernels;  // chosen from; not NULL
    int device;
    size_t workspace_bytes;

    bool operator==(const Of &other) const {
      return kernels == other.kernels && device == other.device && workspace_bytes == other.workspace_bytes;
    }
  };

  template <class Choose>
  Choice remember(const Of &of, const Key &key, uint64_t place, const Choose &choose) {
    Entry &entry = entries_[place % kCount];
    if (!(entry.of == of && entry.key == key)) {
      const Choice choice = choose();  // may remember choices for its steps
      entries_[place % kCount] = {of, key, choice};
      return choice;
    }
    return entry.choice;
  }

 private:
  struct Entry {
    Of of = {};
    Key key = {};
    Choice choice = {};
  };
  Entry entries_[kCount];
};

}  // namespace libsgemm
