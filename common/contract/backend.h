// The contract between libsgemm and a backend, built in or a plugin libsgemm_<name>.so.
//
// A plugin exports one C function, libsgemm_backend_table (kBackendEntry), which returns its Backend. The loader checks
// `abi`, then calls open() and, before anything needs a device, probe(). All functions may be called from several
// threads at once after that, none throws, none prints, and none ends the process. A plugin is never unloaded. A
// plugin that must not even be loaded if its driver is missing says so in its file: BeneathNote in elf_file.h.
//
// On failure a function writes one sentence for the user into Error (no newline, no full stop).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "conv.h"
#include "desc.h"
#include "element.h"
#include "libsgemm.h"

namespace libsgemm {

// Raised whenever a struct of this header, of desc.h or of conv.h changes: a plugin of another version is refused.
constexpr uint32_t kBackendAbi = 13;
constexpr const char *kBackendEntry = "libsgemm_backend_table";

// Why something failed, in words.
struct Error {
  char text[256];
};

template <typename... Args>
void set_error(Error *error, const char *format, Args... args) {
  std::snprintf(error->text, sizeof error->text, format, args...);
}
inline void set_error(Error *error, const char *text) { set_error(error, "%s", text); }

struct CpuBlas;  // cpu_blas.h

// The epilogue that cublasLt applies to each element of a product: D = f(D + bias). D is column-major; all pointers are
// to memory of one device.
struct Epilogue {
  enum Function : int32_t { identity, relu, gelu };  // gelu: the tanh approximation, as in cublasLt
  Function function;
  const float *bias;  // one element per row; NULL: none
  int64_t stride_bias;
  float *d;
  int64_t m, n, ldd, stride_d, batch_count;
};

// The environment that open() gets from libsgemm. Valid for the life of the process.
struct Host {
  const char *cpu_blas;  // LIBSGEMM_CPU_BLAS; NULL if not set
  // Returns the BLAS that the program would have called without the drop-in. NULL: there is none, or no call has come
  // through the drop-in yet.
  const CpuBlas *(*program_blas)();
  const int *devices;  // LIBSGEMM_DEVICES: the permitted devices; NULL: all
  int device_count;    // length of `devices`
  // True if the code at this address is libsgemm's or its drop-in's: calling it would recurse.
  bool (*is_libsgemm)(const void *code);
};

enum class Space : int32_t {
  host,     // pageable, or unknown to the backend
  pinned,   // page-locked host memory that the devices can reach
  device,   // memory of one device
  managed,  // migrates; host and devices can access it
};

// The kind of memory that a pointer points to, and its device.
struct Location {
  Space space;
  int32_t device;  // for `device` and `managed`, otherwise 0. -1: a device that LIBSGEMM_DEVICES excludes
};

// A copy of `columns` columns of `bytes` bytes, which are `pitch` bytes apart. within_device: source and target are
// both in the device's memory.
struct Copy {
  enum Direction : int32_t { to_device, to_host, within_device } direction;
  void *target;
  const void *source;
  size_t target_pitch, source_pitch;
  size_t bytes;
  int64_t columns;
};

// The handles of the default streams, the same in CUDA and HIP: NULL and 1 are the legacy stream of all threads, 2 is
// the thread's own.
inline bool is_thread_default_stream(const void *stream) { return reinterpret_cast<uintptr_t>(stream) == 2; }
inline bool is_legacy_stream(const void *stream) { return reinterpret_cast<uintptr_t>(stream) <= 1; }
inline bool is_default_stream(const void *stream) {
  return is_legacy_stream(stream) || is_thread_default_stream(stream);
}

struct Kernel;

// Details of a launch that the name of the launched kernel does not give. Both pointers are to static data.
struct Ran {
  const Kernel *kernel;  // the kernel of the same table that multiplied; NULL: the launched one
  const char *pass;      // the preparation of the operands: "copy of A"; NULL: none
};

// The device, the stream and the memory of a launch.
struct Launch {
  int device;             // index in the backend, after LIBSGEMM_DEVICES
  void *stream;           // NULL: the device's default stream. A launch only enqueues work and never waits for it
  bool capturing;         // the stream records a graph: the launch must not synchronise
  bool rehearsal;         // load all that the launch needs, but enqueue nothing
  bool arrays_on_device;  // for Batch::pointers: the kernel reads a_array, b_array, c_array when it runs
  void *workspace;        // device memory, at least Kernel::workspace(desc, device) bytes, aligned to 256
  size_t workspace_bytes;
  Ran *ran;  // filled by kernels that have something to report; may be NULL
  // For CPU kernels: the BLAS that the called name would reach without the drop-in. NULL: the one that open() found.
  const CpuBlas *blas;
  // Set as soon as a kernel is enqueued: if the launch or the wait for it fails, some of C may have been written. May
  // be NULL.
  bool *enqueued;
};

// Functions that compute gemms of different sizes at once. None of the gemms is empty or only scales C. The matrices
// are in memory of one device; the arrays of Batch::pointers are in host memory.
struct GroupedLaunch {
  // Predicted seconds of all gemms together; infinity if one of them is not supported.
  double (*cost)(const GemmDesc *groups, int64_t count, int device);
  libsgemm_status_t (*launch)(const GemmDesc *groups, int64_t count, const Launch &launch, Error *error);
};

// Functions that compute convolutions (conv.h), with the meaning that they have in Kernel. All tensors are in memory of
// one device, or of the host. `launch` writes the output's elements and nothing between them.
struct ConvLaunch {
  bool (*supports)(const ConvDesc &desc, int device);
  double (*cost)(const ConvDesc &desc, int device);
  size_t (*workspace)(const ConvDesc &desc, int device);  // NULL: none
  libsgemm_status_t (*launch)(const ConvDesc &desc, const Launch &launch, Error *error);
};

// One row of a kernel table. The cheapest legal row wins; the first of equals.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): in the order in which rows are written
struct Kernel {
  const char *name;                // unique over all backends; also the name of its file and its profiler symbol
  libsgemm_math_mode_t math_mode;  // its arithmetic, even if it is forced where another was requested
  // True if the kernel can compute this; its header comment says the same in words.
  bool (*supports)(const GemmDesc &desc, int device);
  // Predicted seconds; only the order matters.
  double (*cost)(const GemmDesc &desc, int device);
  // Bytes of device workspace it needs; NULL: none. A CPU kernel has its own workspace per thread.
  size_t (*workspace)(const GemmDesc &desc, int device);
  // SUCCESS, or an error with C not written. On a GPU: enqueues. Writes only the elements that the routine defines.
  libsgemm_status_t (*launch)(const GemmDesc &desc, const Launch &launch, Error *error);
  // True if its accumulators stay on tensor cores over all of k. Tensor cores truncate where FP32 rounds, which adds a
  // bias that grows with k. Verification and tests allow (k / 16 + 1) 2^-23 (TF32: k / 8) of |A| |B| more for it; see
  // verify.h.
  bool truncates = false;
  // True if a launch enqueues several kernels that write to C. The launch is then rehearsed first, so that a kernel
  // that cannot be loaded does not leave C half done.
  bool in_steps = false;
  // Its use in a few words, for `libsgemm info --kernels`: "few tiles of C, deep k". Static.
  const char *purpose = "";
  // True if it honours LIBSGEMM_DETERMINISTIC_INVARIANT in the descriptions that it supports: each element is one chain
  // of FP32 fused multiply-adds along k, completed by finish.h. Other kernels never run for such descriptions.
  bool invariant = false;
  // NULL: it computes groups only one after the other.
  const GroupedLaunch *groups = nullptr;
  // Set for a kernel for convolutions, which computes nothing else; see conv_row(). NULL: it computes no convolutions.
  const ConvLaunch *conv = nullptr;
};

// True if the kernel supports the description and the determinism that it requires.
inline bool can_do(const Kernel &kernel, const GemmDesc &desc, int device) {
  return (kernel.invariant || !invariant(desc)) && kernel.supports(desc, device);
}
inline bool can_do(const Kernel &kernel, const ConvDesc &desc, int device) {
  return kernel.conv != nullptr && (kernel.invariant || !invariant(desc)) && kernel.conv->supports(desc, device);
}

// Returns a kernel for convolutions, which supports no GemmDesc. `conv` must be static.
constexpr Kernel conv_row(const char *name, libsgemm_math_mode_t mode, const char *purpose, const ConvLaunch *conv) {
  Kernel row = {};
  row.name = name;
  row.math_mode = mode;
  row.supports = [](const GemmDesc &, int) { return false; };
  row.cost = [](const GemmDesc &, int) { return 0.0; };
  row.launch = [](const GemmDesc &, const Launch &, Error *) { return LIBSGEMM_NOT_SUPPORTED; };
  row.purpose = purpose;
  row.conv = conv;
  return row;
}

// GPU backends fill every entry; a CPU backend leaves those from `probe` to `scale` NULL.
struct Backend {
  uint32_t abi;  // kBackendAbi; must stay the first member
  bool is_gpu;
  const char *name;

  const Kernel *kernels;
  int kernel_count;

  // Finds the software beneath (a driver, a BLAS). Makes no device context and starts no thread. On refusal:
  // UNAVAILABLE.
  libsgemm_status_t (*open)(const Host &host, Error *error);
  // Version of that software, static: "OpenBLAS 0.3.21 Haswell".
  const char *(*version)();
  // Number of devices after LIBSGEMM_DEVICES; for a GPU backend valid only after probe(). A CPU backend has one device.
  int (*device_count)();
  // Makes no device context, because the process may compute on other devices only. memory_free_bytes therefore stays
  // 0; memory() returns it.
  libsgemm_status_t (*describe_device)(int device, libsgemm_device_info_t *info, Error *error);
  // Called before the process forks, while no call is running. Ends the backend's own threads, which start again when
  // they are needed. NULL: nothing to do.
  void (*before_fork)();

  // Initialises the devices. Called once, before the first use of a device. On refusal: UNAVAILABLE.
  libsgemm_status_t (*probe)(Error *error);
  // Finds the memory that `count` pointers point to. Must not create a device context if it is called before probe(): a
  // device pointer cannot exist before the program itself has made a context. Must be fast, because every call uses it.
  void (*locate)(const void *const *pointers, int count, Location *locations);
  // Returns the identity of the context that owns the memory, streams and events that the thread makes on a device.
  // They vanish with the context. It is the current context if that belongs to the device, otherwise the device's own,
  // which is made if need be. An identity is never used twice in a process: cudaDeviceReset leads to another one. Odd:
  // the device's own context, of which there is one at a time. 0: no context is available. NULL: always 1.
  uint64_t (*context)(int device);
  // Returns the device of a stream; for a default stream, the thread's current device. -1: a device that
  // LIBSGEMM_DEVICES excludes. Makes no context.
  int (*stream_device)(void *stream);
  // True if `stream` records a graph, or if it is the default stream and must not be used because another stream
  // records one. device -1: the thread's current device.
  bool (*capturing)(int device, void *stream);
  // Identity of the graph that `stream` is recording; 0: none.
  uint64_t (*graph)(int device, void *stream);
  // Arranges that ended(what) is called when the graph that `stream` records, and everything made from it, is gone. Any
  // thread may make that call, which must not call the backend. NULL: the backend cannot learn when a graph is gone.
  libsgemm_status_t (*keep_with_graph)(int device, void *stream, void (*ended)(void *what), void *what, Error *error);

  // Device memory, aligned to 256. OUT_OF_MEMORY leaves the device usable.
  libsgemm_status_t (*allocate)(int device, size_t bytes, void **memory, Error *error);
  // Waits for the work that uses it.
  void (*release)(int device, void *memory);
  // Free and total bytes of a device.
  libsgemm_status_t (*memory)(int device, size_t *free_bytes, size_t *total_bytes, Error *error);
  // Allocates page-locked host memory for all devices. `device` is one that the call uses anyway.
  libsgemm_status_t (*allocate_pinned)(int device, size_t bytes, void **memory, Error *error);
  // Frees it. False if the device is lost: the memory is still allocated, and another device may free it.
  bool (*release_pinned)(int device, void *memory);

  // Streams and events of the library's own, for pipelines.
  libsgemm_status_t (*create_stream)(int device, void **stream, Error *error);
  void (*destroy_stream)(int device, void *stream);
  libsgemm_status_t (*create_event)(int device, void **event, Error *error);
  void (*destroy_event)(int device, void *event);
  libsgemm_status_t (*record_event)(int device, void *event, void *stream, Error *error);
  libsgemm_status_t (*stream_wait_event)(int device, void *stream, void *event, Error *error);
  // Sets *ended if all work that was enqueued before the event's latest record has ended; reports an earlier failure of
  // it.
  libsgemm_status_t (*query_event)(int device, void *event, bool *ended, Error *error);
  // Marks a device that did not answer in time: every later call for it is refused, and its resources are left alone.
  void (*abandon)(int device);
  // Waits for the stream; reports an earlier failure of its work. device -1: the stream's own device, which is not
  // allowed for default streams (is_default_stream), because each device has its own.
  libsgemm_status_t (*synchronize)(int device, void *stream, Error *error);
  // Enqueues a copy between host and device, or within the device.
  libsgemm_status_t (*copy)(int device, const Copy &copy, void *stream, Error *error);

  // C = beta * C in device memory, for all elements that the routine writes; beta == 0: C is not read. trmm and
  // trsm: writes zeros.
  libsgemm_status_t (*scale)(const GemmDesc &desc, const Launch &launch, Error *error);

  // Enqueues the epilogue after a product. NULL: not available; only backend cuda has it.
  libsgemm_status_t (*epilogue)(const Epilogue &epilogue, const Launch &launch, Error *error);

  // Operands that are split once for many products (libsgemm_plan_create). `operand` is an FP32 gemm whose op(A), m x
  // k, is split for its math mode; n is 0. Both NULL: nothing is kept in any mode.
  // Returns bytes of device memory; 0: nothing is kept in this mode, on this device or of this size.
  size_t (*plan_bytes)(const GemmDesc &operand, int device);
  // Enqueues the split into `memory`, which then serves as GemmDesc::plan_a or plan_b.
  libsgemm_status_t (*plan)(const GemmDesc &operand, void *memory, const Launch &launch, Error *error);
  // Returns the share of the tiles of C that calls in mode fp32_fast with this GemmDesc::ticket left to FP64. Negative:
  // not known, for example before the calls have ended. Any thread may call it at any time. NULL: never known.
  double (*fp64_share)(uint64_t ticket);

  // Verification of a product in device memory by its checksum. checksum_bytes() returns the workspace that it needs;
  // 0: there is no checksum for this call. checksum() enqueues the part before the product, which is needed only if C
  // is read, or the part after it (`after`), both with the same workspace. Then the largest of the first
  // kChecksumResults doubles of the workspace is the worst |error| / bound; negative: nothing could be judged. NULL:
  // there are no checksums.
  size_t (*checksum_bytes)(const GemmDesc &desc, const Checksum &what, int device);
  libsgemm_status_t (*checksum)(const GemmDesc &desc, const Checksum &what, bool after, const Launch &launch,
                                Error *error);
  // Verification of all elements of a product in device memory, which recomputes them there in FP64 by other code than
  // the kernels'. elements_bytes() returns the workspace that it needs, at most kMostElementBytes; 0: the host has to
  // verify. elements() runs after the product and fills the workspace with doubles, of which the largest is the worst
  // |error| / bound. `before`: the old C, dense, in device memory; NULL if the product did not read it. If the
  // functions are NULL, the host verifies all.
  size_t (*elements_bytes)(const GemmDesc &desc, int device);
  libsgemm_status_t (*elements)(const GemmDesc &desc, const ElementBound &bound, const float *before,
                                const Launch &launch, Error *error);
};

constexpr size_t kMostElementBytes = 16384;

// Backend::context(), or 1 for a backend without it.
inline uint64_t context_of(const Backend &backend, int device) {
  return backend.context != nullptr ? backend.context(device) : 1;
}

// The function that a plugin exports under kBackendEntry.
using BackendEntry = const Backend *(*)();

}  // namespace libsgemm
