// The process's backends: loaded, opened and probed at first use, never unloaded.
#pragma once

#include <atomic>
#include <new>
#include <string>

#include "contract/backend.h"
#include "env.h"

namespace libsgemm {

// `state` and `probe_state` are read without a lock; the fields they cover are written before them and never after.
struct Slot {
  enum State : int { untried, ready, refused };

  std::atomic<int> state{untried};        // ready: loaded and open
  std::atomic<int> probe_state{untried};  // ready: devices are initialised (GPU backends)
  const Backend *table = nullptr;
  std::string path;
  std::string reason;
  std::string probe_reason;
  std::atomic<int> shortages{0};  // failures in a row for lack of memory
  unsigned fork_generation = 0;   // generation of the process that probed it
};

// Never destroyed.
struct Library {
  Environment env;
  Host host;
  Slot slots[kBackendCount];
  bool instrumented = false;
};

extern std::atomic<Library *> g_library;  // NULL until first use
Library &make_library();
inline Library &library() {
  Library *lib = g_library.load(std::memory_order_acquire);
  return lib != nullptr ? *lib : make_library();
}
inline const Backend &table_of(int index) { return *library().slots[index].table; }  // must be loaded

// Defined in call/library.cpp.
struct LayersAbove {
  void (*start)(const Environment &environment);  // before the first call
  void (*before_fork)();
  const CpuBlas *(*program_blas)();
};
extern const LayersAbove kLayersAbove;

// True if usable, as far as known without initialising a device. While the process ends, only `ref` is loaded, nothing
// is probed, and of other backends only the kernels' names may be read.
bool load_slow(int index);
inline bool load(int index) {
  const int state = library().slots[index].state.load(std::memory_order_acquire);
  return state != Slot::untried ? state == Slot::ready : load_slow(index);
}

// Throws std::bad_alloc if memory is short and results must be repeatable: another backend would give other bits.
inline bool load_for(const Settings &settings, int index) {
  if (load(index)) return true;
  if (repeatable(settings.deterministic) && library().slots[index].shortages != 0) throw std::bad_alloc();
  return false;
}

bool probe(int index);

// A parent process initialised the devices: contexts do not survive fork.
bool lost_by_fork(int index);

// False: *valid has the existing names.
bool find_kernel(const std::string &name, KernelChoice *choice, std::string *valid);

}  // namespace libsgemm
