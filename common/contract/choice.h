// The properties of a call that the choice of a kernel depends on, and the latest choices of a thread, since calls come
// in series. All inline, because plugins use it to choose kernels for their steps.
#pragma once

#include <tuple>

#include "desc.h"
#include "half.h"

namespace libsgemm {

// A kernel's supports(), cost() and workspace() may depend on the numbers of the description, on which pointers are
// NULL, and on each pointer modulo this many bytes. They must not depend on more, because the choice is remembered for
// later calls.
constexpr uintptr_t kPointerAlignment = 16;

// The part of an address that kernels may depend on: its offset from an alignment boundary, or that it is NULL.
inline uint64_t place_in_line(const void *address) {
  constexpr uint64_t kNone = 0xff;
  return address == nullptr ? kNone : reinterpret_cast<uintptr_t>(address) % kPointerAlignment;
}

// Packs a byte each. The word is put together in a register: a word read back from bytes written one by one would
// stall.
template <typename... Values>
uint64_t bytes(Values... values) {
  static_assert(sizeof...(values) <= sizeof(uint64_t), "they fit a word");
  uint64_t word = 0;
  ((word = word << 8 | static_cast<uint64_t>(values)), ...);
  return word;
}

// All properties of a description that the choice of a kernel depends on: equal keys get the same kernel for one device
// and workspace.
struct ChoiceKey {
  int64_t m, n, k, lda, ldb, ldc, batch_count, stride_a, stride_b, stride_c;
  uint64_t scalars;    // the bits of alpha and beta
  uint64_t kinds;      // a byte each: routine, type, math mode, operations, side, triangle, diagonal
  uint64_t addresses;  // a byte each: place_in_line() of A, B, C and the plans; kind of batch, determinism

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
  // Names every member, so that a new one does not compile until it is decided here whether kernels may depend on it.
  const auto &[routine, type, math_mode, transa, transb, side, uplo, diag, deterministic, m, n, k, alpha, beta, lda,
               ldb, ldc, a, b, c, batch, batch_count, stride_a, stride_b, stride_c, a_array, b_array, c_array, plan_a,
               plan_b, ticket] = desc;
  // The arrays may be in device memory, so kernels must not depend on them.
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

// Index of the place that keeps the choice for a description; neighbours in size get different places.
inline uint64_t place_of(const ChoiceKey &key) {
  const uint64_t size = static_cast<uint64_t>(key.m) * 31 + static_cast<uint64_t>(key.n) * 17 +
                        static_cast<uint64_t>(key.k) * 7 + (key.kinds >> 24);
  return size ^ (size >> 4) ^ (size >> 8);
}

// The latest choices of a thread.
template <typename Key, typename Choice, size_t kCount>
class Choices {
 public:
  // The kernels to choose from, the device and the workspace.
  struct Of {
    const void *rows;  // not NULL
    int device;
    size_t workspace_bytes;

    bool operator==(const Of &other) const {
      return rows == other.rows && device == other.device && workspace_bytes == other.workspace_bytes;
    }
  };

  // Returns the choice for `key`, which choose() makes unless `place` already holds it.
  template <class Choose>
  Choice remember(const Of &of, const Key &key, uint64_t place, const Choose &choose) {
    Entry &entry = entries_[place % kCount];
    if (!(entry.of == of && entry.key == key)) {
      const Choice choice = choose();  // may itself remember choices, for its steps
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
