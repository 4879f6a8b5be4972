#include "model.h"

#include <algorithm>
#include <cmath>

namespace libsgemm {
namespace {

struct Place {
  int low;
  float weight;  // weight of the upper neighbour
};

constexpr int kLast = SizeTable::kCount - 1;

Place place_of(double size) {
  static const std::array<float, SizeTable::kCount> logs = [] {
    std::array<float, SizeTable::kCount> l = {};
    for (size_t i = 0; i < l.size(); ++i) l[i] = std::log2(static_cast<float>(SizeTable::kSizes[i]));
    return l;
  }();
  const float x = std::clamp(std::log2(static_cast<float>(size)), 0.0f, logs[kLast]);
  int low = 0;
  while (low < kLast - 1 && x >= logs[static_cast<size_t>(low) + 1]) ++low;
  const float below = logs[static_cast<size_t>(low)], above = logs[static_cast<size_t>(low) + 1];
  return {low, (x - below) / (above - below)};
}

double bytes_of(const Stored &x, double items) {
  return static_cast<double>(x.rows) * static_cast<double>(x.cols) * static_cast<double>(x.size) * items;
}

// A stride of 0 is one matrix for all products.
double items_of(const GemmDesc &desc, int64_t stride) {
  return desc.batch == Batch::strided && stride == 0 ? 1 : static_cast<double>(desc.batch_count);
}

double cpu_seconds(const SizeTable &rates, const GemmDesc &desc) {
  return flop_count(desc) /
         rates.at(static_cast<double>(desc.m), static_cast<double>(desc.n), static_cast<double>(desc.k));
}

double overlapped(const GpuCosts &g, const Prediction &p) {
  const double longest = std::max({p.up, p.compute, p.down});
  const double rest = p.up + p.compute + p.down - longest;
  return longest + rest * (g.serial + (1 - g.serial) * g.ramp / (g.ramp + rest));
}

}  // namespace

double SizeTable::at(double m, double n, double k) const {
  const Place x = place_of(m), y = place_of(n), z = place_of(k);
  const auto mix = [](float low, float high, float weight) { return low + (high - low) * weight; };
  const auto along_k = [&](int i, int j) {
    const float *row = &log2_[index(i, j, z.low)];
    return mix(row[0], row[1], z.weight);
  };
  const auto along_n = [&](int i) { return mix(along_k(i, y.low), along_k(i, y.low + 1), y.weight); };
  return std::exp2(mix(along_n(x.low), along_n(x.low + 1), x.weight));
}

double SizeTable::get(int m, int n, int k) const { return std::exp2(log2_[index(m, n, k)]); }

void SizeTable::set(int m, int n, int k, double value) { log2_[index(m, n, k)] = static_cast<float>(std::log2(value)); }

Prediction predict(const Calibration &calibration, const GemmDesc &desc, unsigned pinned) {
  const GpuCosts &g = calibration.gpu;
  const auto link = [&](Pinned operand) -> const Link & { return (pinned & operand) != 0 ? g.pinned : g.pageable; };
  const double bytes_c = bytes_of(stored_c(desc), items_of(desc, desc.stride_c));
  Prediction p = {};
  p.cpu = cpu_seconds(calibration.cpu_flops, desc);
  p.up = bytes_of(stored_a(desc), items_of(desc, desc.stride_a)) / link(kPinnedA).up +
         bytes_of(stored_b(desc), items_of(desc, desc.stride_b)) / link(kPinnedB).up +
         (reads_c(desc) ? bytes_c / link(kPinnedC).up : 0);
  p.compute = flop_count(desc) / g.flops;
  p.down = bytes_c / link(kPinnedC).down;
  p.gpu = g.call + overlapped(g, p);
  if (desc.batch == Batch::none) {
    p.gpu *= g.correction.at(static_cast<double>(desc.m), static_cast<double>(desc.n), static_cast<double>(desc.k));
  } else {
    const double item = desc.batch == Batch::strided ? g.item_strided : g.item_pointer;
    p.gpu += item * static_cast<double>(desc.batch_count - 1);
  }
  return p;
}

Calibration assumed_calibration(int cpu_threads) {
  double core = 10e9;  // FLOP a second of a hardware thread
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    core = 50e9;
  } else if (__builtin_cpu_supports("avx2")) {
    core = 30e9;
  } else {
    core = 12e9;
  }
#endif
  const double threads = std::max(1, cpu_threads);
  Calibration c = {};
  for (int i = 0; i < SizeTable::kCount; ++i) {
    for (int j = 0; j < SizeTable::kCount; ++j) {
      for (int l = 0; l < SizeTable::kCount; ++l) {
        const auto size = [](int at) { return static_cast<double>(SizeTable::kSizes[static_cast<size_t>(at)]); };
        // Square roots: more work always takes longer.
        const auto filled = [&](int at) { return std::sqrt(size(at) / (size(at) + 8)); };
        // Most threads are useful once each has a cube of 96.
        const double volume = size(i) * size(j) * size(l);
        const double useful = 1 + (threads - 1) * std::sqrt(volume / (volume + threads * 96.0 * 96.0 * 96.0));
        c.cpu_flops.set(i, j, l, core * useful * filled(i) * filled(j) * filled(l));
        c.gpu.correction.set(i, j, l, 1);
      }
    }
  }
  c.gpu.startup = 0.5;
  c.gpu.call = 60e-6;
  c.gpu.item_strided = c.gpu.item_pointer = 60e-6;
  c.gpu.pageable = {10e9, 10e9};
  c.gpu.pinned = {20e9, 20e9};
  c.gpu.flops = 10e12;
  c.gpu.serial = 1;
  c.gpu.ramp = 1e-3;
  c.margin = 1.5;
  return c;
}

double least_product(const Calibration &calibration) {
  constexpr int kOctaves = 14;
  const auto size = [](int octave) { return int64_t{1} << octave; };
  double least = static_cast<double>(size(3 * (kOctaves - 1)));
  GemmDesc desc = {};
  desc.transa = desc.transb = LIBSGEMM_NO_TRANS;
  desc.batch_count = 1;
  for (int i = 0; i < kOctaves; ++i) {
    for (int j = 0; j < kOctaves; ++j) {
      for (int l = 0; l < kOctaves; ++l) {
        const double products = static_cast<double>(size(i + j + l));
        if (products >= least) break;
        desc.m = size(i);
        desc.n = size(j);
        desc.k = size(l);
        const Prediction p = predict(calibration, desc, kPinnedA | kPinnedB | kPinnedC);
        if (p.gpu * calibration.margin < p.cpu) least = products;
      }
    }
  }
  return least / 8;  // between the powers of two
}

}  // namespace libsgemm
