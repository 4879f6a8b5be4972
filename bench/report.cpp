#include "report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <stdio.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "library.h"

namespace command {
namespace {

using Json = nlohmann::ordered_json;

struct Mean {
  double log_sum = 0;
  int count = 0;
  double value() const { return std::exp(log_sum / count); }
};

std::map<std::string, Mean> mean_ratios(const std::vector<Result> &results) {
  std::map<std::string, Mean> means;
  for (const Result &result : results) {
    if (result.state != Result::State::kMeasured || !result.has_peer) continue;
    Mean &mean = means[result.backend];
    mean.log_sum += std::log(result.ratio());
    ++mean.count;
  }
  return means;
}

std::string clock_text(const Host &host) {
  if (host.fastest_mhz == 0) return "clock unknown";
  if (host.fastest_mhz - host.slowest_mhz < 1) return fmt::format("{:.0f} MHz", host.fastest_mhz);
  return fmt::format("{:.0f}..{:.0f} MHz", host.slowest_mhz, host.fastest_mhz);
}

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

Json times_json(const Summary &seconds, double gflops) {
  return {{"median", seconds.median},
          {"minimum", seconds.minimum},
          {"maximum", seconds.maximum},
          {"lower_quartile", seconds.lower_quartile},
          {"upper_quartile", seconds.upper_quartile},
          {"samples", seconds.count},
          {"gflops", gflops}};
}

Json result_json(const Result &result) {
  Json json = {{"state", state_word(result.state)},
               {"routine", result.routine},
               {"transposes", result.transposes},
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
  if (result.state != Result::State::kMeasured) {
    json["problem"] = result.problem;
    return json;
  }
  json["seconds"] = times_json(result.seconds, result.gflops());
  json["error_over_bound"] = result.error;
  if (result.has_peer) {
    json["peer_threads"] = result.peer_threads;
    json["peer_seconds"] = times_json(result.peer_seconds, result.peer_gflops());
    json["peer_error_over_bound"] = result.peer_error;
    json["ratio"] = result.ratio();
  }
  return json;
}

}  // namespace

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

void print_header(const Report &report) {
  fmt::print("libsgemm {}; {}, {} processors, {}\n", version_text(libsgemm_version()), report.host.cpu,
             report.host.processors, clock_text(report.host));
  if (!report.peer.empty()) fmt::print("peer {}: {}\n", report.peer, report.peer_version);
  for (const std::string &note : report.notes) fmt::print("{}\n", note);
  fmt::print(
      "median (minimum..maximum) of one call; ratio = time of the peer / ours; error = worst |error| / bound\n\n");
  fmt::print("{:<8} {:<18} {:<2} {:<9} {:<24} {:>3} {:>11} {:>25} {:>9}", "routine", "m x n x k + pad", "op", "backend",
             "kernel", "thr", "median", "(minimum..maximum)", "GFLOP/s");
  if (!report.peer.empty()) fmt::print(" {:>9} {:>6}", "peer", "ratio");
  fmt::print(" {:>7}\n", "error");
  fflush(stdout);
}

void print_result(const Result &result) {
  fmt::print("{:<8} {:<18} {:<2} {:<9} ", result.routine, shape_name(result.shape), result.transposes, result.backend);
  if (result.state != Result::State::kMeasured) {
    fmt::print("{}: {}\n", state_word(result.state), result.problem);
  } else {
    const Summary &time = result.seconds;
    fmt::print("{:<24} {:>3} {:>11} {:>25} {:>9.2f}", result.kernel, result.threads, duration_text(time.median),
               fmt::format("({}..{})", duration_text(time.minimum), duration_text(time.maximum)), result.gflops());
    if (result.has_peer) fmt::print(" {:>9.2f} {:>6.3f}", result.peer_gflops(), result.ratio());
    fmt::print(" {:>7.1e}\n", result.error);
  }
  fflush(stdout);
}

void print_end(const Report &report) {
  fmt::print("\n");
  for (const auto &[backend, mean] : mean_ratios(report.results)) {
    fmt::print("geometric mean of the ratio {} / {}: {:.3f} over {} rows\n", backend, report.peer, mean.value(),
               mean.count);
  }
  fmt::print("clock at the end: {}\n", clock_text(read_host()));
}

Json to_json(const Report &report) {
  const Host end = read_host();
  Json json = {{"libsgemm", version_text(libsgemm_version())},
               {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time(nullptr)))},
               {"cpu", report.host.cpu},
               {"processors", report.host.processors},
               {"mhz_at_start", {report.host.slowest_mhz, report.host.fastest_mhz}},
               {"mhz_at_end", {end.slowest_mhz, end.fastest_mhz}}};
  if (!report.peer.empty()) json["peer"] = {{"name", report.peer}, {"version", report.peer_version}};
  json["notes"] = report.notes;
  json["results"] = Json::array();
  for (const Result &result : report.results) json["results"].push_back(result_json(result));
  json["geometric_mean_ratio"] = Json::object();
  for (const auto &[backend, mean] : mean_ratios(report.results)) json["geometric_mean_ratio"][backend] = mean.value();
  return json;
}

}  // namespace command
