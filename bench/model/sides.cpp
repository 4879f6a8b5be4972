#include "sides.h"

#include <fmt/core.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "base/command.h"
#include "base/timing.h"

namespace command {
namespace {

constexpr useconds_t kRest = 60000;

void multiply(libsgemm_handle_t h, const Size &s, const Operands &x) {
  require(libsgemm_sgemm_h(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, s.m, s.n, s.k, 1, x.a, s.m, x.b,
                           s.k, 0, x.c, s.m));
}

double seconds_of(const std::function<void()> &call) {
  const double start = now();
  call();
  return now() - start;
}

double time_calls(const std::function<void()> &call, const Patience &patience) {
  constexpr size_t kLeast = 3, kMost = 1000;
  std::vector<double> samples;
  const double first = seconds_of(call);
  if (first > patience.most / 4) samples.push_back(first);
  double sum = first;
  double timed = 0;
  while (samples.empty() ||
         (sum < patience.most && samples.size() < kMost && (timed < patience.enough || samples.size() < kLeast))) {
    samples.push_back(seconds_of(call));
    sum += samples.back();
    timed += samples.back();
  }
  const libsgemm_info_t info = last_info();
  if (info.fallbacks > 0) throw Error(fmt::format("the other side computed a call: {}", info.reason));
  return median(samples);
}

}  // namespace

PageableOperands::PageableOperands(size_t a, size_t b, size_t c) {
  uint32_t random = 1;
  const size_t counts[] = {a, b, c};
  for (int i = 0; i < 3; ++i) {
    memory_[i].resize(counts[i]);
    for (float &x : memory_[i]) {
      random = random * 1664525u + 1013904223u;
      x = static_cast<float>(static_cast<int32_t>(random)) * 0x1p-31f;
    }
  }
  this->a = memory_[0].data();
  this->b = memory_[1].data();
  this->c = memory_[2].data();
}

Sides::Sides(const std::string &gpu) {
  for (const char *name : {"LIBSGEMM_BACKEND", "LIBSGEMM_KERNEL", "LIBSGEMM_OFFLOAD", "LIBSGEMM_OFFLOAD_THRESHOLD",
                           "LIBSGEMM_MATH_MODE", "LIBSGEMM_VERIFY", "LIBSGEMM_STATS_DIR", "LIBSGEMM_STRICT"}) {
    unsetenv(name);
  }
  find_backends(gpu);
  on_cpu_ = std::make_unique<Handle>();
  on_gpu_ = std::make_unique<Handle>();
  automatic_ = std::make_unique<Handle>();
  require(libsgemm_set_backend(*on_cpu_, cpu_.info.name));
  require(libsgemm_set_backend(*on_gpu_, gpu_.info.name));
  constexpr int64_t kSize = 64;
  const PageableOperands x(kSize * kSize, kSize * kSize, kSize * kSize);
  const auto call = [&] { multiply(*on_gpu_, {kSize, kSize, kSize}, x); };
  startup_ += seconds_of(call);
  startup_ = std::max(0.0, startup_ - seconds_of(call));
}

void Sides::find_backends(const std::string &gpu) {
  std::string reasons;
  bool has_cpu = false, has_gpu = false;
  for (int index = 0; index < libsgemm_backend_count(); ++index) {
    Backend backend{index, {}};
    const double start = now();
    require(libsgemm_backend_describe(index, &backend.info));
    const double spent = now() - start;
    const libsgemm_backend_info_t &info = backend.info;
    if (info.is_gpu != 0 && !gpu.empty() && gpu != info.name) continue;
    if (info.available == 0) {
      reasons += fmt::format("; {}: {}", info.name, info.reason);
    } else if (info.is_gpu != 0 && !has_gpu) {
      gpu_ = backend;
      has_gpu = true;
      startup_ = spent;
    } else if (info.is_gpu == 0 && !has_cpu && computes_any_call(backend)) {
      cpu_ = backend;
      has_cpu = true;
    }
  }
  if (!has_gpu) throw Error(fmt::format("no GPU to decide about{}", reasons));
  if (!has_cpu) throw Error(fmt::format("no CPU backend{}", reasons));
}

libsgemm::CalibrationKey Sides::key() const {
  libsgemm_device_info_t device;
  require(libsgemm_device_describe(gpu_.index, 0, &device));
  libsgemm::CalibrationKey key =
      libsgemm::calibration_key(cpu_.info.name, cpu_.info.version, compute_units(cpu_.info.name, 0), gpu_.info.name);
  key.device = libsgemm::calibration_device(gpu_.info.version, device.name, gpu_.info.device_count);
  return key;
}

double time_product(libsgemm_handle_t h, const Size &size, const Operands &x, const Patience &patience) {
  return time_calls([&] { multiply(h, size, x); }, patience);
}

double time_batch(libsgemm_handle_t h, const Size &s, int64_t count, bool strided, const Operands &x,
                  const Patience &patience) {
  const int64_t a = s.m * s.k, b = s.k * s.n, c = s.m * s.n;
  if (strided) {
    const auto call = [&] {
      require(libsgemm_sgemm_batch_strided_h(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, s.m, s.n, s.k,
                                             1, x.a, s.m, a, x.b, s.k, b, 0, x.c, s.m, c, count));
    };
    return time_calls(call, patience);
  }
  std::vector<const float *> as, bs;
  std::vector<float *> cs;
  for (int64_t i = 0; i < count; ++i) {
    as.push_back(x.a + i * a);
    bs.push_back(x.b + i * b);
    cs.push_back(x.c + i * c);
  }
  const libsgemm_op_t op = LIBSGEMM_NO_TRANS;
  const float alpha = 1, beta = 0;
  const auto call = [&] {
    require(libsgemm_sgemm_batch_h(h, LIBSGEMM_COL_MAJOR, &op, &op, &s.m, &s.n, &s.k, &alpha, as.data(), &s.m,
                                   bs.data(), &s.k, &beta, cs.data(), &s.m, 1, &count));
  };
  return time_calls(call, patience);
}

void let_threads_rest() { usleep(kRest); }

}  // namespace command
