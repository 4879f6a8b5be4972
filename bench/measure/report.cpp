#include "report.h"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <stdio.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/command.h"
#include "base/library.h"
#include "base/output_file.h"
#include "peers/gpu_memory.h"
#include "peers/nvml.h"
#include "probe/probe_runner.h"

namespace command {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kLowRatio = 0.95;

struct Mean {
  double log_sum = 0;
  int count = 0;
  double value() const { return std::exp(log_sum / count); }
};

bool has_ratio(const Result &result) { return result.state == Result::State::kMeasured && result.has_peer; }

template <class Key>
std::map<std::string, Mean> mean_ratios(const std::vector<Result> &results, Key key) {
  std::map<std::string, Mean> means;
  for (const Result &result : results) {
    if (!has_ratio(result)) continue;
    Mean &mean = means[key(result)];
    mean.log_sum += std::log(result.ratio());
    ++mean.count;
  }
  return means;
}

std::string who_of(const Result &result) { return result.who(); }

std::map<std::string, Mean> means_by_form(const std::vector<Result> &results) {
  const bool several = std::any_of(results.begin(), results.end(),
                                   [&](const Result &result) { return result.routine != results[0].routine; });
  return mean_ratios(results, [several](const Result &result) {
    return result.who() + (several ? " " + result.routine : "") + " " + result.form;
  });
}

// True if the call ran in another mode than requested: the backend lacks the mode, at least for this size.
bool ran_otherwise(const Result &result) {
  return result.state == Result::State::kMeasured && !result.asked_math_mode.empty() &&
         !serves(result.math_mode, result.asked_math_mode);
}

template <class Counts, class Value>
std::vector<double> values_of(const std::vector<Result> &results, Counts counts, Value value) {
  std::vector<double> values;
  for (const Result &result : results) {
    if (counts(result)) values.push_back(value(result));
  }
  return values;
}

std::vector<double> ratios_of(const std::vector<Result> &results) {
  return values_of(results, has_ratio, [](const Result &r) { return r.ratio(); });
}

double geometric_mean(const std::vector<double> &values) {
  Mean mean;
  for (const double value : values) mean.log_sum += std::log(value), ++mean.count;
  return mean.value();
}

bool has_loss(const Result &result) { return result.state == Result::State::kMeasured && result.best.seconds > 0; }

// Time lost by the library's choice of kernels, as factors, and the ratios that the fastest kernels would have.
struct Regret {
  std::vector<double> losses, best_ratios;

  explicit Regret(const std::vector<Result> &results)
      : losses(values_of(results, has_loss, [](const Result &r) { return 1 + r.loss; })),
        best_ratios(values_of(
            results, [](const Result &r) { return has_loss(r) && has_ratio(r); },
            [](const Result &r) { return r.best_ratio(); })) {}
};

std::string percent(double factor) { return fmt::format("{:.1f} %", 100 * (factor - 1)); }

void print_regret(const std::vector<Result> &results) {
  const Regret regret(results);
  if (regret.losses.empty()) return;
  const Result *most = nullptr;
  for (const Result &result : results) {
    if (has_loss(result) && (most == nullptr || result.loss > most->loss)) most = &result;
  }
  fmt::print("lost by the choice, in time: geometric mean {}, 95th percentile {}, most {}, {} {} {}: {} -> {}\n",
             percent(geometric_mean(regret.losses)), percent(quantile(regret.losses, 0.95)), percent(1 + most->loss),
             most->routine, shape_name(most->shape), most->form, most->kernel, most->best.kernel);
  if (regret.best_ratios.empty()) return;
  fmt::print("the ratio with the fastest kernels: geometric mean {:.3f}, 5th percentile {:.3f}, least {:.3f}\n",
             geometric_mean(regret.best_ratios), quantile(regret.best_ratios, 0.05), quantile(regret.best_ratios, 0));
}

void print_stand_ins(const Report &report) {
  std::set<std::string> told;
  for (const Result &result : report.results) {
    if (report.peer.empty() || result.state != Result::State::kMeasured) continue;
    const std::string subject = result.routine + (result.batch > 1 ? " in batches" : "");
    const std::string text = !result.has_peer ? fmt::format("{} does no {}", report.peer, subject)
                             : result.peer_stand_in.empty()
                                 ? ""
                                 : fmt::format("{} for {}: {}", report.peer, subject, result.peer_stand_in);
    if (!text.empty() && told.insert(text).second) fmt::print("{}\n", text);
  }
}

const Result *worst_ratio(const std::vector<Result> &results) {
  const Result *worst = nullptr;
  for (const Result &result : results) {
    if (has_ratio(result) && (worst == nullptr || result.ratio() < worst->ratio())) worst = &result;
  }
  return worst;
}

bool is_low(const Result &result) { return has_ratio(result) && result.ratio() < kLowRatio; }

Telemetry telemetry_of(const std::vector<Result> &results) {
  Telemetry all;
  for (const Result &result : results) all.add(result.telemetry);
  return all;
}

std::string clock_text(const Host &host) {
  if (host.fastest_mhz == 0) return "clock unknown";
  if (host.fastest_mhz - host.slowest_mhz < 1) return fmt::format("{:.0f} MHz", host.fastest_mhz);
  return fmt::format("{:.0f}..{:.0f} MHz", host.slowest_mhz, host.fastest_mhz);
}

Json times_json(const Summary &seconds, double gflops) {
  return {{"median", seconds.median},
          {"minimum", seconds.minimum},
          {"maximum", seconds.maximum},
          {"lower_quartile", seconds.lower_quartile},
          {"upper_quartile", seconds.upper_quartile},
          {"samples", seconds.count},
          {"gflops", gflops}};
}

// Empty if the reasons are not known.
std::string limits_text(const Telemetry &telemetry) {
  return telemetry.reasons_known ? throttle_text(telemetry.throttle_reasons) : "";
}

Json telemetry_json(const Telemetry &telemetry) {
  return {{"samples", telemetry.samples},
          {"mhz", {telemetry.slowest_mhz, telemetry.fastest_mhz}},
          {"watts", {telemetry.least_watts, telemetry.most_watts}},
          {"celsius", telemetry.most_celsius},
          {"throttle_reasons", limits_text(telemetry)}};
}

std::string telemetry_text(const Telemetry &telemetry) {
  const std::string limits = limits_text(telemetry);
  return fmt::format("{:.0f}..{:.0f} MHz, {:.0f}..{:.0f} W, at most {:.0f} C{}", telemetry.slowest_mhz,
                     telemetry.fastest_mhz, telemetry.least_watts, telemetry.most_watts, telemetry.most_celsius,
                     limits.empty() ? "" : ", clocks limited by: " + limits);
}

Json result_json(const Result &result) {
  Json json = {{"state", state_word(result.state)},
               {"routine", result.routine},
               {"transposes", result.transposes},
               {"form", result.form},
               {"m", result.shape.m},
               {"n", result.shape.n},
               {"k", result.shape.k},
               {"pad", result.shape.pad},
               {"what", result.shape.what},
               {"flops", result.flops},
               {"backend", result.backend},
               {"device", result.device},
               {"kernel", result.kernel},
               {"math_mode", result.math_mode},
               {"threads", result.threads}};
  if (!result.side.empty()) json["side"] = result.side;
  if (!result.uplo.empty()) json["uplo"] = result.uplo;
  if (result.batch > 1) json["batch"] = result.batch;
  if (!result.asked_math_mode.empty()) json["asked_math_mode"] = result.asked_math_mode;
  if (result.asked_plans > 0) json["plans"] = result.plans;
  if (result.state != Result::State::kMeasured) {
    json["problem"] = result.problem;
    return json;
  }
  json["calls"] = result.calls;
  json["sets"] = result.sets;
  json["bytes"] = result.bytes;
  if (result.telemetry.samples > 0) json["clocks"] = telemetry_json(result.telemetry);
  json["seconds"] = times_json(result.seconds, result.gflops());
  json["error_over_bound"] = result.error;
  if (result.has_peer) {
    json["peer_threads"] = result.peer_threads;
    if (!result.peer_stand_in.empty()) json["peer_stand_in"] = result.peer_stand_in;
    json["peer_seconds"] = times_json(result.peer_seconds, result.peer_gflops());
    json["peer_error_over_bound"] = result.peer_error;
    json["ratio"] = result.ratio();
  }
  if (has_loss(result)) {
    json["forced"] = Json::object();
    for (const ForcedKernel &forced : result.forced) json["forced"][forced.kernel] = forced.seconds;
    json["best_kernel"] = result.best.kernel;
    json["best_seconds"] = result.best.seconds;
    json["loss"] = result.loss;
  }
  return json;
}

}  // namespace

const char *state_word(Result::State state) {
  switch (state) {
    case Result::State::kMeasured:
      return "measured";
    case Result::State::kNotSupported:
      return "not supported";
    default:
      return "wrong";
  }
}

Host read_host() {
  Host host{"unknown CPU", 0, 0, 0};
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string value = line.substr(colon + 2);
    if (line.rfind("processor", 0) == 0) ++host.processors;
    if (line.rfind("model name", 0) == 0) host.cpu = value;
    if (line.rfind("cpu MHz", 0) == 0) {
      const double mhz = std::atof(value.c_str());
      host.slowest_mhz = host.slowest_mhz == 0 ? mhz : std::min(host.slowest_mhz, mhz);
      host.fastest_mhz = std::max(host.fastest_mhz, mhz);
    }
  }
  return host;
}

void print_machine(const Report &report) {
  fmt::print("libsgemm {}; {}, {} processors, {}\n", version_text(libsgemm_version()), report.host.cpu,
             report.host.processors, clock_text(report.host));
  if (!report.gpu.name.empty()) {
    fmt::print("{} ({}), {}, driver {}; measured FP32 peak {:.2f} TFLOP/s, copies {:.0f} GB/s\n", report.gpu.name,
               report.gpu.arch, units_text(report.gpu.multiprocessors, true), report.gpu.driver,
               1e-12 * report.gpu.peak, 1e-9 * report.gpu.copy_bandwidth);
  }
  if (!report.peer.empty()) fmt::print("peer {}: {}\n", report.peer, report.peer_version);
  for (const std::string &note : report.notes) fmt::print("{}\n", note);
}

void print_header(const Report &report) {
  print_machine(report);
  if (report.gpu.name.empty()) {
    fmt::print(
        "median (minimum..maximum) of one call; ratio = time of the peer / ours; error = worst |error| / bound\n\n");
    fmt::print("{:<8} {:<18} {:<{}} {:<9} {:<9} {:<24} {:>3} {:>11} {:>25} {:>9}", "routine", "m x n x k + pad", "op",
               report.form_width, "backend", "math", "kernel", "thr", "median", "(minimum..maximum)", "GFLOP/s");
    if (!report.peer.empty()) fmt::print(" {:>9} {:>6}", "peer", "ratio");
  } else {
    fmt::print(
        "median (quartiles) of one call on device pointers; peak, copy: share of the FP32 peak, and of a copy's "
        "bandwidth by the operands once;\nratio = time of the peer / ours; error = worst |error| / bound\n\n");
    fmt::print("{:<8} {:<18} {:<{}} {:<9} {:<40} {:>11} {:>25} {:>8} {:>5} {:>5}", "routine", "m x n x k + pad", "op",
               report.form_width, "math", "kernel", "median", "(quartiles)", "TFLOP/s", "peak", "copy");
    if (!report.peer.empty()) fmt::print(" {:>8} {:>6}", "peer", "ratio");
  }
  fmt::print(" {:>7}\n", "error");
  fflush(stdout);
}

void print_result(const Report &report, const Result &result) {
  fmt::print("{:<8} {:<18} {:<{}} ", result.routine, shape_name(result.shape), result.form, report.form_width);
  const Summary &time = result.seconds;
  if (result.state != Result::State::kMeasured) {
    fmt::print("{:<9} {}: {}\n", result.who(), state_word(result.state), result.problem);
  } else if (report.gpu.name.empty()) {
    fmt::print("{:<9} {:<9} {:<24} {:>3} {:>11} {:>25} {:>9.2f}", result.backend, result.math_mode, result.kernel,
               result.threads, duration_text(time.median),
               fmt::format("({}..{})", duration_text(time.minimum), duration_text(time.maximum)), result.gflops());
    if (result.has_peer) fmt::print(" {:>9.2f} {:>6.3f}", result.peer_gflops(), result.ratio());
    fmt::print(" {:>7.1e}\n", result.error);
  } else {
    fmt::print("{:<9} {:<40} {:>11} {:>25} {:>8.3f} {:>5} {:>4.0f}%", result.math_mode, result.kernel,
               duration_text(time.median),
               fmt::format("({}..{})", duration_text(time.lower_quartile), duration_text(time.upper_quartile)),
               1e-3 * result.gflops(),
               report.gpu.peak > 0 ? fmt::format("{:.0f}%", 100 * 1e9 * result.gflops() / report.gpu.peak) : "-",
               100 * result.bytes / time.median / report.gpu.copy_bandwidth);
    if (result.has_peer) fmt::print(" {:>8.3f} {:>6.3f}", 1e-3 * result.peer_gflops(), result.ratio());
    fmt::print(" {:>7.1e}\n", result.error);
  }
  if (has_loss(result) && result.loss > 0) {
    fmt::print("  faster when forced, {}: {}\n", percent(1 + result.loss), result.best.kernel);
  }
  fflush(stdout);
}

void print_end(const Report &report) {
  fmt::print("\n");
  for (const auto &[who, mean] : mean_ratios(report.results, who_of)) {
    fmt::print("geometric mean of the ratio {} / {}: {:.3f} over {} results\n", who, report.peer, mean.value(),
               mean.count);
  }
  for (const auto &[name, mean] : means_by_form(report.results)) {
    fmt::print("  {}: {:.3f} over {} results\n", name, mean.value(), mean.count);
  }
  if (const Result *worst = worst_ratio(report.results)) {
    fmt::print("worst ratio: {:.3f}, {} {} {} on {}\n", worst->ratio(), worst->routine, shape_name(worst->shape),
               worst->form, worst->who());
    fmt::print("5th percentile of the ratio: {:.3f}\n", quantile(ratios_of(report.results), 0.05));
    fmt::print("results below {:g}: {}\n", kLowRatio,
               std::count_if(report.results.begin(), report.results.end(), is_low));
    for (const Result &result : report.results) {
      if (!is_low(result) || report.gpu.name.empty()) continue;
      fmt::print("  {:.3f} {} {} {} {}\n", result.ratio(), result.routine, shape_name(result.shape), result.form,
                 result.kernel);
    }
  }
  print_stand_ins(report);
  print_regret(report.results);
  for (const Result &result : report.results) {
    if (!ran_otherwise(result)) continue;
    fmt::print("{} was asked for {}, {}, {}: {} ran\n", result.backend, result.asked_math_mode,
               shape_name(result.shape), result.form, result.math_mode);
  }
  for (const Result &result : report.results) {
    if (result.state != Result::State::kMeasured || result.plans == result.asked_plans) continue;
    fmt::print("{}, {}, {}: {} of {} operands came from plans\n", result.who(), shape_name(result.shape), result.form,
               result.plans, result.asked_plans);
  }
  const Telemetry telemetry = telemetry_of(report.results);
  if (telemetry.samples > 0) fmt::print("GPU during the samples: {}\n", telemetry_text(telemetry));
  fmt::print("clock at the end: {}\n", clock_text(read_host()));
}

Json machine_json(const Report &report) {
  const Host end = read_host();
  Json json = {{"libsgemm", version_text(libsgemm_version())},
               {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time(nullptr)))},
               {"cpu", report.host.cpu},
               {"processors", report.host.processors},
               {"mhz_at_start", {report.host.slowest_mhz, report.host.fastest_mhz}},
               {"mhz_at_end", {end.slowest_mhz, end.fastest_mhz}}};
  if (!report.gpu.name.empty()) {
    json["gpu"] = {{"name", report.gpu.name},
                   {"arch", report.gpu.arch},
                   {"multiprocessors", report.gpu.multiprocessors},
                   {"driver", report.gpu.driver},
                   {"peak_gflops", 1e-9 * report.gpu.peak},
                   {"copy_gbytes", 1e-9 * report.gpu.copy_bandwidth}};
    if (report.gpu.clock > 0 && report.gpu.bandwidth > 0) {
      json["gpu"]["clock_hz"] = report.gpu.clock;
      json["gpu"]["bandwidth"] = report.gpu.bandwidth;
    }
  }
  if (!report.peer.empty()) json["peer"] = {{"name", report.peer}, {"version", report.peer_version}};
  json["notes"] = report.notes;
  return json;
}

static Json to_json(const Report &report) {
  Json json = machine_json(report);
  if (!report.gpu.name.empty()) json["clocks"] = telemetry_json(telemetry_of(report.results));
  if (report.is_ladder) json["ladder"] = report.steps;
  json["results"] = Json::array();
  for (const Result &result : report.results) json["results"].push_back(result_json(result));
  json["geometric_mean_ratio"] = Json::object();
  for (const auto &[who, mean] : mean_ratios(report.results, who_of)) {
    json["geometric_mean_ratio"][who] = mean.value();
  }
  json["geometric_mean_ratio_by_transposes"] = Json::object();
  for (const auto &[name, mean] : means_by_form(report.results)) {
    json["geometric_mean_ratio_by_transposes"][name] = mean.value();
  }
  const std::vector<double> ratios = ratios_of(report.results);
  if (!ratios.empty()) json["percentile_5_ratio"] = quantile(ratios, 0.05);
  const Regret regret(report.results);
  if (!regret.losses.empty()) {
    json["loss"] = {{"geometric_mean", geometric_mean(regret.losses) - 1},
                    {"percentile_95", quantile(regret.losses, 0.95) - 1},
                    {"most", quantile(regret.losses, 1) - 1}};
  }
  return json;
}

void write_json(const Json &json, const std::string &path) {
  if (path.empty()) return;
  const std::string text = json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  write_output(path, {{text.data(), text.size()}});
}

void write_json(const Report &report, const std::string &path) { write_json(to_json(report), path); }

void require_no_wrong(const Report &report) {
  const auto is_wrong = [](const Result &result) { return result.state == Result::State::kWrong; };
  const auto wrong = std::count_if(report.results.begin(), report.results.end(), is_wrong);
  if (wrong > 0) throw Error(fmt::format("{} of {} results are wrong", wrong, report.results.size()));
}

Report start_report(const Peer *peer, Memory &memory) {
  Report report;
  report.host = read_host();
  if (peer != nullptr) {
    report.peer = peer->name();
    report.peer_version = peer->version();
  }
  auto *gpu = dynamic_cast<GpuMemory *>(&memory);
  if (gpu == nullptr) return report;
  const GpuDescription &description = gpu->description();
  report.gpu = {description.name, description.arch, description.driver, description.multiprocessors};
  report.gpu.copy_bandwidth = gpu->copy_bandwidth();
  report.gpu.peak = fp32_peak(gpu);
  report.gpu.clock = description.clock;
  report.gpu.bandwidth = description.bandwidth;
  for (const std::string &problem : {gpu->telemetry_problem(), gpu->kernels_problem()}) {
    if (!problem.empty()) report.notes.push_back(problem);
  }
  return report;
}

}  // namespace command
