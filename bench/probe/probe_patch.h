// Replaces the FFMA registers that the compiler has chosen. An FFMA's rate depends on the number of registers that it
// reads, their banks (the parity of their numbers), and the reuse flags.
#pragma once

#include <string>
#include <vector>

namespace command {

struct RegisterPattern {
  int changing;   // operands that differ from the previous FFMA's: 1 the accumulator, 2 a factor too, 3 all
  bool one_bank;  // all operands in one bank; else the accumulator is in the other one
  bool reuse;     // flags operands that do not change
};

std::vector<RegisterPattern> register_patterns();
// For example "FFMA, 2 operands change, one bank, reuse".
std::string pattern_text(const RegisterPattern &pattern);

// Uses the registers of the accumulators and factors. Throws Error, unless it finds `count` FFMA in the encoding of
// sm_70 to sm_90.
std::string patch_ffma(std::string cubin, const std::string &kernel, int count, const RegisterPattern &pattern);

}  // namespace command
