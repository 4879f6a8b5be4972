#include "probe_runner.h"

#include <fmt/core.h>
#include <stdio.h>

#include <algorithm>
#include <new>
#include <numeric>

#include "base/timing.h"
#include "cuda/runtime/throughput.h"
#include "inputs/random.h"
#include "inputs/workload.h"

namespace command {
namespace {

constexpr size_t kOutBytes = 4096;           // 16 for Times, then room for the sinks, which never run
constexpr size_t kRegion = size_t{1} << 16;  // bytes of each number type
constexpr unsigned kLeastIterations = 16, kMostIterations = 1u << 22;
constexpr double kShortest = 1e-3, kLongest = 1e-2;  // seconds of a launch
constexpr double kWarmShare = 0.3;                   // share of a figure's seconds
// A walk covers this many caches: the next round finds at most a 40th in the cache.
constexpr size_t kCaches = 40, kMostBytes = size_t{1} << 31;
constexpr double kPeakSeconds = 0.3;
constexpr double kMostShare = 1.02;  // largest share of a ceiling; its clock is one multiprocessor's

struct Times {
  uint64_t cycles, nanoseconds;
};

struct Clock {
  double hertz;   // mean; 0: not counted
  double cycles;  // median
};

// Near the power limit the clock changes between launches. So the result is the median of cycles, each from its
// launch's own clock.
Clock clock_of(const std::vector<Times> &times, const std::vector<double> &seconds) {
  Times sum{};
  std::vector<double> cycles;
  for (size_t i = 0; i < times.size(); ++i) {
    if (times[i].nanoseconds == 0) return {};
    sum.cycles += times[i].cycles;
    sum.nanoseconds += times[i].nanoseconds;
    cycles.push_back(1e9 * static_cast<double>(times[i].cycles) / static_cast<double>(times[i].nanoseconds) *
                     seconds[i]);
  }
  return {1e9 * static_cast<double>(sum.cycles) / static_cast<double>(sum.nanoseconds), median(cycles)};
}

}  // namespace

KernelRunner::KernelRunner(GpuMemory *memory, double seconds)
    : memory_(memory), api_(memory->api()), seconds_(seconds), out_(memory, kOutBytes), small_(memory, 4 * kRegion) {
  sscanf(memory->arch(), "sm_%d", &arch_);
  const std::vector<char> zeros(kOutBytes);
  memory->upload(out_.data(), zeros.data(), zeros.size());
  fill_small();
}

bool KernelRunner::has(const KernelProbe &probe) const {
  return probe.of_one_arch ? arch_ == probe.arch : arch_ >= probe.arch;
}

void KernelRunner::fill_small() {
  std::vector<char> bytes(4 * kRegion);
  uint64_t random = 1;
  auto *floats = reinterpret_cast<float *>(bytes.data());
  auto *halves = reinterpret_cast<uint16_t *>(bytes.data() + kRegion);
  auto *bfloats = reinterpret_cast<uint16_t *>(bytes.data() + 2 * kRegion);
  auto *doubles = reinterpret_cast<double *>(bytes.data() + 3 * kRegion);
  for (size_t i = 0; i < kRegion / sizeof(float); ++i) floats[i] = uniform_element(&random, Element::kFloat32);
  for (size_t i = 0; i < kRegion / sizeof(uint16_t); ++i) {
    halves[i] = encode(uniform_element(&random, Element::kBinary16), Element::kBinary16);
    bfloats[i] = encode(uniform_element(&random, Element::kBfloat16), Element::kBfloat16);
  }
  for (size_t i = 0; i < kRegion / sizeof(double); ++i) {
    doubles[i] = uniform_element(&random, Element::kFloat32) + 1e-8 * uniform_element(&random, Element::kFloat32);
  }
  memory_->upload(small_.data(), bytes.data(), bytes.size());
}

void *KernelRunner::large(size_t bytes) {
  if (bytes <= large_bytes_) return large_->data();
  large_.reset();
  large_bytes_ = 0;
  large_ = std::make_unique<Buffer>(memory_, bytes);
  large_bytes_ = bytes;
  auto *to = static_cast<char *>(large_->data());
  memory_->copy(to, small_.data(), kRegion);
  for (size_t done = kRegion; done < bytes; done *= 2) memory_->copy(to + done, to, std::min(done, bytes - done));
  memory_->finish();
  return to;
}

void KernelRunner::make_chain(size_t bytes) {
  auto *memory = static_cast<char *>(large(bytes));
  const auto base = reinterpret_cast<uint64_t>(memory);
  std::vector<uint64_t> words(bytes / sizeof(uint64_t));
  std::vector<uint32_t> next(bytes / kLine);
  std::iota(next.begin(), next.end(), 0u);
  uint64_t random = 1;
  for (size_t i = next.size() - 1; i > 0; --i) std::swap(next[i], next[next_random(&random) % i]);
  for (size_t i = 0; i < next.size(); ++i) words[i * kLine / sizeof(uint64_t)] = base + kLine * next[i];
  memory_->upload(memory, words.data(), bytes);
  memory_->upload(static_cast<char *>(out_.data()) + 2 * sizeof(uint64_t), &base, sizeof base);
}

KernelRunner::Span KernelRunner::place(const KernelProbe &probe) {
  const auto address = [](const void *memory) { return reinterpret_cast<uint64_t>(memory); };
  if (probe.chain > 0) {
    make_chain(probe.chain);
    return {address(large_->data()), 0};
  }
  if (probe.place == Place::kSmall) {
    return {address(small_.data()) + kRegion * static_cast<size_t>(probe.datum), kRegion};
  }
  const auto cache = static_cast<size_t>(memory_->description().cache_bytes);
  const size_t wanted = probe.place == Place::kCache ? cache / 4 : std::min(kMostBytes, kCaches * cache);
  const size_t step = size_t{kPassAccess} * probe.threads * blocks_of(probe);
  const size_t bytes = std::max<size_t>(1, wanted / step) * step;
  return {address(large(2 * bytes)), static_cast<unsigned>(bytes)};
}

unsigned KernelRunner::blocks_of(const KernelProbe &probe) const {
  return probe.blocks == 0 ? 1 : probe.blocks * static_cast<unsigned>(memory_->description().multiprocessors);
}

GpuFunction KernelRunner::function(const std::string &kernel) {
  const std::string key = arch_ > 0 ? kernel : "hip";
  if (modules_.count(key) == 0) {
    const std::string text = arch_ > 0 ? ptx_module_of(kernel) : hip_probe_source();
    GpuModule module = nullptr;
    api_.require(api_.module_load(&module, api_.compile(text, memory_->device()).c_str()),
                 fmt::format("compiling the probe {}", key).c_str());
    modules_[key] = module;
  }
  GpuFunction function = nullptr;
  const int result = api_.module_function(&function, modules_[key], kernel.c_str());
  if (result != kGpuSuccess && arch_ == 0) throw Error("this GPU has no such instruction");
  api_.require(result, kernel.c_str());
  return function;
}

void KernelRunner::launch(const KernelProbe &probe, GpuFunction function, unsigned iterations, uint64_t data,
                          unsigned bytes) {
  void *out = out_.data();
  void *arguments[] = {&out, &data, &iterations, &bytes};
  api_.require(api_.launch(function, blocks_of(probe), 1, 1, probe.threads, 1, 1, 0,
                           static_cast<GpuStream>(memory_->stream()), arguments, nullptr),
               probe.what.c_str());
}

unsigned KernelRunner::choose_iterations(const std::function<double(unsigned)> &run) const {
  const double wanted = std::clamp(seconds_ / 20, kShortest, kLongest);
  unsigned iterations = kLeastIterations;
  run(iterations);  // loads the kernel
  while (iterations < kMostIterations) {
    const double seconds = run(iterations);
    if (seconds >= wanted) break;
    const double factor = std::clamp(1.1 * wanted / std::max(seconds, 1e-9), 1.5, 32.0);
    iterations = static_cast<unsigned>(std::min(factor * iterations, 1.0 * kMostIterations));
  }
  return iterations;
}

std::vector<double> KernelRunner::sample(const std::function<double()> &sample, Figure *figure) {
  for (const double start = now(); now() - start < kWarmShare * seconds_;) sample();
  memory_->take_telemetry();
  std::vector<double> seconds;
  const double start = now();
  do {
    seconds.push_back(sample());
    memory_->observe();
  } while (now() - start < (1 - kWarmShare) * seconds_);
  figure->telemetry = memory_->take_telemetry();
  figure->mhz = (figure->telemetry.slowest_mhz + figure->telemetry.fastest_mhz) / 2;
  return seconds;
}

void KernelRunner::measure(const KernelProbe &probe, GpuFunction function, Figure *figure) {
  const Span span = place(probe);
  const auto run = [&](unsigned iterations) {
    return memory_->time(1, [&](int) { launch(probe, function, iterations, span.data, span.bytes); });
  };
  const unsigned iterations = choose_iterations(run);
  std::vector<Times> times;
  const auto once = [&] {
    const double seconds = run(iterations);
    times.emplace_back();
    memory_->download(&times.back(), out_.data(), sizeof times.back());
    return seconds;
  };
  const std::vector<double> all = sample(once, figure);
  times.erase(times.begin(), times.end() - static_cast<std::ptrdiff_t>(all.size()));
  const double seconds = median(all);
  const Clock clock = clock_of(times, all);
  // The kernel counts cycles; the sensors give an instant's clock.
  const bool counts = arch_ > 0 && clock.hertz > 0;
  if (counts) figure->mhz = 1e-6 * clock.hertz;
  if (probe.place != Place::kSmall) figure->bytes = span.bytes;
  const double links = probe.work * iterations;
  if (probe.figured == Figured::kNanoseconds) {
    figure->value = 1e9 * seconds / links;
    figure->bytes = static_cast<double>(probe.chain);
  } else if (probe.figured == Figured::kCycles) {
    figure->value = (arch_ > 0 ? static_cast<double>(times.back().cycles) : 1e6 * figure->mhz * seconds) / links;
  } else {
    const double units = memory_->description().multiprocessors;
    const double work = links * probe.threads * blocks_of(probe) / probe.scale;
    figure->value = work / seconds;
    if (counts && per_clock(probe.ceiling) > 0) {
      figure->value = work / clock.cycles * clock.hertz;
      figure->ceiling = per_clock(probe.ceiling) * units * clock.hertz / probe.scale;
    }
    if (probe.place == Place::kMemory) figure->ceiling = memory_->description().bandwidth / probe.scale;
  }
  require_possible(probe, *figure);
}

void KernelRunner::require_possible(const KernelProbe &probe, const Figure &figure) {
  if (figure.ceiling <= 0 || figure.value <= kMostShare * figure.ceiling) return;
  throw ProbeFault(fmt::format("{}: a fault of the probe: {:.4g} {} would be {:.0f} % of what this GPU can do ({:.4g})",
                               probe.what, figure.value, probe.unit, 100 * figure.value / figure.ceiling,
                               figure.ceiling));
}

// FLOP, operations or bytes per clock of a multiprocessor, as the library assumes for NVIDIA GPUs.
double KernelRunner::per_clock(Unit unit) const {
  if (arch_ == 0) return 0;
  libsgemm::cuda::Device device{};
  device.arch = arch_;
  snprintf(device.name, sizeof device.name, "%s", memory_->description().name.c_str());
  libsgemm::cuda::set_throughputs(&device);
  const int tensor = std::max(device.tensor_per_clock, device.wgmma_per_clock);
  switch (unit) {
    case Unit::kNone:
      return 0;
    case Unit::kFma:
      return 2 * device.fma_per_clock;
    case Unit::kAdd:
      return device.fma_per_clock;
    case Unit::kImad:  // 64 from sm_75 to sm_90
      return 2 * 64;
    case Unit::kDouble:  // FP64 units have half the rate of fast FP64 tensor cores
      return device.fp64_tensor_per_clock <= 2 ? 2 * 2 : device.fp64_tensor_per_clock;
    case Unit::kDoubleTensor:
      return 2 * device.fp64_tensor_per_clock;
    case Unit::kTensor:
      return 2 * tensor;
    case Unit::kTensorTf32:
      return tensor;
    case Unit::kSharedBytes:  // 32 banks of 4 bytes
      return 128;
  }
  return 0;
}

double fp32_peak(GpuMemory *memory) {
  double peak = 0;
  KernelRunner runner(memory, kPeakSeconds);
  for (const KernelProbe &row : runner.arch() > 0 ? ptx_probes() : hip_probes()) {
    if (!row.is_fp32_peak || !runner.has(row)) continue;
    try {
      Figure figure;
      runner.measure(row, runner.function(row.kernel), &figure);
      peak = std::max(peak, figure.value * row.scale);
    } catch (const Error &) {
      // The architecture lacks the instruction.
    }
  }
  return peak;
}

}  // namespace command
