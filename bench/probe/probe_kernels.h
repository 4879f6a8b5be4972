// The device code of `libsgemm probe`: a table of small kernels, each a loop of the operation that it times, as text
// that the driver (PTX) or the runtime (HIP) compiles.
//
// All kernels have the parameters (u64 out, u64 data, u32 iterations, u32 bytes). The first thread of all writes the
// cycles and the nanoseconds of its loop to `out`. `data` holds random numbers of the probe's element. `bytes`, never
// 1, is the size of the part that is walked through.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace command {

// Type of the random numbers.
enum class Datum { kFloat, kHalf, kBfloat, kDouble };

// A throughput of a multiprocessor in a clock (per_clock() in probe_runner.cpp); kNone: unknown.
enum class Unit { kNone, kFma, kAdd, kImad, kDouble, kDoubleTensor, kTensor, kTensorTf32, kSharedBytes };

// The figure that a loop's time gives: work a second, or the time of a link of a chain.
enum class Figured { kRate, kCycles, kNanoseconds };

// Memory that a kernel walks through: a small region of random numbers, a quarter of a cache, or far more than any
// cache holds.
enum class Place { kSmall, kCache, kMemory };

struct KernelProbe {
  const char *group;
  std::string what;
  const char *unit;
  Figured figured = Figured::kRate;
  std::string kernel = {};     // name of the entry
  int arch = 0;                // that its code needs: 75, 80, 90; 0 for HIP
  bool of_one_arch = false;    // runs on this one only: sm_90a
  bool is_fp32_peak = false;   // among the fastest FP32 arithmetic that a device may have
  double work = 0;             // in an iteration of a thread: FLOP, bytes, instructions; for kCycles the links
  double scale = 1;            // work in a unit: 1e12 FLOP
  unsigned threads = 32;       // in a block
  unsigned blocks = 1;         // on each multiprocessor; 0: one block in all
  Unit ceiling = Unit::kNone;  // throughput that limits the figure
  Datum datum = Datum::kFloat;
  Place place = Place::kSmall;
  size_t chain = 0;         // bytes that a chain of pointers leads through; 0: no chain
  std::string text = {};    // PTX of the entry; empty: another probe has it
  std::string claims = {};  // instructions in its loop, for the test: "FFMA 64"
};

// The probes in PTX, for any GPU.
std::vector<KernelProbe> ptx_probes();
std::vector<KernelProbe> ptx_memory_probes();
std::vector<KernelProbe> ptx_tensor_probes();
std::string ptx_chase_text();
// Return a module of one entry, and of all for one target, "sm_75", "sm_80", "sm_90", "sm_90a", "sm_100"; empty if
// there is none.
std::string ptx_module_of(const std::string &kernel);
std::string ptx_module(const std::string &target);

// The entry whose FFMA get other registers (probe_patch.h), and the number of FFMA in its loop.
constexpr const char *kPatchedKernel = "ffma_registers";
constexpr int kPatchedFfma = 128;

// For the kernels that walk through memory: bytes of a thread's access, threads of a block.
constexpr int kPassAccess = 16, kPassThreads = 1024;

// An entry that does nothing, with the same parameters.
constexpr const char *kEmptyKernel = "empty";

// The entry for the latency of memory: it follows the chain from the address in the third word of `out`, where it
// stores the last one.
constexpr const char *kChaseKernel = "chase";
constexpr int kChaseLinks = 16;  // in one iteration
constexpr size_t kLine = 128;    // bytes; one pointer is read from each line
std::vector<KernelProbe> chase_probes();

// The probes in HIP, and their source.
std::vector<KernelProbe> hip_probes();
std::string hip_probe_source();

// The common form of the entries in PTX: `body` runs once an iteration; `sink` never runs, which the compiler cannot
// know.
struct PtxEntry {
  std::string name;
  unsigned threads;
  std::string registers, setup, body, sink;
  std::string end;  // after the loop
  std::string claims;
};
std::string ptx_text(const PtxEntry &entry);

}  // namespace command
