// Kernels measured to be fastest take precedence over predictions.
#pragma once

#include <string>

namespace libsgemm {

// Sets where best_plan() finds them. "off": nowhere; empty: the user's cache; else this file. A device's file is read
// at its first choice. Call it before choices are made.
void use_tuning(const std::string &asked);

}  // namespace libsgemm
