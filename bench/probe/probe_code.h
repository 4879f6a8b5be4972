// The device code of `libsgemm probe` for tests, which examine it once it is compiled.
#pragma once

#include <string>
#include <vector>

namespace command {

// "__probe_code TARGET" prints the text for "sm_75", "sm_80", "sm_90", "sm_90a", "sm_100" or "hip". "__probe_code
// patterns" prints the patterns of registers, one a line: changing operands, one bank (1 or 0), reuse (1 or 0).
// "__probe_code IN.cubin OUT.cubin NUMBER" applies one of them, counted from 0, to machine code.
constexpr const char *kProbeCodeWord = "__probe_code";
int probe_code(const std::vector<std::string> &words);

}  // namespace command
