#include "checksum.h"

#include <algorithm>
#include <cmath>

namespace libsgemm {
namespace {

// Multiply-adds of the product per element that a checksum reads, so that it takes about a hundredth of the product's
// time. Reading up to kFewElements costs no more than the launches.
constexpr double kOperationsPerElement = 6553.6;
constexpr double kFewElements = 0x1p23;

class Draws {
 public:
  explicit Draws(uint64_t seed) : seed_(seed) {}

  uint64_t next() {
    uint64_t z = (seed_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  int64_t below(int64_t count) { return static_cast<int64_t>(next() % static_cast<uint64_t>(count)); }

 private:
  uint64_t seed_;
};

int64_t common_divisor(int64_t a, int64_t b) {
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

BlockChoice choose(int64_t extent, int64_t block, double part, Draws *draws) {
  BlockChoice choice = {};
  choice.all = (extent - 1) / block + 1;
  const auto wanted = static_cast<int64_t>(std::ceil(part * static_cast<double>(choice.all)));
  choice.chosen = std::clamp<int64_t>(wanted, 1, choice.all);
  choice.step = 1;
  if (choice.chosen == choice.all) return choice;
  choice.start = draws->below(choice.all);
  choice.step = 1 + draws->below(choice.all - 1);
  while (common_divisor(choice.step, choice.all) != 1) choice.step = choice.step % (choice.all - 1) + 1;
  return choice;
}

}  // namespace

Checksum draw_checksum(int64_t m, int64_t n, int64_t k, uint64_t seed) {
  Draws draws(seed);
  Checksum c = {};
  c.transposed = n > m;
  if (c.transposed) std::swap(m, n);
  // A part p of the rows and of the columns reads p (m k + k n) + p^2 m n elements.
  const double rows = static_cast<double>(m), columns = static_cast<double>(n), depth = static_cast<double>(k);
  const double most = std::max(kFewElements, rows * columns * depth / kOperationsPerElement);
  const double b = (rows + columns) * depth, a = rows * columns;
  const double part = (std::sqrt(b * b + 4 * a * most) - b) / (2 * a);
  c.rows = choose(m, kChecksumRows, part, &draws);
  c.columns = choose(n, kChecksumColumns, part, &draws);
  c.seed = draws.next();
  return c;
}

}  // namespace libsgemm
