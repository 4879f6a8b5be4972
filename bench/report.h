// What `libsgemm bench` prints: header, table and means, and the same as JSON.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "suite.h"
#include "timing.h"

namespace command {

struct Result {
  enum class State { kMeasured, kNotSupported, kWrong };

  State state = State::kMeasured;
  std::string problem;  // unless kMeasured
  std::string routine, transposes;
  Shape shape{};
  double flops = 0;
  std::string backend, kernel, math_mode;
  int device = 0, threads = 0;
  Summary seconds{};  // of one call
  double error = 0;   // worst |error| / bound of the sampled elements over all calls
  bool has_peer = false;
  int peer_threads = 0;
  Summary peer_seconds{};
  double peer_error = 0;

  double gflops() const { return 1e-9 * flops / seconds.median; }
  double peer_gflops() const { return 1e-9 * flops / peer_seconds.median; }
  // Above 1 where the library is faster.
  double ratio() const { return peer_seconds.median / seconds.median; }
};

struct Host {
  std::string cpu;
  int processors;
  double slowest_mhz, fastest_mhz;  // now; 0 if unknown
};

Host read_host();

struct Report {
  Host host;
  std::string peer, peer_version;  // empty without
  std::vector<std::string> notes;
  std::vector<Result> results;
};

void print_header(const Report &report);
void print_result(const Result &result);
// Geometric means of the ratio, by backend, and the clock at the end.
void print_end(const Report &report);

nlohmann::ordered_json to_json(const Report &report);

}  // namespace command
