// The bench's own device code: PTX, which the driver compiles, so that the command needs no CUDA compiler.
#pragma once

#include <string>

namespace command {

// hold(u64 nanoseconds): keeps the stream busy for so long. One thread.
constexpr const char *kHoldKernel = "hold";

// ffma(u64 sink, u32 iterations, f32 a, f32 b): kChains independent chains x = a * x + b in each thread, kUnroll links
// of each in one iteration. `sink` is never written as long as no sum of the chains is -1; it keeps the compiler from
// leaving the chains out.
constexpr const char *kFfmaKernel = "ffma";
constexpr int kChains = 16;
constexpr int kUnroll = 16;

// Both, for sm_75 and up.
std::string device_kernels();

}  // namespace command
