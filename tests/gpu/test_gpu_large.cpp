// Device matrices at which 32-bit arithmetic fails, in every kernel. FP64 checks sampled columns.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "gpu_driver.h"
#include "support/call.h"
#include "support/catch.h"
#include "support/numbers.h"
#include "support/subject.h"

using namespace sgemm_test;
using gpu::driver;
using gpu::Memory;
using gpu::require;

std::string sgemm_test::skip_reason() { return gpu::missing(); }

namespace {

constexpr int64_t kTwo31 = int64_t{1} << 31;
constexpr unsigned kPoison32 = 0x7fdb7fdb;

// A function of `index`, so that any element can be computed alone.
float element(int which, int64_t index) {
  uint64_t z =
      static_cast<uint64_t>(index) * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(which + 1) * 0xd1342543de82ef95u;
  z = (z ^ (z >> 32)) * 0x94d049bb133111ebu;
  z ^= z >> 29;
  return static_cast<float>(static_cast<int64_t>(z >> 40) - (int64_t{1} << 23)) / 8388608.0f;
}

class Matrix {
 public:
  Matrix(int which, int64_t rows, int64_t columns, int64_t ld)
      : which_(which), rows_(rows), columns_(columns), ld_(ld), memory_(bytes(ld * (columns - 1) + rows)) {}

  // Padding is NaN.
  void fill() {
    constexpr int64_t kBuffer = int64_t{1} << 22;
    const int64_t together = std::max<int64_t>(1, kBuffer / ld_);
    std::vector<float> part;
    for (int64_t j = 0; j < columns_; j += together) {
      const int64_t last = std::min(j + together, columns_) - 1;
      for (int64_t first = 0; first < rows_; first += kBuffer) {  // several rounds only for a single column
        const int64_t rows = std::min(kBuffer, rows_ - first);
        part.assign(static_cast<size_t>((last - j) * ld_ + rows), std::numeric_limits<float>::quiet_NaN());
        for (int64_t column = j; column <= last; ++column) {
          float *const to = &part[static_cast<size_t>((column - j) * ld_)];
          for (int64_t i = 0; i < rows; ++i) to[i] = at(first + i, column);
        }
        gpu::upload(address(first, j), part.data(), part.size() * sizeof(float));
      }
    }
  }

  void poison() { require(driver().fill(memory_.address(), kPoison32, memory_.bytes() / 4), "fill"); }

  // Includes up to 64 elements of the padding.
  std::vector<float> column(int64_t j) const {
    const int64_t count = j + 1 < columns_ ? std::min(ld_, rows_ + 64) : rows_;
    std::vector<float> values(static_cast<size_t>(count));
    require(driver().to_host(values.data(), address(0, j), bytes(count)), "to_host");
    return values;
  }

  float at(int64_t i, int64_t j) const { return element(which_, i + j * rows_); }
  float *data() const { return memory_.as<float>(); }
  int64_t ld() const { return ld_; }
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }

 private:
  static size_t bytes(int64_t elements) { return static_cast<size_t>(elements) * sizeof(float); }
  gpu::Pointer address(int64_t i, int64_t j) const { return memory_.address() + bytes(i + j * ld_); }

  int which_;
  int64_t rows_, columns_, ld_;
  Memory memory_;
};

struct Shape {
  libsgemm_op_t transa, transb;
  int64_t m, n, k, lda, ldb, ldc;
};

int64_t bytes_of(const Shape &s) {
  const int64_t a = s.lda * (s.transa == LIBSGEMM_NO_TRANS ? s.k : s.m);
  const int64_t b = s.ldb * (s.transb == LIBSGEMM_NO_TRANS ? s.n : s.k);
  return 4 * (a + b + s.ldc * s.n);
}

struct Expected {
  std::vector<double> value, limit;
};

class Large {
 public:
  explicit Large(const Shape &shape)
      : s_(shape),
        a_(0, ta() ? s_.k : s_.m, ta() ? s_.m : s_.k, s_.lda),
        b_(1, tb() ? s_.n : s_.k, tb() ? s_.k : s_.n, s_.ldb),
        c_(2, s_.m, s_.n, s_.ldc) {
    a_.fill();
    b_.fill();
    std::set<int64_t> columns = {0, s_.n - 1, s_.n / 2};
    for (int power = 29; power <= 32; ++power) {
      const int64_t j = (int64_t{1} << power) / s_.ldc;
      for (const int64_t at : {j - 1, j, j + 1}) {
        if (at >= 0 && at < s_.n) columns.insert(at);
      }
    }
    for (const int64_t j : columns) expected_.push_back({j, expect(j)});
  }

  // With "" the library chooses. Returns false if the kernel declined.
  bool run(const std::string &kernel) {
    Handle handle;
    REQUIRE(libsgemm_set_kernel(handle, kernel.c_str()) == LIBSGEMM_SUCCESS);
    c_.poison();
    const libsgemm_status_t status =
        libsgemm_sgemm_h(handle, LIBSGEMM_COL_MAJOR, s_.transa, s_.transb, s_.m, s_.n, s_.k, 1, a_.data(), a_.ld(),
                         b_.data(), b_.ld(), 0, c_.data(), c_.ld());
    INFO(kernel << " " << last_info().kernel << " " << last_info().message);
    if (status == LIBSGEMM_NOT_SUPPORTED && !kernel.empty()) return false;
    REQUIRE(status == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_synchronize(handle) == LIBSGEMM_SUCCESS);
    for (const auto &column : expected_) CHECK(faults(column.first, column.second) == "");
    return true;
  }

 private:
  bool ta() const { return s_.transa != LIBSGEMM_NO_TRANS; }
  bool tb() const { return s_.transb != LIBSGEMM_NO_TRANS; }

  Expected expect(int64_t j) const {
    Expected e = {std::vector<double>(static_cast<size_t>(s_.m)), std::vector<double>(static_cast<size_t>(s_.m))};
    std::vector<double> b(static_cast<size_t>(s_.k));
    for (int64_t l = 0; l < s_.k; ++l) b[static_cast<size_t>(l)] = tb() ? b_.at(j, l) : b_.at(l, j);
    const double factor = 2 * std::sqrt(static_cast<double>(s_.k) + 2) * kUnitRoundoff;
    for (int64_t i = 0; i < s_.m; ++i) {
      double sum = 0, magnitude = 0;
      for (int64_t l = 0; l < s_.k; ++l) {
        const double term = static_cast<double>(ta() ? a_.at(l, i) : a_.at(i, l)) * b[static_cast<size_t>(l)];
        sum += term;
        magnitude += std::fabs(term);
      }
      e.value[static_cast<size_t>(i)] = sum;
      e.limit[static_cast<size_t>(i)] = factor * magnitude;
    }
    return e;
  }

  std::string faults(int64_t j, const Expected &e) const {
    const std::vector<float> column = c_.column(j);
    for (size_t i = 0; i < column.size(); ++i) {
      const std::string where = "(" + std::to_string(i) + ", " + std::to_string(j) + ")";
      if (i >= e.value.size()) {
        if (bits_of(column[i]) != kPoison32) return "the padding was written at " + where;
      } else if (!(std::fabs(static_cast<double>(column[i]) - e.value[i]) <= e.limit[i])) {
        return "element " + where + " is " + std::to_string(column[i]) + ", expected " + std::to_string(e.value[i]);
      }
    }
    return "";
  }

  Shape s_;
  Matrix a_, b_, c_;
  std::vector<std::pair<int64_t, Expected>> expected_;
};

void run_in_every_kernel(const Shape &shape) {
  size_t free_bytes = 0, total = 0;
  {
    const Memory context(4);  // memory_info needs a context
    require(driver().memory_info(&free_bytes, &total), "memory_info");
  }
  constexpr int64_t kRoom = int64_t{256} << 20;
  if (bytes_of(shape) + kRoom > static_cast<int64_t>(free_bytes)) {
    WARN("SKIPPED: needs " << (bytes_of(shape) >> 30) << " GiB of device memory, " << (free_bytes >> 30)
                           << " are free");
    return;
  }
  Large large(shape);
  CHECK(large.run(""));
  int ran = 0;
  for (const std::string &kernel : subject().kernels) ran += large.run(kernel) ? 1 : 0;
  CHECK(ran > 0);
}

constexpr libsgemm_op_t kN = LIBSGEMM_NO_TRANS, kT = LIBSGEMM_TRANS;

}  // namespace

TEST_CASE("m * n beyond 2^31") {
  constexpr int64_t kSide = 46500;
  static_assert(kSide * kSide > kTwo31);
  run_in_every_kernel({kT, kN, kSide, kSide, 20, 23, 21, kSide + 3});
  run_in_every_kernel({kN, kT, kSide, kSide, 20, kSide, kSide + 4, kSide});
}

TEST_CASE("m and n beyond 2^19") {
  constexpr int64_t kLong = (int64_t{1} << 21) + 77;
  run_in_every_kernel({kN, kN, kLong, 40, 36, kLong + 1, 37, kLong + 3});
  run_in_every_kernel({kN, kT, 40, kLong, 36, 41, kLong + 1, 43});
  run_in_every_kernel({kT, kN, kLong, 3, 20, 20, 20, kLong});
}

TEST_CASE("k beyond 2^24") {
  constexpr int64_t kDeep = (int64_t{1} << 24) + 77;
  run_in_every_kernel({kT, kN, 5, 3, kDeep, kDeep + 1, kDeep, 5});
  run_in_every_kernel({kN, kT, 4, 4, kDeep, 4, 4, 7});
}

TEST_CASE("columns more than 2^29 elements apart") {
  constexpr int64_t kFar = (int64_t{1} << 29) + 5;
  run_in_every_kernel({kN, kN, 70, 5, 9, kFar, 9, 70});
  run_in_every_kernel({kT, kN, 9, 5, 70, 70, kFar, 9});
  run_in_every_kernel({kN, kN, 70, 9, 20, 70, 20, kFar});
}
