// Predicts the seconds of a call on host memory, on the CPU and on a GPU.
#pragma once

#include <array>

#include "contract/desc.h"
#include "contract/prediction.h"

namespace libsgemm {

// A positive function of m, n and k, given at kSizes. Between these its logarithm is linear in theirs; beyond the ends
// it is constant.
class SizeTable {
 public:
  static constexpr std::array<int, 10> kSizes = {1, 8, 32, 64, 128, 256, 512, 1024, 4096, 16384};
  static constexpr int kCount = static_cast<int>(kSizes.size());

  double at(double m, double n, double k) const;
  // m, n, k: indices of kSizes.
  double get(int m, int n, int k) const;
  void set(int m, int n, int k, double value);

  static size_t index(int m, int n, int k) {
    constexpr size_t side = kSizes.size();
    return (static_cast<size_t>(m) * side + static_cast<size_t>(n)) * side + static_cast<size_t>(k);
  }

 private:
  std::array<float, static_cast<size_t>(kCount *kCount *kCount)> log2_ = {};
};

// Bytes a second.
struct Link {
  double up, down;
};

// A call costs `call`, the longest of copying up, computing and copying down, and the part of the others that does not
// overlap.
struct GpuCosts {
  double startup;       // seconds until a process can use its devices
  double call;          // seconds of any call
  double item_strided;  // seconds per further product of a batch
  double item_pointer;
  Link pageable, pinned;
  double flops;          // FP32; faster arithmetic gains little on host memory
  double serial;         // share of long copies and products that does not overlap: 0 to 1
  double ramp;           // seconds up to which nothing overlaps
  SizeTable correction;  // measured over predicted seconds of one product, pageable memory
};

struct Calibration {
  SizeTable cpu_flops;  // FLOP a second of one product
  GpuCosts gpu;
  double margin;  // factor by which a GPU must win: above 1 for assumed parameters
};

// Assumes a fast CPU and a slow link.
Calibration assumed_calibration(int cpu_threads);

enum Pinned : unsigned { kPinnedA = 1, kPinnedB = 2, kPinnedC = 4 };

Prediction predict(const Calibration &calibration, const GemmDesc &desc, unsigned pinned);

// m n k below which no single product is faster on the GPU.
double least_product(const Calibration &calibration);

}  // namespace libsgemm
