// Exact products in ordinary or page-locked memory, for offload tests on the mock GPU.
#pragma once

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "plugins/products.h"

namespace mock_test {

// LIBSGEMM_TEST_DEVICES: devices that share each call, however small. NULL: one device, since no product is large.
inline const char *devices() { return std::getenv("LIBSGEMM_TEST_DEVICES"); }

inline void begin() {
  static const bool first = [] {
    setenv("LIBSGEMM_TIMEOUT", "2", 1);
    if (devices() != nullptr) setenv("LIBSGEMM_OFFLOAD_DEVICES", devices(), 1);
    if (std::getenv("LIBSGEMM_TEST_VERBOSE") != nullptr) {
      setenv("LIBSGEMM_VERBOSE", "3", 1);
      setenv("LIBSGEMM_LOG_PATH", "/dev/null", 1);
    }
    return true;
  }();
  static_cast<void>(first);
  reset();
}

struct Shape {  // NOLINT(clang-analyzer-optin.performance.Padding): fields in the order in which tests write shapes
  int64_t m, n, k;
  bool transa = false, transb = false;
  float beta = -1;
  bool pinned = false;
  int64_t pad = 1;
};

class HostProduct {
 public:
  explicit HostProduct(const Shape &shape)
      : s(shape),
        lda_((s.transa ? s.k : s.m) + s.pad),
        ldb_((s.transb ? s.n : s.k) + 2 * s.pad),
        ldc_(s.m + 3 * s.pad),
        a_(lda_ * (s.transa ? s.m : s.k), s.pinned),
        b_(ldb_ * (s.transb ? s.k : s.n), s.pinned),
        c_(ldc_ * s.n, s.pinned) {
    for (int64_t i = 0; i < a_.count; ++i) a_.data[i] = value(i, 7 * i + 1);
    for (int64_t i = 0; i < b_.count; ++i) b_.data[i] = value(i / 3, i);
    for (int64_t i = 0; i < c_.count; ++i) c_.data[i] = s.beta == 0 ? std::nanf("") : value(i, i / 5);
    before_.assign(c_.data, c_.data + c_.count);
  }

  libsgemm_status_t run(libsgemm_handle_t h) {
    return libsgemm_sgemm_h(h, LIBSGEMM_COL_MAJOR, s.transa ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS,
                            s.transb ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS, s.m, s.n, s.k, 2, a_.data, lda_, b_.data,
                            ldb_, s.beta, c_.data, ldc_);
  }

  bool untouched() const { return std::memcmp(c_.data, before_.data(), before_.size() * sizeof(float)) == 0; }

  bool right() const {
    for (int64_t j = 0; j < s.n; ++j) {
      for (int64_t i = 0; i < ldc_; ++i) {
        const int64_t at = i + j * ldc_;
        const float was = before_[static_cast<size_t>(at)];
        if (i >= s.m) {
          if (bits(c_.data[at]) != bits(was)) return false;
          continue;
        }
        float sum = 0;
        for (int64_t l = 0; l < s.k; ++l) sum += a(i, l) * b(l, j);
        if (!(c_.data[at] == 2 * sum + (s.beta == 0 ? 0 : s.beta * was))) return false;
      }
    }
    return true;
  }

 private:
  struct Memory {
    Memory(int64_t elements, bool locked) : count(elements), pinned(locked) {
      data = static_cast<float *>(pinned ? gpu().allocate_pinned(bytes()) : ::operator new(bytes()));
    }
    ~Memory() { pinned ? gpu().release_pinned(data) : ::operator delete(data); }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
    size_t bytes() const { return static_cast<size_t>(count) * sizeof(float); }
    int64_t count;
    bool pinned;
    float *data;
  };

  static uint32_t bits(float x) {
    uint32_t all;
    std::memcpy(&all, &x, sizeof all);
    return all;
  }
  float a(int64_t i, int64_t l) const { return a_.data[s.transa ? l + i * lda_ : i + l * lda_]; }
  float b(int64_t l, int64_t j) const { return b_.data[s.transb ? j + l * ldb_ : l + j * ldb_]; }

  Shape s;
  int64_t lda_, ldb_, ldc_;
  Memory a_, b_, c_;
  std::vector<float> before_;
};

inline void force_kernel(libsgemm_handle_t h) {
  REQUIRE(libsgemm_set_kernel(h, "cuda_mock_plain") == LIBSGEMM_SUCCESS);
}

struct GpuHandle : Handle {
  GpuHandle() { force_kernel(*this); }
};

inline void limit(size_t device, size_t pinned) {
  REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
  REQUIRE(libsgemm_set_memory_limits(device, pinned) == LIBSGEMM_SUCCESS);
}

}  // namespace mock_test
