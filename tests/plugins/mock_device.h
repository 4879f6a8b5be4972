// The mock GPU's devices, memory and stream queues.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "contract/backend.h"
#include "mock.h"

namespace mock {

using namespace libsgemm;

// Numbers of the last recording, and of the last recording reached.
struct Event {
  uint64_t context = 0;
  uint64_t recorded = 0, reached = 0;
};
using SharedEvent = std::shared_ptr<Event>;

struct Op {
  std::function<void()> work;
  SharedEvent reach, wait;
  uint64_t count = 0;
  const void *pinned = nullptr;  // a copy's page-locked memory
};

struct Stream {
  int device;
  uint64_t graph = 0;  // the graph that it records; 0: none
  std::deque<Op> work;
  uint64_t context = 0;  // context in which it was made; 0: a test's stream, which survives a reset
};

struct Block {
  int device;
  size_t mapped, bytes;
  bool managed;
};

extern Control g_control;
extern std::recursive_mutex g_mutex;
extern std::map<uintptr_t, Block> g_blocks;
extern bool g_open;
extern std::map<void *, int> g_pinned_by;  // devices of the library's page-locked blocks
extern Stream g_default[kMostDevices];
extern std::set<Stream *> &g_streams;  // tests' streams are never removed
extern bool g_lost[kMostDevices], g_abandoned[kMostDevices];
extern uint64_t g_context[kMostDevices];
extern thread_local int t_current;

using Lock = std::lock_guard<std::recursive_mutex>;

bool counts_down(Site site, int device);
bool fails(Site site, int device);  // counts a call
libsgemm_status_t fail(const char *what, Error *error);

// ---- Memory (mock_memory.cpp)

const Block *find(const void *pointer, uintptr_t *base = nullptr);
// ask() opens device memory until the object ends: opening is slow, and most objects need none.
class Open {
 public:
  ~Open() {
    if (g_open) protect(PROT_NONE);
    g_open = false;
  }
  static void ask() {
    if (!g_open) protect(PROT_READ | PROT_WRITE);
    g_open = true;
  }

 private:
  static void protect(int access) {
    for (const auto &[base, block] : g_blocks) {
      if (!block.managed) mprotect(reinterpret_cast<void *>(base), block.mapped, access);
    }
  }
  Lock lock_{g_mutex};
};

bool is_pinned(const void *pointer);
void *map(int device, size_t bytes, bool managed);
void *map_block(int device, size_t bytes);
void unmap_block(int device, void *memory);
void *map_pinned(size_t bytes);
void unmap_pinned(void *memory);
void add_memory(Backend *table);

// ---- Streams (mock_streams.cpp)

Stream *stream_of(int device, void *stream);
// NULL and *error if the stream belongs to another device, as with a driver.
Stream *stream_for(int device, void *stream, Error *error);
libsgemm_status_t push(int device, void *stream, Op op, Error *error);
void count_if_capturing();
// Does one operation of some stream; false if there is none.
bool do_any(int device);
void do_all(int device, Stream *s);
void finish(int device);  // does a device's queued work unless it hangs or is lost
void destroy_graphs();
void add_streams(Backend *table);

// ---- Kernels (mock_kernels.cpp)

void unload();
void add_kernels(Backend *table);

}  // namespace mock
