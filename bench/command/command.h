// The subcommands of `libsgemm`: their options as main.cpp parses them, and their entry points, which return the exit
// status.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace command {

// An error for the user, in one line that names the file or option at fault.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct InfoOptions {
  bool kernels = false;
  bool json = false;
};

struct GemmOptions {
  std::string a, b, c;  // files
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
  int random = 0;  // shapes to draw, with the forms alternating; 0: those above, or the suite
  uint64_t seed = 1;
  std::string sizes = "16:20000";  // of random shapes: least:most
  bool regret = false;             // also time each kernel that can do a call, by forcing it
  std::string filter;
  double max_flops = 0;                    // 0: no limit
  std::vector<std::string> distributions;  // operands of --accuracy; empty: the first four
  std::vector<std::string> backends, routines, transposes, sides, uplos;
  int64_t batch = 1;
  float beta = 0;
  std::vector<std::string> math_modes;
  int64_t workspace_mib = 0;  // 0: the library's default
  std::string plan;           // operands of sgemm to keep as plans: "a", "b", "ab", or empty
  std::string kernel;
  std::string peer;
  int reps = 5;
  double min_time = 0.2;
  int device = 0;  // GPU of the peer, if it computes on one
  std::string json;
};

// Options of --routine sconv2d.
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
  double tflops = 56;                 // rate of the device without copies, for the bound
};

struct CalibrateOptions {
  bool show = false, remove = false;
  std::string output;   // empty: where the library looks
  std::string backend;  // empty: the first GPU that is available
  double seconds = 8;
};

struct RunOptions {
  bool json = false;
  std::string output;
  std::string backend;
  std::string record;  // a file for the calls (recorded_calls.h); empty: none
  std::vector<std::string> program;
};

struct TuneOptions {
  std::string file;     // recorded calls; empty: those of `calls`
  BenchOptions calls;   // used: shapes, routines, their forms and math modes, --reps and --device
  std::string backend;  // empty: the first GPU that is available
  bool show = false, remove = false;
  std::string output;  // empty: where the library looks
};

struct ProbeOptions {
  std::string backend;              // "cuda", "hip", "cpu"; empty: those available
  int device = 0;                   // GPU
  std::vector<std::string> groups;  // empty: all
  double seconds = 0.2;             // per figure
  int64_t size = 0;                 // m = n = k of SGEMM; 0: a size that is large enough
  std::string json, compare;        // files
  double tolerance = 2;             // percent
};

struct StatsOptions {
  bool json = false;
  std::string output;
  std::string folder;
};

int info(const InfoOptions &options);
int gemm(const GemmOptions &options);
int bench(const BenchOptions &options);
// Reads --transposes, --peer, --reps, --min-time, --device and --json from `bench`.
int ladder(const LadderOptions &options, const BenchOptions &bench);
// Reads all options of `bench` except those of timing.
int accuracy(const BenchOptions &bench);
// Compares with --peer cublas on a GPU, otherwise with OpenBLAS.
int overhead(const OverheadOptions &options, const BenchOptions &bench);
int device_overhead(const OverheadOptions &options, const BenchOptions &bench);
// Times calls from host memory to host memory on a GPU.
int host_bench(const HostOptions &host, const BenchOptions &options);
// Times groups of products on a GPU, each of `groups` as in groups.h. Reads --shape, --seed, --transposes, --kernel,
// --peer, --device, --reps and --min-time from `options`.
int groups_bench(const std::vector<std::string> &groups, const BenchOptions &options);
// Times layers of convolutional networks. Reads --backend, --kernel, --math, --workspace, --filter, --max-flops,
// --peer, --device, --reps, --min-time and --json from `options`.
int conv_bench(const ConvOptions &conv, const BenchOptions &options);
// Reads the options of shapes and --json from `options`.
int decision(const BenchOptions &options);
int calibrate(const CalibrateOptions &options);
int run(const RunOptions &options);
int stats(const StatsOptions &options);
int tune(const TuneOptions &options);
int probe(const ProbeOptions &options);

}  // namespace command
