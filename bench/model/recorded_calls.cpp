#include "recorded_calls.h"

#include <fmt/core.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <memory>
#include <unordered_map>

#include "base/command.h"
#include "base/stats_report.h"
#include "process/stats.h"

namespace command {
namespace {

using libsgemm::CallClass;

struct Hash {
  size_t operator()(const CallClass &call) const { return libsgemm::hash_of(call); }
};
using Counts = std::unordered_map<CallClass, uint64_t, Hash>;

void add_calls(const std::string &path, Counts *counts) {
  const std::unique_ptr<FILE, int (*)(FILE *)> file(fopen(path.c_str(), "rb"), fclose);
  if (file == nullptr) return;
  for (int part = 0; part < libsgemm::kStatsParts; ++part) {
    const size_t count = libsgemm::stats_part_count(part);
    std::vector<libsgemm::StatsShape> shapes(count);
    if (fseek(file.get(), static_cast<long>(libsgemm::stats_part_place(part)), SEEK_SET) != 0) return;
    if (fread(static_cast<void *>(shapes.data()), sizeof shapes[0], count, file.get()) != count) return;
    for (size_t i = 0; i < count; ++i) {
      if (shapes[i].state == libsgemm::StatsRecord::kReady) (*counts)[shapes[i].call] += shapes[i].calls;
    }
  }
}

double operations(const RecordedCall &x) {
  return static_cast<double>(x.count) * libsgemm::flop_count(libsgemm::describe(x.call));
}

// "12 sgemm op=NN ..."
RecordedCall parse_call(const std::string &line) {
  RecordedCall recorded{};
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), recorded.count);
  if (error != std::errc() || recorded.count == 0) throw Error("it does not begin with a number of calls");
  std::string problem;
  if (!libsgemm::class_from_text(std::string(end, line.data() + line.size()), &recorded.call, &problem)) {
    throw Error(problem);
  }
  return recorded;
}

}  // namespace

std::vector<RecordedCall> collect_calls(const std::string &folder, uint64_t since, std::vector<std::string> *problems) {
  Counts counts;
  for (const StatisticsFile &file : statistics_files(folder, since, problems)) {
    add_calls(file.path, &counts);
    const uint64_t lost = file.stats->lost_shapes;
    if (lost > 0) {
      problems->push_back(fmt::format("{} calls of process {} are not recorded: {} had no room for them", lost,
                                      file.stats->pid, folder));
    }
  }
  std::vector<RecordedCall> calls;
  for (const auto &[call, count] : counts) calls.push_back({call, count});
  std::sort(calls.begin(), calls.end(), [](const RecordedCall &x, const RecordedCall &y) {
    const double a = operations(x), b = operations(y);
    return a != b ? a > b : libsgemm::to_text(x.call) < libsgemm::to_text(y.call);
  });
  return calls;
}

std::string calls_to_text(const std::vector<RecordedCall> &calls) {
  std::string text = "# how often, and the call, column-major; alignments are in bytes: libsgemm tune reads this\n";
  for (const RecordedCall &x : calls) text += fmt::format("{} {}\n", x.count, libsgemm::to_text(x.call));
  return text;
}

std::vector<RecordedCall> read_calls(const std::string &path) {
  std::ifstream file(path);
  if (!file) throw Error(fmt::format("{}: cannot be opened: {}", path, strerror(errno)));
  std::vector<RecordedCall> calls;
  std::unordered_map<CallClass, size_t, Hash> places;  // several records in a file may share a call
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line[0] == '#') continue;
    try {
      const RecordedCall recorded = parse_call(line);
      const auto [at, is_new] = places.emplace(recorded.call, calls.size());
      if (is_new) calls.push_back(recorded);
      if (!is_new) calls[at->second].count += recorded.count;
    } catch (const Error &error) {
      throw Error(fmt::format("{}:{}: {}", path, number, error.what()));
    }
  }
  if (file.bad()) throw Error(fmt::format("{}: cannot be read", path));
  if (calls.empty()) throw Error(fmt::format("{}: has no call", path));
  return calls;
}

}  // namespace command
