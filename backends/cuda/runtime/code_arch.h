#pragma once

namespace libsgemm::cuda {

// Machine code of this build.
struct Code {
  int arch;       // 80 for sm_80
  bool specific;  // true for sm_90a, which runs only on sm_90
};

// Returns the architecture of the code that a GPU of architecture `arch` runs; 0: none. Machine code is preferred.
// Unless it is specific, it also runs on later architectures of its major version; PTX runs on all later ones.
template <int kCodes, int kPtxs>
constexpr int code_arch(int arch, const Code (&code)[kCodes], const int (&ptx)[kPtxs]) {
  int best = 0;
  for (const Code &c : code) {
    const bool runs = c.specific ? c.arch == arch : c.arch / 10 == arch / 10 && c.arch <= arch;
    if (runs && c.arch > best) best = c.arch;
  }
  if (best != 0) return best;
  for (const int p : ptx) {
    if (p <= arch && p > best) best = p;
  }
  return best;
}

}  // namespace libsgemm::cuda
