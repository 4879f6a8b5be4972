// Internals of the mock GPU plugin: its devices, their memory and the queues of their streams.
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

// Numbers of the last recording of an event and of the last one that the device has reached.
struct Event {
  uint64_t context = 0;
  uint64_t recorded = 0, reached = 0;
};
using SharedEvent = std::shared_ptr<Event>;

// One operation of a stream: work, reaching an event, or waiting for one.
struct Op {
  std::function<void()> work;
  SharedEvent reach, wait;
  uint64_t count = 0;
  const void *pinned = nullptr;  // page-locked memory that a copy reads or writes
};

struct Stream {
  int device;
  uint64_t graph = 0;  // graph that it records; 0: none
  std::deque<Op> work;
  uint64_t context = 0;  // context of the stream; 0: a stream of a test, which survives a reset
};

struct Block {
  int device;
  size_t mapped, bytes;
  bool managed;
};

extern Control g_control;
extern std::recursive_mutex g_mutex;
extern std::map<uintptr_t, Block> g_blocks;
extern bool g_open;                        // see Open
extern std::map<void *, int> g_pinned_by;  // device of each block of the library's page-locked memory
extern Stream g_default[kMostDevices];
extern std::set<Stream *> &g_streams;  // streams of tests are never removed
extern bool g_lost[kMostDevices], g_abandoned[kMostDevices];
extern uint64_t g_context[kMostDevices];
extern thread_local int t_current;  // current device

using Lock = std::lock_guard<std::recursive_mutex>;

bool counts_down(Site site, int device);
bool fails(Site site, int device);  // counts a call; true if it is to fail
libsgemm_status_t fail(const char *what, Error *error);

// ---- Memory (mock_memory.cpp)

const Block *find(const void *pointer, uintptr_t *base = nullptr);
// Device memory is opened by ask() and stays open until an object of this class ends. Most of these objects never open
// it, and opening is slow.
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
void add_memory(Backend *table);  // fills in the contract's functions

// ---- Streams (mock_streams.cpp): work is done only while a thread waits or queries, an operation at a time of any
// stream that may proceed

Stream *stream_of(int device, void *stream);
// Returns the stream on which to enqueue work of the device. NULL, with *error, if it belongs to another device: a
// driver refuses that.
Stream *stream_for(int device, void *stream, Error *error);
libsgemm_status_t push(int device, void *stream, Op op, Error *error);
void count_if_capturing();
// Does one operation of some stream of the device, in an order that no program should rely on. False if there is none.
bool do_any(int device);
void do_all(int device, Stream *s);
void finish(int device);  // does all work queued on a device, if it works
void destroy_graphs();
void add_streams(Backend *table);

// ---- Kernels (mock_kernels.cpp)

void unload();  // the second kernel of launch_in_steps()
void add_kernels(Backend *table);

}  // namespace mock
