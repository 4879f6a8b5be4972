// The emulation of wgmma and TMA's array boxes.
#include <cmath>
#include <cstring>

#include "contract/half.h"
#include "support/catch.h"
#include "support/numbers.h"

// After the C++ library: CUDA's words are macros here.
#include "ptx.h"
#include "runtime/launch.h"
#include "warpgroup_kernels.h"

using namespace simt_test;
using libsgemm::cuda::Number;
using libsgemm::cuda::TensorBoxes;
using libsgemm::cuda::TensorMap;

namespace {

// `rows` x `k` numbers, and their box at (0, 0), which may extend beyond them.
class Operand {
 public:
  Operand(const WgmmaTile &tile, bool along_k, int box_rows, int rows, int k)
      : number_(tile.number), along_k_(along_k), rows_(rows), k_(k), bytes_(number_ == Number::tf32 ? 4 : 2) {
    ld_ = ((along_k ? k : rows) + 7) / 8 * 8;
    memory_.resize(static_cast<size_t>(ld_ * (along_k ? rows : k) * bytes_ + 16), '\xff');
    boxes_.base = base();
    boxes_.element_bytes = static_cast<uint32_t>(bytes_);
    const auto depth = static_cast<uint32_t>(tile.line / bytes_);
    boxes_.sizes[0] = static_cast<uint64_t>(along_k ? k : rows);
    boxes_.sizes[1] = static_cast<uint64_t>(along_k ? rows : k);
    boxes_.sizes[2] = boxes_.sizes[3] = 1;
    for (uint64_t &stride : boxes_.strides) stride = static_cast<uint64_t>(ld_ * bytes_);
    boxes_.box[0] = along_k ? depth : 64, boxes_.box[1] = along_k ? static_cast<uint32_t>(box_rows) : depth;
    boxes_.box[2] = boxes_.box[3] = 1;
    boxes_.swizzle = static_cast<uint32_t>(tile.line);
  }

  const TensorBoxes &boxes() const { return boxes_; }
  TensorMap map() const {
    TensorMap map;
    libsgemm::Error error = {};
    REQUIRE(libsgemm::cuda::encode(boxes_, {}, &map, &error) == LIBSGEMM_SUCCESS);
    return map;
  }
  void put(int row, int k, float x) {
    namespace ptx = libsgemm::cuda::ptx;
    char *to = base() + (along_k_ ? row * ld_ + k : k * ld_ + row) * bytes_;
    const uint16_t bits = number_ == Number::f16 ? libsgemm::f16_from_float(x) : libsgemm::bf16_from_float(x);
    std::memcpy(to, number_ == Number::tf32 ? static_cast<const void *>(&x) : &bits, static_cast<size_t>(bytes_));
  }
  void fill(int seed) {
    for (int row = 0; row < rows_; ++row) {
      for (int k = 0; k < k_; ++k) put(row, k, value(seed, row, k));
    }
  }
  double at(int seed, int row, int k) const {
    return row < rows_ && k < k_ ? static_cast<double>(value(seed, row, k)) : 0;
  }

 private:
  static float value(int seed, int row, int k) {
    return static_cast<float>((row * 7 + k * 13 + row * k * seed) % 23 - 11) / 8;
  }
  char *base() { return memory_.data() + (16 - reinterpret_cast<uintptr_t>(memory_.data()) % 16) % 16; }

  Number number_;
  bool along_k_;
  int rows_, k_, bytes_;
  int ld_;
  std::vector<char> memory_;
  TensorBoxes boxes_ = {};
};

std::string launched(const WgmmaTile &tile, const WgmmaTest &test) {
  libsgemm::Error error = {};
  const libsgemm_status_t status =
      libsgemm::cuda::launch_clusters(tile.kernel, 1, 1, 128, tile.shared_bytes, libsgemm::Launch(), &error, test);
  return status == LIBSGEMM_SUCCESS ? "" : error.text;
}

// Returns the fault that the emulation finds, or C's first element.
std::string outcome(WgmmaFault fault, uint64_t seed) {
  simt::schedule().seed = seed;
  const WgmmaTile &tile = wgmma_tiles().front();
  Operand x(tile, true, 64, 64, 64), y(tile, true, 64, 64, 64);
  x.fill(3), y.fill(5);
  std::vector<float> c(64 * 64);
  const std::string words = launched(tile, {x.map(), y.map(), c.data(), 1, fault});
  return words.empty() ? std::to_string(c[0]) : words;
}

// `start` plus `count` products of 2^x_exponent and 2^y_exponent.
float sum_of(float start, int count, int x_exponent, int y_exponent) {
  const WgmmaTile &tile = wgmma_tiles().front();
  Operand x(tile, true, 64, 1, count), y(tile, true, 64, 1, count);
  for (int k = 0; k < count; ++k) x.put(0, k, std::ldexp(1.0f, x_exponent)), y.put(0, k, std::ldexp(1.0f, y_exponent));
  std::vector<float> c(64 * 64);
  CHECK(launched(tile, {x.map(), y.map(), c.data(), start, WgmmaFault::none}) == "");
  return c[0];
}

}  // namespace

TEST_CASE("wgmma multiplies tiles of all numbers, orders and swizzles, with zeros outside the arrays") {
  for (const WgmmaTile &tile : wgmma_tiles()) {
    const int depth = tile.line / (tile.number == Number::tf32 ? 4 : 2);
    for (const bool whole : {true, false}) {
      INFO("n " << tile.n << ", line " << tile.line << ", along k " << tile.x_along_k << tile.y_along_k);
      const int k = whole ? depth : depth - 5;
      Operand x(tile, tile.x_along_k, 64, whole ? 64 : 51, k),
          y(tile, tile.y_along_k, tile.n, tile.n - (whole ? 0 : 3), k);
      x.fill(3), y.fill(5);
      for (const float start : {0.0f, 2.0f}) {
        std::vector<float> c(static_cast<size_t>(64 * tile.n), NAN);
        simt::schedule().seed += 1;
        REQUIRE(launched(tile, {x.map(), y.map(), c.data(), start, WgmmaFault::none}) == "");
        int wrong = 0;
        for (int i = 0; i < 64; ++i) {
          for (int j = 0; j < tile.n; ++j) {
            double sum = static_cast<double>(start);
            for (int l = 0; l < k; ++l) sum += x.at(3, i, l) * y.at(5, j, l);
            wrong += static_cast<double>(c[static_cast<size_t>(i * tile.n + j)]) == sum ? 0 : 1;
          }
        }
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("wgmma cuts off 25 bits below the largest exponent, and the sum toward zero") {
  CHECK(sum_of(1, 4, -12, -13) == 1 + 0x1p-23f);
  CHECK(sum_of(1, 8, -13, -13) == 1);
  CHECK(sum_of(1, 1, -12, -12) == 1);
  CHECK(sum_of(1, 3, -12, -12) == 1 + 0x1p-23f);
  CHECK(sum_of(-1, 3, -12, -12) == -1 + 3 * 0x1p-24f);
  CHECK(sum_of(0, 5, -14, -14) == 5 * 0x1p-28f);
}

TEST_CASE("faults around wgmma are found") {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    CHECK(outcome(WgmmaFault::none, seed).find("thread") == std::string::npos);
    CHECK_THAT(outcome(WgmmaFault::no_fence, seed), sgemm_test::Contains("without wgmma_fence"));
    CHECK_THAT(outcome(WgmmaFault::no_wait, seed), sgemm_test::Contains("nan"));
    CHECK_THAT(outcome(WgmmaFault::writes_sums, seed), sgemm_test::Contains("writes to sums of wgmma"));
    CHECK_THAT(outcome(WgmmaFault::never_waits, seed), sgemm_test::Contains("leaves before its products"));
    CHECK_THAT(outcome(WgmmaFault::three_warps, seed), sgemm_test::Contains("no thread can go on"));
    CHECK_THAT(outcome(WgmmaFault::two_descriptors, seed), sgemm_test::Contains("issues another product by wgmma"));
    CHECK_THAT(outcome(WgmmaFault::unaligned, seed), sgemm_test::Contains("aligned to 1024 bytes"));
    CHECK_THAT(outcome(WgmmaFault::uninitialised, seed), sgemm_test::Contains("mbarrier that is not initialised"));
  }
}

TEST_CASE("boxes of an array that the driver refuses") {
  const WgmmaTile &tile = wgmma_tiles().front();
  const Operand operand(tile, true, 64, 64, 64);
  const auto refused = [&](auto change) {
    TensorBoxes boxes = operand.boxes();
    change(&boxes);
    TensorMap map;
    libsgemm::Error error = {};
    return libsgemm::cuda::encode(boxes, {}, &map, &error) != LIBSGEMM_SUCCESS;
  };
  CHECK_FALSE(refused([](TensorBoxes *) {}));
  CHECK(refused([](TensorBoxes *b) { b->base = static_cast<const char *>(b->base) + 8; }));
  CHECK(refused([](TensorBoxes *b) { b->strides[1] += 8; }));
  CHECK(refused([](TensorBoxes *b) { b->strides[2] = uint64_t{1} << 40; }));
  CHECK(refused([](TensorBoxes *b) { b->sizes[3] = 0; }));
  CHECK(refused([](TensorBoxes *b) { b->box[1] = 257; }));
  CHECK(refused([](TensorBoxes *b) { b->swizzle = 64; }));
  CHECK(refused([](TensorBoxes *b) { b->element_bytes = 4; }));
}
