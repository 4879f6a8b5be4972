// Other registers for the FFMA of a compiled kernel, which the compiler does not let one choose: how fast an FFMA is
// depends on how many registers it reads anew, from which of two banks (the parity of a register's number), and what
// the reuse flags keep for it.
#pragma once

#include <string>
#include <vector>

namespace command {

struct RegisterPattern {
  int changing;   // operands that are not those of the FFMA before: 1 the sum, 2 a factor too, 3 all
  bool one_bank;  // all operands in one; otherwise the factors in the other than the sum
  bool reuse;     // the flag on what does not change
};

std::vector<RegisterPattern> register_patterns();
// "FFMA, 2 operands change, one bank, reuse"
std::string pattern_text(const RegisterPattern &pattern);

// `cubin` with all FFMA of the kernel changed so, among the registers that its sums and factors have already.
// Throws Error, and says why, unless it finds `count` of them in the encoding of sm_70 to sm_90.
std::string patch_ffma(std::string cubin, const std::string &kernel, int count, const RegisterPattern &pattern);

}  // namespace command
