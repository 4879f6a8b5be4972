// `libsgemm bench --host`: products from host memory to host memory on a GPU, by the library and others, interleaved.
#include <fmt/core.h>
#include <stdlib.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/command.h"
#include "base/library.h"
#include "base/timing.h"
#include "host_peers.h"
#include "inputs/suite.h"
#include "inputs/workload.h"
#include "items.h"
#include "peers/gpu_memory.h"
#include "probe/probe_copies.h"
#include "report.h"

namespace command {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kSlow = 1;  // slower calls, in seconds, are timed kSlowCalls times
constexpr int kSlowCalls = 2;

struct Way {
  std::string name, detail;
  std::function<void(const Call &)> run;
  std::vector<double> seconds;
  double error = 0;

  bool wants_more(int reps) const {
    const bool slow = !seconds.empty() && seconds.back() > kSlow;
    return seconds.size() < static_cast<size_t>(slow ? std::min(reps, kSlowCalls) : reps);
  }
};

std::vector<Way> make_ways(const BenchOptions &options, Handle *handle, GpuMemory *gpu,
                           std::vector<std::unique_ptr<HostPeer>> *peers) {
  std::vector<Way> ways;
  const std::string backend = gpu->backend();
  ways.push_back({"libsgemm",
                  "",
                  [handle, backend](const Call &call) {
                    require(call_library(*handle, call));
                    const libsgemm_info_t info = last_info();
                    if (info.backend != backend) throw Error(fmt::format("ran on {}: {}", info.backend, info.reason));
                  },
                  {},
                  0});
  for (const std::string &name : split_peers(options.peer)) {
    peers->push_back(open_host_peer(name));
    HostPeer *peer = peers->back().get();
    ways.push_back({name, peer->version(), [peer](const Call &call) { peer->run(call); }, {}, 0});
  }
  return ways;
}

void measure(Workload *work, int reps, std::vector<Way> *ways) {
  for (int turn = -1; turn < reps; ++turn) {
    for (Way &way : *ways) {
      if (turn >= 0 && !way.wants_more(reps)) continue;
      work->prepare();
      const double start = now();
      way.run(work->call());
      const double spent = now() - start;
      way.error = std::max(way.error, work->check_sample({}));
      if (!(way.error <= 1)) throw Error(fmt::format("the result of {} is off by {:.3g} bounds", way.name, way.error));
      if (turn >= 0) way.seconds.push_back(spent);
    }
  }
}

struct Subject {
  Routine routine;
  Shape shape;
  std::string op, memory;
};

double elements_of(const Extent &x) { return static_cast<double>(x.rows) * static_cast<double>(x.columns); }

double least_seconds(const Subject &x, const Call &call, const libsgemm::Link &link, double tflops) {
  const Traits &t = traits(x.routine);
  const auto element = static_cast<double>(element_bytes(t.element));
  const double c = 4 * elements_of(extent_of_c(call)) * (t.triangular_output ? 0.5 : 1);
  const double a = element * elements_of(extent_of_a(call)) * (t.symmetric_a || t.triangular_a ? 0.5 : 1);
  const double in = a + (t.has_b ? element * elements_of(extent_of_b(call)) : 0) + (t.in_place ? c : 0);
  return std::max({in / link.up, c / link.down, flops(x.routine, x.shape) / (tflops * 1e12)});
}

Json report(const Subject &x, const Way &way, double ours, double bound) {
  const Summary s = summarise(way.seconds);
  const double tflops = 1e-12 * flops(x.routine, x.shape) / s.median;
  fmt::print("{:<7} {:<20} {:<2} {:<8} {:<9} {:>10} {:>24} {:>8.2f} {:>7.2f} {:>7.3f} {:>8.1e}\n",
             traits(x.routine).name, shape_name(x.shape), x.op, x.memory, way.name, duration_text(s.median),
             fmt::format("({}..{})", duration_text(s.minimum), duration_text(s.maximum)), tflops, s.median / ours,
             bound / s.median, way.error);
  fflush(stdout);
  const Shape &shape = x.shape;
  return {{"routine", traits(x.routine).name},
          {"m", shape.m},
          {"n", shape.n},
          {"k", shape.k},
          {"pad", shape.pad},
          {"transposes", x.op},
          {"memory", x.memory},
          {"way", way.name},
          {"calls", s.count},
          {"median", s.median},
          {"minimum", s.minimum},
          {"maximum", s.maximum},
          {"tflops", tflops},
          {"ratio", s.median / ours},
          {"bound", bound / s.median},
          {"error_over_bound", way.error}};
}

}  // namespace

int host_bench(const HostOptions &host, const BenchOptions &options) {
  setenv("LIBSGEMM_OFFLOAD", "always", 0);  // before the library reads its environment
  select_gpu(options.device);
  GpuMemory &gpu = cuda_or_hip_memory();
  Memory &pinned = pinned_memory();
  Handle handle;
  require(libsgemm_set_backend(handle, gpu.backend()));
  std::vector<std::unique_ptr<HostPeer>> peers;
  std::vector<Way> ways = make_ways(options, &handle, &gpu, &peers);
  Report machine = start_report(nullptr, gpu);
  const libsgemm::Link link = pinned_link(&gpu);
  machine.notes.push_back(
      fmt::format("link: {:.1f} GB/s up, {:.1f} GB/s down from page-locked memory", 1e-9 * link.up, 1e-9 * link.down));
  for (const Way &way : ways) {
    if (!way.detail.empty()) machine.notes.push_back(fmt::format("{}: {}", way.name, way.detail));
  }
  print_machine(machine);
  fmt::print(
      "median (minimum..maximum) of a whole call; ratio = time / ours; bound = largest of the link's time up, down, "
      "and that of the operations at {:.1f} TFLOP/s, over the time\n\n",
      host.tflops);
  fmt::print("{:<7} {:<20} {:<2} {:<8} {:<9} {:>10} {:>24} {:>8} {:>7} {:>7} {:>8}\n", "", "m x n x k + pad", "op",
             "memory", "method", "median", "", "TFLOP/s", "ratio", "bound", "error");
  Json json = machine_json(machine);
  json["link"] = {{"up", link.up}, {"down", link.down}};
  json["results"] = Json::array();
  const std::vector<std::string> transposes =
      options.transposes.empty() ? std::vector<std::string>{"NN"} : options.transposes;
  const auto measure_row = [&](const Subject &x) {
    if (x.op.size() != 2) throw Error(fmt::format("--transposes {}: of NN, NT, TN, TT", x.op));
    Workload work(x.routine, x.shape, make_form(x.op), x.memory == "pinned" ? &pinned : &host_memory());
    for (Way &way : ways) way.seconds.clear();
    measure(&work, options.reps, &ways);
    const double bound = least_seconds(x, work.call(), link, host.tflops);
    const double ours = summarise(ways[0].seconds).median;
    for (const Way &way : ways) json["results"].push_back(report(x, way, ours, bound));
  };
  for (const Routine routine : parse_routines(options.routines)) {
    for (const Shape &shape : choose_shapes(options)) {
      for (const std::string &op : transposes) {
        for (const std::string &memory : host.memories) measure_row({routine, shape, op, memory});
      }
    }
  }
  write_json(json, options.json);
  return 0;
}

}  // namespace command
