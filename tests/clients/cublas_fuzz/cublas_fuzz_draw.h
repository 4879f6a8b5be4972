#pragma once

#include <cstdint>

#include "cublas_fuzz_calls.h"

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 2 + 1) {}
  // 0 <= result < count
  int below(int count) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>((state_ >> 33) % static_cast<uint64_t>(count));
  }
  float uniform() { return static_cast<float>(below(1 << 20) - (1 << 19)) / (1 << 19); }

 private:
  uint64_t state_;
};

struct Shape {
  int64_t rows, columns;
};

Case draw_case(Random &random);

// Shapes as stored, not transposed.
Shape shape_of_a(const Case &x);
Shape shape_of_b(const Case &x);
// Number of elements from the first to the last.
int64_t elements(const Shape &shape, int64_t ld, bool by_rows);
