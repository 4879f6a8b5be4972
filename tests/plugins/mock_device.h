// Inside of the mock GPU plugin: its devices, what lies in their memory, what their streams are to do.
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

// What has been recorded, and what of that has been reached.
struct Event {
  uint64_t context = 0;
  uint64_t recorded = 0, reached = 0;
};
using SharedEvent = std::shared_ptr<Event>;

// One operation of a stream: a piece of work, or a word with an event.
struct Op {
  std::function<void()> work;
  SharedEvent reach, wait;
  uint64_t count = 0;
  const void *pinned = nullptr;  // what a copy reads or writes there
};

struct Stream {
  int device;
  uint64_t graph = 0;  // that it records
  std::deque<Op> work;
  uint64_t context = 0;  // that it belongs to; 0: a test's, which stays
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
extern std::map<void *, int> g_pinned_by;  // the library's page-locked memory: by which device
extern Stream g_default[kMostDevices];
extern std::set<Stream *> &g_streams;  // those of tests stay
extern bool g_lost[kMostDevices], g_abandoned[kMostDevices];
extern uint64_t g_context[kMostDevices];
extern thread_local int t_current;  // device

using Lock = std::lock_guard<std::recursive_mutex>;

bool counts_down(Site site, int device);
bool fails(Site site, int device);  // whether this call is to fail
libsgemm_status_t fail(const char *what, Error *error);

// ---- Memory (mock_memory.cpp)

const Block *find(const void *pointer, uintptr_t *base = nullptr);
// Device memory is open to whoever asks for it, until one of these ends. Most of them have nothing to do, and opening
// takes the system long.
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
void add_memory(Backend *table);  // its entries of the contract

// ---- Streams (mock_streams.cpp): nothing is done but while somebody waits or asks, then an operation of any stream
// that may go on

Stream *stream_of(int device, void *stream);
// A stream that work of the device is enqueued on. NULL, with *error, for one of another device, as a driver refuses.
Stream *stream_for(int device, void *stream, Error *error);
libsgemm_status_t push(int device, void *stream, Op op, Error *error);
void count_if_capturing();
// An operation of some stream of the device, in an order that no program should count on. False if there is none.
bool do_any(int device);
void do_all(int device, Stream *s);
void finish(int device);  // all that is enqueued on a device, if it works
void destroy_graphs();
void add_streams(Backend *table);

// ---- Kernels (mock_kernels.cpp)

void unload();  // the second kernel of the row in steps
void add_kernels(Backend *table);

}  // namespace mock
