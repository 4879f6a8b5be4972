#pragma once

#include <string>

namespace libsgemm {

// Sets where select_kernel() finds kernels measured to be fastest. "off": nowhere; empty: the user's cache; else this
// file. A device's file is read at its first choice. Call it before choices are made.
void use_tuning(const std::string &asked);

}  // namespace libsgemm
