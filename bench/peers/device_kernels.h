// The device code with which the bench times calls, which the driver or the runtime compiles, so that the command needs
// no compiler of the vendor: PTX for NVIDIA, HIP for AMD.
#pragma once

#include <string>

namespace command {

// hold(u64 ticks): keeps the stream busy for so many ticks of a clock of the device. One thread.
constexpr const char *kHoldKernel = "hold";

// In PTX, for sm_75 and up.
std::string cuda_kernels();
// In HIP C++.
std::string hip_kernels();

}  // namespace command
