// Model parameters of a machine from times of products.
//
// Products of every combination of SizeTable::kSizes are timed on the CPU and the GPU. The CPU's speeds are used as
// measured. The model of decision/model.h is fitted to the GPU's times; its remaining error becomes a correction. A
// product without a time gets its speed or correction from a smaller neighbour. Rates of the GPU and of page-locked
// memory are measured as by the probe.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "decision/model.h"

namespace command {

// Times C = A * B (beta = 0), once or more. Returns seconds.
using TimeProduct = std::function<double(int64_t m, int64_t n, int64_t k)>;

libsgemm::GemmDesc describe_product(int64_t m, int64_t n, int64_t k);

// Seconds by size; 0: not timed.
class Times {
 public:
  static constexpr int kSide = libsgemm::SizeTable::kCount, kCount = kSide * kSide * kSide;

  double &at(int m, int n, int k) { return seconds_[libsgemm::SizeTable::index(m, n, k)]; }
  double at(int m, int n, int k) const { return seconds_[libsgemm::SizeTable::index(m, n, k)]; }

 private:
  std::array<double, static_cast<size_t>(kCount)> seconds_ = {};
};

constexpr int64_t kMostElements = int64_t{4096} * 4096;  // largest operand

// Times small products first. Leaves out those with an operand above kMostElements or expected to exceed `longest`
// seconds, and all after `most` seconds.
Times time_sizes(const TimeProduct &time, double longest, double most);

// Keeps the shorter times: other load lengthens them. Takes at most `most` seconds.
void time_again(const TimeProduct &time, double most, Times *times);

void fit_cpu(const Times &times, libsgemm::SizeTable *flops);

// Fits call, pageable, serial, ramp and the correction to products of pageable memory, which crosses the same link and
// is not faster. `costs` holds the measured flops and pinned, and the start of the search.
void fit_gpu(const Times &times, libsgemm::GpuCosts *costs);

}  // namespace command
