// `libsgemm bench --ladder`: one product on the GPU by each step from the naive kernel to the production one, with its
// share of the vendor's library in the same run and of the measured peak.
#include <fmt/format.h>
#include <string.h>

#include <memory>
#include <vector>

#include "command.h"
#include "gpu_memory.h"
#include "library.h"
#include "measure.h"
#include "output_file.h"
#include "report.h"

namespace command {
namespace {

struct Step {
  const char *kernel;  // a row of the backend; empty: the one that it chooses
  const char *adds;
};

// In the order of the climb.
const std::vector<Step> kCudaSteps = {
    {"sm75_ffma_1x1x1_naive", "one thread an element"},
    {"sm75_ffma_32x32x32_shared", "tiles in shared memory"},
    {"sm75_ffma_64x64x16_register4x4", "4x4 elements a thread"},
    {"sm75_ffma_128x128x8_register8x8", "8x8 elements a thread"},
    {"sm75_ffma_128x128x8_vectorised", "16-byte accesses, A transposed in shared memory"},
    {"sm75_ffma_128x128x8_double_buffered", "loads overlap arithmetic"},
    {"sm80_ffma_128x128x16_multistage", "asynchronous copies in several stages"},
    {"sm90_ffma_256x128x16_stream_k", "copy engine, warps of two kinds, stream-K, dealt registers"},
    {"", "what the cost model chooses"},
};
const std::vector<Step> kHipSteps = {
    {"gfx_fma_1x1x1_naive", "one thread an element"},
    {"gfx_fma_64x64x8_ping_pong", "tiles in LDS that swap, 8x4 elements a thread"},
    {"gfx_fma_128x128x8_ping_pong", "8x8 elements a thread"},
    {"gfx_fma_256x128x8_ping_pong", "16x8 elements a thread"},
    {"gfx908_mfma_128x128x16_ping_pong", "matrix instructions"},
    {"", "what the cost model chooses"},
};

// A vendor's GPUs, as `--backend` names them.
struct Vendor {
  const char *backend, *peer;
  GpuMemory &(*memory)();
  const std::vector<Step> &steps;
};
const Vendor kVendors[] = {{"cuda", "cublas", cuda_memory, kCudaSteps}, {"hip", "rocblas", hip_memory, kHipSteps}};

bool has_kernel(const Backend &backend, const char *kernel) {
  for (int row = 0; row < backend.info.kernel_count; ++row) {
    if (strcmp(libsgemm_kernel_name(backend.index, row), kernel) == 0) return true;
  }
  return false;
}

bool is_available(const char *name) {
  for (const Backend &backend : all_backends()) {
    if (backend.info.name == std::string(name)) return backend.info.available != 0;
  }
  return false;
}

// That of the peer; without one, of --backend; otherwise AMD's only where it alone is there.
const Vendor &choose_vendor(const BenchOptions &bench, const Peer *peer) {
  std::string wanted;
  if (peer != nullptr) {
    wanted = peer->memory().backend();
  } else if (bench.backends.size() == 1) {
    wanted = bench.backends[0];
  } else {
    return !is_available(kVendors[0].backend) && is_available(kVendors[1].backend) ? kVendors[1] : kVendors[0];
  }
  for (const Vendor &vendor : kVendors) {
    if (vendor.backend == wanted) return vendor;
  }
  throw Error(fmt::format("--backend {}: the ladder is one of cuda or hip", wanted));
}

Backend require_backend(const Vendor &vendor) {
  const Backend backend = find_backend(vendor.backend);
  if (backend.info.available == 0) throw Error(fmt::format("{}: {}", vendor.backend, backend.info.reason));
  return backend;
}

std::string choose_transposes(const BenchOptions &bench) {
  if (bench.transposes.empty()) return "NT";
  std::string text = bench.transposes[0];
  const auto is_op = [](char letter) { return letter == 'N' || letter == 'T'; };
  if (bench.transposes.size() != 1 || text.size() != 2 || !is_op(text[0]) || !is_op(text[1])) {
    throw Error(fmt::format("--transposes {}: a ladder wants one of NN, NT, TN, TT", fmt::join(bench.transposes, ",")));
  }
  return text;
}

std::unique_ptr<Peer> choose_peer(const BenchOptions &bench) {
  if (bench.peer == "none") return nullptr;
  const std::string name = bench.peer.empty() ? choose_vendor(bench, nullptr).peer : bench.peer;
  std::unique_ptr<Peer> peer = open_peer(name);
  if (peer->memory().backend() == nullptr) {
    throw Error(fmt::format("--peer {}: does not compute on a GPU, as the ladder does", peer->name()));
  }
  return peer;
}

void print_step(const Step &step, const Result &result, double peak) {
  const std::string name = step.kernel[0] != '\0' ? step.kernel : result.kernel;
  fmt::print("{:<40} {:<48} ", name, step.adds);
  if (result.state != Result::State::kMeasured) {
    fmt::print("{}\n", result.problem);
  } else {
    fmt::print("{:>8.3f} ", 1e-3 * result.gflops());
    fmt::print("{:>8} ", result.has_peer ? fmt::format("{:.1f} %", 100 * result.ratio()) : "-");
    fmt::print("{:>8}\n", peak > 0 ? fmt::format("{:.1f} %", 100 * 1e9 * result.gflops() / peak) : "-");
  }
  fflush(stdout);
}

}  // namespace

int ladder(const LadderOptions &options, const BenchOptions &bench) {
  if (!bench.json.empty()) check_output(bench.json);
  select_gpu(bench.device);
  const std::string transposes = choose_transposes(bench);
  const std::unique_ptr<Peer> peer = choose_peer(bench);
  const Vendor &vendor = choose_vendor(bench, peer.get());
  GpuMemory &memory = vendor.memory();
  const Backend backend = require_backend(vendor);
  const Effort effort{bench.reps, bench.min_time};
  const Shape shape{options.size, options.size, options.size, 0, "ladder"};
  const Item item = make_item(Routine::kSgemm, shape, transposes);

  Report report = start_report(peer.get(), memory);
  report.is_ladder = true;
  print_machine(report);
  fmt::print("\n{} {}, medians\n{:<40} {:<48} {:>8} {:>8} {:>8}\n", shape_name(shape), transposes, "kernel", "adds",
             "TFLOP/s", "of peer", "of peak");
  const std::unique_ptr<Workload> work = make_workload(item, &memory);
  for (const Step &step : vendor.steps) {
    if (step.kernel[0] != '\0' && !has_kernel(backend, step.kernel)) {
      fmt::print("{:<40} {:<48} not in this build\n", step.kernel, step.adds);
      continue;
    }
    report.steps.push_back(step.adds);
    report.results.push_back(measure(effort, step.kernel, item, backend, work.get(), peer.get(), &memory));
    print_step(step, report.results.back(), report.gpu.peak);
  }
  write_json(report, bench.json);
  require_no_wrong(report);
  return 0;
}

}  // namespace command
