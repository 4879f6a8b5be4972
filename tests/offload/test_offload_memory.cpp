// Tests offload/memory/memory.h on a backend whose device memory is the host's.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <future>
#include <mutex>
#include <new>
#include <set>
#include <thread>

#include "offload/memory/memory.h"
#include "process/loader.h"
#include "support/catch.h"

namespace {

std::atomic<bool> no_memory{false};

}  // namespace

// Inlining makes GCC warn of free() for memory from new.
[[gnu::noinline]] void *operator new(size_t bytes, const std::nothrow_t &) noexcept {
  return no_memory ? nullptr : std::malloc(bytes > 0 ? bytes : 1);
}
[[gnu::noinline]] void *operator new(size_t bytes) {
  void *memory = operator new(bytes, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void *memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void *memory, size_t) noexcept { std::free(memory); }

namespace libsgemm {

// These replace process/loader.h: there is one backend, and no environment.
std::atomic<Library *> g_library{nullptr};
bool lost_by_fork(int) { return false; }

namespace {

constexpr int kDevices = 3;  // device kDevices must stay unused
constexpr size_t kMiB = size_t{1} << 20;

std::mutex g_mutex;
std::condition_variable g_change;
int g_blocked = -1;  // device whose driver calls wait, as for a program's kernel
int g_waiting = 0;
bool g_lost[kDevices + 1], g_entered[kDevices + 1];
std::atomic<int> g_asked{0}, g_objects{0}, g_full{0};
std::atomic<int64_t> g_bytes{0}, g_most{0};
std::set<void *> *g_pinned = new std::set<void *>;

void enter(int device) {
  std::unique_lock<std::mutex> lock(g_mutex);
  g_entered[device] = true;
  if (g_blocked != device) return;
  ++g_waiting;
  g_change.notify_all();
  g_change.wait(lock, [device] { return g_blocked != device; });
  --g_waiting;
}

void block(int device) {
  const std::lock_guard<std::mutex> lock(g_mutex);
  g_blocked = device;
  g_change.notify_all();
}

void wait_for_blocked() {
  std::unique_lock<std::mutex> lock(g_mutex);
  g_change.wait(lock, [] { return g_waiting > 0; });
}

libsgemm_status_t describe_device(int, libsgemm_device_info_t *info, Error *) {
  info->memory_bytes = 64 * 1024 * kMiB;
  return LIBSGEMM_SUCCESS;
}

struct Memory {
  size_t bytes;
};

libsgemm_status_t allocate(int device, size_t bytes, void **memory, Error *error) {
  enter(device);
  if (g_full > 0 && g_full-- > 0) {
    set_error(error, "full");
    return LIBSGEMM_OUT_OF_MEMORY;
  }
  *memory = std::malloc(sizeof(Memory));
  static_cast<Memory *>(*memory)->bytes = bytes;
  g_bytes += static_cast<int64_t>(bytes);
  g_most = std::max<int64_t>(g_most, g_bytes);
  return LIBSGEMM_SUCCESS;
}

void release(int device, void *memory) {
  enter(device);
  g_bytes -= static_cast<int64_t>(static_cast<Memory *>(memory)->bytes);
  std::free(memory);
}

libsgemm_status_t memory(int device, size_t *free_bytes, size_t *total, Error *) {
  enter(device);
  ++g_asked;
  *total = 64 * 1024 * kMiB;
  *free_bytes = *total - static_cast<size_t>(g_bytes);
  return LIBSGEMM_SUCCESS;
}

libsgemm_status_t allocate_pinned(int device, size_t bytes, void **memory, Error *error) {
  enter(device);
  const std::lock_guard<std::mutex> lock(g_mutex);
  if (g_lost[device]) {
    set_error(error, "lost");
    return LIBSGEMM_EXECUTION_FAILED;
  }
  *memory = std::malloc(bytes);
  g_pinned->insert(*memory);
  return LIBSGEMM_SUCCESS;
}

bool release_pinned(int device, void *memory) {
  enter(device);
  const std::lock_guard<std::mutex> lock(g_mutex);
  if (g_lost[device]) return false;
  g_pinned->erase(memory);
  std::free(memory);
  return true;
}

libsgemm_status_t create(int device, void **object, Error *) {
  enter(device);
  *object = &g_objects;
  ++g_objects;
  return LIBSGEMM_SUCCESS;
}

void destroy(int device, void *) {
  enter(device);
  --g_objects;
}

const Backend &backend() {
  static const Backend table = [] {
    Backend b = {};
    b.is_gpu = true;
    b.name = "cuda";
    b.describe_device = describe_device;
    b.allocate = allocate;
    b.release = release;
    b.memory = memory;
    b.allocate_pinned = allocate_pinned;
    b.release_pinned = release_pinned;
    b.create_stream = b.create_event = create;
    b.destroy_stream = b.destroy_event = destroy;
    return b;
  }();
  return table;
}

void begin() {
  library().slots[0].table = &backend();
  for (bool &lost : g_lost) lost = false;
  release_idle_memory();
  for (bool &entered : g_entered) entered = false;
  set_memory_limits(0, 0);
  REQUIRE(g_bytes == 0);
  REQUIRE(g_objects == 0);
  REQUIRE(g_pinned->empty());
  g_asked = 0;
}

DeviceSet *take(int device, size_t bytes) {
  DeviceSet *set = nullptr;
  Error error = {};
  return take_set(backend(), device, bytes, 4, true, &set, &error) == LIBSGEMM_SUCCESS ? set : nullptr;
}

void give(const std::vector<PinnedPiece> &pieces) { give_pieces(pieces.data(), pieces.size()); }

// Tells whether `work` ends while another thread waits in the driver.
template <typename Work>
bool goes_on(const Work &work) {
  std::packaged_task<void()> task(work);
  std::future<void> done = task.get_future();
  std::thread thread(std::move(task));
  const bool ended = done.wait_for(std::chrono::seconds(10)) == std::future_status::ready;
  if (!ended) block(-1);
  thread.join();
  return ended;
}

}  // namespace

Library &make_library() {
  static auto *made = new Library;
  g_library = made;
  return *made;
}

}  // namespace libsgemm

using namespace libsgemm;

TEST_CASE("an allocation that waits for a kernel of the program's holds up nobody else") {
  begin();
  give_set(take(0, kMiB), Ending::healthy);
  block(0);
  std::thread waits([] { give_set(take(0, kMiB), Ending::healthy), give_set(take(0, 8 * kMiB), Ending::healthy); });
  wait_for_blocked();
  CHECK(goes_on([] { give_set(take(1, kMiB), Ending::healthy); }));
  CHECK(goes_on([] { give(take_pieces(backend(), 1, 4)); }));
  CHECK(goes_on([] { memory_state(); }));
  CHECK(goes_on([] {
    size_t bytes = 0;
    Error error = {};
    device_budget(backend(), 1, kMiB, &bytes, &error);
  }));
  block(-1);
  waits.join();
}

TEST_CASE("a call that finds an idle set does not wait for another one's allocation on that device") {
  begin();
  DeviceSet *first = take(0, kMiB);
  block(0);
  std::thread waits([] { give_set(take(0, 4 * kMiB), Ending::healthy); });
  wait_for_blocked();
  give_set(first, Ending::healthy);
  CHECK(goes_on([] { give_set(take(0, kMiB), Ending::healthy); }));
  block(-1);
  waits.join();
}

TEST_CASE("a release that waits, of a set or of pieces, holds up nobody else") {
  begin();
  DeviceSet *set = take(0, kMiB);
  const std::vector<PinnedPiece> pieces = take_pieces(backend(), 0, 8);
  block(0);
  SECTION("a failed set") {
    std::thread waits([set] { give_set(set, Ending::failed); });
    wait_for_blocked();
    CHECK(goes_on([] { give_set(take(1, kMiB), Ending::healthy); }));
    block(-1);
    waits.join();
    give(pieces);
  }
  SECTION("all that is idle") {
    give(pieces);
    give_set(set, Ending::healthy);
    std::thread waits([] { release_idle_memory(); });
    wait_for_blocked();
    CHECK(goes_on([] { give_set(take(1, kMiB), Ending::healthy); }));
    CHECK(goes_on([] { give(take_pieces(backend(), 1, 4)); }));
    block(-1);
    waits.join();
  }
}

TEST_CASE("a device is asked once for what is free, and again when that may not hold any more") {
  begin();
  size_t bytes = 0;
  Error error = {};
  const auto ask = [&](size_t enough) {
    REQUIRE(device_budget(backend(), 2, enough, &bytes, &error) == LIBSGEMM_SUCCESS);
    return bytes;
  };
  g_full = 2;  // a failed allocation discards what is known
  CHECK(take(2, kMiB) == nullptr);
  const size_t all = ask(kMiB);
  CHECK(all == (64 * 1024 - 512) * kMiB);
  for (int i = 0; i < 5; ++i) CHECK(ask(8 * 1024 * kMiB) == all);
  CHECK(g_asked == 1);
  DeviceSet *set = take(2, 6 * 1024 * kMiB);
  CHECK(ask(kMiB) == all - 6 * 1024 * kMiB);
  CHECK(g_asked == 1);
  give_set(set, Ending::healthy);
  CHECK(ask(kMiB) == all);
  CHECK(g_asked == 1);
  ask(100 * 1024 * kMiB);  // above the known free memory
  CHECK(g_asked == 2);
  g_full = 2;
  CHECK(take(2, 10 * 1024 * kMiB) == nullptr);
  CHECK(ask(kMiB) == all);
  CHECK(g_asked == 3);
}

TEST_CASE("the limit holds at every moment, also while memory comes and goes outside the lock") {
  begin();
  set_memory_limits(100 * kMiB, 0);
  g_most = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 300; ++i) {
        DeviceSet *set = take(0, static_cast<size_t>(1 + (7 * i + 13 * t) % 60) * kMiB);
        give_set(set, i % 11 == 0 ? Ending::failed : Ending::healthy);
        const std::vector<PinnedPiece> pieces = take_pieces(backend(), 0, 1 + i % 5);
        give(pieces);
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
  CHECK(g_most > 0);
  CHECK(g_most <= static_cast<int64_t>(100 * kMiB));
  begin();
}

TEST_CASE("page-locked memory is had through the call's device, and given back through one that is not lost") {
  begin();
  const std::vector<PinnedPiece> of_first = take_pieces(backend(), 1, 8);
  CHECK(g_entered[1]);
  CHECK_FALSE(g_entered[0]);
  CHECK_FALSE(g_entered[2]);
  give_set(take(1, kMiB), Ending::healthy);
  give_set(take(2, kMiB), Ending::healthy);
  g_lost[1] = true;
  const std::vector<PinnedPiece> of_other = take_pieces(backend(), 2, 8);
  REQUIRE(of_other.size() == 8);
  CHECK(of_other.front().pinned);
  give(of_first);
  give(of_other);
  CHECK(memory_state().pinned_bytes == 16 * kPieceBytes);
  release_idle_memory();
  CHECK(memory_state().pinned_bytes == 0);
  CHECK(g_pinned->empty());
  CHECK_FALSE(g_entered[kDevices]);
  begin();
}

TEST_CASE("giving back allocates nothing") {
  begin();
  set_memory_limits(0, 64 * kPieceBytes);
  std::vector<DeviceSet *> sets;
  std::vector<std::vector<PinnedPiece>> pieces;
  for (int i = 0; i < 3; ++i) {
    for (int device = 0; device < kDevices; ++device) sets.push_back(take(device, kMiB));
    pieces.push_back(take_pieces(backend(), 0, 16));
    CHECK(pieces.back().size() >= 8);
  }
  no_memory = true;
  for (const auto &some : pieces) give(some);
  for (size_t i = 0; i < sets.size(); ++i) give_set(sets[i], i % 2 == 0 ? Ending::healthy : Ending::failed);
  release_idle_memory();
  no_memory = false;
  CHECK(g_bytes == 0);
  CHECK(g_objects == 0);
  CHECK(g_pinned->empty());
}

TEST_CASE("without host memory a set or pieces are refused, and nothing stays behind") {
  begin();
  no_memory = true;
  bool threw = false;
  try {
    take(0, kMiB);
  } catch (const std::bad_alloc &) {
    threw = true;
  }
  no_memory = false;
  CHECK(threw);
  give_set(take(0, kMiB), Ending::healthy);
  begin();
}
