#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <new>

#include "mock_device.h"

namespace mock {

Control g_control;
std::recursive_mutex g_mutex;
std::map<uintptr_t, Block> g_blocks;
bool g_open = false;
std::map<void *, int> g_pinned_by;
bool g_lost[kMostDevices], g_abandoned[kMostDevices];
uint64_t g_context[kMostDevices] = {1, 1, 1, 1};
thread_local int t_current = 0;

namespace {

constexpr size_t kPage = 4096;
std::map<uintptr_t, size_t> g_pinned;

}  // namespace

bool counts_down(Site site, int device) {
  ++g_control.calls[site];
  const int only = g_control.fail_device;
  if (only > 0 && device >= 0 && device != only - 1) return false;
  int expected = g_control.fail_at[site];
  const int least = g_control.fails_on ? 1 : 0;
  while (expected > 0 && !g_control.fail_at[site].compare_exchange_weak(expected, std::max(expected - 1, least))) {
  }
  return expected == 1;
}

bool fails(Site site, int device) {
  if (device >= 0) g_control.entered[device] = true;
  const bool any = counts_down(kAny, device), this_one = counts_down(site, device);
  if (any || this_one) g_control.together = false;
  const bool refused = device >= 0 && (g_lost[device] || g_abandoned[device]);
  return any || this_one || refused;
}

libsgemm_status_t fail(const char *what, Error *error) {
  set_error(error, "%s failed in the mock driver", what);
  return LIBSGEMM_EXECUTION_FAILED;
}

const Block *find(const void *pointer, uintptr_t *base) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  auto next = g_blocks.upper_bound(address);
  if (next == g_blocks.begin()) return nullptr;
  --next;
  if (address >= next->first + next->second.bytes) return nullptr;
  if (base != nullptr) *base = next->first;
  return &next->second;
}

bool is_pinned(const void *pointer) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  const auto next = g_pinned.upper_bound(address);
  return next != g_pinned.begin() && address < std::prev(next)->first + std::prev(next)->second;
}

void *map(int device, size_t bytes, bool managed) {
  const Lock lock(g_mutex);
  const size_t mapped = (bytes + kPage - 1) / kPage * kPage + (bytes == 0 ? kPage : 0);
  const int access = g_open || managed ? PROT_READ | PROT_WRITE : PROT_NONE;
  void *memory = mmap(nullptr, mapped, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  madvise(memory, mapped, MADV_HUGEPAGE);  // for speed: protection changes page by page
  g_blocks[reinterpret_cast<uintptr_t>(memory)] = {device, mapped, bytes, managed};
  g_control.bytes += static_cast<int64_t>(bytes);
  g_control.most_bytes = std::max<int64_t>(g_control.most_bytes, g_control.bytes);
  return memory;
}
void *map_block(int device, size_t bytes) { return map(device, bytes, false); }

void unmap_block(int, void *memory) {
  const Lock lock(g_mutex);
  const auto block = g_blocks.find(reinterpret_cast<uintptr_t>(memory));
  if (block == g_blocks.end()) std::abort();  // not a block, or gone after a reset
  finish(block->second.device);
  g_control.bytes -= static_cast<int64_t>(block->second.bytes);
  munmap(memory, block->second.mapped);
  g_blocks.erase(block);
}

void *map_pinned(size_t bytes) {
  const Lock lock(g_mutex);
  void *memory = ::operator new(bytes);
  g_pinned[reinterpret_cast<uintptr_t>(memory)] = bytes;
  g_control.pinned_bytes += static_cast<int64_t>(bytes);
  return memory;
}

void unmap_pinned(void *memory) {
  const Lock lock(g_mutex);
  const auto block = g_pinned.find(reinterpret_cast<uintptr_t>(memory));
  g_control.pinned_bytes -= static_cast<int64_t>(block->second);
  g_pinned.erase(block);
  ::operator delete(memory);
}

namespace {

void locate(const void *const *pointers, int count, Location *locations) {
  const Lock lock(g_mutex);
  for (int i = 0; i < count; ++i) {
    const Block *block = find(pointers[i]);
    locations[i] = block != nullptr ? Location{block->managed ? Space::managed : Space::device, block->device}
                                    : Location{is_pinned(pointers[i]) ? Space::pinned : Space::host, 0};
  }
}

libsgemm_status_t allocate(int device, size_t bytes, void **memory, Error *error) {
  count_if_capturing();
  const int64_t most = g_control.capacity;
  const bool full = most > 0 && g_control.bytes + static_cast<int64_t>(bytes) > most;
  const bool failed = fails(kAllocate, device);
  if (failed && (g_lost[device] || g_abandoned[device])) return *memory = nullptr, fail("allocating", error);
  *memory = failed || full ? nullptr : map_block(device, bytes);
  if (*memory != nullptr) return LIBSGEMM_SUCCESS;
  set_error(error, "out of mock memory");
  return LIBSGEMM_OUT_OF_MEMORY;
}

void release(int device, void *memory) {
  const Lock lock(g_mutex);
  if (!g_abandoned[device]) unmap_block(device, memory);
}

libsgemm_status_t memory(int device, size_t *free_bytes, size_t *total_bytes, Error *error) {
  if (fails(kMemory, device)) return fail("querying the free memory", error);
  *total_bytes = size_t{1} << 30;
  *free_bytes = *total_bytes - static_cast<size_t>(g_control.bytes.load());
  return LIBSGEMM_SUCCESS;
}

libsgemm_status_t allocate_pinned(int device, size_t bytes, void **memory, Error *error) {
  *memory = fails(kPinned, device) ? nullptr : map_pinned(bytes);
  const Lock lock(g_mutex);
  if (*memory != nullptr) g_pinned_by[*memory] = device;
  if (*memory != nullptr) return LIBSGEMM_SUCCESS;
  set_error(error, "out of mock page-locked memory");
  return LIBSGEMM_OUT_OF_MEMORY;
}

bool release_pinned(int device, void *memory) {
  g_control.entered[device] = true;
  if (g_lost[device] || g_abandoned[device]) return false;
  const Lock lock(g_mutex);
  if (g_pinned_by.erase(memory) == 0) std::abort();
  unmap_pinned(memory);
  return true;
}

}  // namespace

void add_memory(Backend *table) {
  table->locate = locate;
  table->allocate = allocate;
  table->release = release;
  table->memory = memory;
  table->allocate_pinned = allocate_pinned;
  table->release_pinned = release_pinned;
}

}  // namespace mock
