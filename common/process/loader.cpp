#include "loader.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>
#include <new>
#include <vector>

#include "contract/cpu_blas.h"
#include "elf_file.h"
#include "gate.h"
#include "log.h"
#include "nearest.h"
#include "object_file.h"
#include "ref/ref.h"
#include "stats.h"
#include "thread_info.h"

namespace libsgemm {

std::atomic<Library *> g_library{nullptr};

namespace {

std::atomic<unsigned> g_fork_generation{0};

// Recursive: making the library resolves LIBSGEMM_KERNEL, which loads backends. Constant-initialised, no destructor:
// usable at the first fork and in the last call.
std::recursive_mutex g_mutex;

// The fork continues even if some threads cannot be ended.
void end_threads() noexcept {
  if (gate_fork_is_late()) return;
  try {
    kLayersAbove.before_fork();
  } catch (...) {
  }
  const Library *lib = g_library.load();
  for (int i = 0; lib != nullptr && i < kBackendCount; ++i) {
    const Slot &slot = lib->slots[i];
    if (slot.state == Slot::ready && slot.table->before_fork != nullptr) slot.table->before_fork();
  }
}

// Registered before any BLAS is loaded, so that it runs after the BLAS's own handlers and the gate's. A child must not
// inherit a locked mutex, a backend in a call, or one that relies on lost threads.
void before_fork() {
  gate_close_for_fork();
  g_mutex.lock();
  end_threads();
}

void after_fork_in_parent() {
  g_mutex.unlock();
  gate_open_after_fork(Side::parent);
}

void after_fork_in_child() {
  ++g_fork_generation;
  stats_after_fork();
  // Its owner is a thread of the parent: the child cannot unlock it.
  new (&g_mutex) std::recursive_mutex;
  gate_open_after_fork(Side::child);
}

__attribute__((constructor)) void register_fork_handlers() {
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

class Startup {
 public:
  Startup() { ++depth(); }
  ~Startup() {
    if (--depth() > 0) return;  // the outermost one counts
    const auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count();
    thread_info().startup += spent;
    stats_add_startup(static_cast<uint64_t>(spent));
  }
  Startup(const Startup &) = delete;
  Startup &operator=(const Startup &) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  static int &depth() {
    thread_local int depth = 0;
    return depth;
  }
  const Clock::time_point start_ = Clock::now();
};

bool is_file(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::string own_folder() {
  const link_map *const self = object_of(reinterpret_cast<const void *>(&own_folder));
  const std::string file = self != nullptr ? file_of(*self) : "";
  return file.empty() || file[0] != '/' ? "" : file.substr(0, file.rfind('/'));
}

std::string find_plugin(const std::string &name, std::string *searched) {
  std::vector<std::string> folders = library().env.backend_path;
  const std::string own = own_folder();
  if (!own.empty()) folders.push_back(own + "/libsgemm");
  for (const std::string &folder : folders) {
    std::string path = folder + "/libsgemm_" + name + ".so";
    if (is_file(path)) return path;
    *searched += (searched->empty() ? "" : ", ") + folder;
  }
  return "";
}

// dlopen() writes "out of memory" if it cannot even allocate a text.
bool lacks_memory(const char *words) {
  return words != nullptr &&
         (std::strstr(words, std::strerror(ENOMEM)) != nullptr || std::strstr(words, "out of memory") != nullptr);
}

bool is_libsgemm(const void *code) {
  const link_map *const home = object_of(code);
  if (home == nullptr) return false;
  if (home == object_of(reinterpret_cast<const void *>(&own_folder))) return true;
  void *object = dlopen(home->l_name, RTLD_LAZY | RTLD_NOLOAD);
  if (object == nullptr && lacks_memory(dlerror())) throw std::bad_alloc();  // retried later
  if (object == nullptr) return false;
  const void *mark = dlsym(object, "libsgemm_blas_version");
  const bool ours = mark != nullptr && object_of(mark) == home;
  dlclose(object);
  return ours;
}

// dlopen()'s text does not name the plugin if one of its libraries is at fault.
std::string load_failure(const std::string &path, const char *words) {
  if (words == nullptr) return path + " cannot be loaded";
  if (std::strncmp(words, path.c_str(), path.size()) == 0) return words;
  const bool missing = std::strstr(words, "cannot open shared object file") != nullptr;
  return path + (missing ? " lacks its runtime: " : " cannot be loaded: ") + words;
}

// The library of the file's note must load and stay loaded: the plugin opens it, too.
bool may_load(const std::string &path, std::string *reason) {
  Beneath beneath;
  if (!check_shared_object(path, &beneath, reason)) return false;
  if (beneath.library.empty() || dlopen(beneath.library.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr) return true;
  const char *words = dlerror();
  *reason = "there is no " + beneath.what + ": " + (words != nullptr ? words : beneath.library.c_str());
  return false;
}

const Backend *open_table(const std::string &path, int index, std::string *reason) {
  const char *name = kBackendNames[index];
  const bool gpu = index < kFirstCpu;
  if (!may_load(path, reason)) return nullptr;
  void *object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) {
    *reason = load_failure(path, dlerror());
    return nullptr;
  }
  const BackendEntry entry = reinterpret_cast<BackendEntry>(dlsym(object, kBackendEntry));
  const Backend *table = entry != nullptr ? entry() : nullptr;
  if (table == nullptr) {
    *reason = path + " is no backend: it lacks " + kBackendEntry;
  } else if (table->abi != kBackendAbi) {
    *reason =
        path + " has backend ABI " + std::to_string(table->abi) + ", this library needs " + std::to_string(kBackendAbi);
    table = nullptr;
  } else if (std::strcmp(table->name, name) != 0) {
    *reason = path + " is backend " + table->name + ", not " + name;
    table = nullptr;
  } else if (table->is_gpu != gpu) {
    *reason = path + " is for " + (gpu ? "CPUs" : "GPUs") + ", and this library lists " + name + " among those for " +
              (gpu ? "GPUs" : "CPUs");
    table = nullptr;
  }
  return table;
}

// Refuses for good; a lack of memory, which may pass, only at the third time in a row.
bool refuse(Slot *slot, const char *name, const std::string &reason) {
  if (!lacks_memory(reason.c_str())) {
    slot->shortages = 0;
  } else if (++slot->shortages < 3) {
    return false;
  }
  slot->reason = reason;
  log_message(1, [&] { return std::string("backend ") + name + " refused: " + reason; });
  slot->state.store(Slot::refused, std::memory_order_release);
  return false;
}

void note_blas(const Library &lib, const Backend &table) {
  const CpuBlas *const own = lib.env.cpu_blas.empty() ? kLayersAbove.program_blas() : nullptr;
  const char *const file = own != nullptr ? own->file.c_str() : lib.env.cpu_blas.c_str();
  stats_note_blas(table.version(), file, StatsBlas::kComputes);
}

bool probe_slow(int index) {
  const InGate gate;
  if (gate.ending()) return false;
  const Startup startup;
  const std::lock_guard<std::recursive_mutex> lock(g_mutex);
  Slot &slot = library().slots[index];
  if (slot.probe_state != Slot::untried) return slot.probe_state == Slot::ready;
  slot.fork_generation = g_fork_generation;
  Error error = {};
  const bool ok = slot.table->probe(&error) == LIBSGEMM_SUCCESS;
  gate_watch_exit();  // the driver has registered handlers
  if (!ok) slot.probe_reason = error.text;
  log_message(1, [&] {
    return std::string("backend ") + kBackendNames[index] +
           (ok ? ": " + std::to_string(slot.table->device_count()) + " device(s)" : " refused: " + slot.probe_reason);
  });
  slot.probe_state.store(ok ? Slot::ready : Slot::refused, std::memory_order_release);
  return ok;
}

void start(Library *lib) {
  lib->env = read_environment();
  const Environment &env = lib->env;
  static bool log_is_open = false;  // an earlier attempt may have opened it
  if (!log_is_open) log_open(env.verbose, env.log_path);
  log_is_open = true;
  lib->host.cpu_blas = env.cpu_blas.empty() ? nullptr : env.cpu_blas.c_str();
  lib->host.devices = env.devices_set ? env.devices.data() : nullptr;
  lib->host.device_count = static_cast<int>(env.devices.size());
  lib->host.is_libsgemm = is_libsgemm;
  lib->host.program_blas = kLayersAbove.program_blas;
  kLayersAbove.start(env);
  if (!stats_wanted()) stats_open(env.stats_dir);
  stats_count_shapes(env.stats_calls);
  lib->instrumented = stats_wanted() || log_wants(2);
}

void resolve_kernel(Library *lib) {
  std::string valid;
  if (lib->env.kernel.empty() || find_kernel(lib->env.kernel, &lib->env.settings.kernel, &valid)) return;
  std::string &error = lib->env.error;
  error += (error.empty() ? "" : "; ") + ("LIBSGEMM_KERNEL=" + lib->env.kernel) + " is not valid: use " + valid;
}

}  // namespace

// Inside the gate, exit does not tear down a backend during loading. The gate comes before the lock, which the thread
// that ends the process may need.
Library &make_library() {
  const InGate gate;  // load_slow() checks ending()
  const Startup startup;
  const std::lock_guard<std::recursive_mutex> lock(g_mutex);
  // A nested call of the thread that makes the library gets the incomplete one.
  static Library *made = nullptr;
  if (made != nullptr) return *made;
  made = new Library;
  try {
    start(made);
    resolve_kernel(made);
    if (!made->env.error.empty()) log_message(1, [] { return made->env.error; });
    for (const std::string &stray : made->env.strays) log_message(1, [&] { return stray; });
  } catch (...) {
    made = nullptr;  // The next call tries again. Not freed: plugins may hold pointers into it.
    throw;
  }
  g_library.store(made, std::memory_order_release);
  return *made;
}

bool load_slow(int index) {
  Library &lib = library();
  const InGate gate;
  if (gate.ending() && index != kRef) return false;
  const Startup startup;
  const std::lock_guard<std::recursive_mutex> lock(g_mutex);
  Slot &slot = lib.slots[index];
  if (slot.state != Slot::untried) return slot.state == Slot::ready;
  if (index != kRef) gate_watch_exit();
  const char *name = kBackendNames[index];
  if (index == kRef) {
    slot.table = ref_backend();
  } else {
    std::string searched;
    slot.path = find_plugin(name, &searched);
    if (slot.path.empty()) return refuse(&slot, name, "no plugin libsgemm_" + std::string(name) + ".so in " + searched);
    std::string reason;
    slot.table = open_table(slot.path, index, &reason);
    if (slot.table == nullptr) return refuse(&slot, name, reason);
  }
  Error error = {};
  if (slot.table->is_gpu && lib.env.devices_set && lib.env.devices.empty()) {
    return refuse(&slot, name, "LIBSGEMM_DEVICES=none");
  }
  if (slot.table->open(lib.host, &error) != LIBSGEMM_SUCCESS) return refuse(&slot, name, error.text);
  if (index != kRef) gate_watch_exit();
  if (index != kRef && !slot.table->is_gpu) gate_watch_fork();
  if (index == kFirstCpu) note_blas(lib, *slot.table);
  log_message(1, [&] {
    return std::string("backend ") + name + ": " + slot.table->version() +
           (slot.path.empty() ? "" : " (" + slot.path + ")");
  });
  slot.state.store(Slot::ready, std::memory_order_release);
  return true;
}

bool probe(int index) {
  Slot &slot = library().slots[index];
  if (!slot.table->is_gpu) return true;
  const int state = slot.probe_state.load(std::memory_order_acquire);
  return state != Slot::untried ? state == Slot::ready : probe_slow(index);
}

bool lost_by_fork(int index) {
  const Slot &slot = library().slots[index];
  return slot.probe_state.load(std::memory_order_acquire) == Slot::ready && slot.fork_generation != g_fork_generation;
}

bool find_kernel(const std::string &name, KernelChoice *choice, std::string *valid) {
  bool all_known = true;
  std::vector<std::string> names;
  for (int index = 0; index < kBackendCount; ++index) {
    if (!load(index)) {
      all_known = all_known && library().slots[index].state == Slot::refused;
      continue;
    }
    const Backend &table = table_of(index);
    for (int i = 0; i < table.kernel_count; ++i) {
      if (name == table.kernels[i].name) {
        *choice = {static_cast<int8_t>(index), i};
        return true;
      }
      names.emplace_back(table.kernels[i].name);
      *valid += (valid->empty() ? "one of " : ", ") + names.back();
    }
  }
  if (!all_known && !InGate().ending())
    throw std::bad_alloc();  // the kernel may be of a backend not loaded for lack of memory
  const std::string near = nearest_name(name, names);
  if (!near.empty()) *valid = near + ", the nearest name, or " + *valid;
  return false;
}

}  // namespace libsgemm
