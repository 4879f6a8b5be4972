// The figures of a machine from times of calls.
#pragma once

#include <vector>

#include "decision_model.h"

namespace command {

// A product that was timed, C = A * B with beta = 0.
struct TimedProduct {
  int64_t m, n, k;
  double seconds;
};

// What libsgemm::predict() takes of such a product.
libsgemm::GemmDesc describe_product(int64_t m, int64_t n, int64_t k);

// Fills in what calls from pageable memory tell: all but startup, items, pinned and correction. `costs` is where to
// begin.
void fit_pageable(const std::vector<TimedProduct> &products, libsgemm::GpuCosts *costs);

// Then what calls from page-locked memory tell: pinned. The correction must be there.
void fit_pinned(const std::vector<TimedProduct> &products, libsgemm::GpuCosts *costs);

}  // namespace command
