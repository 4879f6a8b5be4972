// The device code of `libsgemm probe`: kernels that loop over the timed operation, in PTX and HIP.
//
// Parameters: (u64 out, u64 data, u32 iterations, u32 bytes). The first thread writes its loop's cycles and nanoseconds
// to `out`. `data` holds random numbers. `bytes`, never 1, is the size of the memory walked through.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace command {

enum class Datum { kFloat, kHalf, kBfloat, kDouble };

// The unit of a multiprocessor whose throughput in a clock limits a figure; kNone: unknown.
enum class Unit { kNone, kFma, kAdd, kImad, kDouble, kDoubleTensor, kTensor, kTensorTf32, kSharedBytes };

// A figure is work a second, or the time of a link in a chain of dependent operations.
enum class Figured { kRate, kCycles, kNanoseconds };

// Memory that a kernel reads: a small region of random numbers, a quarter of a cache, or far more than all caches.
enum class Place { kSmall, kCache, kMemory };

struct KernelProbe {
  const char *group;
  std::string what;
  const char *unit;
  Figured figured = Figured::kRate;
  std::string kernel = {};
  int arch = 0;                // required: 75, 80, 90; 0 for HIP
  bool of_one_arch = false;    // requires exactly this one: sm_90a
  bool is_fp32_peak = false;   // may be the device's fastest FP32 arithmetic
  double work = 0;             // work of a thread's iteration: FLOP, bytes, instructions; kCycles: links
  double scale = 1;            // work in a unit: 1e12 FLOP
  unsigned threads = 32;       // in a block
  unsigned blocks = 1;         // on each multiprocessor; 0: one in all
  Unit ceiling = Unit::kNone;  // limits the figure
  Datum datum = Datum::kFloat;
  Place place = Place::kSmall;
  size_t chain = 0;         // size of a chain of pointers; 0: none
  std::string text = {};    // PTX; empty: another probe has it
  std::string claims = {};  // instructions that the test expects in the loop: "FFMA 64"
};

std::vector<KernelProbe> ptx_probes();
std::vector<KernelProbe> ptx_memory_probes();
std::vector<KernelProbe> ptx_tensor_probes();
std::string ptx_chase_text();
// The module of one entry, and of all for a target ("sm_90a"); "" if there is none.
std::string ptx_module_of(const std::string &kernel);
std::string ptx_module(const std::string &target);

// The entry in which probe_patch.h changes the registers of FFMAs, and the number of these in its loop.
constexpr const char *kPatchedKernel = "ffma_registers";
constexpr int kPatchedFfma = 128;

// Bytes of an access, and threads of a block, that walk through memory.
constexpr int kPassAccess = 16, kPassThreads = 1024;

constexpr const char *kEmptyKernel = "empty";

// Follows a chain of pointers from the third word of `out`, and stores the last address there.
constexpr const char *kChaseKernel = "chase";
constexpr int kChaseLinks = 16;  // in one iteration
constexpr size_t kLine = 128;    // bytes; a line has one pointer
std::vector<KernelProbe> chase_probes();

std::vector<KernelProbe> hip_probes();
std::string hip_probe_source();

// `body` runs once an iteration. `sink` never runs, but the compiler cannot know that.
struct PtxEntry {
  std::string name;
  unsigned threads;
  std::string registers, setup, body, sink;
  std::string end;  // after the loop
  std::string claims;
};
std::string ptx_text(const PtxEntry &entry);

}  // namespace command
