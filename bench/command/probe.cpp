// `libsgemm probe`: what the chip can do, and what the library reaches.
#include "probe/probe.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <new>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/library.h"
#include "base/output_file.h"
#include "base/timing.h"
#include "measure/report.h"

namespace command {
namespace {

constexpr double kMostLoad = 0.5;      // for valid figures
constexpr double kSecondsOfSgemm = 8;  // approximate: the host makes and checks operands

struct Target {
  std::string backend;
  Memory *memory;
  std::vector<Probe> probes;
};

Target open_gpu(const ProbeOptions &options, const std::string &name) {
  GpuMemory &memory = gpu_memory_of(name);
  return {name, &memory, gpu_probes(&memory, options.seconds)};
}

// Other programs' use of the CPU is noted: figures are of the rest.
void add_load(std::vector<std::string> *notes) {
  double load = 0;
  const unsigned processors = std::thread::hardware_concurrency();
  if (getloadavg(&load, 1) != 1 || load < kMostLoad * processors) return;
  notes->push_back(fmt::format(
      "other programs are busy here (load {:.1f}, {} processors): the CPU's figures are too low", load, processors));
}

std::vector<Target> open_targets(const ProbeOptions &options, std::vector<std::string> *notes) {
  select_gpu(options.device);
  std::vector<Target> targets;
  for (const std::string name : {"cuda", "hip"}) {
    if (options.backend == name) targets.push_back(open_gpu(options, name));
    if (!options.backend.empty()) continue;
    try {
      targets.push_back(open_gpu(options, name));
    } catch (const Error &error) {
      notes->push_back(fmt::format("{} is left out: {}", name, error.what()));
    }
  }
  if (options.backend.empty() || options.backend == "cpu") {
    targets.push_back({"cpu", &host_memory(), cpu_probes(options.seconds)});
    add_load(notes);
  }
  return targets;
}

bool wants(const ProbeOptions &options, const std::string &group) {
  const auto has = [&](const char *name) {
    return std::find(options.groups.begin(), options.groups.end(), name) != options.groups.end();
  };
  // SGEMM's ceilings come from these groups.
  return options.groups.empty() || has(group.c_str()) || (has("sgemm") && (group == "fma" || group == "tensor"));
}

void choose_probes(const ProbeOptions &options, std::vector<Target> *targets) {
  size_t count = 0;
  for (Target &target : *targets) {
    const auto unwanted = [&](const Probe &probe) { return !wants(options, probe.group); };
    target.probes.erase(std::remove_if(target.probes.begin(), target.probes.end(), unwanted), target.probes.end());
    count += target.probes.size();
  }
  if (count == 0 && !wants(options, "sgemm")) {
    throw Error(fmt::format("--only {}: there is no such probe of {}", fmt::join(options.groups, ","),
                            options.backend.empty() ? "these processors" : options.backend));
  }
}

class Run {
 public:
  Run(const ProbeOptions &options, const std::vector<Target> &targets)
      : options_(options), sgemm_seconds_(wants(options, "sgemm") ? kSecondsOfSgemm : 0), progress_(total(targets)) {}

  void run(const Target &target) {
    for (const Probe &probe : target.probes) {
      show(fmt::format("{}: {}", probe.group, probe.what));
      Figure figure;
      figure.backend = target.backend;
      figure.group = probe.group;
      figure.what = probe.what;
      figure.unit = probe.unit;
      take(probe.what, [&] {
        probe.measure(&figure);
        figures_.push_back(figure);
      });
      done_ += options_.seconds;
    }
    if (sgemm_seconds_ == 0) return;
    take("SGEMM", [&] {
      const auto show_it = [this](const std::string &what) { show(what); };
      sentences_.push_back(probe_sgemm(target.backend, options_.size, options_.seconds, &figures_, show_it));
    });
    done_ += sgemm_seconds_;
  }

  const std::vector<Figure> &figures() const { return figures_; }
  const std::vector<std::string> &sentences() const { return sentences_; }
  const std::vector<std::string> &notes() const { return notes_; }
  const std::vector<std::string> &faults() const { return faults_; }

 private:
  double total(const std::vector<Target> &targets) const {
    double seconds = 0;
    for (const Target &target : targets) {
      seconds += static_cast<double>(target.probes.size()) * options_.seconds + sgemm_seconds_;
    }
    return seconds;
  }

  void show(const std::string &what) { progress_.show(what, done_); }

  void take(const std::string &what, const std::function<void()> &measure) {
    const size_t before = figures_.size();
    try {
      measure();
    } catch (const ProbeFault &fault) {
      faults_.emplace_back(fault.what());
    } catch (const Error &error) {
      notes_.push_back(fmt::format("{} is left out: {}", what, error.what()));
    } catch (const std::bad_alloc &) {
      notes_.push_back(fmt::format("{} is left out: not enough memory", what));
    }
    progress_.clear();
    for (size_t i = before; i < figures_.size(); ++i) print_figure(figures_[i]);
  }

  const ProbeOptions &options_;
  const double sgemm_seconds_;
  Progress progress_;
  double done_ = 0;
  std::vector<Figure> figures_;
  std::vector<std::string> sentences_, notes_, faults_;
};

}  // namespace

int probe(const ProbeOptions &options) {
  if (!options.json.empty()) check_output(options.json);
  // Reads first: an unusable file is reported at once.
  const std::vector<Figure> earlier = options.compare.empty() ? std::vector<Figure>{} : read_figures(options.compare);
  std::vector<std::string> notes;
  std::vector<Target> targets = open_targets(options, &notes);
  choose_probes(options, &targets);
  Report report = start_report(nullptr, *targets.front().memory);
  report.notes.insert(report.notes.end(), notes.begin(), notes.end());
  print_machine(report);
  Run run(options, targets);
  for (const Target &target : targets) {
    fmt::print("\n{}\n", target.backend);
    print_figure_header();
    run.run(target);
  }
  for (const std::string &note : run.notes()) fmt::print("{}\n", note);
  report.notes.insert(report.notes.end(), run.notes().begin(), run.notes().end());
  nlohmann::ordered_json json = machine_json(report);
  json["figures"] = figures_json(run.figures());
  json["sgemm"] = run.sentences();
  json["faults"] = run.faults();
  write_json(json, options.json);
  const int different = options.compare.empty() ? 0 : compare_figures(run.figures(), earlier, options.tolerance);
  for (const std::string &sentence : run.sentences()) fmt::print("{}\n", sentence);
  for (const std::string &fault : run.faults()) fmt::print(stderr, "libsgemm probe: {}\n", fault);
  return different == 0 && run.faults().empty() ? 0 : 1;
}

}  // namespace command
