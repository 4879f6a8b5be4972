// Gives tests the device code of `libsgemm probe`.
#pragma once

#include <string>
#include <vector>

namespace command {

// "__probe_code TARGET" prints the text for "sm_75", "sm_80", "sm_90", "sm_90a", "sm_100" or "hip". "__probe_code
// patterns" prints a line for each register pattern: changing operands, one bank (1 or 0), reuse (1 or 0).
// "__probe_code IN.cubin OUT.cubin NUMBER" applies one, counted from 0.
constexpr const char *kProbeCodeWord = "__probe_code";
int probe_code(const std::vector<std::string> &words);

}  // namespace command
