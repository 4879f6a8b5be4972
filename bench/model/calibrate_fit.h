// The figures of a machine from times of products.
//
// Products of every combination of SizeTable::kSizes are timed on the CPU and on the GPU. The CPU's speeds are taken as
// they are; to the GPU's times the model of decision/model.h is fitted, and what it misses is kept as a correction. A
// product that would take too long has the speed, or the correction, of a smaller neighbour. What the GPU computes in a
// second, and the rates of page-locked memory, are no part of the fit: they are measured alone, as the probe does.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "decision/model.h"

namespace command {

// Times C = A * B (beta = 0) once or as often as it takes; in seconds.
using TimeProduct = std::function<double(int64_t m, int64_t n, int64_t k)>;

// What libsgemm::predict() takes of such a product.
libsgemm::GemmDesc describe_product(int64_t m, int64_t n, int64_t k);

// Seconds of the products of all sizes; 0 where they were not timed.
class Times {
 public:
  static constexpr int kSide = libsgemm::SizeTable::kCount, kCount = kSide * kSide * kSide;

  double &at(int m, int n, int k) { return seconds_[libsgemm::SizeTable::index(m, n, k)]; }
  double at(int m, int n, int k) const { return seconds_[libsgemm::SizeTable::index(m, n, k)]; }

 private:
  std::array<double, static_cast<size_t>(kCount)> seconds_ = {};
};

constexpr int64_t kMostElements = int64_t{4096} * 4096;  // of an operand

// The smaller products first. None with a larger operand than that, or that is expected to take more than `longest`
// seconds, and none after `most` seconds.
Times time_sizes(const TimeProduct &time, double longest, double most);

// Times what has been timed a few times more, for at most so many seconds, and keeps the shortest times: other
// programs, and other guests of the same host, only ever make them longer, and for a while.
void time_again(const TimeProduct &time, double most, Times *times);

void fit_cpu(const Times &times, libsgemm::SizeTable *flops);

// To products from pageable memory: call, pageable, serial, ramp and the correction. In `costs` flops and pinned are
// those measured; pageable memory crosses the same link, and is not faster. The others are where to begin.
void fit_gpu(const Times &times, libsgemm::GpuCosts *costs);

}  // namespace command
