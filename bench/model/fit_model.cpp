// The cost model of a GPU backend with variable parameters, for bench/model/fit.py. It needs no device. Commands on
// standard input:
//
//   device NAME ARCH UNITS HERTZ BYTES_PER_SECOND    NAME without blanks; ARCH: 90, gfx90a
//   shape ROUTINE M N K PAD TRANSPOSES               adds C = A B of sgemm, shgemm or sbgemm
//   figures ENTRY PEAK_FRACTION STALL STEPS LATENCY  sets an entry of the backend's figures/
//   share ENTRY SHARE
//   list                                             prints all entries as `figures` and `share` lines
//   price [KERNEL]                                   prints KERNEL=SECONDS of it or of all usable, a line a shape
//
// `list` and `price` print "end" last. An invalid line ends the program with status 1 and a message.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "contract/kernel_table.h"
#include "fit_model.h"
#include "gpu/kernels.h"

namespace libsgemm {
namespace {

template <class Entry>
Entry *find(std::vector<Entry> *entries, const std::string &row) {
  for (Entry &entry : *entries) {
    if (row == entry.row) return &entry;
  }
  return nullptr;
}

bool has_device = false;

constexpr size_t kWorkspace = size_t{32} << 20;  // half of the library's default

void print_price(const GemmDesc &desc, const std::string &row) {
  for (int i = 0; i < gpu::kernel_count(); ++i) {
    const Kernel &kernel = gpu::kernels()[i];
    if (!row.empty() && row != kernel.name) continue;
    if (!serves(kernel.math_mode, desc.math_mode)) continue;
    const Plan plan = prepare(kernel, desc, 0, kWorkspace);
    if (plan.kernel != nullptr) std::printf("%s=%.9g ", kernel.name, plan.seconds);
  }
  std::printf("\n");
}

bool read_device(std::istream &line) {
  std::string name, arch;
  int units;
  double hertz, bytes;
  if (!(line >> name >> arch >> units >> hertz >> bytes)) return false;
  if (units < 1 || !(hertz > 0) || !(bytes > 0)) return false;
  return has_device = fit::set_device(name, arch, units, hertz, bytes);
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
  static float aligned alignas(256);  // address only
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
    fit::Figured *found = find(&fit::figured(), row);
    if (!line || found == nullptr) return false;
    found->figures = f;
    return true;
  }
  if (command == "share") {
    double share = 0;
    line >> row >> share;
    fit::Shared *found = find(&fit::shared(), row);
    if (!line || found == nullptr) return false;
    found->share = share;
    return true;
  }
  if (command == "list") {
    for (const auto &[name, f] : fit::figured()) {
      std::printf("figures %s %.9g %.9g %.9g %.9g\n", name, f.peak_fraction, f.stall, f.steps, f.latency);
    }
    for (const auto &[name, share] : fit::shared()) std::printf("share %s %.9g\n", name, share);
  } else if (command == "price") {
    if (!has_device) return false;
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

}  // namespace libsgemm

int main() {
  std::vector<libsgemm::GemmDesc> shapes;
  for (std::string line; std::getline(std::cin, line);) {
    if (libsgemm::obey(line, &shapes)) continue;
    std::fprintf(stderr, "fit_model: cannot be understood: %s\n", line.c_str());
    return 1;
  }
}
