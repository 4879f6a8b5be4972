// Kernels that were measured to be the fastest take precedence over those that the cost model predicts to be so.
#pragma once

#include <string>

namespace libsgemm {

// Sets where select_kernel() finds tuned kernels. "off": nowhere; empty: in the user's cache; otherwise in this file.
// Each device's file is read at its first choice; a file that cannot be used is logged. Must be called before choices
// are made.
void use_tuning(const std::string &asked);

}  // namespace libsgemm
