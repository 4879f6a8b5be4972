// The cost model of backend cuda, with figures that can be changed: what bench/fit.py asks. It is linked with the
// backend's rows, and stands for the device. Standard input has a command a line:
//
//   device NAME ARCH UNITS HERTZ BYTES_PER_SECOND    the name without blanks; ARCH as 90
//   shape ROUTINE M N K PAD TRANSPOSES               one more product, C = A B, of sgemm, shgemm or sbgemm
//   figures ROW PEAK_FRACTION STALL STEPS LATENCY    of a row
//   share ROW SHARE
//   list                                             prints a line for each row as in the two above
//   price [ROW SHAPE]                                prints a line for each shape: ROW=SECONDS of all rows that serve
//   it
//
// A command it does not understand ends it with 1 and a line on standard error.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "figures/figures.h"
#include "gpu/kernels.h"
#include "kernel_table.h"
#include "runtime/device.h"
#include "runtime/throughput.h"

namespace libsgemm {
namespace {

#define LIBSGEMM_NAME(row, ...) #row,
#define LIBSGEMM_FIGURES(row, ...) {__VA_ARGS__},
#define LIBSGEMM_SHARE(row, share) share,
constexpr const char *kFitted[] = {LIBSGEMM_FIGURES_SM90(LIBSGEMM_NAME)};
constexpr const char *kShared[] = {LIBSGEMM_SHARES_SM90(LIBSGEMM_NAME)};
gpu::Figures figures[] = {LIBSGEMM_FIGURES_SM90(LIBSGEMM_FIGURES)};
double shares[] = {LIBSGEMM_SHARES_SM90(LIBSGEMM_SHARE)};
cuda::Device the_device = {};

template <size_t kCount>
int find(const char *const (&names)[kCount], const std::string &name) {
  for (size_t i = 0; i < kCount; ++i) {
    if (name == names[i]) return static_cast<int>(i);
  }
  return -1;
}

constexpr size_t kWorkspace = size_t{32} << 20;  // as the library's own, which bench uses

void print_price(const GemmDesc &desc, const std::string &row) {
  for (int i = 0; i < gpu::kernel_count(); ++i) {
    const Kernel &kernel = gpu::kernels()[i];
    if (!row.empty() && row != kernel.name) continue;
    if (!serves(kernel.math_mode, desc.math_mode) || !kernel.supports(desc, 0)) continue;
    if (workspace_of(kernel, desc, 0) > kWorkspace) continue;
    std::printf("%s=%.9g ", kernel.name, kernel.cost(desc, 0));
  }
  std::printf("\n");
}

bool read_device(std::istream &line) {
  std::string name;
  cuda::Device d = {};
  if (!(line >> name >> d.arch >> d.compute_units >> d.clock >> d.memory_bandwidth)) return false;
  if (d.arch < 75 || d.compute_units < 1 || !(d.clock > 0) || !(d.memory_bandwidth > 0)) return false;
  std::snprintf(d.name, sizeof d.name, "%s", name.c_str());
  d.code_arch = d.arch;
  d.schedulers = 4;
  d.wave = 32;
  cuda::set_throughputs(&d);
  d.shared_memory_per_block = static_cast<size_t>(d.arch == 75                                    ? 64
                                                  : d.arch == 80 || d.arch == 87                  ? 163
                                                  : d.arch == 86 || d.arch == 89 || d.arch >= 120 ? 99
                                                                                                  : 227)
                              << 10;
  the_device = d;
  return true;
}

bool read_shape(std::istream &line, std::vector<GemmDesc> *shapes) {
  int64_t m, n, k, pad;
  std::string routine, transposes;
  if (!(line >> routine >> m >> n >> k >> pad >> transposes) || transposes.size() != 2) return false;
  if (routine != "sgemm" && routine != "shgemm" && routine != "sbgemm") return false;
  if (std::min({m, n, k}) < 1 || pad < 0 || transposes.find_first_not_of("NT") != std::string::npos) return false;
  GemmDesc d = {};
  d.routine = Routine::gemm;
  d.type = routine == "sgemm" ? Type::f32 : routine == "shgemm" ? Type::f16 : Type::bf16;
  d.math_mode = LIBSGEMM_MATH_FP32;
  const bool a_plain = transposes[0] == 'N', b_plain = transposes[1] == 'N';
  d.transa = a_plain ? LIBSGEMM_NO_TRANS : LIBSGEMM_TRANS;
  d.transb = b_plain ? LIBSGEMM_NO_TRANS : LIBSGEMM_TRANS;
  d.side = LIBSGEMM_LEFT, d.uplo = LIBSGEMM_UPPER, d.diag = LIBSGEMM_NON_UNIT;
  d.m = m, d.n = n, d.k = k;
  d.alpha = 1;
  d.batch = Batch::none;
  d.batch_count = 1;
  d.lda = (a_plain ? m : k) + pad, d.ldb = (b_plain ? k : n) + pad, d.ldc = m + pad;
  static float aligned alignas(256);  // only addresses are looked at
  d.a = d.b = d.c = &aligned;
  shapes->push_back(d);
  return true;
}

bool obey(const std::string &text, std::vector<GemmDesc> *shapes) {
  std::istringstream line(text);
  std::string command, row;
  line >> command;
  if (command == "device") return read_device(line);
  if (command == "shape") return read_shape(line, shapes);
  if (command == "figures") {
    gpu::Figures f = {};
    line >> row >> f.peak_fraction >> f.stall >> f.steps >> f.latency;
    const int i = find(kFitted, row);
    if (!line || i < 0) return false;
    figures[i] = f;
    return true;
  }
  if (command == "share") {
    double share = 0;
    line >> row >> share;
    const int i = find(kShared, row);
    if (!line || i < 0) return false;
    shares[i] = share;
    return true;
  }
  if (command == "list") {
    for (size_t i = 0; i < std::size(kFitted); ++i) {
      const gpu::Figures &f = figures[i];
      std::printf("figures %s %.9g %.9g %.9g %.9g\n", kFitted[i], f.peak_fraction, f.stall, f.steps, f.latency);
    }
    for (size_t i = 0; i < std::size(kShared); ++i) std::printf("share %s %.9g\n", kShared[i], shares[i]);
  } else if (command == "price") {
    if (the_device.arch == 0) return false;
    line >> row;
    for (const GemmDesc &desc : *shapes) print_price(desc, row);
  } else {
    return false;
  }
  std::printf("end\n");
  std::fflush(stdout);
  return true;
}

}  // namespace

namespace cuda {

const Figures *fitted_figures(int, Fitted row) { return &figures[static_cast<int>(row)]; }
double fitted_share(int, Shared row) { return shares[static_cast<int>(row)]; }

const Device &device(int) { return the_device; }
bool has_reassigned_kernels() { return true; }
const void *reassigned_kernel(const char *, const void *plain) { return plain; }

}  // namespace cuda

const gpu::DeviceModel &gpu::model(int) { return the_device; }

}  // namespace libsgemm

int main() {
  std::vector<libsgemm::GemmDesc> shapes;
  for (std::string line; std::getline(std::cin, line);) {
    if (libsgemm::obey(line, &shapes)) continue;
    std::fprintf(stderr, "fit_model: cannot be understood: %s\n", line.c_str());
    return 1;
  }
}
