// The backends of this process: found, opened and probed at first need, never unloaded.
#pragma once

#include <atomic>
#include <new>
#include <string>

#include "contract/backend.h"
#include "env.h"

namespace libsgemm {

// One backend. `state` is the fast path; everything else is written before it and never after.
struct Slot {
  enum State : int { untried, ready, refused };

  std::atomic<int> state{untried};        // the plugin is loaded and open
  std::atomic<int> probe_state{untried};  // its devices are initialised (GPU backends)
  const Backend *table = nullptr;
  std::string path;    // of the plugin's file
  std::string reason;  // why it was refused
  std::string probe_reason;
  std::atomic<int> shortages{0};  // latest attempts at loading it, for which there was no memory
  unsigned fork_generation = 0;   // of the process in which it was probed
};

// The state of the library: one object, made at first use and never destroyed, since threads may call until the very
// end.
struct Library {
  Environment env;
  Host host;
  Slot slots[kBackendCount];
  bool instrumented = false;  // calls are timed: statistics or LIBSGEMM_VERBOSE >= 2
};

extern std::atomic<Library *> g_library;  // NULL until first use
Library &make_library();
inline Library &library() {
  Library *lib = g_library.load(std::memory_order_acquire);
  return lib != nullptr ? *lib : make_library();
}
inline const Backend &table_of(int index) { return *library().slots[index].table; }  // of one that is loaded

// What the layers above do; defined in call/library.cpp.
struct LayersAbove {
  void (*start)(const Environment &environment);  // before the first call
  void (*before_fork)();                          // ends their threads
  const CpuBlas *(*program_blas)();               // see program_blas.h
};
extern const LayersAbove kLayersAbove;

// Loads and opens a backend. True if it is usable as far as is known without initialising a device. When the process is
// ending only `ref` is loaded, nothing is probed, and of what was loaded before nothing but the kernels' names is to be
// looked at.
bool load_slow(int index);
inline bool load(int index) {
  const int state = library().slots[index].state.load(std::memory_order_acquire);
  return state != Slot::untried ? state == Slot::ready : load_slow(index);
}

// load() for a call. Throws std::bad_alloc where there was no memory for it and results are repeatable: another
// backend, which the next call may not get, would give other bits.
inline bool load_for(const Settings &settings, int index) {
  if (load(index)) return true;
  if (repeatable(settings.deterministic) && library().slots[index].shortages != 0) throw std::bad_alloc();
  return false;
}

// Initialises the devices of a loaded GPU backend; true at once for a CPU backend.
bool probe(int index);

// True if the devices were initialised by a parent of this process: contexts do not survive fork.
bool lost_by_fork(int index);

// Finds a kernel by name among the backends that can be loaded. On failure false, with the names there are in *valid.
bool find_kernel(const std::string &name, KernelChoice *choice, std::string *valid);

}  // namespace libsgemm
