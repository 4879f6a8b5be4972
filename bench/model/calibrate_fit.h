// The figures of a machine, from times of products.
//
// Products of every combination of SizeTable::kSizes are timed on the CPU and on the GPU. The CPU's speeds are used as
// measured. The model of decision/model.h is fitted to the GPU's times, and its remaining error is kept as a
// correction. A product that would take too long gets the speed, or the correction, of a smaller neighbour. The fit
// does not include the GPU's rate and those of page-locked memory: they are measured separately, as the probe does.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "decision/model.h"

namespace command {

// Times C = A * B (beta = 0), once or several times; returns seconds.
using TimeProduct = std::function<double(int64_t m, int64_t n, int64_t k)>;

// Describes such a product for libsgemm::predict().
libsgemm::GemmDesc describe_product(int64_t m, int64_t n, int64_t k);

// Seconds of the products of all sizes; 0 for those that were not timed.
class Times {
 public:
  static constexpr int kSide = libsgemm::SizeTable::kCount, kCount = kSide * kSide * kSide;

  double &at(int m, int n, int k) { return seconds_[libsgemm::SizeTable::index(m, n, k)]; }
  double at(int m, int n, int k) const { return seconds_[libsgemm::SizeTable::index(m, n, k)]; }

 private:
  std::array<double, static_cast<size_t>(kCount)> seconds_ = {};
};

constexpr int64_t kMostElements = int64_t{4096} * 4096;  // elements of the largest operand

// Times products, the smaller ones first. Leaves out those with a larger operand than kMostElements, those that are
// expected to take more than `longest` seconds, and all that are left after `most` seconds.
Times time_sizes(const TimeProduct &time, double longest, double most);

// Times the timed products a few times more, for at most `most` seconds, and keeps the shortest times: other programs,
// and other guests of the same host, only make them longer, and for a while.
void time_again(const TimeProduct &time, double most, Times *times);

void fit_cpu(const Times &times, libsgemm::SizeTable *flops);

// Fits call, pageable, serial, ramp and the correction to products from pageable memory. The caller sets flops and
// pinned in `costs` to the measured values; pageable memory crosses the same link, and is not faster. The other figures
// are where the search begins.
void fit_gpu(const Times &times, libsgemm::GpuCosts *costs);

}  // namespace command
