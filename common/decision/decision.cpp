// A process first uses its GPUs when its calls would have saved the time of starting them. Repeatable results must not
// depend on earlier calls: they start the GPUs at once.
#include "decision.h"

#include <algorithm>
#include <atomic>
#include <memory>

#include "calibration.h"
#include "contract/cpu_blas.h"
#include "process/loader.h"
#include "process/log.h"

namespace libsgemm {
namespace {

struct Figures {
  explicit Figures(const Calibration &c) : calibration(c), least(least_product(c)), least_ever(least) {}

  Calibration calibration;
  double least;        // no smaller product is worth a GPU
  double least_ever;   // `least`, kept when assumed parameters replace these
  std::string device;  // measured device; empty: assumed parameters
  std::string path;
  int threads;                                    // threads of the CPU backend
  mutable std::atomic<bool> device_known{false};  // `device` has been compared
  const Figures *replaced = nullptr;              // older parameters: for another number of threads, or given up
};

// Never freed. No lock: a forked child could find it taken.
std::atomic<const Figures *> g_figures[kFirstCpu][kBackendCount];
std::atomic<double> g_saved[kFirstCpu];  // seconds that calls would have saved with the devices started

int threads_of(const Backend &cpu, const CpuBlas *blas) {
  if (blas != nullptr) return blas->threads();
  libsgemm_device_info_t device = {};
  Error error = {};
  return cpu.describe_device(0, &device, &error) == LIBSGEMM_SUCCESS ? device.compute_units : 1;
}

std::string file_of(const CalibrationKey &key) {
  const std::string &asked = library().env.calibration;
  if (asked == "off") return "";
  return asked.empty() ? calibration_path(key) : asked;
}

std::unique_ptr<Figures> assumed_figures(int threads) {
  auto figures = std::make_unique<Figures>(assumed_calibration(threads));
  figures->threads = threads;
  return figures;
}

std::unique_ptr<Figures> find_figures(int gpu, int cpu, int threads, std::string *words) {
  const Backend &table = *library().slots[cpu].table;
  const CalibrationKey key = calibration_key(kBackendNames[cpu], table.version(), threads, kBackendNames[gpu]);
  const std::string path = file_of(key);
  CalibrationFile file;
  std::string problem;
  if (!path.empty() && read_calibration(path, key, &file, &problem)) {
    *words = path;
    auto figures = std::make_unique<Figures>(file.figures);
    figures->device = file.key.device;
    figures->path = path;
    figures->threads = threads;
    figures->least_ever = std::min(figures->least, least_product(assumed_calibration(threads)));
    return figures;
  }
  *words = "built-in model parameters" + (path.empty() ? "" : ", since " + path + " is not used: " + problem);
  return assumed_figures(threads);
}

const Figures *publish(int gpu, int cpu, const Figures *first, std::unique_ptr<Figures> made,
                       const std::string &words) {
  made->replaced = first;
  if (!g_figures[gpu][cpu].compare_exchange_strong(first, made.get())) return first;
  log_line(1, std::string("CPU or ") + kBackendNames[gpu] + " is decided by " + words);
  return made.release();
}

// One entry per number of threads, which a program may change. `any`: the latest.
const Figures &figures_for(int gpu, int cpu, const CpuBlas *blas, bool any) {
  const Figures *const first = g_figures[gpu][cpu].load(std::memory_order_acquire);
  if (first != nullptr && any) return *first;
  const int threads = threads_of(*library().slots[cpu].table, blas);
  for (const Figures *f = first; f != nullptr; f = f->replaced) {
    if (f->threads == threads) return *f;
  }
  std::string words;
  std::unique_ptr<Figures> made = find_figures(gpu, cpu, threads, &words);
  return *publish(gpu, cpu, first, std::move(made), words);
}

// Assumed parameters replace those measured on other devices.
const Figures &figures_for_devices(int gpu, int cpu, const Figures &figures) {
  if (figures.device.empty() || figures.device_known.load(std::memory_order_relaxed)) return figures;
  const Figures *const first = g_figures[gpu][cpu].load(std::memory_order_acquire);
  const Backend &table = *library().slots[gpu].table;
  libsgemm_device_info_t device = {};
  Error error = {};
  if (table.describe_device(0, &device, &error) != LIBSGEMM_SUCCESS) return figures;
  const std::string here = calibration_device(table.version(), device.name, table.device_count());
  if (here == figures.device) {
    figures.device_known.store(true, std::memory_order_relaxed);
    return figures;
  }
  std::unique_ptr<Figures> made = assumed_figures(figures.threads);
  const std::string words =
      "built-in model parameters, since " + figures.path + " is not used: it is for another device: " + figures.device;
  return *publish(gpu, cpu, first, std::move(made), words);
}

bool may_compute(const Backend &cpu, const GemmDesc &desc) {
  return std::any_of(cpu.kernels, cpu.kernels + cpu.kernel_count,
                     [&](const Kernel &kernel) { return can_do(kernel, desc, 0); });
}

int first_cpu(const Settings &settings, const GemmDesc &desc) {
  int8_t order[kBackendCount];
  const int count = candidates(settings, order);
  for (int i = 0; i < count; ++i) {
    if (order[i] < kFirstCpu || !load_for(settings, order[i])) continue;
    if (may_compute(table_of(order[i]), desc)) return order[i];
  }
  return -1;
}

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
  const int cpu = first_cpu(settings, desc);
  if (cpu < 0) return true;
  const bool alike = repeatable(settings.deterministic);
  const CpuBlas *const blas = cpu == kFirstCpu ? info->blas : nullptr;
  const Figures *figures = &figures_for(gpu, cpu, blas, blas == nullptr && !alike);
  const double products = static_cast<double>(desc.m) * static_cast<double>(desc.n) * static_cast<double>(desc.k);
  const auto too_small = [&](double least) { return desc.batch == Batch::none && products < least; };
  // Calls before the devices are known must be decided like those after.
  const bool asks = alike && !figures->device.empty() && !too_small(figures->least_ever);
  if (asks && !probe(gpu)) {
    info->note(gpu, Note::unavailable);
    return false;
  }
  if (asks) figures = &figures_for_devices(gpu, cpu, *figures);
  if (too_small(figures->least)) {
    info->note(gpu, Note::tiny);
    return false;
  }
  info->expected[gpu].cpu = static_cast<int8_t>(cpu);
  const bool started = library().slots[gpu].probe_state.load(std::memory_order_acquire) == Slot::ready;
  if (started && !lost_by_fork(gpu)) figures = &figures_for_devices(gpu, cpu, *figures);
  return decide(gpu, *figures, started || alike, desc, pinned, info);
}

void deferred_call_took(int gpu, double seconds, const ThreadInfo &info) {
  add_saving(gpu, std::max(0.0, seconds - info.expected[gpu].seconds.cpu));
}

}  // namespace libsgemm
