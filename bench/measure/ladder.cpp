// `libsgemm bench --ladder`: one product by each step from the naive kernel to the production one, compared with the
// vendor's library and the measured peak.
#include <fmt/format.h>

#include <memory>
#include <vector>

#include "base/command.h"
#include "base/library.h"
#include "base/output_file.h"
#include "measure.h"
#include "peers/gpu_memory.h"
#include "report.h"

namespace command {
namespace {

struct Step {
  const char *kernel;  // empty: the backend's choice
  const char *adds;
};

const std::vector<Step> kCudaSteps = {
    {"sm75_ffma_1x1x1_naive", "one thread an element"},
    {"sm75_ffma_32x32x32_shared", "tiles in shared memory"},
    {"sm75_ffma_64x64x16_register4x4", "4x4 elements a thread"},
    {"sm75_ffma_128x128x8_register8x8", "8x8 elements a thread"},
    {"sm75_ffma_128x128x8_vectorised", "16-byte accesses, A transposed in shared memory"},
    {"sm75_ffma_128x128x8_double_buffered", "loads overlap arithmetic"},
    {"sm80_ffma_128x128x16_multistage", "asynchronous copies in several stages"},
    {"sm90_ffma_256x128x16_stream_k", "TMA, warps of two kinds, stream-K, reassigned registers"},
    {"", "what the cost model chooses"},
};
const std::vector<Step> kCudaTensorSteps = {
    {"sm75_wmma_16x16x16_warp", "a tile of 16x16 a warp, operands read in place"},
    {"sm75_wmma_128x128x32_staged", "tiles in shared memory, 64x64 elements a warp"},
    {"sm80_wmma_256x128x32_multistage", "asynchronous copies in several stages"},
    {"sm80_mma_128x128x32_multistage", "mma and ldmatrix, shared memory swizzled"},
    {"sm80_mma_256x128x64_multistage", "a larger tile"},
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

const std::vector<Step> kNoSteps;

struct Vendor {
  const char *backend, *peer;
  GpuMemory &(*memory)();
  const std::vector<Step> &steps, &tensor_steps;
};
const Vendor kVendors[] = {{"cuda", "cublas", cuda_memory, kCudaSteps, kCudaTensorSteps},
                           {"hip", "rocblas", hip_memory, kHipSteps, kNoSteps}};

bool is_available(const char *name) {
  for (const Backend &backend : all_backends()) {
    if (backend.info.name == std::string(name)) return backend.info.available != 0;
  }
  return false;
}

// Takes the vendor of the peer or of --backend. AMD is the default only if no other GPU backend is available.
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

std::unique_ptr<Peer> choose_peer(const BenchOptions &bench) {
  if (bench.peer == "none") return nullptr;
  const std::string name = bench.peer.empty() ? choose_vendor(bench, nullptr).peer : bench.peer;
  std::unique_ptr<Peer> peer = open_peer(name);
  if (peer->memory().backend() == nullptr) {
    throw Error(fmt::format("--peer {}: does not compute on a GPU, as the ladder does", peer->name()));
  }
  return peer;
}

const std::vector<Step> &choose_steps(const Vendor &vendor, Routine routine) {
  if (routine == Routine::kSgemm) return vendor.steps;
  if (traits(routine).element != Element::kFloat32 && !vendor.tensor_steps.empty()) return vendor.tensor_steps;
  throw Error(fmt::format("--routine {}: {} has no ladder of it", traits(routine).name, vendor.backend));
}

Routine choose_routine(const BenchOptions &bench) {
  if (bench.routines.empty()) return Routine::kSgemm;
  if (bench.routines.size() == 1) return parse_routine(bench.routines[0]);
  throw Error(fmt::format("--routine {}: a ladder wants one", fmt::join(bench.routines, ",")));
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
  const Routine routine = choose_routine(bench);
  const std::string transposes = one_of_transposes(bench.transposes, "NT", "a ladder");
  const std::unique_ptr<Peer> peer = choose_peer(bench);
  const Vendor &vendor = choose_vendor(bench, peer.get());
  GpuMemory &memory = vendor.memory();
  const std::vector<Step> &steps = choose_steps(vendor, routine);
  const Backend backend = find_available_backend(vendor.backend);
  const Effort effort{bench.reps, bench.min_time};
  const Shape shape{options.size, options.size, options.size, 0, "ladder"};
  const Item item{routine, shape, make_form(transposes)};

  Report report = start_report(peer.get(), memory);
  report.is_ladder = true;
  print_machine(report);
  fmt::print("\n{} {} {}, medians\n{:<40} {:<48} {:>8} {:>8} {:>8}\n", traits(routine).name, shape_name(shape),
             transposes, "kernel", "adds", "TFLOP/s", "of peer", "of peak");
  const std::unique_ptr<Workload> work = make_workload(item, &memory);
  for (const Step &step : steps) {
    if (step.kernel[0] != '\0' && !has_kernel(backend, step.kernel)) {
      fmt::print("{:<40} {:<48} not in this build\n", step.kernel, step.adds);
      continue;
    }
    report.steps.push_back(step.adds);
    report.results.push_back(measure(effort, {step.kernel, "", 0, ""}, item, backend, work.get(), peer.get(), &memory));
    print_step(step, report.results.back(), report.gpu.peak);
  }
  write_json(report, bench.json);
  require_no_wrong(report);
  return 0;
}

}  // namespace command
