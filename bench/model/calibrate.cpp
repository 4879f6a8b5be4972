// `libsgemm calibrate`: measures what the decision between CPU and GPU needs, and keeps it in the user's cache.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/command.h"
#include "base/output_file.h"
#include "base/timing.h"
#include "calibrate_fit.h"
#include "probe/probe_copies.h"
#include "process/env.h"
#include "sides.h"

namespace command {
namespace {

using libsgemm::Calibration;
using libsgemm::CalibrationFile;
using libsgemm::SizeTable;

constexpr auto kElements = static_cast<size_t>(kMostElements);

// All products of a side take about `seconds`, and their repetitions as long again.
Patience patience_of(double seconds) {
  const double enough = seconds / 4 / Times::kCount;
  return {enough, 10 * enough};
}
double longest_of(double seconds) { return seconds / 16; }

// Both sides have the same patience. `what` is for the progress line.
Times time_side(libsgemm_handle_t h, const Operands &x, double seconds, const std::string &what) {
  const Patience patience = patience_of(seconds);
  Progress progress(1);
  double done = 0;
  const auto time = [&](int64_t m, int64_t n, int64_t k) {
    progress.show(what, std::min(1.0, done++ / (2 * Times::kCount)));
    return time_product(h, {m, n, k}, x, patience);
  };
  Times times = time_sizes(time, longest_of(seconds), seconds);
  time_again(time, seconds, &times);
  return times;
}

// Measures one GPU and its link, as the probe does. Calls on which the sides are close are too short for several GPUs.
void measure_device(const std::string &backend, double longest, libsgemm::GpuCosts *costs) {
  const std::vector<int> devices = libsgemm::read_environment().devices;
  if (!devices.empty()) select_gpu(devices.front());
  costs->pinned = pinned_link(&gpu_memory_of(backend));
  costs->flops = sgemm_rate(backend, longest);
}

// Returns the seconds that each item adds to the predicted time of a batch's copies and arithmetic.
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
  const PageableOperands x(kElements, kElements, kElements);
  const Patience patience = patience_of(seconds);
  Calibration c = libsgemm::assumed_calibration(1);
  c.margin = 1;
  fit_cpu(time_side(sides.on_cpu(), x, seconds, "products on the CPU"), &c.cpu_flops);
  let_threads_rest();
  measure_device(sides.gpu().info.name, longest_of(seconds), &c.gpu);
  fit_gpu(time_side(sides.on_gpu(), x, seconds, "products on the GPU"), &c.gpu);
  const double strided = measure_item(sides, true, x, patience, &c);
  const double pointer = measure_item(sides, false, x, patience, &c);
  c.gpu.item_strided = strided;
  c.gpu.item_pointer = pointer;
  c.gpu.startup = sides.startup();
  return c;
}

// Returns the smallest square size that is sent to the GPU; 0: none.
int64_t crossover(const Calibration &c, unsigned pinned) {
  for (int64_t n = 16; n <= 8192; n += std::max<int64_t>(1, n / 64)) {
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
  for (const int n : SizeTable::kSizes) fastest = std::max(fastest, c.cpu_flops.at(n, n, n));
  fmt::print("  CPU: {}; squares at up to {:.4g} GFLOP/s\n", key.cpu, 1e-9 * fastest);
  fmt::print("  GPU: {}, {}; {:.3g} TFLOP/s\n", key.backend, key.device, 1e-12 * g.flops);
  fmt::print("  pageable memory: {:.3g} GB/s up, {:.3g} down; page-locked: {:.3g} up, {:.3g} down\n",
             1e-9 * g.pageable.up, 1e-9 * g.pageable.down, 1e-9 * g.pinned.up, 1e-9 * g.pinned.down);
  fmt::print("  a call {:.3g} us, an item of a batch {:.3g} us (by pointers {:.3g}), the first use {:.3g} s\n",
             1e6 * g.call, 1e6 * g.item_strided, 1e6 * g.item_pointer, g.startup);
  fmt::print("  not overlapped: {:.0f} % of long copies and products, and {:.3g} ms\n", 100 * g.serial, 1e3 * g.ramp);
  print_crossover("pageable", crossover(c, 0));
  print_crossover("page-locked", crossover(c, libsgemm::kPinnedA | libsgemm::kPinnedB | libsgemm::kPinnedC));
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

// Needs no GPU: a file's name depends on the GPU's backend, not on the GPU.
int remove(const CalibrateOptions &options) {
  if (!options.output.empty()) {
    remove_output(options.output);
    return 0;
  }
  const std::vector<Backend> backends = all_backends();
  if (!options.backend.empty() && find_backend(options.backend).info.is_gpu == 0) {
    throw Error(fmt::format("--backend {}: it is not a GPU backend", options.backend));
  }
  const auto cpu = std::find_if(backends.begin(), backends.end(), [](const Backend &b) {
    return b.info.is_gpu == 0 && b.info.available != 0 && computes_any_call(b);
  });
  for (const Backend &gpu : backends) {
    if (gpu.info.is_gpu == 0 || (!options.backend.empty() && options.backend != gpu.info.name)) continue;
    const libsgemm::CalibrationKey key =
        libsgemm::calibration_key(cpu->info.name, cpu->info.version, compute_units(cpu->info.name, 0), gpu.info.name);
    remove_output(output_or_cached("", libsgemm::calibration_path(key)));
  }
  return 0;
}

}  // namespace

int calibrate(const CalibrateOptions &options) {
  if (options.remove) return remove(options);
  const Sides sides(options.backend);
  const libsgemm::CalibrationKey key = sides.key();
  const std::string path = output_or_cached(options.output, libsgemm::calibration_path(key));
  if (options.show) return show(key, path);
  std::error_code ignored;  // check_output() reports a missing folder
  if (options.output.empty()) std::filesystem::create_directories(folder_of(path), ignored);
  check_output(path);
  CalibrationFile file = {key, measure_machine(sides, options.seconds)};
  const std::string text = libsgemm::calibration_to_text(file);
  write_output(path, {{text.data(), text.size()}});
  // Prints the six digits that the file has, as --show does.
  if (std::filesystem::is_regular_file(path, ignored)) {
    CalibrationFile written;
    std::string problem;
    if (libsgemm::read_calibration(path, key, &written, &problem)) file = written;
  }
  print_figures(file.figures, key);
  fmt::print("written to {}\n", path);
  if (!options.output.empty()) fmt::print("LIBSGEMM_CALIBRATION={} makes programs use it\n", path);
  return 0;
}

}  // namespace command
