// Device code with which the bench times calls. The driver or the runtime compiles it, so that the command needs no
// compiler of the vendor: PTX for NVIDIA, HIP for AMD.
#pragma once

#include <string>

namespace command {

// hold(u64 ticks): one thread that keeps the stream busy for `ticks` ticks of a clock of the device.
constexpr const char *kHoldKernel = "hold";

// In PTX, for sm_75 and up.
std::string cuda_kernels();
// In HIP C++.
std::string hip_kernels();

}  // namespace command
