// `libsgemm tune`: measures the fastest kernel for repeated calls, and keeps it in the user's cache.
#include <errno.h>
#include <fmt/core.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <new>

#include "base/command.h"
#include "base/library.h"
#include "base/output_file.h"
#include "base/timing.h"
#include "decision/cache_file.h"
#include "decision/tuning_file.h"
#include "device_calls.h"
#include "inputs/precision.h"
#include "measure/items.h"
#include "measure/measure.h"
#include "peers/gpu_memory.h"
#include "recorded_calls.h"

namespace command {
namespace {

using libsgemm::CallClass;
using libsgemm::TunedCall;
using libsgemm::TuningFile;

// Least advantage over the chosen kernel; the middle halves of the samples must not overlap either.
constexpr double kMargin = 0.01;

// ---- The GPU and its file -------------------------------------------------------------------------------------------

struct Gpu {
  Backend backend;
  GpuMemory *memory;
  libsgemm::TuningKey key;
};

Backend choose_backend(const std::string &name) {
  if (!name.empty()) {
    Backend backend = find_backend(name);
    if (backend.info.is_gpu == 0) throw Error(fmt::format("--backend {}: it is not a GPU backend", name));
    return find_available_backend(name);
  }
  const std::vector<Backend> backends = all_backends();
  const auto found = std::find_if(backends.begin(), backends.end(),
                                  [](const Backend &b) { return b.info.is_gpu != 0 && b.info.available != 0; });
  if (found == backends.end()) throw Error("there is no GPU: " + why_no_gpu(backends));
  return *found;
}

// Clears settings that change the choice, earlier results included.
void clear_environment() {
  for (const char *name : {"LIBSGEMM_BACKEND", "LIBSGEMM_KERNEL", "LIBSGEMM_VERIFY", "LIBSGEMM_STATS_DIR"}) {
    unsetenv(name);
  }
  setenv("LIBSGEMM_TUNING", "off", 1);
}

Gpu open_gpu(const TuneOptions &options) {
  Gpu gpu{choose_backend(options.backend), nullptr, {}};
  const std::string name = gpu.backend.info.name;
  select_gpu(options.calls.device);
  gpu.memory = &gpu_memory_of(name);
  // A first call reports the library's number of the device.
  Handle h;
  require(libsgemm_set_stream(h, gpu.memory->stream()));
  require(libsgemm_set_backend(h, name.c_str()));
  CallClass call;
  std::string ignored;
  libsgemm::class_from_text("sgemm op=NN m=16 n=16 k=16", &call, &ignored);
  require(DeviceCalls(call, gpu.memory).run(h, 0));
  gpu.memory->finish();
  libsgemm_device_info_t device;
  require(libsgemm_device_describe(gpu.backend.index, last_info().device, &device));
  gpu.key = libsgemm::tuning_key(name.c_str(), gpu.backend.info.version, device.name);
  return gpu;
}

// Throws Error if the file cannot be extended.
TuningFile read_file(const std::string &path, const libsgemm::TuningKey &key) {
  TuningFile file;
  std::string problem;
  if (access(path.c_str(), F_OK) != 0 && errno == ENOENT) return {key, {}};
  if (!libsgemm::read_tuning(path, &file, &problem) || !libsgemm::is_for(file, key, &problem)) {
    throw Error(fmt::format("{}: {}; remove it, or name another file with --output", path, problem));
  }
  return file;
}

void write_file(const std::string &path, const TuningFile &file) {
  const std::string text = libsgemm::tuning_to_text(file);
  write_output(path, {{text.data(), text.size()}});
}

// ---- One call -------------------------------------------------------------------------------------------------------

struct Candidate {
  std::string name, math_mode;
};

std::vector<Candidate> candidates_of(const Backend &backend) {
  std::vector<Candidate> all;
  for (int i = 0; i < backend.info.kernel_count; ++i) {
    libsgemm_kernel_info_t info;
    require(libsgemm_kernel_describe(backend.index, i, &info));
    all.push_back({info.name, info.math_mode});
  }
  return all;
}

struct Found {
  std::string problem;  // why it is not measured, or which kernel was wrong
  bool wrong = false;
  bool measured = false;
  bool better = false;  // a kernel beats the chosen one beyond noise
  TunedCall tuned;      // if not better: the chosen kernel twice
};

class Tuner {
 public:
  Tuner(const Gpu &gpu, int reps) : gpu_(gpu), candidates_(candidates_of(gpu.backend)), reps_(reps) {
    require(libsgemm_set_stream(handle_, gpu.memory->stream()));
    require(libsgemm_set_backend(handle_, gpu.backend.info.name));
  }

  Found tune(const CallClass &call) {
    Found found;
    found.tuned.call = call;
    try {
      DeviceCalls calls(call, gpu_.memory);
      calls_ = &calls;
      require(libsgemm_set_math_mode(handle_, static_cast<libsgemm_math_mode_t>(call.math_mode)));
      find_fastest(&found);
    } catch (const std::bad_alloc &) {
      found.problem = "not enough memory";
    }
    return found;
  }

 private:
  void find_fastest(Found *found) {
    if (!try_kernel("", found)) {
      if (found->problem.empty()) found->problem = "no kernel supports it";
      return;
    }
    const libsgemm_info_t chosen = info_;
    if (chosen.backend != std::string(gpu_.backend.info.name)) {
      found->problem = fmt::format("it ran on {}: {}", chosen.backend, chosen.reason);
      return;
    }
    const Pace pace = gpu_.memory->pace();
    calls_->add_sets(sets_to_rotate(pace, calls_->bytes()));
    const int sets = static_cast<int>(calls_->sets());
    const int calls = calls_in_sample(pace, time(sets), calls_->sets());
    for (double spent = 0; spent < pace.warm_seconds;) spent += time(calls) * calls;
    const double seconds = time(calls);

    const std::string asked = math_mode_name(static_cast<libsgemm_math_mode_t>(found->tuned.call.math_mode));
    std::vector<std::pair<double, std::string>> times;
    for (const Candidate &kernel : candidates_) {
      if (!serves(kernel.math_mode, asked) || !try_kernel(kernel.name, found)) continue;
      // A kernel whose error grows with k does not replace one whose error does not.
      if (info_.truncated > chosen.truncated) continue;
      const double once = time(1);
      times.emplace_back(is_hopeless(once, seconds) ? once : time(calls), kernel.name);
    }
    std::sort(times.begin(), times.end());
    std::vector<std::string> finalists = {""};
    // They usually include the chosen kernel.
    for (size_t i = 0; i < std::min(times.size(), kFinalists + 1); ++i) finalists.push_back(times[i].second);
    judge(finalists, calls, chosen.kernel, found);
    force("");
  }

  // `kernels` begins with the library's choice.
  void judge(const std::vector<std::string> &kernels, int calls, const char *model, Found *found) {
    std::vector<Summary> times;
    for (const auto &samples : time_in_turn(
             kernels, reps_, calls, [this](const std::string &kernel) { force(kernel); },
             [this](int count) { return time(count); })) {
      times.push_back(summarise(samples));
    }
    const auto faster = [](const Summary &x, const Summary &y) { return x.median < y.median; };
    const auto best = static_cast<size_t>(std::min_element(times.begin(), times.end(), faster) - times.begin());
    found->measured = true;
    // The model's kernel, forced, is the choice itself: a difference is noise.
    found->better = kernels[best] != model && times[best].median < times[0].median * (1 - kMargin) &&
                    times[best].upper_quartile < times[0].lower_quartile;
    TunedCall &tuned = found->tuned;
    tuned.model = model;
    tuned.model_seconds = times[0].median;
    tuned.kernel = found->better ? kernels[best] : tuned.model;
    tuned.seconds = found->better ? times[best].median : tuned.model_seconds;
  }

  bool try_kernel(const std::string &kernel, Found *found) {
    force(kernel);
    require(libsgemm_set_verify(handle_, LIBSGEMM_VERIFY_SAMPLE, LIBSGEMM_VERIFY_ERROR));
    const libsgemm_status_t status = calls_->run(handle_, 0);
    info_ = last_info();
    require(libsgemm_set_verify(handle_, LIBSGEMM_VERIFY_OFF, LIBSGEMM_VERIFY_WARN));
    if (status == LIBSGEMM_NOT_SUPPORTED) return false;
    if (status == LIBSGEMM_VERIFICATION_FAILED) {
      found->problem = fmt::format("{}: {}", kernel.empty() ? "the chosen kernel" : kernel, info_.message);
      found->wrong = true;
      return false;
    }
    if (status != LIBSGEMM_SUCCESS) throw Error(info_.message);
    gpu_.memory->finish();
    return true;
  }

  void force(const std::string &kernel) { require(libsgemm_set_kernel(handle_, kernel.c_str())); }

  double time(int calls) {
    const size_t sets = calls_->sets();
    const auto call = [&](int i) { require(calls_->run(handle_, static_cast<size_t>(i) % sets)); };
    return gpu_.memory->time(calls, call) / calls;
  }

  const Gpu &gpu_;
  const std::vector<Candidate> candidates_;
  const int reps_;
  Handle handle_;
  DeviceCalls *calls_ = nullptr;
  libsgemm_info_t info_ = {};  // latest verified call
};

// ---- All calls ------------------------------------------------------------------------------------------------------

CallClass class_of_item(const Item &item, libsgemm_math_mode_t mode) {
  alignas(CallClass::kMostAlignment) static float place;
  libsgemm::GemmDesc d = outline(make_call(item.routine, item.shape, item.form));
  d.math_mode = mode;
  d.a = d.b = d.c = &place;
  return libsgemm::class_of(d);
}

std::vector<CallClass> choose_calls(const TuneOptions &options) {
  std::vector<CallClass> calls;
  if (!options.file.empty()) {
    for (const RecordedCall &recorded : read_calls(options.file)) calls.push_back(recorded.call);
    return calls;
  }
  std::vector<libsgemm_math_mode_t> modes;
  for (const std::string &mode : options.calls.math_modes) modes.push_back(parse_math_mode(mode));
  if (modes.empty()) {
    Handle h;
    modes.emplace_back();
    require(libsgemm_get_math_mode(h, &modes.back()));
  }
  for (const Item &item : choose_items(options.calls)) {
    for (const libsgemm_math_mode_t mode : modes) calls.push_back(class_of_item(item, mode));
  }
  return calls;
}

void print(const TunedCall &tuned) {
  fmt::print("{} {} -> {} {}, {:.3f} times as fast: {}\n", duration_text(tuned.model_seconds), tuned.model,
             duration_text(tuned.seconds), tuned.kernel, tuned.model_seconds / tuned.seconds,
             libsgemm::to_text(tuned.call));
}

// Replaces an earlier result for the call. Other processes may extend the file meanwhile.
TuningFile update(const std::string &path, const libsgemm::TuningKey &key, const Found &found) {
  const UpdateLock lock(path);
  TuningFile file = read_file(path, key);
  const auto same = [&](const TunedCall &x) { return x.call == found.tuned.call; };
  file.calls.erase(std::remove_if(file.calls.begin(), file.calls.end(), same), file.calls.end());
  if (found.better) file.calls.push_back(found.tuned);
  write_file(path, file);
  return file;
}

int measure_all(const TuneOptions &options) {
  if (options.file.empty() && options.calls.shapes.empty() && options.calls.random == 0) {
    throw Error(
        "which calls? Name a FILE that `libsgemm run --record` has written, or shapes with --shape or --random");
  }
  const std::vector<CallClass> calls = choose_calls(options);
  const Gpu gpu = open_gpu(options);
  const std::string path = output_or_cached(options.output, libsgemm::tuning_path(gpu.key));
  std::error_code ignored;
  if (options.output.empty()) std::filesystem::create_directories(folder_of(path), ignored);
  TuningFile file = read_file(path, gpu.key);
  check_output(path);
  fmt::print("{}; a kernel is kept if it is at least {:g} % faster than the chosen one, beyond noise\n", gpu.key.device,
             100 * kMargin);
  Tuner tuner(gpu, options.calls.reps);
  Progress progress(static_cast<double>(calls.size()));
  size_t measured = 0, better = 0;
  bool wrong = false;
  double gain = 0;
  for (size_t i = 0; i < calls.size(); ++i) {
    progress.show(libsgemm::to_text(calls[i]), static_cast<double>(i));
    const Found found = tuner.tune(calls[i]);
    progress.clear();
    if (!found.problem.empty())
      fmt::print(stderr, "libsgemm tune: {}: {}\n", libsgemm::to_text(calls[i]), found.problem);
    wrong = wrong || found.wrong;
    if (!found.measured) continue;
    ++measured;
    gain += std::log(found.tuned.model_seconds / found.tuned.seconds);
    if (found.better) print(found.tuned), ++better;
    file = update(path, gpu.key, found);  // kept even if this run ends early
  }
  fmt::print("{} of {} calls have a faster kernel than the model's", better, measured);
  if (measured > 0)
    fmt::print("; all of them take {:.4f} of the time", std::exp(-gain / static_cast<double>(measured)));
  fmt::print("\nkernels for {} calls in {}\n", file.calls.size(), path);
  if (!options.output.empty()) fmt::print("LIBSGEMM_TUNING={} makes programs use it\n", path);
  return wrong ? 1 : 0;
}

// ---- --show and --remove --------------------------------------------------------------------------------------------

void show_file(const std::string &path) {
  TuningFile file;
  std::string problem;
  if (!libsgemm::read_tuning(path, &file, &problem)) throw Error(fmt::format("{}: {}", path, problem));
  fmt::print("{}: libsgemm {}, {}, {}\n", path, file.key.library, file.key.backend, file.key.device);
  for (const TunedCall &tuned : file.calls) print(tuned);
}

// Needs no GPU: shows the files of all GPUs and versions.
int show(const TuneOptions &options) {
  if (!options.output.empty()) return show_file(options.output), 0;
  const std::string folder = output_or_cached("", libsgemm::cache_folder());
  std::vector<std::string> paths;
  std::error_code ignored;
  for (const auto &entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.path().filename().string().rfind("tuning-", 0) == 0) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  if (paths.empty()) fmt::print("{}: there is no tuning\n", folder);
  for (const std::string &path : paths) show_file(path);
  return 0;
}

int remove(const TuneOptions &options) {
  const bool asked = !options.output.empty();  // needs no GPU
  remove_output(output_or_cached(options.output, asked ? "" : libsgemm::tuning_path(open_gpu(options).key)));
  return 0;
}

}  // namespace

int tune(const TuneOptions &options) {
  clear_environment();
  if (options.show) return show(options);
  return options.remove ? remove(options) : measure_all(options);
}

}  // namespace command
