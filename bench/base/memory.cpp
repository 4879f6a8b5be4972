#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <new>

#include "timing.h"

namespace command {
namespace {

class HostMemory : public Memory {
 public:
  void *allocate(size_t bytes) override {
    constexpr size_t kPage = 4096;
    void *memory = aligned_alloc(kPage, (bytes + kPage) / kPage * kPage);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  void release(void *memory) override { free(memory); }
  void upload(void *to, const void *from, size_t bytes) override { memcpy(to, from, bytes); }
  void download(void *to, const void *from, size_t bytes) override { memcpy(to, from, bytes); }
  void copy(void *to, const void *from, size_t bytes) override { memcpy(to, from, bytes); }
  void scatter(float value, float *const *to, size_t count) override {
    for (size_t i = 0; i < count; ++i) *to[i] = value;
  }
  void gather(float *to, const float *const *from, size_t count) override {
    for (size_t i = 0; i < count; ++i) to[i] = *from[i];
  }
  void finish() override {}

  double time(int calls, const std::function<void(int)> &call) override {
    const double start = now();
    for (int i = 0; i < calls; ++i) call(i);
    return now() - start;
  }
  Pace pace() const override { return {1e-4, 0, 0}; }
};

}  // namespace

void Telemetry::add(const Telemetry &other) {
  if (other.samples == 0) return;
  const bool first = samples == 0;
  slowest_mhz = first ? other.slowest_mhz : std::min(slowest_mhz, other.slowest_mhz);
  least_watts = first ? other.least_watts : std::min(least_watts, other.least_watts);
  fastest_mhz = std::max(fastest_mhz, other.fastest_mhz);
  most_watts = std::max(most_watts, other.most_watts);
  most_celsius = std::max(most_celsius, other.most_celsius);
  throttle_reasons |= other.throttle_reasons;
  reasons_known |= other.reasons_known;
  samples += other.samples;
}

Memory &host_memory() {
  static HostMemory memory;
  return memory;
}

std::vector<float> results_at(Memory *memory, const std::vector<float *> &places, float before,
                              const std::function<void()> &run) {
  memory->scatter(before, places.data(), places.size());
  run();
  memory->finish();
  std::vector<float> values(places.size());
  memory->gather(values.data(), places.data(), places.size());
  return values;
}

}  // namespace command
