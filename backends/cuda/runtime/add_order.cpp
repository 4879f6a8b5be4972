// adds_in_order() of fp64/dmma_order.h.
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "fp64/dmma_order.h"
#include "gpu/launch.h"
#include "gpu/runtime/runtime.h"

namespace libsgemm::cuda {
namespace {

constexpr int kMostDevices = 64;
constexpr size_t kBytes = sizeof(uint32_t) * kOrderBlocks;

enum Order : int8_t { unknown, ascending, other };
std::atomic<Order> g_order[kMostDevices];

// Never freed, as page_locked() asks. NULL: no memory.
uint32_t *results_of(int index) {
  static uint32_t *all[kMostDevices];
  if (all[index] == nullptr) {
    void *memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    all[index] = memory == MAP_FAILED ? nullptr : static_cast<uint32_t *>(memory);
  }
  return all[index];
}

Order measure(int index) {
  uint32_t *const results = results_of(index);
  if (results == nullptr) return unknown;
  Error ignored = {};
  Launch launch = {};
  launch.device = index;
  if (gpu::create_stream(index, &launch.stream, &ignored) != LIBSGEMM_SUCCESS) return unknown;
  std::fill_n(results, kOrderBlocks, 0u);
  auto *const seen = static_cast<uint32_t *>(gpu::page_locked(index, results, kBytes));
  const bool ran = seen != nullptr && launch_dmma_order(kOrderRounds, seen, launch, &ignored) == LIBSGEMM_SUCCESS &&
                   gpu::synchronize(index, launch.stream, &ignored) == LIBSGEMM_SUCCESS;
  gpu::destroy_stream(index, launch.stream);
  if (!ran) return unknown;
  const bool all = std::all_of(results, results + kOrderBlocks, [](uint32_t result) { return result == 1; });
  return all ? ascending : other;
}

}  // namespace

bool adds_in_order(int index) {
  if (index >= kMostDevices) return false;
  Order order = g_order[index].load(std::memory_order_acquire);
  if (order == unknown) {
    static std::mutex *const mutex = new std::mutex;
    const std::lock_guard<std::mutex> lock(*mutex);
    order = g_order[index].load(std::memory_order_relaxed);
    if (order == unknown) order = measure(index);
    g_order[index].store(order, std::memory_order_release);
  }
  return order == ascending;
}

}  // namespace libsgemm::cuda
