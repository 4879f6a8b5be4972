#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/library.h"
#include "measure/measure.h"
#include "peers/gpu_memory.h"
#include "probe/probe.h"

namespace command {
namespace {

constexpr int64_t kSizeOnGpu = 8192, kSizeOnCpu = 2048;  // m = n = k
constexpr int kReps = 3;
constexpr int64_t kFirstSize = 64, kLastSize = 4096, kStep = 4;
constexpr double kRateSeconds = 0.1;

// Returns the highest FLOP/s whose text begins and ends with these, or nullptr.
const Figure *ceiling_of(const std::vector<Figure> &figures, const std::string &backend, const std::string &group,
                         const std::string &begin, const std::string &end = "") {
  const Figure *best = nullptr;
  for (const Figure &x : figures) {
    if (x.backend != backend || x.group != group || x.unit.find("FLOP/s") == std::string::npos) continue;
    if (x.what.rfind(begin, 0) != 0 || x.what.size() < end.size()) continue;
    if (x.what.compare(x.what.size() - end.size(), end.size(), end) != 0) continue;
    if (best == nullptr || x.value > best->value) best = &x;
  }
  return best;
}

Figure figure_of(const std::string &backend, const std::string &what, const char *unit, double value,
                 const Result &result, const Figure *ceiling) {
  Figure figure;
  figure.backend = backend;
  figure.group = "sgemm";
  figure.what = what;
  figure.unit = unit;
  figure.value = value;
  if (ceiling != nullptr) figure.ceiling = ceiling->value;
  figure.telemetry = result.telemetry;
  figure.mhz = (result.telemetry.slowest_mhz + result.telemetry.fastest_mhz) / 2;
  figure.intensity = result.flops / result.bytes;
  return figure;
}

std::string share_text(double value, const Figure *ceiling) {
  return ceiling == nullptr ? "?" : fmt::format("{:.1f}", 100 * value / ceiling->value);
}

Result multiply(const std::string &backend, int64_t size, double seconds, Peer *peer, Memory *memory) {
  const Shape shape{size, size, size, 0, ""};
  const Item item{Routine::kSgemm, shape, make_form("NN")};
  const std::unique_ptr<Workload> work = make_workload(item, memory);
  Result result = measure({kReps, seconds}, {}, item, find_available_backend(backend), work.get(), peer, memory);
  if (result.state != Result::State::kMeasured) throw Error("SGEMM: " + result.problem);
  return result;
}

// Returns nullptr without the vendor's library.
std::unique_ptr<Peer> open_peer_of(const std::string &backend) {
  try {
    return open_peer(backend == "cuda" ? "cublas" : "rocblas");
  } catch (const Error &) {
    return nullptr;
  }
}

std::string gpu_sgemm(const std::string &backend, int64_t size, double seconds, std::vector<Figure> *figures) {
  GpuMemory &memory = gpu_memory_of(backend);
  const std::unique_ptr<Peer> peer = open_peer_of(backend);
  const Result result = multiply(backend, size, seconds, peer.get(), &memory);
  const double tflops = 1e-3 * result.gflops();
  // The kernel's name shows whether it used FP64.
  const bool is_double = result.kernel.find("_dmma_") != std::string::npos;
  const Figure *const units = ceiling_of(*figures, backend, "fma", "");
  const Figure *const tensor = is_double ? ceiling_of(*figures, backend, "tensor", "mma.sync f64") : nullptr;
  const char *name = backend == "cuda" ? "FFMA" : "FMA";
  std::string text = fmt::format("SGEMM reaches {} % of this {} ceiling ({} x {} x {})", share_text(tflops, units),
                                 name, size, size, size);
  if (result.has_peer) {
    const double peers = 1e-3 * result.peer_gflops();
    text += fmt::format(", {} {} %", peer->name() == "cublas" ? "cuBLAS" : "rocBLAS", share_text(peers, units));
  }
  if (is_double) {
    text += fmt::format("; {} uses the FP64 tensor cores, and reaches {} % of theirs", result.kernel,
                        share_text(tflops, tensor));
  }
  const Figure ours = figure_of(backend, fmt::format("libsgemm, {0} x {0} x {0}, {1}", size, result.kernel), "TFLOP/s",
                                tflops, result, is_double ? tensor : units);
  const Figure theirs =
      figure_of(backend, fmt::format("{1}, {0} x {0} x {0}", size, peer != nullptr ? peer->name() : ""), "TFLOP/s",
                1e-3 * result.peer_gflops(), result, units);
  figures->push_back(ours);
  if (result.has_peer) figures->push_back(theirs);
  return text;
}

std::string cpu_sgemm(int64_t size, double seconds, std::vector<Figure> *figures,
                      const std::function<void(const std::string &)> &progress) {
  void *library = load_cpu_blas();
  const auto set_threads = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads"));
  const auto get_threads = reinterpret_cast<int (*)()>(dlsym(library, "openblas_get_num_threads"));
  if (set_threads == nullptr || get_threads == nullptr)
    throw Error("SGEMM: the threads of the CPU BLAS are not OpenBLAS's");
  const int all = get_threads();
  std::vector<std::string> shares;
  for (const int threads : {1, all}) {
    if (threads == 1 && !shares.empty()) break;
    const std::string by = fmt::format("{} thread{}", threads, threads == 1 ? "" : "s");
    progress("SGEMM, " + by);
    set_threads(threads);
    const Result result = multiply("openblas", size, seconds, nullptr, &host_memory());
    const Figure *const ceiling = ceiling_of(*figures, "cpu", "fma", "FMA", ", " + by);
    const char *what = shares.empty() ? "of this FMA ceiling " : "";
    shares.push_back(fmt::format("{} % {}by {}", share_text(result.gflops(), ceiling), what, by));
    figures->push_back(figure_of("cpu", fmt::format("openblas, {0} x {0} x {0}, {1}", size, by), "GFLOP/s",
                                 result.gflops(), result, ceiling));
  }
  set_threads(all);
  return fmt::format("SGEMM reaches {0} ({1} x {1} x {1})", fmt::join(shares, ", "), size);
}

}  // namespace

std::string probe_sgemm(const std::string &backend, int64_t size, double seconds, std::vector<Figure> *figures,
                        const std::function<void(const std::string &)> &progress) {
  if (backend == "cpu") return cpu_sgemm(size > 0 ? size : kSizeOnCpu, seconds, figures, progress);
  progress("SGEMM");
  return gpu_sgemm(backend, size > 0 ? size : kSizeOnGpu, seconds, figures);
}

double sgemm_rate(const std::string &backend, double longest) {
  for (int64_t size = kFirstSize;; size *= kStep) {
    const Result result = multiply(backend, size, kRateSeconds, nullptr, &gpu_memory_of(backend));
    const bool next_is_long = result.seconds.median * kStep * kStep * kStep > longest;
    if (size == kLastSize || next_is_long) return 1e9 * result.gflops();
  }
}

}  // namespace command
