// The figures are read once for each pair of a GPU and a CPU backend. A process that has not used its GPUs yet pays for
// their start, so that is put off until the calls so far would have saved as much.
#include "decision.h"

#include <algorithm>
#include <atomic>
#include <memory>

#include "calibration.h"
#include "loader.h"
#include "log.h"

namespace libsgemm {
namespace {

// The figures in use, and what follows from them.
struct Figures {
  explicit Figures(const Calibration &c) : calibration(c), least(least_product(c)) {}

  Calibration calibration;
  double least;
  std::string device;  // for which they were measured; empty: assumed
  std::string path;
  mutable std::atomic<bool> device_known{false};  // `device` has been compared
  const Figures *replaced = nullptr;              // other threads may still be reading them
};

// Never freed. Without a lock, which a forked child could find taken.
std::atomic<const Figures *> g_figures[kFirstCpu][kBackendCount];
std::atomic<double> g_saved[kFirstCpu];  // seconds, by the calls for which the devices were not started

int threads_of(const Backend &cpu) {
  libsgemm_device_info_t device = {};
  Error error = {};
  return cpu.describe_device(0, &device, &error) == LIBSGEMM_SUCCESS ? device.compute_units : 1;
}

std::string file_of(const CalibrationKey &key) {
  const std::string &asked = library().env.calibration;
  if (asked == "off") return "";
  return asked.empty() ? calibration_path(key) : asked;
}

std::unique_ptr<Figures> find_figures(int gpu, int cpu, std::string *words) {
  const Backend &table = *library().slots[cpu].table;
  const int threads = threads_of(table);
  const CalibrationKey key = calibration_key(kBackendNames[cpu], table.version(), threads, kBackendNames[gpu]);
  const std::string path = file_of(key);
  CalibrationFile file;
  std::string problem;
  if (!path.empty() && read_calibration(path, key, &file, &problem)) {
    *words = path;
    auto figures = std::make_unique<Figures>(file.figures);
    figures->device = file.key.device;
    figures->path = path;
    return figures;
  }
  *words = "built-in figures" + (path.empty() ? "" : ", since " + path + " is not used: " + problem);
  return std::make_unique<Figures>(assumed_calibration(threads));
}

// The first to come publishes; `old` NULL or what is to be replaced.
const Figures *publish(int gpu, int cpu, const Figures *old, std::unique_ptr<Figures> made, const std::string &words) {
  made->replaced = old;
  if (!g_figures[gpu][cpu].compare_exchange_strong(old, made.get())) return old;
  log_line(1, std::string("CPU or ") + kBackendNames[gpu] + " is decided by " + words);
  return made.release();
}

const Figures &figures_for(int gpu, int cpu) {
  const Figures *figures = g_figures[gpu][cpu].load(std::memory_order_acquire);
  if (figures != nullptr) return *figures;
  std::string words;
  std::unique_ptr<Figures> made = find_figures(gpu, cpu, &words);
  return *publish(gpu, cpu, nullptr, std::move(made), words);
}

// Which devices there are is known once they are initialised: figures of others are then given up.
const Figures &figures_for_devices(int gpu, int cpu, const Figures &figures) {
  if (figures.device.empty() || figures.device_known.load(std::memory_order_relaxed)) return figures;
  const Backend &table = *library().slots[gpu].table;
  libsgemm_device_info_t device = {};
  Error error = {};
  if (table.describe_device(0, &device, &error) != LIBSGEMM_SUCCESS) return figures;
  const std::string here = calibration_device(table.version(), device.name, table.device_count());
  if (here == figures.device) {
    figures.device_known.store(true, std::memory_order_relaxed);
    return figures;
  }
  auto made = std::make_unique<Figures>(assumed_calibration(threads_of(*library().slots[cpu].table)));
  const std::string words =
      "built-in figures, since " + figures.path + " is not used: it is for another device: " + figures.device;
  return *publish(gpu, cpu, &figures, std::move(made), words);
}

int first_cpu(const Settings &settings) {
  int8_t order[kBackendCount];
  const int count = candidates(settings, order);
  for (int i = 0; i < count; ++i) {
    if (order[i] >= kFirstCpu && load(order[i])) return order[i];
  }
  return -1;
}

// Adds to what the calls so far would have saved; returns all of it.
double add_saving(int gpu, double saving) {
  double before = g_saved[gpu].load(std::memory_order_relaxed);
  while (!g_saved[gpu].compare_exchange_weak(before, before + saving, std::memory_order_relaxed)) {
  }
  return before + saving;
}

bool decide(int gpu, const Figures &figures, bool started, const GemmDesc &desc, unsigned pinned, ThreadInfo *info) {
  const Calibration &c = figures.calibration;
  Expected &expected = info->expected[gpu];
  expected.seconds = predict(c, desc, pinned);
  expected.known = true;
  expected.startup = c.gpu.startup;
  if (expected.seconds.gpu * c.margin >= expected.seconds.cpu) {
    info->note(gpu, Note::slower);
    return false;
  }
  if (started) return true;
  expected.saved = add_saving(gpu, expected.seconds.cpu - expected.seconds.gpu);
  if (expected.saved >= c.gpu.startup) return true;
  info->note(gpu, Note::deferred);
  return false;
}

}  // namespace

bool gpu_pays(int gpu, const Settings &settings, const GemmDesc &desc, unsigned pinned, ThreadInfo *info) {
  const int cpu = first_cpu(settings);
  if (cpu < 0) return true;
  const Figures &figures = figures_for(gpu, cpu);
  const double products = static_cast<double>(desc.m) * static_cast<double>(desc.n) * static_cast<double>(desc.k);
  if (desc.batch == Batch::none && products < figures.least) {
    info->note(gpu, Note::tiny);
    return false;
  }
  info->expected[gpu].cpu = static_cast<int8_t>(cpu);
  const bool started = library().slots[gpu].probe_state.load(std::memory_order_acquire) == Slot::ready;
  const Figures &checked = started && !lost_by_fork(gpu) ? figures_for_devices(gpu, cpu, figures) : figures;
  return decide(gpu, checked, started, desc, pinned, info);
}

void deferred_call_took(int gpu, double seconds, const ThreadInfo &info) {
  add_saving(gpu, std::max(0.0, seconds - info.expected[gpu].seconds.cpu));
}

}  // namespace libsgemm
