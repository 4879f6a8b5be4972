#include "stats_report.h"

#include <fmt/format.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "output_file.h"
#include "process/quiet_write.h"
#include "process/stats.h"
#include "timing.h"

namespace command {
namespace {

using libsgemm::StatsBlas;
using libsgemm::StatsFile;
using libsgemm::StatsRecord;

constexpr uint64_t kTick = 20000000;  // ns; start times are inexact by up to this

// A killed process may leave text without a terminating zero.
template <size_t N>
std::string text(const char (&bytes)[N]) {
  return std::string(bytes, strnlen(bytes, N));
}

// Returns NULL for another format or an unfinished file.
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

// Returns one entry a version: a distribution's BLAS may be a wrapper of the library that computes.
std::vector<LoadedBlas> read_blas(const StatsFile &stats) {
  std::vector<LoadedBlas> all;
  const uint32_t count = std::min<uint32_t>(stats.blas_count, libsgemm::kStatsBlas);
  for (const StatsBlas *b = stats.blas; b != stats.blas + count; ++b) {
    const uint32_t flags = b->flags;
    if ((flags & StatsBlas::kReady) == 0) continue;
    const std::string version = text(b->version);
    auto same = std::find_if(all.begin(), all.end(), [&](const LoadedBlas &x) { return x.version == version; });
    if (same == all.end()) same = all.insert(all.end(), LoadedBlas{version, "", false, false, false});
    if (same->file.empty()) same->file = text(b->file);
    same->own = same->own || (flags & StatsBlas::kOwn) != 0;
    same->computes = same->computes || (flags & StatsBlas::kComputes) != 0;
    same->has_lapack = same->has_lapack || (flags & StatsBlas::kHasLapack) != 0;
  }
  return all;
}

double seconds(uint64_t nanoseconds) { return 1e-9 * static_cast<double>(nanoseconds); }

ProcessCalls convert(const StatsFile &stats) {
  ProcessCalls process;
  process.pid = stats.pid;
  process.parent = stats.parent;
  process.program = text(stats.program);
  process.lost = stats.lost;
  process.seconds = stats.latest > stats.begin ? seconds(stats.latest - stats.begin) : 0;
  process.startup = seconds(stats.startup);
  process.blas = read_blas(stats);
  for (const StatsRecord &record : stats.records) {
    if (record.state != StatsRecord::kReady || record.calls == 0) continue;
    CallCount count{text(record.entry), text(record.backend), text(record.kernel),
                    record.calls,       record.nanoseconds,   record.flops,
                    record.verified,    record.wrong,         0};
    const uint64_t worst = record.worst;
    memcpy(&count.worst, &worst, sizeof count.worst);
    process.counts.push_back(count);
  }
  const auto longer = [](const CallCount &a, const CallCount &b) { return a.nanoseconds > b.nanoseconds; };
  std::stable_sort(process.counts.begin(), process.counts.end(), longer);
  return process;
}

double gflops(const CallCount &count) {
  return count.nanoseconds > 0 ? static_cast<double>(count.flops) / static_cast<double>(count.nanoseconds) : 0;
}

bool made_calls(const ProcessCalls &process) { return !process.counts.empty() || process.lost > 0; }

void add(CallCount *sum, const CallCount &count) {
  sum->calls += count.calls;
  sum->nanoseconds += count.nanoseconds;
  sum->flops += count.flops;
  sum->verified += count.verified;
  sum->wrong += count.wrong;
  sum->worst = std::max(sum->worst, count.worst);
}

std::string verification(const CallCount &count) {
  std::string text = count.verified == 0 ? "-" : fmt::format("{}, worst {:.2g}", count.verified, count.worst);
  if (count.wrong > 0) text += fmt::format(", {} WRONG", count.wrong);
  return text;
}

struct Widths {
  size_t program = 7, entry = 5, kernel = 6;
};

void write_row(std::string *table, const Widths &w, const std::string &pid, const std::string &program,
               const CallCount &count, double process_seconds) {
  const bool timed = count.nanoseconds > 0;
  const double spent = seconds(count.nanoseconds);
  fmt::format_to(std::back_inserter(*table), "{:>8} {:<{}} {:<{}} {:<8} {:<{}} {:>9} {:>10} {:>6} {:>8}  {}\n", pid,
                 program, w.program, count.entry, w.entry, count.backend, count.kernel.empty() ? "-" : count.kernel,
                 w.kernel, count.calls, timed ? duration_text(spent) : "-",
                 timed && process_seconds > 0 ? fmt::format("{:.1f} %", 100 * spent / process_seconds) : "-",
                 count.flops > 0 ? fmt::format("{:.2f}", gflops(count)) : "-", verification(count));
}

std::string name_of(const LoadedBlas &blas) {
  return blas.version + (blas.file.empty() ? "" : fmt::format(" ({})", blas.file));
}

// Says which products bypass the drop-in.
std::string stays(const std::vector<LoadedBlas> &all) {
  const bool lapack = std::any_of(all.begin(), all.end(), [](const LoadedBlas &blas) { return blas.has_lapack; });
  return lapack
             ? "float64 and complex products stay with it, and those of its LAPACK, which is part of the same library"
             : "float64 and complex products stay with it";
}

std::string names_of(const std::vector<LoadedBlas> &all) {
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const LoadedBlas &blas : all) names.push_back(name_of(blas));
  return fmt::format("{}", fmt::join(names, " and "));
}

// Processes of one program with one BLAS share lines.
std::string blas_lines(const std::vector<ProcessCalls> &processes) {
  std::vector<std::pair<std::string, int>> lines;
  for (const ProcessCalls &process : processes) {
    if (process.blas.empty()) continue;
    std::vector<LoadedBlas> used;
    std::copy_if(process.blas.begin(), process.blas.end(), std::back_inserter(used),
                 [](const LoadedBlas &blas) { return blas.computes; });
    std::string line;
    if (!made_calls(process)) {
      line = fmt::format("{}: no call of single-precision level 3 arrived. Its BLAS is {}: {}.", process.program,
                         names_of(process.blas), stays(process.blas));
    } else if (!used.empty()) {
      line = fmt::format("{}: computed on the CPU by {}; {}.", process.program, names_of(used), stays(used));
    }
    const auto same = std::find_if(lines.begin(), lines.end(), [&](const auto &known) { return known.first == line; });
    if (same != lines.end()) ++same->second;
    if (same == lines.end() && !line.empty()) lines.emplace_back(line, 1);
  }
  std::string all;
  for (const auto &[line, count] : lines) all += line + (count > 1 ? fmt::format(" ({} processes)", count) : "") + "\n";
  return all;
}

}  // namespace

uint64_t time_of_day() {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000 + static_cast<uint64_t>(time.tv_nsec);
}

std::vector<StatisticsFile> statistics_files(const std::string &folder, uint64_t since,
                                             std::vector<std::string> *problems) {
  std::vector<StatisticsFile> files;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".stats") continue;
    std::unique_ptr<StatsFile> stats = read_file(entry.path());
    if (stats == nullptr) {
      problems->push_back(fmt::format("the calls of process {} could not be read", entry.path().stem().string()));
      continue;
    }
    if (stats->begin + kTick >= since) files.push_back({entry.path(), std::move(stats)});
  }
  return files;
}

std::vector<ProcessCalls> read_statistics(const std::string &folder, uint64_t since,
                                          std::vector<std::string> *problems) {
  std::vector<ProcessCalls> processes;
  for (const StatisticsFile &file : statistics_files(folder, since, problems)) {
    processes.push_back(convert(*file.stats));
    if (!made_calls(processes.back()) && processes.back().blas.empty()) processes.pop_back();
  }
  const auto by_pid = [](const ProcessCalls &a, const ProcessCalls &b) { return a.pid < b.pid; };
  std::sort(processes.begin(), processes.end(), by_pid);
  return processes;
}

bool has_calls(const std::vector<ProcessCalls> &processes) {
  return std::any_of(processes.begin(), processes.end(), made_calls);
}

std::string statistics_table(const std::vector<ProcessCalls> &processes) {
  Widths w;
  CallCount sum;
  double startup = 0;
  size_t callers = 0;
  for (const ProcessCalls &process : processes) {
    if (!made_calls(process)) continue;
    ++callers;
    startup += process.startup;
    w.program = std::max(w.program, process.program.size());
    for (const CallCount &count : process.counts) {
      w.entry = std::max(w.entry, count.entry.size());
      w.kernel = std::max(w.kernel, count.kernel.size());
      add(&sum, count);
    }
  }
  std::string table;
  if (callers == 0) return blas_lines(processes);
  const auto out = std::back_inserter(table);
  fmt::format_to(out, "{:>8} {:<{}} {:<{}} {:<8} {:<{}} {:>9} {:>10} {:>6} {:>8}  {}\n", "pid", "program", w.program,
                 "entry", w.entry, "backend", "kernel", w.kernel, "calls", "time", "share", "GFLOP/s", "verified");
  for (const ProcessCalls &process : processes) {
    for (const CallCount &count : process.counts) {
      write_row(&table, w, std::to_string(process.pid), process.program, count, process.seconds);
    }
    if (process.lost > 0)
      fmt::format_to(out, "{:>8} {} further calls were not counted separately\n", process.pid, process.lost);
  }
  write_row(&table, w, "total", callers == 1 ? "" : fmt::format("{} proc.", callers), sum,
            callers == 1 ? std::find_if(processes.begin(), processes.end(), made_calls)->seconds : 0);
  fmt::format_to(out, "loading and starting backends, not included in these times: {}\n", duration_text(startup));
  return table + blas_lines(processes);
}

std::string statistics_json(const std::vector<ProcessCalls> &processes, const RunResult *run,
                            const std::vector<std::string> &problems) {
  nlohmann::ordered_json json;
  if (run != nullptr) {
    json["program"] = run->program;
    json["exit_status"] = run->exit_status;
    json["seconds"] = run->seconds;
  }
  json["processes"] = nlohmann::ordered_json::array();
  if (!problems.empty()) json["problems"] = problems;
  for (const ProcessCalls &process : processes) {
    nlohmann::ordered_json calls = nlohmann::ordered_json::array(), blas = nlohmann::ordered_json::array();
    for (const CallCount &count : process.counts) {
      calls.push_back({{"entry", count.entry},
                       {"backend", count.backend},
                       {"kernel", count.kernel},
                       {"calls", count.calls},
                       {"seconds", seconds(count.nanoseconds)},
                       {"flops", count.flops},
                       {"gflops", gflops(count)},
                       {"verified", count.verified},
                       {"wrong", count.wrong},
                       {"worst_ratio", count.worst}});
    }
    for (const LoadedBlas &loaded : process.blas) {
      blas.push_back({{"version", loaded.version},
                      {"file", loaded.file},
                      {"called_by_program", loaded.own},
                      {"computes", loaded.computes},
                      {"has_lapack", loaded.has_lapack}});
    }
    json["processes"].push_back({{"pid", process.pid},
                                 {"parent", process.parent},
                                 {"program", process.program},
                                 {"seconds", process.seconds},
                                 {"startup_seconds", process.startup},
                                 {"lost", process.lost},
                                 {"calls", calls},
                                 {"blas", blas}});
  }
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

int stats(const StatsOptions &options) {
  if (!options.output.empty()) check_output(options.output);
  std::error_code error;
  if (!std::filesystem::is_directory(options.folder, error)) {
    throw Error(fmt::format("{}: {}", options.folder, error ? error.message() : "is not a directory"));
  }
  std::vector<std::string> problems;
  const std::vector<ProcessCalls> processes = read_statistics(options.folder, 0, &problems);
  std::string report = options.json ? statistics_json(processes, nullptr, problems) : statistics_table(processes);
  if (report.empty()) report = fmt::format("{}: no process has counted calls there\n", options.folder);
  for (const std::string &problem : problems) fmt::print(stderr, "libsgemm stats: {}\n", problem);
  if (options.output.empty()) {
    fmt::print("{}", report);
  } else {
    write_output(options.output, {{report.data(), report.size()}});
  }
  return 0;
}

}  // namespace command
