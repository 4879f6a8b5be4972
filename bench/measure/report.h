// The output of `libsgemm bench`: header, table and means, and the same as JSON.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "inputs/suite.h"
#include "peers/peers.h"
#include "timing.h"

namespace command {

// A kernel that was forced.
struct ForcedRow {
  std::string kernel;
  double seconds;  // time of one call
};

struct Result {
  enum class State { kMeasured, kNotSupported, kWrong };

  State state = State::kMeasured;
  std::string problem;  // unless kMeasured
  std::string routine, transposes;
  std::string side, uplo;  // empty: the routine has none
  int64_t batch = 1;
  std::string form;  // all of these (form_text() in routines.h)
  Shape shape{};
  double flops = 0;
  double bytes = 0;  // bytes of one set of operands
  std::string backend, kernel, math_mode;
  std::string asked_math_mode;     // empty: none requested
  int asked_plans = 0, plans = 0;  // operands to be kept as plans; operands that came from plans
  int device = 0, threads = 0;
  int calls = 0, sets = 0;  // calls in one sample; sets of operands
  Telemetry telemetry;      // while the samples ran
  Summary seconds{};        // time of one call
  double error = 0;         // worst |error| / bound of the sampled elements over all calls
  bool has_peer = false;
  int peer_threads = 0;
  std::string peer_stand_in;  // see Peer::stand_in()
  Summary peer_seconds{};
  double peer_error = 0;
  // With --regret: times of the kernels that can do the call, the fastest first; and the best of the fastest ones,
  // timed again alternately with the chosen one, which it may be itself.
  std::vector<ForcedRow> rows;
  ForcedRow best{};
  double loss = 0;  // time that the choice loses, as a share of the best time

  double gflops() const { return 1e-9 * flops / seconds.median; }
  double peer_gflops() const { return 1e-9 * flops / peer_seconds.median; }
  // Who computed: the backend, and the requested math mode.
  std::string who() const { return asked_math_mode.empty() ? backend : backend + " " + asked_math_mode; }
  // Above 1 if the library is faster.
  double ratio() const { return peer_seconds.median / seconds.median; }
  double best_ratio() const { return ratio() * (1 + loss); }
};

// "measured", "not supported", "wrong"
const char *state_word(Result::State state);

struct Host {
  std::string cpu;
  int processors;
  double slowest_mhz, fastest_mhz;  // now; 0 if unknown
};

Host read_host();

// The device that holds the operands.
struct Gpu {
  std::string name, arch, driver;  // name empty: host memory
  int multiprocessors = 0;
  double peak = 0;                  // measured FP32 operations a second from registers; 0 if that failed
  double copy_bandwidth = 0;        // measured bytes a second, read and written
  double clock = 0, bandwidth = 0;  // from the data sheet, Hz and bytes a second; 0: unknown
};

struct Report {
  Host host;
  Gpu gpu;
  std::string peer, peer_version;  // empty: no peer
  std::vector<std::string> notes;
  bool is_ladder = false;
  std::vector<std::string> steps;  // what each result of a ladder adds
  size_t form_width = 2;           // length of the longest form
  std::vector<Result> results;
};

// Returns a report with the machine and the peer, which may be nullptr. Measures the peak of a GPU.
Report start_report(const Peer *peer, Memory &memory);

// Without a GPU or a peer there are no columns for them.
void print_header(const Report &report);
void print_result(const Report &report, const Result &result);
// Prints geometric means of the ratio by backend and form, what the peer has no function for, the worst and the low
// ratios, and the clock.
void print_end(const Report &report);

// Prints "libsgemm 0.1.0; NVIDIA H100, sm_90, ...", the peer, and the notes.
void print_machine(const Report &report);

// Returns the date, the machine, the peer and the notes.
nlohmann::ordered_json machine_json(const Report &report);
// Write a file; do nothing if `path` is empty.
void write_json(const nlohmann::ordered_json &json, const std::string &path);
void write_json(const Report &report, const std::string &path);

// Throws Error if a result is wrong.
void require_no_wrong(const Report &report);

}  // namespace command
