// Host memory through a GPU that is not there (plugins/mock.cpp): every shape in tiles and blocks of k, page-locked
// memory, two devices, limits, and a failure of each call. LIBSGEMM_TEST_STRICT=1 runs it under LIBSGEMM_STRICT.
#include <cmath>
#include <thread>

#include "plugins/products.h"

using namespace mock_test;

namespace {

// A product of any shape with padded columns, in ordinary or in page-locked memory. Integers, so that it is exact.
struct Shape {
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

  // Every element, and the padding.
  bool right() const {
    for (int64_t j = 0; j < s.n; ++j) {
      for (int64_t i = 0; i < ldc_; ++i) {
        const int64_t at = i + j * ldc_;
        const float was = before_[static_cast<size_t>(at)];
        if (i >= s.m) {
          if (std::memcmp(&c_.data[at], &was, sizeof was) != 0) return false;
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

  float a(int64_t i, int64_t l) const { return a_.data[s.transa ? l + i * lda_ : i + l * lda_]; }
  float b(int64_t l, int64_t j) const { return b_.data[s.transb ? j + l * ldb_ : l + j * ldb_]; }

  Shape s;
  int64_t lda_, ldb_, ldc_;
  Memory a_, b_, c_;
  std::vector<float> before_;
};

struct GpuHandle : Handle {
  GpuHandle() { REQUIRE(libsgemm_set_kernel(*this, "cuda_mock_plain") == LIBSGEMM_SUCCESS); }
};

void limit(size_t device, size_t pinned) {
  REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
  REQUIRE(libsgemm_set_memory_limits(device, pinned) == LIBSGEMM_SUCCESS);
}

}  // namespace

TEST_CASE("every shape, in as many parts as memory demands") {
  reset();
  const Shape shapes[] = {{1, 1, 1},     {5, 3, 2},     {100, 90, 80}, {1, 200, 30},
                          {200, 1, 300}, {33, 129, 65}, {64, 64, 300}};
  for (const size_t bytes : {size_t{0}, size_t{100} << 10, size_t{24} << 10, size_t{9} << 10}) {
    limit(bytes, bytes == 0 ? 0 : size_t{4} << 20);
    gpu().most_bytes = gpu().bytes.load();
    for (Shape shape : shapes) {
      for (int way = 0; way < 16; ++way) {
        shape.transa = (way & 1) != 0;
        shape.transb = (way & 2) != 0;
        shape.beta = (way & 4) != 0 ? 0.0f : 3.0f;
        shape.pinned = (way & 8) != 0;
        shape.pad = (way & 8) != 0 ? way & 1 : 1;
        HostProduct p(shape);
        GpuHandle h;
        INFO(shape.m << " " << shape.n << " " << shape.k << " way " << way << " limit " << bytes);
        REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
        REQUIRE(backend() == "cuda");
        REQUIRE(p.right());
      }
    }
    libsgemm_memory_t memory;
    REQUIRE(libsgemm_get_memory(&memory) == LIBSGEMM_SUCCESS);
    CHECK(memory.device_limit == bytes);
    CHECK(memory.device_bytes == static_cast<size_t>(gpu().bytes.load()));
    CHECK(memory.pinned_bytes == static_cast<size_t>(gpu().pinned_bytes.load()));
    CHECK(memory.pinned_bytes <= memory.pinned_limit);
    if (bytes != 0) CHECK(static_cast<size_t>(gpu().most_bytes.load()) <= 2 * bytes);  // of each device
  }
  limit(0, 0);
  CHECK(gpu().bytes == 0);
  CHECK(gpu().pinned_bytes == 0);
  CHECK(gpu().objects == 0);
}
