// Seconds that a call on host memory takes on the CPU and on a GPU, predicted from the figures of a machine: pure
// functions of the description, of where its operands lie, and of those figures.
#pragma once

#include <array>

#include "contract/desc.h"
#include "contract/prediction.h"

namespace libsgemm {

// A positive function of m, n and k, known where each is one of kSizes. Between them its logarithm is linear in those
// of m, n and k; beyond the ends it is constant.
class SizeTable {
 public:
  static constexpr std::array<int, 10> kSizes = {1, 8, 32, 64, 128, 256, 512, 1024, 4096, 16384};
  static constexpr int kCount = static_cast<int>(kSizes.size());

  double at(double m, double n, double k) const;
  // By the indices of the sizes.
  double get(int m, int n, int k) const;
  void set(int m, int n, int k, double value);

  // Of a combination among all.
  static size_t index(int m, int n, int k) {
    constexpr size_t side = kSizes.size();
    return (static_cast<size_t>(m) * side + static_cast<size_t>(n)) * side + static_cast<size_t>(k);
  }

 private:
  std::array<float, static_cast<size_t>(kCount *kCount *kCount)> log2_ = {};
};

// Bytes a second between host memory and the devices.
struct Link {
  double up, down;
};

// What a call on host memory costs on a GPU: `call`, and of the three seconds of copying up, computing and copying down
// the longest and so much of the others as does not overlap with it.
struct GpuCosts {
  double startup;       // seconds until a process can use its devices
  double call;          // seconds of any call
  double item_strided;  // seconds of each further product of a batch
  double item_pointer;
  Link pageable, pinned;
  double flops;          // a second, FP32; faster arithmetic gains little on host memory
  double serial;         // of long copies and products, the part that does not overlap: 0 to 1
  double ramp;           // seconds up to which there is nothing to overlap yet
  SizeTable correction;  // of one product from pageable memory: measured over predicted seconds
};

// The figures of a machine.
struct Calibration {
  SizeTable cpu_flops;  // a second, of one product
  GpuCosts gpu;
  double margin;  // a GPU must be so many times as fast as the CPU: more than 1 where the figures are assumed
};

// What is assumed of a machine that has not been measured: a fast CPU on a slow link.
Calibration assumed_calibration(int cpu_threads);

// Operands in page-locked memory, as bits.
enum Pinned : unsigned { kPinnedA = 1, kPinnedB = 2, kPinnedC = 4 };

Prediction predict(const Calibration &calibration, const GemmDesc &desc, unsigned pinned);

// No single product of fewer multiplications is faster on the GPU, wherever its operands lie.
double least_product(const Calibration &calibration);

}  // namespace libsgemm
