// The device code of `libsgemm probe` for tests, which look at what becomes of it.
#pragma once

#include <string>
#include <vector>

namespace command {

// "__probe_code TARGET" prints the text for "sm_75", "sm_80", "sm_90", "sm_90a", "sm_100" or "hip"; "__probe_code
// patterns" the patterns of registers, a line each: changing operands, one bank (1 or 0), reuse (1 or 0);
// "__probe_code IN.cubin OUT.cubin NUMBER" changes machine code by one of them, counted from 0.
constexpr const char *kProbeCodeWord = "__probe_code";
int probe_code(const std::vector<std::string> &words);

}  // namespace command
