#include "stats_report.h"

#include <fmt/format.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "stats.h"
#include "timing.h"

namespace command {
namespace {

using libsgemm::StatsFile;
using libsgemm::StatsRecord;

// Bytes that a killed process may have left without an end.
template <size_t N>
std::string text(const char (&bytes)[N]) {
  return std::string(bytes, strnlen(bytes, N));
}

// NULL if the file is none of ours, or was not finished by the process that made it.
std::unique_ptr<StatsFile> read_file(const std::string &path) {
  auto stats = std::make_unique<StatsFile>();
  FILE *file = fopen(path.c_str(), "rb");
  if (file == nullptr) return nullptr;
  const bool complete = fread(static_cast<void *>(stats.get()), sizeof(StatsFile), 1, file) == 1;
  fclose(file);
  const bool ours = complete && memcmp(stats->magic, libsgemm::kStatsMagic, sizeof stats->magic) == 0 &&
                    stats->record_count == libsgemm::kStatsRecords;
  return ours ? std::move(stats) : nullptr;
}

ProcessCalls convert(const StatsFile &stats) {
  ProcessCalls process{stats.pid, text(stats.program), stats.lost, {}};
  for (const StatsRecord &record : stats.records) {
    if (record.state != StatsRecord::kReady || record.calls == 0) continue;
    process.counts.push_back({text(record.entry), text(record.backend), text(record.kernel), record.calls,
                              record.nanoseconds, record.flops});
  }
  const auto longer = [](const CallCount &a, const CallCount &b) { return a.nanoseconds > b.nanoseconds; };
  std::stable_sort(process.counts.begin(), process.counts.end(), longer);
  return process;
}

double gflops(const CallCount &count) {
  return count.nanoseconds > 0 ? static_cast<double>(count.flops) / static_cast<double>(count.nanoseconds) : 0;
}

}  // namespace

std::vector<ProcessCalls> read_statistics(const std::string &folder, std::vector<std::string> *problems) {
  std::vector<ProcessCalls> processes;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".stats") continue;
    const std::unique_ptr<StatsFile> stats = read_file(entry.path());
    if (stats == nullptr) {
      problems->push_back(fmt::format("the calls of process {} could not be read", entry.path().stem().string()));
      continue;
    }
    processes.push_back(convert(*stats));
    if (processes.back().counts.empty() && processes.back().lost == 0) processes.pop_back();
  }
  const auto by_pid = [](const ProcessCalls &a, const ProcessCalls &b) { return a.pid < b.pid; };
  std::sort(processes.begin(), processes.end(), by_pid);
  return processes;
}

std::string statistics_table(const std::vector<ProcessCalls> &processes) {
  std::string table;
  const auto out = std::back_inserter(table);
  fmt::format_to(out, "{:>8} {:<16} {:<26} {:<9} {:<24} {:>10} {:>11} {:>9}\n", "pid", "program", "entry", "backend",
                 "kernel", "calls", "time", "GFLOP/s");
  for (const ProcessCalls &process : processes) {
    for (const CallCount &count : process.counts) {
      fmt::format_to(out, "{:>8} {:<16} {:<26} {:<9} {:<24} {:>10} {:>11} {:>9.2f}\n", process.pid, process.program,
                     count.entry, count.backend, count.kernel.empty() ? "-" : count.kernel, count.calls,
                     duration_text(1e-9 * static_cast<double>(count.nanoseconds)), gflops(count));
    }
    if (process.lost > 0)
      fmt::format_to(out, "{:>8} {} further calls were not told apart\n", process.pid, process.lost);
  }
  return table;
}

std::string statistics_json(const std::vector<ProcessCalls> &processes, const std::string &program, int exit_status,
                            const std::vector<std::string> &problems) {
  nlohmann::ordered_json json = {
      {"program", program}, {"exit_status", exit_status}, {"processes", nlohmann::ordered_json::array()}};
  if (!problems.empty()) json["problems"] = problems;
  for (const ProcessCalls &process : processes) {
    nlohmann::ordered_json calls = nlohmann::ordered_json::array();
    for (const CallCount &count : process.counts) {
      calls.push_back({{"entry", count.entry},
                       {"backend", count.backend},
                       {"kernel", count.kernel},
                       {"calls", count.calls},
                       {"seconds", 1e-9 * static_cast<double>(count.nanoseconds)},
                       {"flops", count.flops},
                       {"gflops", gflops(count)}});
    }
    json["processes"].push_back(
        {{"pid", process.pid}, {"program", process.program}, {"lost", process.lost}, {"calls", calls}});
  }
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace command
