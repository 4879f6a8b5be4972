// The bench's own device code, which the driver or the runtime compiles, so that the command needs no compiler of the
// vendor: PTX for NVIDIA, HIP for AMD.
#pragma once

#include <string>

namespace command {

// hold(u64 ticks): keeps the stream busy for so many ticks of a clock of the device. One thread.
constexpr const char *kHoldKernel = "hold";

// peak(f32 *sink, u32 iterations, f32 a, f32 b): kFlops FP32 operations of each thread in one iteration, from
// registers, by the fastest instructions there are. `sink` is never written as long as no sum is -1; it keeps the
// compiler from leaving the work out.
constexpr const char *kPeakKernel = "peak";
constexpr int kPeakFlops = 512;

// Both in PTX, for sm_75 and up.
std::string cuda_kernels();
// Both in HIP C++.
std::string hip_kernels();

}  // namespace command
