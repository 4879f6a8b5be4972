// Groups of one product each, of different sizes (`libsgemm bench --groups`).
#pragma once

#include <libsgemm.h>

#include <cstdint>
#include <string>
#include <vector>

#include "inputs/routines.h"
#include "inputs/suite.h"

namespace command {

// How m of each group is drawn.
struct GroupsKind {
  enum Distribution {
    kUniform,  // from 0 to m
    kZipf,     // m / 1, m / 2, m / 3, ... in random order
    kEmpty     // 0 for half of them, else 1 to m
  } distribution;
  int64_t count;
  std::string text;
};

// Parses "uniform:128". Throws Error.
GroupsKind parse_groups(const std::string &text);

// The rows of a seed are the same on every machine.
std::vector<int64_t> draw_rows(const GroupsKind &kind, const Shape &shape, uint64_t seed);

// Only products that are not empty: column-major, alpha = 1, beta = 0.
struct GroupsCall {
  Element element = Element::kFloat32;  // type of A and B; C is FP32
  std::vector<libsgemm_op_t> transa, transb;
  std::vector<int64_t> m, n, k, lda, ldb, ldc, sizes;
  std::vector<float> alpha, beta;
  std::vector<const void *> a, b;
  std::vector<float *> c;

  int64_t count() const { return static_cast<int64_t>(m.size()); }
};

}  // namespace command
