// Predicts the seconds that a call on host memory takes on the CPU and on a GPU. The functions are pure: they depend on
// the description, on the kind of its operands' memory, and on the figures of a machine.
#pragma once

#include <array>

#include "contract/desc.h"
#include "contract/prediction.h"

namespace libsgemm {

// A positive function of m, n and k, given where each is one of kSizes. Between them its logarithm is linear in those
// of m, n and k; beyond the ends it is constant.
class SizeTable {
 public:
  static constexpr std::array<int, 10> kSizes = {1, 8, 32, 64, 128, 256, 512, 1024, 4096, 16384};
  static constexpr int kCount = static_cast<int>(kSizes.size());

  double at(double m, double n, double k) const;
  // Take indices of kSizes.
  double get(int m, int n, int k) const;
  void set(int m, int n, int k, double value);

  // Index of a combination of sizes.
  static size_t index(int m, int n, int k) {
    constexpr size_t side = kSizes.size();
    return (static_cast<size_t>(m) * side + static_cast<size_t>(n)) * side + static_cast<size_t>(k);
  }

 private:
  std::array<float, static_cast<size_t>(kCount *kCount *kCount)> log2_ = {};
};

// Bytes per second between host memory and the devices.
struct Link {
  double up, down;
};

// Costs of a call on host memory on a GPU: `call`, then the longest of copying up, computing and copying down, and the
// part of the other two that does not overlap with it.
struct GpuCosts {
  double startup;       // seconds until a process can use its devices
  double call;          // seconds of any call
  double item_strided;  // seconds of each further product of a batch
  double item_pointer;
  Link pageable, pinned;
  double flops;          // FP32 operations per second; faster arithmetic gains little on host memory
  double serial;         // share of long copies and products that does not overlap: 0 to 1
  double ramp;           // seconds up to which nothing overlaps yet
  SizeTable correction;  // measured over predicted seconds of one product from pageable memory
};

// The figures of a machine.
struct Calibration {
  SizeTable cpu_flops;  // operations per second of one product
  GpuCosts gpu;
  double margin;  // factor by which a GPU must beat the CPU: more than 1 where the figures are assumed
};

// Returns the figures assumed of a machine that has not been measured: a fast CPU on a slow link.
Calibration assumed_calibration(int cpu_threads);

// Bits of the operands that are in page-locked memory.
enum Pinned : unsigned { kPinnedA = 1, kPinnedB = 2, kPinnedC = 4 };

Prediction predict(const Calibration &calibration, const GemmDesc &desc, unsigned pinned);

// Returns a number of multiplications below which no single product is faster on the GPU, in whatever memory its
// operands are.
double least_product(const Calibration &calibration);

}  // namespace libsgemm
