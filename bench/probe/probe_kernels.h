// The device code of `libsgemm probe`: a table of small kernels, each a loop of what it times, as text that the driver
// (PTX) or the runtime (HIP) compiles.
//
// All kernels have the parameters (u64 out, u64 data, u32 iterations, u32 bytes). The first thread of all writes to
// `out` how many cycles and nanoseconds its loop took; `data` is random numbers of the probe's element, and `bytes`,
// never 1, what of them is walked through.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace command {

// Of the random numbers.
enum class Datum { kFloat, kHalf, kBfloat, kDouble };

// What a multiprocessor does in a clock, by name (per_clock() in probe_runner.cpp); kNone: not known.
enum class Unit { kNone, kFma, kAdd, kImad, kDouble, kDoubleTensor, kTensor, kTensorTf32, kSharedBytes };

// What of a loop's time is the figure: work a second, or the time of a link of a chain.
enum class Figured { kRate, kCycles, kNanoseconds };

// What a kernel walks through: random numbers of its own, a quarter of a cache, far more than any cache holds.
enum class Place { kSmall, kCache, kMemory };

struct KernelProbe {
  const char *group;
  std::string what;
  const char *unit;  // of the figure
  Figured figured = Figured::kRate;
  std::string kernel = {};     // the entry's name
  int arch = 0;                // that its code needs: 75, 80, 90; of HIP 0
  bool of_one_arch = false;    // sm_90a
  bool is_fp32_peak = false;   // nothing in FP32 is faster, of those that a device has
  double work = 0;             // of a thread in one iteration: FLOP, bytes, instructions; of kCycles its links
  double scale = 1;            // of a unit: 1e12 FLOP
  unsigned threads = 32;       // of a block
  unsigned blocks = 1;         // of a multiprocessor; 0: one block in all
  Unit ceiling = Unit::kNone;  // of its share
  Datum datum = Datum::kFloat;
  Place place = Place::kSmall;
  size_t chain = 0;         // bytes that a chain of pointers leads through; 0: there is none
  std::string text = {};    // of the entry; empty: of another probe
  std::string claims = {};  // what its loop holds, for the test: "FFMA 64"
};

// Those in PTX, whatever GPU there is.
std::vector<KernelProbe> ptx_probes();
std::vector<KernelProbe> ptx_memory_probes();
std::vector<KernelProbe> ptx_tensor_probes();
std::string ptx_chase_text();
// A module of one entry, and of all for one target, "sm_75", "sm_80", "sm_90", "sm_90a", "sm_100"; empty: there is
// none.
std::string ptx_module_of(const std::string &kernel);
std::string ptx_module(const std::string &target);

// The entry whose FFMA are given other registers (probe_patch.h), so many in its loop.
constexpr const char *kPatchedKernel = "ffma_registers";
constexpr int kPatchedFfma = 128;

// Of the kernels that walk through memory: bytes of a thread's access, threads of a block.
constexpr int kPassAccess = 16, kPassThreads = 1024;

// An entry that does nothing, with the same parameters.
constexpr const char *kEmptyKernel = "empty";

// The latency of memory: the entry goes on along the chain from where the third word of `out` points.
constexpr const char *kChaseKernel = "chase";
constexpr int kChaseLinks = 16;  // of an iteration
constexpr size_t kLine = 128;    // from which one pointer is read
std::vector<KernelProbe> chase_probes();

// Those in HIP, and their source.
std::vector<KernelProbe> hip_probes();
std::string hip_probe_source();

// What the entries in PTX share: `body` once an iteration, `sink` where the compiler cannot know that it never runs.
struct PtxEntry {
  std::string name;
  unsigned threads;
  std::string registers, setup, body, sink;
  std::string end;  // behind the loop
  std::string claims;
};
std::string ptx_text(const PtxEntry &entry);

}  // namespace command
