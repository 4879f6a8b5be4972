// Tunings are never freed. No lock: a forked child could find it taken.
#include "tuning.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <new>
#include <system_error>
#include <vector>

#include "contract/kernel_table.h"
#include "process/env.h"
#include "process/immortal.h"
#include "process/log.h"
#include "tuning_file.h"

namespace libsgemm {
namespace {

struct Place {
  CallClass call;
  const Kernel *kernel;  // NULL: free
};

struct TunedKernels {
  const Backend *backend;
  int device;
  std::vector<Place> places;  // empty, or a power of two
  const TunedKernels *next;
};

std::atomic<const TunedKernels *> g_tuned{nullptr};
struct Asked {
  std::string file;
};
std::string &asked_for() { return immortal<Asked>().file; }

const Kernel *kernel_named(const Backend &backend, const std::string &name) {
  const Kernel *const end = backend.kernels + backend.kernel_count;
  const Kernel *const found =
      std::find_if(backend.kernels, end, [&](const Kernel &kernel) { return name == kernel.name; });
  return found != end ? found : nullptr;
}

size_t place_of(const std::vector<Place> &places, const CallClass &call) {
  size_t at = hash_of(call) & (places.size() - 1);
  while (places[at].kernel != nullptr && !(places[at].call == call)) at = (at + 1) & (places.size() - 1);
  return at;
}

size_t fill(const Backend &backend, const std::vector<TunedCall> &calls, std::vector<Place> *places) {
  size_t size = 4, known = 0;
  while (size < 2 * calls.size() + 2) size *= 2;
  places->resize(size);
  for (const TunedCall &tuned : calls) {
    const Kernel *kernel = kernel_named(backend, tuned.kernel);
    if (kernel == nullptr) continue;
    (*places)[place_of(*places, tuned.call)] = {tuned.call, kernel};
    ++known;
  }
  return known;
}

std::string read_kernels(const Backend &backend, int device, std::vector<Place> *places) {
  libsgemm_device_info_t info = {};
  Error error = {};
  if (backend.describe_device(device, &info, &error) != LIBSGEMM_SUCCESS) return "";
  const TuningKey key = tuning_key(backend.name, backend.version(), info.name);
  const bool named = !asked_for().empty();
  const std::string path = named ? asked_for() : tuning_path(key);
  TuningFile file;
  std::string problem;
  const bool read = !path.empty() && read_tuning(path, &file, &problem);
  const bool absent = path.empty() || problem == std::generic_category().message(ENOENT);
  if (!read && !named && absent) return "";  // the usual case
  if (!read || !is_for(file, key, &problem)) return path + " is not used: " + problem;
  const size_t known = fill(backend, file.calls, places);
  std::string words = path + " has kernels for " + std::to_string(known) + " calls";
  if (known < file.calls.size())
    words += "; for " + std::to_string(file.calls.size() - known) + " it names kernels that this library lacks";
  return words;
}

const TunedKernels *find(const TunedKernels *first, const Backend &backend, int device) {
  while (first != nullptr && (first->backend != &backend || first->device != device)) first = first->next;
  return first;
}

const TunedKernels *load_kernels(const Backend &backend, int device) {
  auto made = std::make_unique<TunedKernels>();
  made->backend = &backend;
  made->device = device;
  const std::string words = read_kernels(backend, device, &made->places);
  made->next = g_tuned.load(std::memory_order_acquire);
  for (;;) {
    if (const TunedKernels *theirs = find(made->next, backend, device)) return theirs;
    if (g_tuned.compare_exchange_weak(made->next, made.get(), std::memory_order_acq_rel)) break;
  }
  if (!words.empty())
    log_line(1, std::string("tuning of ") + backend.name + ", device " + std::to_string(device) + ": " + words);
  return made.release();
}

const Kernel *tuned_kernel(const Backend &backend, const GemmDesc &desc, int device) {
  const TunedKernels *tuned = find(g_tuned.load(std::memory_order_acquire), backend, device);
  try {
    if (tuned == nullptr) tuned = load_kernels(backend, device);
  } catch (const std::bad_alloc &) {  // a later call tries again
    if (repeatable(desc.deterministic)) throw;
    return nullptr;
  }
  if (tuned->places.empty()) return nullptr;
  const CallClass call = class_of(desc);
  return tuned->places[place_of(tuned->places, call)].kernel;
}

}  // namespace

void use_tuning(const std::string &asked) {
  asked_for() = asked;
  g_find_tuned_kernel.store(asked != "off" ? tuned_kernel : nullptr, std::memory_order_release);
}

}  // namespace libsgemm
