// The contract between libsgemm and a backend, built in or a plugin libsgemm_<name>.so.
//
// A plugin exports one C function, libsgemm_backend_table (kBackendEntry), which returns its Backend. The loader checks
// `abi`, then calls open() and, before anything needs a device, probe(). All functions may be called from several
// threads at once after that, none throws, none prints, and none ends the process. A plugin is never unloaded. One that
// must not even be loaded where the driver beneath it is missing says so in its file: BeneathNote in elf_file.h.
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

// What cublasLt does to each element of a product: D = f(D + bias). Column-major, in memory of one device.
struct Epilogue {
  enum Function : int32_t { identity, relu, gelu };  // gelu: by tanh, as cublasLt's
  Function function;
  const float *bias;  // an element for each row; NULL: none
  int64_t stride_bias;
  float *d;
  int64_t m, n, ldd, stride_d, batch_count;
};

// What libsgemm tells a backend when it opens it. Valid for the life of the process.
struct Host {
  const char *cpu_blas;  // LIBSGEMM_CPU_BLAS; NULL if not set
  // The BLAS behind the drop-in, which the program would have called without it. NULL: there is none, or no call came.
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

// Where a pointer points.
struct Location {
  Space space;
  int32_t device;  // of `device` and `managed`; otherwise 0. -1: one that the backend leaves out (LIBSGEMM_DEVICES)
};

// A copy of `columns` columns of `bytes` bytes, `pitch` bytes apart. within_device: both are in its memory.
struct Copy {
  enum Direction : int32_t { to_device, to_host, within_device } direction;
  void *target;
  const void *source;
  size_t target_pitch, source_pitch;
  size_t bytes;
  int64_t columns;
};

// NULL, and the values by which both vendors' programs name the default stream explicitly: that of all threads, and the
// thread's own.
inline bool is_thread_default_stream(const void *stream) { return reinterpret_cast<uintptr_t>(stream) == 2; }
inline bool is_legacy_stream(const void *stream) { return reinterpret_cast<uintptr_t>(stream) <= 1; }
inline bool is_default_stream(const void *stream) {
  return is_legacy_stream(stream) || is_thread_default_stream(stream);
}

struct Kernel;

// What a launch did where that is not all in the row's name. Both are static.
struct Ran {
  const Kernel *kernel;  // the row that multiplied, of the same table; NULL: the one that was launched
  const char *pass;      // what was done to the operands before: "copy of A"; NULL: nothing
};

// Where and how a kernel runs.
struct Launch {
  int device;             // index in the backend, after LIBSGEMM_DEVICES
  void *stream;           // NULL: the device's default stream. Work is only enqueued, never waited for
  bool capturing;         // the stream records a graph: no synchronisation
  bool rehearsal;         // all that the launch needs is loaded, and nothing is enqueued
  bool arrays_on_device;  // of Batch::pointers: the kernel reads a_array, b_array, c_array when it runs
  void *workspace;        // device memory, at least Kernel::workspace(desc, device) bytes, aligned to 256
  size_t workspace_bytes;
  Ran *ran;  // filled by rows that have something to say there; may be NULL
  // On the CPU: the BLAS that the caller's name stands for without the drop-in. NULL: what open() has found.
  const CpuBlas *blas;
  // Set as soon as a kernel is enqueued: if the launch or the wait for it fails, some of C may have been written. May
  // be NULL.
  bool *enqueued;
};

// How a row computes gemms of different sizes at once, none of which is empty or but scales C. They are in memory of
// one device; of Batch::pointers, the arrays are in host memory.
struct GroupedLaunch {
  // Predicted seconds of all of them; infinity if it cannot do one.
  double (*cost)(const GemmDesc *groups, int64_t count, int device);
  libsgemm_status_t (*launch)(const GemmDesc *groups, int64_t count, const Launch &launch, Error *error);
};

// How a row computes convolutions (conv.h), all tensors in memory of one device, or of the host: the functions are
// those of Kernel, with its meaning. `launch` writes the output's elements and nothing between them.
struct ConvLaunch {
  bool (*supports)(const ConvDesc &desc, int device);
  double (*cost)(const ConvDesc &desc, int device);
  size_t (*workspace)(const ConvDesc &desc, int device);  // NULL: none
  libsgemm_status_t (*launch)(const ConvDesc &desc, const Launch &launch, Error *error);
};

// One row of a kernel table. The cheapest legal row wins; the first of equals.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): in the order in which rows are written
struct Kernel {
  const char *name;                // unique over all backends; name of its file and its profiler symbol
  libsgemm_math_mode_t math_mode;  // the arithmetic it computes in, also where it is forced and another was asked for
  // Whether it can do this: the answer its header comment gives in words.
  bool (*supports)(const GemmDesc &desc, int device);
  // Predicted seconds; only the order matters.
  double (*cost)(const GemmDesc &desc, int device);
  // Bytes of device workspace it needs; NULL: none. A CPU kernel keeps its own, per thread.
  size_t (*workspace)(const GemmDesc &desc, int device);
  // SUCCESS, or an error with C not written. On a GPU: enqueues. Writes only the elements that the routine defines.
  libsgemm_status_t (*launch)(const GemmDesc &desc, const Launch &launch, Error *error);
  // Whether its sums over all of k stay on tensor cores, which cut off what is shifted out where FP32 rounds: a bias
  // that grows with k, for which verification and tests allow (k / 16 + 1) 2^-23 (TF32: k / 8) of |A| |B| more; see
  // verify.h.
  bool truncates = false;
  // Whether it launches one kernel after another that write to C: then it is rehearsed first, so that one that cannot
  // be loaded does not leave C half done.
  bool in_steps = false;
  // What it is for, in a few words for `libsgemm info --kernels`: "few tiles of C, deep k". Static.
  const char *purpose = "";
  // Whether it computes elements as LIBSGEMM_DETERMINISTIC_INVARIANT says, if a description that it supports asks for
  // that: one chain of FP32 fused multiply-adds along k, and finish.h. Others do not run then.
  bool invariant = false;
  // NULL: it computes groups one after the other only.
  const GroupedLaunch *groups = nullptr;
  // Of a row for convolutions, which computes nothing else: see conv_row(). NULL: it computes none.
  const ConvLaunch *conv = nullptr;
};

// Whether a row can do this as it is asked for.
inline bool can_do(const Kernel &kernel, const GemmDesc &desc, int device) {
  return (kernel.invariant || !invariant(desc)) && kernel.supports(desc, device);
}
inline bool can_do(const Kernel &kernel, const ConvDesc &desc, int device) {
  return kernel.conv != nullptr && (kernel.invariant || !invariant(desc)) && kernel.conv->supports(desc, device);
}

// A row for convolutions; of GemmDesc it supports none. `conv` is static.
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

  // Finds the software beneath (a driver, a BLAS). Makes no device context and starts no thread. Refusal: UNAVAILABLE.
  libsgemm_status_t (*open)(const Host &host, Error *error);
  // Version of that software, static: "OpenBLAS 0.3.21 Haswell".
  const char *(*version)();
  // Devices after LIBSGEMM_DEVICES; of a GPU backend only after probe(). A CPU backend has one.
  int (*device_count)();
  // Makes no device context: a process that computes on another device has no business there. So memory_free_bytes
  // stays 0; memory() has that.
  libsgemm_status_t (*describe_device)(int device, libsgemm_device_info_t *info, Error *error);
  // Called before the process forks, with no call at work: threads of the backend's own end here, to be started again
  // when they are needed. NULL: nothing to do.
  void (*before_fork)();

  // Initialises the devices. Called once, before the first use of a device. Refusal: UNAVAILABLE.
  libsgemm_status_t (*probe)(Error *error);
  // Where `count` pointers point. Callable before probe(), and then must not create a device context: a pointer of a
  // device cannot exist before the program itself made one. Fast: it is on the path of every call.
  void (*locate)(const void *const *pointers, int count, Location *locations);
  // Identity of what memory, streams and events that the thread makes on a device belong to, and vanish with: the
  // context that is current if it is one of that device, otherwise the device's own, which is made now if need be.
  // Never the same twice in a process: another one after cudaDeviceReset. Odd: the device's own, of which there is one
  // at a time. 0: there is none to be had. NULL: always 1.
  uint64_t (*context)(int device);
  // The device of a stream; of a default stream the thread's current one. -1: one that the backend leaves out. Makes
  // no context.
  int (*stream_device)(void *stream);
  // True if `stream` is recording a graph; or if it is the default stream and must not be used because another stream
  // is. device -1: the thread's current one.
  bool (*capturing)(int device, void *stream);
  // Identity of the graph that `stream` is recording; 0: none.
  uint64_t (*graph)(int device, void *stream);
  // ended(what) is called when that graph and all that was made of it are gone, by any thread, and must not call the
  // backend. NULL: there is no way to learn of it.
  libsgemm_status_t (*keep_with_graph)(int device, void *stream, void (*ended)(void *what), void *what, Error *error);

  // Device memory, aligned to 256. OUT_OF_MEMORY leaves the device usable.
  libsgemm_status_t (*allocate)(int device, size_t bytes, void **memory, Error *error);
  // Waits for the work that uses it.
  void (*release)(int device, void *memory);
  // Free and total bytes of a device.
  libsgemm_status_t (*memory)(int device, size_t *free_bytes, size_t *total_bytes, Error *error);
  // Page-locked host memory, for all devices. It is had, and given back, through a device that the call uses anyway.
  libsgemm_status_t (*allocate_pinned)(int device, size_t bytes, void **memory, Error *error);
  // False if that device is lost: the memory is still there, and another device may give it back.
  bool (*release_pinned)(int device, void *memory);

  // Streams and events of the library's own, for pipelines.
  libsgemm_status_t (*create_stream)(int device, void **stream, Error *error);
  void (*destroy_stream)(int device, void *stream);
  libsgemm_status_t (*create_event)(int device, void **event, Error *error);
  void (*destroy_event)(int device, void *event);
  libsgemm_status_t (*record_event)(int device, void *event, void *stream, Error *error);
  libsgemm_status_t (*stream_wait_event)(int device, void *stream, void *event, Error *error);
  // Whether what was enqueued before the event's latest record has ended; an earlier failure of it is reported here.
  libsgemm_status_t (*query_event)(int device, void *event, bool *ended, Error *error);
  // The device did not answer in time: every later call for it is refused, and what it holds is left alone.
  void (*abandon)(int device);
  // Waits for the stream; an earlier failure of work on it is reported here. device -1: the stream's own; not for
  // default streams (is_default_stream), of which each device has its own.
  libsgemm_status_t (*synchronize)(int device, void *stream, Error *error);
  // Enqueues a copy between host and device, or within the device.
  libsgemm_status_t (*copy)(int device, const Copy &copy, void *stream, Error *error);

  // C = beta * C for device memory (all elements the routine writes; beta == 0: not read); trmm and trsm: C = 0.
  libsgemm_status_t (*scale)(const GemmDesc &desc, const Launch &launch, Error *error);

  // Enqueues it behind a product. NULL: only backend cuda has it.
  libsgemm_status_t (*epilogue)(const Epilogue &epilogue, const Launch &launch, Error *error);

  // Operands that are split once for many products (libsgemm_plan_create). `operand` is a gemm of FP32 whose op(A), m x
  // k, is to be kept for its math mode; n is 0. NULL, both: there is nothing to keep in any mode.
  // Bytes of device memory; 0: nothing to keep in this mode, on this device or of this size.
  size_t (*plan_bytes)(const GemmDesc &operand, int device);
  // Enqueues the split into that memory, for GemmDesc::plan_a and plan_b.
  libsgemm_status_t (*plan)(const GemmDesc &operand, void *memory, const Launch &launch, Error *error);
  // Of the calls in mode fp32_fast with that GemmDesc::ticket: the share of their tiles of C that were left to FP64.
  // Negative: not known, as before they have ended. By any thread, at any time. NULL: of no call.
  double (*fp64_share)(uint64_t ticket);

  // Verification of a product in device memory by its checksum. checksum_bytes(): the workspace it needs; 0: there is
  // no checksum of this call. checksum() enqueues what comes before the product, if C is read, and what comes after it,
  // with the same workspace. Then the largest of the first kChecksumResults doubles there is the worst |error| / bound;
  // negative: nothing could be judged. NULL: none of any call.
  size_t (*checksum_bytes)(const GemmDesc &desc, const Checksum &what, int device);
  libsgemm_status_t (*checksum)(const GemmDesc &desc, const Checksum &what, bool after, const Launch &launch,
                                Error *error);
  // Verification of all elements of a product in device memory, recomputed there in FP64 by other code than the rows'.
  // elements_bytes(): the workspace it needs, at most kMostElementBytes; 0: the host has to do it. elements(), behind
  // the product, leaves doubles all over the workspace, of which the largest is the worst |error| / bound. `before`: C
  // as it was, dense, in device memory; NULL if the product did not read it. NULL: the host verifies all.
  size_t (*elements_bytes)(const GemmDesc &desc, int device);
  libsgemm_status_t (*elements)(const GemmDesc &desc, const ElementBound &bound, const float *before,
                                const Launch &launch, Error *error);
};

constexpr size_t kMostElementBytes = 16384;

// Backend::context, where contexts come and go.
inline uint64_t context_of(const Backend &backend, int device) {
  return backend.context != nullptr ? backend.context(device) : 1;
}

// What a plugin exports under kBackendEntry.
using BackendEntry = const Backend *(*)();

}  // namespace libsgemm
