// `libsgemm calibrate`: measures what the decision between the CPU and a GPU needs to know of this machine, and keeps
// it in the user's cache, where the library finds it.
//
// Products of every combination of SizeTable::kSizes are timed on the CPU and on the GPU. The CPU's speeds are taken as
// they are; to the GPU's times the model of decision_model.h is fitted, and what it misses is kept as a correction. A
// product that would take too long has the speed, or the correction, of its next smaller neighbour.
#include <errno.h>
#include <fmt/format.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "calibrate_fit.h"
#include "command.h"
#include "gpu_api.h"
#include "output_file.h"
#include "sides.h"
#include "timing.h"

namespace command {
namespace {

using libsgemm::Calibration;
using libsgemm::CalibrationFile;
using libsgemm::SizeTable;

constexpr int64_t kLargest = SizeTable::kSizes.back();
constexpr size_t kElements = static_cast<size_t>(kLargest * kLargest);  // of an operand

using Indices = std::array<int, 3>;

Size size_of(const Indices &at) {
  const auto size = [&](size_t i) { return int64_t{SizeTable::kSizes[static_cast<size_t>(at[i])]}; };
  return {size(0), size(1), size(2)};
}

double products_of(const Indices &at) {
  const Size s = size_of(at);
  return static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
}

// Every combination, the smaller products first.
std::vector<Indices> all_sizes() {
  std::vector<Indices> all;
  for (int m = 0; m < SizeTable::kCount; ++m) {
    for (int n = 0; n < SizeTable::kCount; ++n) {
      for (int k = 0; k < SizeTable::kCount; ++k) all.push_back({m, n, k});
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Indices &x, const Indices &y) { return products_of(x) < products_of(y); });
  return all;
}

// The one with the largest of the three sizes reduced by a step.
Indices smaller_neighbour(Indices at) {
  --*std::max_element(at.begin(), at.end());
  return at;
}

// Seconds of products, by their indices.
class Times {
 public:
  double &at(const Indices &i) {
    return seconds_[static_cast<size_t>((i[0] * SizeTable::kCount + i[1]) * SizeTable::kCount + i[2])];
  }

 private:
  // 0: it was not timed
  std::vector<double> seconds_ =
      std::vector<double>(static_cast<size_t>(SizeTable::kCount * SizeTable::kCount * SizeTable::kCount));
};

// Ends after `most` seconds; what is left then is as good as what would take too long.
Times time_all(libsgemm_handle_t h, const Operands &x, const Patience &patience, double most, const std::string &what) {
  Times times;
  const double start = now();
  Progress progress(1);
  const std::vector<Indices> all = all_sizes();
  for (size_t i = 0; i < all.size() && now() - start < most; ++i) {
    const Indices &at = all[i];
    progress.show(what, static_cast<double>(i) / static_cast<double>(all.size()));
    if (i > 0) {
      const Indices before = smaller_neighbour(at);
      const double seconds = times.at(before) * products_of(at) / products_of(before);
      if (seconds == 0 || seconds > patience.most) continue;
    }
    times.at(at) = time_product(h, size_of(at), x, patience);
  }
  return times;
}

// In the order of all_sizes(), so that a neighbour is there before it is needed.
template <typename Value>
void fill_table(Times *times, const Value &value, SizeTable *table) {
  for (const Indices &at : all_sizes()) {
    const Indices before = smaller_neighbour(at);
    table->set(at[0], at[1], at[2],
               times->at(at) > 0 ? value(at, times->at(at)) : table->get(before[0], before[1], before[2]));
  }
}

std::vector<TimedProduct> list_of(Times *times) {
  std::vector<TimedProduct> list;
  for (const Indices &at : all_sizes()) {
    const Size s = size_of(at);
    if (times->at(at) > 0) list.push_back({s.m, s.n, s.k, times->at(at)});
  }
  return list;
}

// Page-locked operands, never freed; none if the vendor's library cannot be had.
bool allocate_pinned(const std::string &backend, Operands *x) {
  try {
    const GpuApi &api = backend == "cuda" ? cuda_api() : hip_api();
    api.use_device(0);
    for (float **memory : {&x->a, &x->b, &x->c}) {
      void *got = nullptr;
      api.require(api.host_allocate(&got, kElements * sizeof(float), kHostDefault), "page-locked memory");
      *memory = static_cast<float *>(got);
      memset(got, 0, kElements * sizeof(float));
    }
    return true;
  } catch (const std::exception &error) {
    fmt::print(stderr, "libsgemm calibrate: page-locked memory is taken for pageable: {}\n", error.what());
    return false;
  }
}

void measure_pinned(const Sides &sides, const Patience &patience, Calibration *c) {
  c->gpu.pinned = c->gpu.pageable;
  Operands x = {};
  if (!allocate_pinned(sides.gpu().info.name, &x)) return;
  std::vector<TimedProduct> products;
  constexpr std::array<int64_t, 3> sizes = {256, 1024, kLargest};
  for (const int64_t m : sizes) {
    for (const int64_t n : sizes) {
      for (const int64_t k : sizes) {
        if (libsgemm::predict(*c, describe_product(m, n, k), 0).gpu > patience.most) continue;
        products.push_back({m, n, k, time_product(sides.on_gpu(), {m, n, k}, x, patience)});
      }
    }
  }
  fit_pinned(products, &c->gpu);
}

// Of batches of small products, by what they take longer than one product of all operands.
double measure_item(const Sides &sides, bool strided, const Operands &x, const Patience &patience, Calibration *c) {
  constexpr int64_t kSize = 32, kCount = 256;
  libsgemm::GemmDesc desc = describe_product(kSize, kSize, kSize);
  desc.batch = strided ? libsgemm::Batch::strided : libsgemm::Batch::pointers;
  desc.stride_a = desc.stride_b = desc.stride_c = kSize * kSize;
  desc.batch_count = kCount;
  c->gpu.item_strided = c->gpu.item_pointer = 0;
  const double seconds = time_batch(sides.on_gpu(), {kSize, kSize, kSize}, kCount, strided, x, patience);
  return std::max(0.0, seconds - libsgemm::predict(*c, desc, 0).gpu) / static_cast<double>(kCount - 1);
}

Calibration measure_machine(const Sides &sides, double seconds) {
  const Patience patience = {seconds / 2 / static_cast<double>(all_sizes().size()), seconds / 16};
  const PageableOperands x(kElements, kElements, kElements);
  Calibration c = libsgemm::assumed_calibration(1);
  c.margin = 1;
  Times cpu = time_all(sides.on_cpu(), x, patience, seconds, "products on the CPU");
  let_threads_rest();
  Times gpu = time_all(sides.on_gpu(), x, patience, seconds, "products on the GPU");
  fill_table(
      &cpu, [](const Indices &at, double t) { return 2 * products_of(at) / t; }, &c.cpu_flops);
  fit_pageable(list_of(&gpu), &c.gpu);
  const Calibration fitted = c;
  const auto correction = [&](const Indices &at, double t) {
    const Size s = size_of(at);
    return std::clamp(t / libsgemm::predict(fitted, describe_product(s.m, s.n, s.k), 0).gpu, 0.01, 100.0);
  };
  fill_table(&gpu, correction, &c.gpu.correction);
  measure_pinned(sides, patience, &c);
  const double strided = measure_item(sides, true, x, patience, &c),
               pointer = measure_item(sides, false, x, patience, &c);
  c.gpu.item_strided = strided;
  c.gpu.item_pointer = pointer;
  c.gpu.startup = sides.startup();
  return c;
}

// The least square product that is sent to the GPU; 0: none.
int64_t crossover(const Calibration &c, unsigned pinned) {
  for (int64_t n = 16; n <= 2 * kLargest; n += std::max<int64_t>(1, n / 64)) {
    const libsgemm::Prediction p = libsgemm::predict(c, describe_product(n, n, n), pinned);
    if (p.gpu * c.margin < p.cpu) return n;
  }
  return 0;
}

void print_crossover(const char *memory, int64_t n) {
  if (n > 0) {
    fmt::print("  products of {} memory: on the GPU from about {}x{}x{} on\n", memory, n, n, n);
  } else {
    fmt::print("  products of {} memory: on the CPU\n", memory);
  }
}

void print_figures(const Calibration &c, const libsgemm::CalibrationKey &key) {
  const libsgemm::GpuCosts &g = c.gpu;
  double fastest = 0;
  for (const Indices &at : all_sizes()) fastest = std::max(fastest, c.cpu_flops.get(at[0], at[1], at[2]));
  fmt::print("  CPU: {}; up to {:.4g} GFLOP/s\n", key.cpu, 1e-9 * fastest);
  fmt::print("  GPU: {}, {}; {:.3g} TFLOP/s\n", key.backend, key.device, 1e-12 * g.flops);
  fmt::print("  pageable memory: {:.3g} GB/s up, {:.3g} down; page-locked: {:.3g} up, {:.3g} down\n",
             1e-9 * g.pageable.up, 1e-9 * g.pageable.down, 1e-9 * g.pinned.up, 1e-9 * g.pinned.down);
  fmt::print("  a call {:.3g} us, an item of a batch {:.3g} us (by pointers {:.3g}), the first use {:.3g} s\n",
             1e6 * g.call, 1e6 * g.item_strided, 1e6 * g.item_pointer, g.startup);
  fmt::print("  not overlapped: {:.0f} % of long copies and products, and {:.3g} ms\n", 100 * g.serial, 1e3 * g.ramp);
  print_crossover("pageable", crossover(c, 0));
  print_crossover("page-locked", crossover(c, libsgemm::kPinnedA | libsgemm::kPinnedB | libsgemm::kPinnedC));
}

// The file that holds for this process.
std::string path_of(const libsgemm::CalibrationKey &key, const std::string &asked) {
  if (!asked.empty()) return asked;
  const std::string path = libsgemm::calibration_path(key);
  if (path.empty()) throw Error("neither XDG_CACHE_HOME nor HOME names a folder: use --output FILE");
  return path;
}

int show(const libsgemm::CalibrationKey &key, const std::string &path) {
  CalibrationFile file;
  std::string problem;
  if (!libsgemm::read_calibration(path, key, &file, &problem)) throw Error(fmt::format("{}: {}", path, problem));
  if (file.key.device != key.device)
    throw Error(fmt::format("{}: it is for another device: {}", path, file.key.device));
  fmt::print("{}\n", path);
  print_figures(file.figures, file.key);
  return 0;
}

int remove_file(const std::string &path) {
  if (unlink(path.c_str()) == 0) {
    fmt::print("{} is removed\n", path);
  } else if (errno == ENOENT) {
    fmt::print("{}: there is none\n", path);
  } else {
    throw Error(fmt::format("{}: cannot be removed: {}", path, strerror(errno)));
  }
  return 0;
}

}  // namespace

int calibrate(const CalibrateOptions &options) {
  const Sides sides(options.backend);
  const libsgemm::CalibrationKey key = sides.key();
  const std::string path = path_of(key, options.output);
  if (options.show) return show(key, path);
  if (options.remove) return remove_file(path);
  std::error_code ignored;  // what cannot be made shows when the file is
  if (options.output.empty()) std::filesystem::create_directories(folder_of(path), ignored);
  check_output(path);
  const CalibrationFile file = {key, measure_machine(sides, options.seconds)};
  const std::string text = libsgemm::calibration_to_text(file);
  write_output(path, {{text.data(), text.size()}});
  print_figures(file.figures, key);
  fmt::print("written to {}\n", path);
  if (!options.output.empty()) fmt::print("LIBSGEMM_CALIBRATION={} makes programs use it\n", path);
  return 0;
}

}  // namespace command
