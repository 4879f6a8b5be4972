#include "measure.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <new>

#include "base/timing.h"
#include "plans.h"

namespace command {
namespace {

constexpr double kMostCalls = 10000;  // in a sample
constexpr double kMostSets = 512;
constexpr double kLeastSets = 2;  // if calls rotate through sets at all
constexpr double kHopeless = 4, kHopelessSeconds = 1e-3;

class Measurement {
 public:
  Measurement(const Effort &effort, const Way &way, Workload *work, const Backend &backend, Peer *peer, Memory *memory)
      : effort_(effort), way_(way), work_(work), backend_(backend), memory_(memory), plans_(handle_, way.plan) {
    peer_ = peer != nullptr && peer->supports(work->call()) ? peer : nullptr;
  }

  void run(Result *result) {
    require(libsgemm_set_stream(handle_, memory_->stream()));
    require(libsgemm_set_backend(handle_, backend_.info.name));
    set_way(handle_, way_);
    require(libsgemm_set_verify(handle_, LIBSGEMM_VERIFY_OFF, LIBSGEMM_VERIFY_WARN));
    std::vector<float> output;
    plans_.keep(work_->calls());
    if (!first_call(result, &output)) return;
    add_sets();
    plans_.keep(work_->calls());
    if (peer_ != nullptr) first_call_of_peer(result, output);
    output = {};
    if (result->state == Result::State::kMeasured) sample(result);
    if (effort_.regret && result->state == Result::State::kMeasured) time_kernels(result);
  }

 private:
  // The call is untimed and reports its kernel. Checks the whole output.
  bool first_call(Result *result, std::vector<float> *output) {
    work_->reset();
    const libsgemm_status_t status = plans_.call(work_->calls(), 0);
    const libsgemm_info_t info = last_info();
    if (status != LIBSGEMM_SUCCESS) {
      result->state = status == LIBSGEMM_NOT_SUPPORTED ? Result::State::kNotSupported : Result::State::kWrong;
      result->problem = info.message;
      return false;
    }
    memory_->finish();
    result->kernel = info.kernel;
    result->math_mode = info.math_mode;
    result->plans = info.plans;
    precision_ = precision_of(info.math_mode);
    result->device = info.device;
    result->threads = compute_units(info.backend, info.device);
    if (result->backend != info.backend) {
      fail(result, fmt::format("the call ran on {}: {}", info.backend, info.reason));
    }
    check("libsgemm", precision_, &result->error, result);
    *output = work_->output();
    check_written("libsgemm", *output, false, result);
    return result->state == Result::State::kMeasured;
  }

  void first_call_of_peer(Result *result, const std::vector<float> &ours) {
    result->has_peer = true;
    result->peer_stand_in = peer_->stand_in(work_->call());
    result->peer_threads = peer_->threads();
    peer_->prepare(work_->calls());
    work_->reset();
    peer_->run(work_->call());
    memory_->finish();
    check(peer_->name(), peer_->precision(), &result->peer_error, result);
    const std::vector<float> theirs = work_->output();
    check_written(peer_->name(), theirs, peer_->fills_c(work_->call()), result);
    const std::string difference = work_->compare(ours, precision_, theirs, peer_->precision());
    if (!difference.empty()) {
      fail(result, fmt::format("the results of libsgemm and {} differ: {}", peer_->name(), difference));
    }
  }

  void add_sets() { work_->add_sets(sets_to_rotate(memory_->pace(), work_->bytes())); }

  void sample(Result *result) {
    const Pace pace = memory_->pace();
    const int calls = choose_calls(pace);
    for (double spent = 0; spent < pace.warm_seconds;) {
      spent += time_ours(calls) * calls;
      if (peer_ != nullptr) spent += time_peer(calls) * calls;
    }
    memory_->take_telemetry();
    std::vector<double> ours, theirs;
    double spent = 0;
    while (static_cast<int>(ours.size()) < effort_.reps || spent < effort_.min_time) {
      ours.push_back(time_ours(calls));
      spent += ours.back() * calls;
      check("libsgemm", precision_, &result->error, result);
      if (peer_ == nullptr) continue;
      theirs.push_back(time_peer(calls));
      check(peer_->name(), peer_->precision(), &result->peer_error, result);
    }
    result->calls = calls;
    result->bytes = static_cast<double>(work_->bytes());
    result->sets = static_cast<int>(work_->calls().size());
    result->telemetry = memory_->take_telemetry();
    result->seconds = summarise(ours);
    if (peer_ != nullptr) result->peer_seconds = summarise(theirs);
  }

  // Both sides make the same calls: enough for the faster side, and for every set. An output that is also an input may
  // overflow or vanish if used again: each set then serves once a sample.
  int choose_calls(const Pace &pace) {
    const int sets = static_cast<int>(work_->calls().size());
    if (work_->reads_output()) return sets;
    double estimate = time_ours(sets);
    if (peer_ != nullptr && sets > 1) estimate = std::min(estimate, time_peer(sets));
    return calls_in_sample(pace, estimate, work_->calls().size());
  }

  double time_ours(int calls) {
    return time(calls, [this](size_t set) { require(plans_.call(work_->calls(), set)); });
  }
  double time_peer(int calls) {
    return time(calls, [this](size_t set) { peer_->run(work_->calls()[set]); });
  }
  template <class Run>
  double time(int calls, Run run) {
    work_->prepare();
    const size_t sets = work_->calls().size();
    return memory_->time(calls, [&](int i) { run(static_cast<size_t>(i) % sets); }) / calls;
  }

  // Times each possible kernel once, then the fastest ones alternately with the chosen one. The sampled elements are
  // NaN before each, so that their check proves that the kernel computed.
  void time_kernels(Result *result) {
    libsgemm_math_mode_t mode;
    require(libsgemm_get_math_mode(handle_, &mode));
    const std::string asked = math_mode_name(mode);
    for (int i = 0; i < backend_.info.kernel_count; ++i) {
      libsgemm_kernel_info_t info;
      require(libsgemm_kernel_describe(backend_.index, i, &info));
      if (serves(info.math_mode, asked)) time_kernel(info.name, result);
    }
    const auto faster = [](const ForcedKernel &x, const ForcedKernel &y) { return x.seconds < y.seconds; };
    std::sort(result->forced.begin(), result->forced.end(), faster);
    if (result->state == Result::State::kMeasured) time_best(result);
    force("");
  }

  void force(const std::string &kernel) { require(libsgemm_set_kernel(handle_, kernel.c_str())); }

  void time_kernel(const std::string &kernel, Result *result) {
    force(kernel);
    work_->prepare();
    const libsgemm_status_t status = plans_.call(work_->calls(), 0);
    if (status == LIBSGEMM_NOT_SUPPORTED) return;
    require(status);
    memory_->finish();
    check(kernel, precision_, &result->error, result);
    double seconds = time_ours(1);
    if (!is_hopeless(seconds, result->seconds.median)) seconds = time_ours(result->calls);
    check(kernel, precision_, &result->error, result);
    result->forced.push_back({kernel, seconds});
  }

  void time_best(Result *result) {
    // Not forced: result->kernel may be another one if the chosen one copies its operands for it.
    std::vector<std::string> kernels = {""};
    for (const ForcedKernel &other : result->forced) {
      if (kernels.size() <= kFinalists && other.kernel != result->kernel) kernels.push_back(other.kernel);
    }
    const auto seconds = time_in_turn(
        kernels, effort_.reps, result->calls, [this](const std::string &kernel) { force(kernel); },
        [this](int calls) { return time_ours(calls); });
    const double chosen = median(seconds[0]);
    result->best = {result->kernel, chosen};
    for (size_t i = 1; i < kernels.size(); ++i) {
      if (median(seconds[i]) < result->best.seconds) result->best = {kernels[i], median(seconds[i])};
    }
    result->loss = chosen / result->best.seconds - 1;
  }

  void check(const std::string &who, const Precision &precision, double *worst, Result *result) {
    *worst = std::max(*worst, work_->check_sample(precision));
    if (!(*worst <= 1)) fail(result, fmt::format("the result of {} is off by {:.3g} bounds", who, *worst));
  }
  void check_written(const std::string &who, const std::vector<float> &output, bool fills, Result *result) {
    const std::string what = work_->check_written(output, fills);
    if (!what.empty()) fail(result, fmt::format("{}: {}", who, what));
  }
  static void fail(Result *result, const std::string &what) {
    if (result->state == Result::State::kMeasured) result->problem = what;
    result->state = Result::State::kWrong;
  }

  const Effort &effort_;
  const Way &way_;
  Precision precision_;
  Workload *work_;
  const Backend &backend_;
  Peer *peer_;
  Memory *memory_;
  Handle handle_;
  Plans plans_;
};

Result start_result(const Item &item, const Way &way, const Backend &backend) {
  Result result;
  result.routine = traits(item.routine).name;
  result.transposes = transposes_text(item.routine, item.form);
  if (traits(item.routine).has_side) result.side = side_text(item.form.side);
  if (traits(item.routine).has_uplo) result.uplo = uplo_text(item.form.uplo);
  result.batch = item.form.batch;
  result.form = form_text(item.routine, item.form);
  result.shape = item.shape;
  result.flops = flops(item.routine, item.shape, item.form);
  result.backend = backend.info.name;
  result.asked_math_mode = way.math_mode;
  result.asked_plans = static_cast<int>(way.plan.size());
  return result;
}

}  // namespace

bool is_hopeless(double seconds, double chosen) { return seconds >= kHopeless * chosen + kHopelessSeconds; }

size_t sets_to_rotate(const Pace &pace, size_t bytes) {
  const double wanted = static_cast<double>(pace.rotation_bytes) / static_cast<double>(bytes);
  return wanted == 0 ? 1 : static_cast<size_t>(std::clamp(std::ceil(wanted), kLeastSets, kMostSets));
}

int calls_in_sample(const Pace &pace, double estimate, size_t sets) {
  const double wanted = std::ceil(pace.sample_seconds / std::max(estimate, 1e-9));
  return static_cast<int>(std::clamp(wanted, static_cast<double>(sets), kMostCalls));
}

std::unique_ptr<Workload> make_workload(const Item &item, Memory *memory) {
  try {
    return std::make_unique<Workload>(item.routine, item.shape, item.form, memory);
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

std::vector<Way> make_ways(const BenchOptions &options, const std::vector<std::string> &math_modes) {
  std::vector<Way> ways;
  ways.reserve(math_modes.size());
  for (const std::string &mode : math_modes) {
    ways.push_back({options.kernel, mode, static_cast<size_t>(options.workspace_mib) << 20, options.plan});
  }
  return ways;
}

std::vector<std::string> way_notes(const BenchOptions &options) {
  std::vector<std::string> notes;
  if (options.workspace_mib != 0) {
    notes.push_back(fmt::format("at most {} MiB of workspace for libsgemm", options.workspace_mib));
  }
  if (!options.plan.empty()) {
    notes.push_back(fmt::format("sgemm with {} kept as plans, whose making is not timed", options.plan == "ab"
                                                                                              ? "A and B"
                                                                                          : options.plan == "a" ? "A"
                                                                                                                : "B"));
  }
  return notes;
}

void set_way(libsgemm_handle_t h, const Way &way) {
  if (!way.kernel.empty()) require(libsgemm_set_kernel(h, way.kernel.c_str()));
  if (!way.math_mode.empty()) require(libsgemm_set_math_mode(h, parse_math_mode(way.math_mode)));
  if (way.workspace_bytes != 0) require(libsgemm_set_workspace(h, nullptr, way.workspace_bytes));
}

Result measure(const Effort &effort, const Way &way, const Item &item, const Backend &backend, Workload *work,
               Peer *peer, Memory *memory) {
  Result result = start_result(item, way, backend);
  try {
    if (work == nullptr) throw std::bad_alloc();
    Measurement(effort, way, work, backend, peer, memory).run(&result);
  } catch (const std::bad_alloc &) {
    result.state = Result::State::kNotSupported;
    result.problem = "not enough memory";
  } catch (const Error &error) {
    result.state = Result::State::kWrong;
    result.problem = error.what();
  }
  return result;
}

}  // namespace command
