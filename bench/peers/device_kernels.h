// The bench's device code. The driver or runtime compiles it, so that the command needs no vendor's compiler.
#pragma once

#include <string>

namespace command {

// hold(u64 ticks): one thread, which keeps the stream busy for `ticks` of a device clock.
constexpr const char *kHoldKernel = "hold";

// PTX for sm_75 and later.
std::string cuda_kernels();
std::string hip_kernels();

}  // namespace command
