// The output of `libsgemm bench`, as text and JSON.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/timing.h"
#include "inputs/suite.h"
#include "peers/peers.h"

namespace command {

struct ForcedKernel {
  std::string kernel;
  double seconds;  // one call
};

struct Result {
  enum class State { kMeasured, kNotSupported, kWrong };

  State state = State::kMeasured;
  std::string problem;
  std::string routine, transposes;
  std::string side, uplo;  // empty: the routine has none
  int64_t batch = 1;
  std::string form;  // form_text()
  Shape shape{};
  double flops = 0;
  double bytes = 0;  // one set of operands
  std::string backend, kernel, math_mode;
  std::string asked_math_mode;     // empty: none
  int asked_plans = 0, plans = 0;  // operands to keep as plans; those kept
  int device = 0, threads = 0;
  int calls = 0, sets = 0;  // calls in a sample; sets of operands
  Telemetry telemetry;      // while the samples ran
  Summary seconds{};
  double error = 0;  // worst |error| / bound of the samples
  bool has_peer = false;
  int peer_threads = 0;
  std::string peer_stand_in;
  Summary peer_seconds{};
  double peer_error = 0;
  // --regret: possible kernels, fastest first, and the best of the finalists (measure.h).
  std::vector<ForcedKernel> forced;
  ForcedKernel best{};
  double loss = 0;  // time lost by the choice, relative to the best

  double gflops() const { return 1e-9 * flops / seconds.median; }
  double peer_gflops() const { return 1e-9 * flops / peer_seconds.median; }
  std::string who() const { return asked_math_mode.empty() ? backend : backend + " " + asked_math_mode; }
  // Above 1: the library is faster.
  double ratio() const { return peer_seconds.median / seconds.median; }
  double best_ratio() const { return ratio() * (1 + loss); }
};

const char *state_word(Result::State state);

struct Host {
  std::string cpu;
  int processors;
  double slowest_mhz, fastest_mhz;  // current clocks; 0: unknown
};

Host read_host();

struct Gpu {
  std::string name, arch, driver;  // empty: host memory
  int multiprocessors = 0;
  double peak = 0;                  // measured FP32 FLOP/s from registers; 0: failed
  double copy_bandwidth = 0;        // measured bytes/s, read and written
  double clock = 0, bandwidth = 0;  // data sheet, Hz and bytes/s; 0: unknown
};

struct Report {
  Host host;
  Gpu gpu;
  std::string peer, peer_version;  // empty: no peer
  std::vector<std::string> notes;
  bool is_ladder = false;
  std::vector<std::string> steps;
  size_t form_width = 2;
  std::vector<Result> results;
};

// `peer` may be nullptr. Measures a GPU's peak.
Report start_report(const Peer *peer, Memory &memory);

void print_header(const Report &report);
void print_result(const Report &report, const Result &result);
void print_end(const Report &report);

void print_machine(const Report &report);

nlohmann::ordered_json machine_json(const Report &report);
// No effect if `path` is empty.
void write_json(const nlohmann::ordered_json &json, const std::string &path);
void write_json(const Report &report, const std::string &path);

// Throws Error if a result is wrong.
void require_no_wrong(const Report &report);

}  // namespace command
