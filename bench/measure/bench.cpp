// `libsgemm bench`: backends x shapes x forms, timed alternately with a peer on the same operands.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "base/command.h"
#include "base/library.h"
#include "base/output_file.h"
#include "base/timing.h"
#include "choose_backends.h"
#include "inputs/routines.h"
#include "inputs/workload.h"
#include "measure.h"
#include "peers/gpu_memory.h"
#include "peers/peers.h"
#include "report.h"

namespace command {
namespace {

struct Plan {
  std::vector<Item> items;
  std::vector<Backend> backends;
  std::unique_ptr<Peer> peer;
  double flops = 0;  // one call of each item on each backend in each mode
};

// Only a default peer may be missing; a note says so.
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

// Only SGEMM has plans and math modes.
std::vector<Way> ways_of(const BenchOptions &options, Routine routine) {
  BenchOptions own = options;
  if (routine != Routine::kSgemm) own.math_modes = {}, own.plan = "";
  return make_ways(own, own.math_modes.empty() ? std::vector<std::string>{""} : own.math_modes);
}

Memory &memory_of(const Plan &plan) { return plan.peer != nullptr ? plan.peer->memory() : host_memory(); }

Plan make_plan(const BenchOptions &options, std::vector<std::string> *notes) {
  Plan plan;
  plan.peer = choose_peer(options, notes);
  plan.backends = choose_backends(options, memory_of(plan));
  for (const std::string &mode : options.math_modes) parse_math_mode(mode);
  plan.items = choose_items(options);
  for (const Item &item : plan.items) {
    const size_t ways = plan.backends.size() * ways_of(options, item.routine).size();
    plan.flops += flops(item.routine, item.shape, item.form) * static_cast<double>(ways);
  }
  return plan;
}

void measure_all(const BenchOptions &options, const Plan &plan, Report *report) {
  Progress progress(plan.flops);
  Memory &memory = memory_of(plan);
  const Effort effort{options.reps, options.min_time, options.regret};
  double done = 0;
  for (const Item &item : plan.items) {
    const std::string what =
        fmt::format("{} {} {}", traits(item.routine).name, shape_name(item.shape), form_text(item.routine, item.form));
    progress.show(what + ": operands", done);
    const std::unique_ptr<Workload> work = make_workload(item, &memory);
    for (const Backend &backend : plan.backends) {
      for (const Way &way : ways_of(options, item.routine)) {
        progress.show(fmt::format("{} on {} {}", what, backend.info.name, way.math_mode), done);
        report->results.push_back(measure(effort, way, item, backend, work.get(), plan.peer.get(), &memory));
        progress.clear();
        print_result(*report, report->results.back());
        done += flops(item.routine, item.shape, item.form);
      }
    }
  }
}

}  // namespace

int bench(const BenchOptions &options) {
  if (!options.json.empty()) check_output(options.json);
  select_gpu(options.device);
  std::vector<std::string> notes = way_notes(options);
  const Plan plan = make_plan(options, &notes);
  Report report = start_report(plan.peer.get(), memory_of(plan));
  report.notes.insert(report.notes.end(), notes.begin(), notes.end());
  for (const Item &item : plan.items) {
    report.form_width = std::max(report.form_width, form_text(item.routine, item.form).size());
  }
  print_header(report);
  measure_all(options, plan, &report);
  print_end(report);
  write_json(report, options.json);
  require_no_wrong(report);
  return 0;
}

}  // namespace command
