// `libsgemm bench`: backend x shape x transposes, each timed side by side with a peer on the same operands (ours, the
// peer's, ours, ...), and checked after every timed call.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>

#include "command.h"
#include "library.h"
#include "output_file.h"
#include "peers.h"
#include "report.h"
#include "routines.h"
#include "suite.h"
#include "timing.h"
#include "workload.h"

namespace command {
namespace {

constexpr double kSampleSeconds = 1e-4;  // a sample is as many calls as take so long
constexpr double kMostCalls = 10000;     // in one sample

struct Ops {
  libsgemm_op_t a, b;
};

// One set of operands, timed on each backend.
struct Item {
  Routine routine;
  Shape shape;
  Ops ops;
  std::string transposes;
};

struct Plan {
  std::vector<Item> items;
  std::vector<Backend> backends;
  std::unique_ptr<Peer> peer;
  double flops = 0;  // of one call of each item on each backend
};

std::vector<Shape> choose_shapes(const BenchOptions &options) {
  std::vector<Shape> shapes;
  for (const std::string &text : options.shapes) shapes.push_back(parse_shape(text));
  if (!options.suite.empty() || shapes.empty()) {
    const std::vector<Shape> suite = read_suite(options.suite.empty() ? default_suite() : options.suite);
    shapes.insert(shapes.end(), suite.begin(), suite.end());
  }
  const auto unwanted = [&options](const Shape &shape) {
    return shape_name(shape).find(options.filter) == std::string::npos &&
           shape.what.find(options.filter) == std::string::npos;
  };
  shapes.erase(std::remove_if(shapes.begin(), shapes.end(), unwanted), shapes.end());
  return shapes;
}

libsgemm_op_t parse_op(char letter, const std::string &text) {
  if (letter == 'N') return LIBSGEMM_NO_TRANS;
  if (letter == 'T') return LIBSGEMM_TRANS;
  throw Error(fmt::format("--transposes {}: of NN, NT, TN, TT", text));
}

std::vector<std::string> choose_transposes(const BenchOptions &options) {
  if (options.transposes.empty()) return {"NN", "NT", "TN", "TT"};
  for (const std::string &text : options.transposes) {
    if (text.size() != 2) throw Error(fmt::format("--transposes {}: of NN, NT, TN, TT", text));
    parse_op(text[0], text);
    parse_op(text[1], text);
  }
  return options.transposes;
}

// The transposes that a routine has, in its own words: "NT", "T", "-"; without repetition.
std::vector<std::string> transposes_of(Routine routine, const std::vector<std::string> &transposes) {
  std::vector<std::string> own;
  for (const std::string &text : transposes) {
    const Traits &t = traits(routine);
    const std::string name = t.has_transb ? text : t.has_transa ? text.substr(0, 1) : "-";
    if (std::find(own.begin(), own.end(), name) == own.end()) own.push_back(name);
  }
  return own;
}

Ops ops_of(const std::string &transposes) {
  const auto op = [](char letter) { return letter == 'T' ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS; };
  return {op(transposes[0]), transposes.size() > 1 ? op(transposes[1]) : LIBSGEMM_NO_TRANS};
}

bool has_kernel(const Backend &backend, const std::string &kernel) {
  for (int row = 0; row < backend.info.kernel_count; ++row) {
    if (libsgemm_kernel_name(backend.index, row) == kernel) return true;
  }
  return false;
}

std::vector<Backend> choose_backends(const BenchOptions &options) {
  std::vector<Backend> backends;
  for (const std::string &name : options.backends) {
    backends.push_back(find_backend(name));
    if (backends.back().info.available == 0) throw Error(fmt::format("{}: {}", name, backends.back().info.reason));
  }
  if (!backends.empty()) return backends;
  for (const Backend &backend : all_backends()) {
    if (backend.info.available == 0) continue;
    if (options.kernel.empty() || has_kernel(backend, options.kernel)) backends.push_back(backend);
  }
  if (backends.empty()) throw Error(fmt::format("--kernel {}: no available backend has it", options.kernel));
  return backends;
}

// A peer that was not asked for by name may be missing.
std::unique_ptr<Peer> choose_peer(const BenchOptions &options, std::vector<std::string> *notes) {
  if (options.peer == "none") return nullptr;
  if (!options.peer.empty()) return open_peer(options.peer);
  try {
    return open_peer("openblas");
  } catch (const Error &error) {
    notes->push_back(fmt::format("no peer: {}", error.what()));
    return nullptr;
  }
}

Plan make_plan(const BenchOptions &options, std::vector<std::string> *notes) {
  Plan plan;
  plan.backends = choose_backends(options);
  plan.peer = choose_peer(options, notes);
  const std::vector<std::string> transposes = choose_transposes(options);
  const std::vector<std::string> names =
      options.routines.empty() ? std::vector<std::string>{"sgemm"} : options.routines;
  const std::vector<Shape> shapes = choose_shapes(options);
  for (const std::string &name : names) {
    const Routine routine = parse_routine(name);
    for (const Shape &shape : shapes) {
      if (options.max_flops > 0 && flops(routine, shape) > options.max_flops) continue;
      for (const std::string &text : transposes_of(routine, transposes)) {
        plan.items.push_back({routine, shape, ops_of(text), text});
        plan.flops += flops(routine, shape) * static_cast<double>(plan.backends.size());
      }
    }
  }
  if (plan.items.empty()) throw Error("--filter and --max-flops leave nothing to measure");
  return plan;
}

class Measurement {
 public:
  Measurement(const BenchOptions &options, Workload *work, const Backend &backend, Peer *peer, Memory *memory)
      : options_(options), work_(work), backend_(backend), memory_(memory) {
    peer_ = peer != nullptr && peer->supports(work->call()) ? peer : nullptr;
  }

  void run(Result *result) {
    require(libsgemm_set_backend(handle_, backend_.info.name));
    if (!options_.kernel.empty()) require(libsgemm_set_kernel(handle_, options_.kernel.c_str()));
    require(libsgemm_set_verify(handle_, LIBSGEMM_VERIFY_OFF, LIBSGEMM_VERIFY_WARN));
    if (!first_call(result)) return;
    if (peer_ != nullptr) {
      result->has_peer = true;
      result->peer_threads = peer_->threads();
      work_->reset();
      call_peer();
      check(peer_->name(), "fp32", &result->peer_error, result);
      check_written(peer_->name(), result);
    }
    if (result->state == Result::State::kMeasured) sample(result);
  }

 private:
  // Untimed; finds out what runs, and checks the whole output.
  bool first_call(Result *result) {
    work_->reset();
    const libsgemm_status_t status = call_library(handle_, work_->call());
    const libsgemm_info_t info = last_info();
    if (status != LIBSGEMM_SUCCESS) {
      result->state = status == LIBSGEMM_NOT_SUPPORTED ? Result::State::kNotSupported : Result::State::kWrong;
      result->problem = info.message;
      return false;
    }
    memory_->finish();
    result->kernel = info.kernel;
    result->math_mode = info.math_mode;
    result->device = info.device;
    result->threads = compute_units(info.backend, info.device);
    if (result->backend != info.backend) {
      fail(result, fmt::format("the call ran on {}: {}", info.backend, info.reason));
    }
    check("libsgemm", info.math_mode, &result->error, result);
    check_written("libsgemm", result);
    return result->state == Result::State::kMeasured;
  }

  void sample(Result *result) {
    std::vector<double> ours, theirs;
    const double estimate = time_ours(1);
    const bool repeatable = !traits(work_->call().routine).in_place;
    const int calls =
        repeatable ? static_cast<int>(std::clamp(std::ceil(kSampleSeconds / std::max(estimate, 1e-9)), 1.0, kMostCalls))
                   : 1;
    double spent = 0;
    while (static_cast<int>(ours.size()) < options_.reps || spent < options_.min_time) {
      ours.push_back(time_ours(calls));
      spent += ours.back() * calls;
      check("libsgemm", result->math_mode, &result->error, result);
      if (peer_ == nullptr) continue;
      theirs.push_back(time_peer(calls));
      check(peer_->name(), "fp32", &result->peer_error, result);
    }
    result->seconds = summarise(ours);
    if (peer_ != nullptr) result->peer_seconds = summarise(theirs);
  }

  // Seconds a call.
  double time_ours(int calls) {
    work_->prepare();
    const double start = now();
    for (int i = 0; i < calls; ++i) require(call_library(handle_, work_->call()));
    memory_->finish();
    return (now() - start) / calls;
  }
  double time_peer(int calls) {
    work_->prepare();
    const double start = now();
    for (int i = 0; i < calls; ++i) peer_->run(work_->call());
    memory_->finish();
    return (now() - start) / calls;
  }
  void call_peer() {
    peer_->run(work_->call());
    memory_->finish();
  }

  void check(const std::string &who, const std::string &math_mode, double *worst, Result *result) {
    *worst = std::max(*worst, work_->check_sample(math_mode));
    if (!(*worst <= 1)) fail(result, fmt::format("the result of {} is off by {:.3g} bounds", who, *worst));
  }
  void check_written(const std::string &who, Result *result) {
    const std::string what = work_->check_written();
    if (!what.empty()) fail(result, fmt::format("{}: {}", who, what));
  }
  static void fail(Result *result, const std::string &what) {
    if (result->state == Result::State::kMeasured) result->problem = what;
    result->state = Result::State::kWrong;
  }

  const BenchOptions &options_;
  Workload *work_;
  const Backend &backend_;
  Peer *peer_;
  Memory *memory_;
  Handle handle_;
};

Result start_result(const Item &item, const Backend &backend) {
  Result result;
  result.routine = traits(item.routine).name;
  result.transposes = item.transposes;
  result.shape = item.shape;
  result.flops = flops(item.routine, item.shape);
  result.backend = backend.info.name;
  return result;
}

// Operands that do not fit in memory leave a row that says so.
std::unique_ptr<Workload> make_workload(const Item &item, Memory *memory) {
  try {
    return std::make_unique<Workload>(item.routine, item.shape, item.ops.a, item.ops.b, memory);
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

Result measure(const BenchOptions &options, const Item &item, const Backend &backend, Workload *work, Peer *peer,
               Memory *memory) {
  Result result = start_result(item, backend);
  try {
    if (work == nullptr) throw std::bad_alloc();
    Measurement(options, work, backend, peer, memory).run(&result);
  } catch (const std::bad_alloc &) {
    result.state = Result::State::kNotSupported;
    result.problem = "not enough memory";
  } catch (const Error &error) {
    result.state = Result::State::kWrong;
    result.problem = error.what();
  }
  return result;
}

void measure_all(const BenchOptions &options, const Plan &plan, Report *report) {
  Progress progress(plan.flops);
  Memory &memory = plan.peer != nullptr ? plan.peer->memory() : host_memory();
  double done = 0;
  for (const Item &item : plan.items) {
    const std::string what =
        fmt::format("{} {} {}", traits(item.routine).name, shape_name(item.shape), item.transposes);
    progress.show(what + ": operands", done);
    const std::unique_ptr<Workload> work = make_workload(item, &memory);
    for (const Backend &backend : plan.backends) {
      progress.show(fmt::format("{} on {}", what, backend.info.name), done);
      report->results.push_back(measure(options, item, backend, work.get(), plan.peer.get(), &memory));
      progress.clear();
      print_result(report->results.back());
      done += flops(item.routine, item.shape);
    }
  }
}

}  // namespace

int bench(const BenchOptions &options) {
  if (!options.json.empty()) check_output(options.json);
  Report report;
  const Plan plan = make_plan(options, &report.notes);
  report.host = read_host();
  if (plan.peer != nullptr) {
    report.peer = plan.peer->name();
    report.peer_version = plan.peer->version();
  }
  print_header(report);
  measure_all(options, plan, &report);
  print_end(report);
  if (!options.json.empty()) {
    const std::string text = to_json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    write_output(options.json, {{text.data(), text.size()}});
  }
  const auto is_wrong = [](const Result &result) { return result.state == Result::State::kWrong; };
  const auto wrong = std::count_if(report.results.begin(), report.results.end(), is_wrong);
  if (wrong > 0) throw Error(fmt::format("{} of {} rows are wrong", wrong, report.results.size()));
  return 0;
}

}  // namespace command
