// `libsgemm bench --accuracy`: errors of SGEMM against FP64 by math mode and distribution, compared with other
// libraries. Exit status 1 if a result exceeds its mode's bound.
#include "accuracy.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <new>

#include "base/command.h"
#include "base/library.h"
#include "base/output_file.h"
#include "base/timing.h"
#include "peers/gpu_memory.h"

namespace command {
namespace {

const std::vector<std::string> kShapes = {"256,256,256", "1024,1024,1024", "4096,4096,4096"};
struct PeerChoice {
  const char *peer, *backend;
};
constexpr PeerChoice kPeers[] = {
    {"cublas", "cuda"}, {"cublas-tf32", "cuda"}, {"rocblas", "hip"}, {"openblas", nullptr}};

struct Place {
  Place(Memory *memory, const Operands &operands, size_t c_size)
      : a(memory, operands.a().size() * sizeof(float)),
        b(memory, operands.b().size() * sizeof(float)),
        c(memory, c_size * sizeof(float)) {
    memory->upload(a.data(), operands.a().data(), operands.a().size() * sizeof(float));
    memory->upload(b.data(), operands.b().data(), operands.b().size() * sizeof(float));
  }
  Buffer a, b, c;
};

Memory &memory_of(const Backend &backend) {
  if (backend.info.is_gpu == 0) return host_memory();
  return gpu_memory_of(backend.info.name);
}

// A backend without a usable device is left out with a note, unless --backend names it.
void add_library(const BenchOptions &bench, std::vector<Engine> *engines, std::vector<std::string> *notes) {
  std::vector<std::string> modes = bench.math_modes;
  for (const std::string &mode : modes) parse_math_mode(mode);
  if (modes.empty()) modes = bench.kernel.empty() ? math_mode_names() : std::vector<std::string>{""};
  std::vector<Backend> backends;
  for (const std::string &name : bench.backends) backends.push_back(find_available_backend(name));
  if (backends.empty()) {
    for (const Backend &backend : all_backends()) {
      if (computes_any_call(backend)) backends.push_back(backend);
    }
  }
  for (const Backend &backend : backends) {
    if (backend.info.available == 0 || (!bench.kernel.empty() && !has_kernel(backend, bench.kernel))) continue;
    try {
      Memory &memory = memory_of(backend);
      for (const Way &way : make_ways(bench, modes)) engines->push_back({nullptr, backend.info.name, way, &memory});
    } catch (const Error &error) {
      if (!bench.backends.empty()) throw;
      notes->push_back(fmt::format("without {}: {}", backend.info.name, error.what()));
    }
  }
  if (engines->empty()) refuse_kernel(bench.kernel);
}

void add_peers(const BenchOptions &bench, std::vector<Engine> *engines, std::vector<std::string> *notes) {
  if (bench.peer == "none") return;
  std::vector<std::string> names;
  if (!bench.peer.empty()) names.push_back(bench.peer);
  for (const PeerChoice &choice : kPeers) {
    const auto computes = [&choice](const Engine &engine) { return engine.backend == choice.backend; };
    const bool present = choice.backend == nullptr || std::any_of(engines->begin(), engines->end(), computes);
    if (bench.peer.empty() && present) names.push_back(choice.peer);
  }
  for (const std::string &name : names) {
    try {
      std::unique_ptr<Peer> peer = open_peer(name);
      Memory *memory = &peer->memory();
      engines->push_back({std::move(peer), "", {}, memory});
    } catch (const Error &error) {
      if (!bench.peer.empty()) throw;
      notes->push_back(fmt::format("without {}: {}", name, error.what()));
    }
  }
}

void run_peer(Peer *peer, const Call &call, AccuracyRow *row) {
  if (!peer->supports(call)) {
    row->state = Result::State::kNotSupported;
    row->problem = "not supported";
    return;
  }
  peer->prepare({call});
  peer->run(call);
}

void run_library(const Engine &engine, const Call &call, AccuracyRow *row) {
  const Handle handle;
  require(libsgemm_set_stream(handle, engine.memory->stream()));
  require(libsgemm_set_backend(handle, engine.backend.c_str()));
  set_way(handle, engine.way);
  require(libsgemm_set_verify(handle, LIBSGEMM_VERIFY_OFF, LIBSGEMM_VERIFY_WARN));
  const libsgemm_status_t status = call_library(handle, call);
  engine.memory->finish();
  const libsgemm_info_t info = last_info();
  row->kernel = info.kernel;
  row->math_mode = info.math_mode;
  row->device = info.device;
  row->fp64_share = info.fp64_share;
  if (status != LIBSGEMM_SUCCESS) {
    row->state = status == LIBSGEMM_NOT_SUPPORTED ? Result::State::kNotSupported : Result::State::kWrong;
    row->problem = info.message;
  } else if (engine.backend != info.backend) {
    row->state = Result::State::kWrong;
    row->problem = fmt::format("the call ran on {}: {}", info.backend, info.reason);
  } else if (!engine.way.math_mode.empty() && !serves(info.math_mode, engine.way.math_mode)) {
    row->state = Result::State::kNotSupported;
    row->problem = fmt::format("{} ran", info.math_mode);
  }
}

void measure_row(const Operands &operands, Call call, Place *place, AccuracyRow *row) {
  Memory *memory = row->engine->memory;
  std::vector<float> c(static_cast<size_t>(call.ldc * call.n), std::numeric_limits<float>::quiet_NaN());
  call.a = place->a.data();
  call.b = place->b.data();
  call.c = place->c.data();
  memory->upload(call.c, c.data(), c.size() * sizeof(float));
  Peer *const peer = row->engine->peer.get();
  if (peer != nullptr) {
    run_peer(peer, call, row);
  } else {
    run_library(*row->engine, call, row);
  }
  memory->finish();
  if (row->state != Result::State::kMeasured) return;
  memory->download(c.data(), call.c, c.size() * sizeof(float));
  row->errors = operands.errors(c, peer != nullptr ? peer->precision() : precision_of(row->math_mode));
  if (row->errors.over_bound <= 1) return;
  row->state = Result::State::kWrong;
  row->problem = fmt::format("off by {:.3g} bounds", row->errors.over_bound);
}

class Measurement {
 public:
  // Both arguments must outlive this object.
  Measurement(const AccuracyReport &report, const std::vector<Shape> &shapes)
      : report_(report), progress_(total_work(report, shapes)) {}

  std::vector<AccuracyRow> measure(const Shape &shape) {
    const Call call = make_call(Routine::kSgemm, shape, make_form(report_.transposes));
    std::vector<AccuracyRow> rows;
    for (const Distribution &distribution : report_.distributions) {
      try {
        measure(call, shape, distribution, &rows);
      } catch (const std::bad_alloc &) {
        throw Error(fmt::format("{}: not enough memory", shape_name(shape)));
      }
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const AccuracyRow &x, const AccuracyRow &y) { return x.engine < y.engine; });
    progress_.clear();
    return rows;
  }

 private:
  static double total_work(const AccuracyReport &report, const std::vector<Shape> &shapes) {
    double sum = 0;
    for (const Shape &shape : shapes) sum += flops(Routine::kSgemm, shape);
    return sum * static_cast<double>(report.engines.size() * report.distributions.size());
  }

  void measure(const Call &call, const Shape &shape, const Distribution &distribution, std::vector<AccuracyRow> *rows) {
    const std::string what = fmt::format("{} {} {}", shape_name(shape), report_.transposes, distribution.name);
    progress_.show(what + ": operands", done_);
    const Operands operands(distribution, call);
    std::map<Memory *, Place> places;
    for (const Engine &engine : report_.engines) {
      progress_.show(fmt::format("{} by {}", what, engine.name()), done_);
      Place &place = places.try_emplace(engine.memory, engine.memory, operands, static_cast<size_t>(call.ldc * call.n))
                         .first->second;
      AccuracyRow row;
      row.engine = &engine;
      row.distribution = &distribution;
      row.shape = shape;
      measure_row(operands, call, &place, &row);
      rows->push_back(row);
      done_ += flops(Routine::kSgemm, shape);
    }
  }

  const AccuracyReport &report_;
  Progress progress_;
  double done_ = 0;
};

Memory &memory_to_describe(const std::vector<Engine> &engines) {
  for (const Engine &engine : engines) {
    if (engine.memory != &host_memory()) return *engine.memory;
  }
  return host_memory();
}

std::vector<Shape> shapes_of(BenchOptions bench) {
  if (bench.shapes.empty() && bench.sweep.empty() && bench.suite.empty()) bench.shapes = kShapes;
  std::vector<Shape> shapes = choose_shapes(bench);
  const auto too_much = [&bench](const Shape &shape) {
    return bench.max_flops > 0 && flops(Routine::kSgemm, shape) > bench.max_flops;
  };
  shapes.erase(std::remove_if(shapes.begin(), shapes.end(), too_much), shapes.end());
  if (shapes.empty()) throw Error("--filter and --max-flops leave nothing to measure");
  return shapes;
}

}  // namespace

int accuracy(const BenchOptions &bench) {
  if (!bench.json.empty()) check_output(bench.json);
  select_gpu(bench.device);
  AccuracyReport report;
  report.transposes = one_of_transposes(bench.transposes, "NN", "--accuracy");
  report.distributions = choose_distributions(bench.distributions);
  const std::vector<Shape> shapes = shapes_of(bench);
  std::vector<std::string> notes = way_notes(bench);
  add_library(bench, &report.engines, &notes);
  add_peers(bench, &report.engines, &notes);
  report.machine = start_report(nullptr, memory_to_describe(report.engines));
  report.machine.notes.insert(report.machine.notes.end(), notes.begin(), notes.end());

  print_accuracy_header(report);
  Measurement measurement(report, shapes);
  for (const Shape &shape : shapes) {
    const std::vector<AccuracyRow> rows = measurement.measure(shape);
    print_accuracy(rows, report);
    report.rows.insert(report.rows.end(), rows.begin(), rows.end());
  }
  if (!bench.json.empty()) write_json(report, bench.json);
  const auto is_wrong = [](const AccuracyRow &row) { return row.state == Result::State::kWrong; };
  const auto wrong = std::count_if(report.rows.begin(), report.rows.end(), is_wrong);
  if (wrong > 0) throw Error(fmt::format("{} of {} results are wrong", wrong, report.rows.size()));
  return 0;
}

}  // namespace command
