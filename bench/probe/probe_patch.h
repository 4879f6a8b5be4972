// Changes the registers of the FFMA of a compiled kernel, which the compiler does not let one choose. The rate of an
// FFMA depends on how many registers it must read, from which of two banks (the parity of a register's number), and on
// what the reuse flags keep for it.
#pragma once

#include <string>
#include <vector>

namespace command {

struct RegisterPattern {
  int changing;   // operands that differ from those of the previous FFMA: 1 the accumulator, 2 a factor too, 3 all
  bool one_bank;  // all operands in one bank; otherwise the factors in the bank that the accumulator is not in
  bool reuse;     // sets the flag of the operands that do not change
};

std::vector<RegisterPattern> register_patterns();
// "FFMA, 2 operands change, one bank, reuse"
std::string pattern_text(const RegisterPattern &pattern);

// Returns `cubin` with all FFMA of the kernel changed to the pattern, among the registers that its accumulators and
// factors have already. Throws Error with the reason, unless it finds `count` of them in the encoding of sm_70 to
// sm_90.
std::string patch_ffma(std::string cubin, const std::string &kernel, int count, const RegisterPattern &pattern);

}  // namespace command
