// The subcommands of `libsgemm`: parsed options and entry points, which return the exit status.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace command {

// The message is one line that names the file or option at fault.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct InfoOptions {
  bool kernels = false;
  bool json = false;
};

struct GemmOptions {
  std::string a, b, c;
  std::string output;
  bool transa = false, transb = false;
  float alpha = 1, beta = 0;
  std::string backend, kernel;
  bool verify = false;
  int repeat = 3;
};

struct BenchOptions {
  std::vector<std::string> shapes;
  std::string sweep;
  std::string suite;
  int random = 0;  // random shapes, forms alternating; 0: those above, or the suite
  uint64_t seed = 1;
  std::string sizes = "16:20000";  // least:most of the random shapes
  bool regret = false;             // time all possible kernels as well
  std::string filter;
  double max_flops = 0;                    // 0: no limit
  std::vector<std::string> distributions;  // empty: the first four
  std::vector<std::string> backends, routines, transposes, sides, uplos;
  int64_t batch = 1;
  float beta = 0;
  std::vector<std::string> math_modes;
  int64_t workspace_mib = 0;  // 0: the library's default
  std::string plan;           // operands of sgemm kept as plans: "a", "b", "ab", ""
  std::string kernel;
  std::string peer;
  int reps = 5;
  double min_time = 0.2;
  int device = 0;
  std::string json;
};

struct ConvOptions {
  std::vector<std::string> layers, directions, layouts;
};
constexpr const char *kConvRoutine = "sconv2d";

struct LadderOptions {
  int64_t size = 4096;
};

struct OverheadOptions {
  std::optional<double> overhead_bar;  // ns a call; the default depends on the peer
  double ratio_bar = 0.99;
};

struct HostOptions {
  std::vector<std::string> memories;  // "pageable", "pinned"
  double tflops = 56;                 // device rate without copies, for the bound
};

struct CalibrateOptions {
  bool show = false, remove = false;
  std::string output;
  std::string backend;  // empty: the first available GPU
  double seconds = 8;
};

struct RunOptions {
  bool json = false;
  std::string output;
  std::string backend;
  std::string record;  // file for the calls (recorded_calls.h)
  std::vector<std::string> program;
};

struct TuneOptions {
  std::string file;     // recorded calls; empty: `calls`
  BenchOptions calls;   // reads shapes, routines, forms, math modes, --reps, --device
  std::string backend;  // empty: the first available GPU
  bool show = false, remove = false;
  std::string output;
};

struct ProbeOptions {
  std::string backend;  // empty: those available
  int device = 0;
  std::vector<std::string> groups;  // empty: all
  double seconds = 0.2;             // per figure
  int64_t size = 0;                 // 0: large enough
  std::string json, compare;
  double tolerance = 2;  // percent
};

struct StatsOptions {
  bool json = false;
  std::string output;
  std::string folder;
};

int info(const InfoOptions &options);
int gemm(const GemmOptions &options);
int bench(const BenchOptions &options);
int ladder(const LadderOptions &options, const BenchOptions &bench);
int accuracy(const BenchOptions &bench);
int overhead(const OverheadOptions &options, const BenchOptions &bench);
int device_overhead(const OverheadOptions &options, const BenchOptions &bench);
int host_bench(const HostOptions &host, const BenchOptions &options);
int groups_bench(const std::vector<std::string> &groups, const BenchOptions &options);
int conv_bench(const ConvOptions &conv, const BenchOptions &options);
int decision(const BenchOptions &options);
int calibrate(const CalibrateOptions &options);
int run(const RunOptions &options);
int stats(const StatsOptions &options);
int tune(const TuneOptions &options);
int probe(const ProbeOptions &options);

}  // namespace command
