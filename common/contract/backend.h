// The contract between libsgemm and a backend.
//
// A plugin exports kBackendEntry, which returns its Backend. The loader checks `abi`, calls open() and, before a device
// is needed, probe(). Then any thread may call any function. No function throws, prints or ends the process. A plugin
// is never unloaded; BeneathNote (elf_file.h) keeps one from being loaded without its driver. On failure a function
// writes one sentence into Error, without newline and full stop.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>

#include "conv.h"
#include "desc.h"
#include "element.h"
#include "libsgemm.h"

namespace libsgemm {

// Raise it when a struct of this header, desc.h or conv.h changes: plugins of another version are refused.
constexpr uint32_t kBackendAbi = 14;
constexpr const char *kBackendEntry = "libsgemm_backend_table";

struct Error {
  char text[256];
};

template <typename... Args>
void set_error(Error *error, const char *format, Args... args) {
  std::snprintf(error->text, sizeof error->text, format, args...);
}
inline void set_error(Error *error, const char *text) { set_error(error, "%s", text); }

struct CpuBlas;  // cpu_blas.h

// cublasLt's epilogue: D = f(D + bias), D column-major, all in memory of one device.
struct Epilogue {
  enum Function : int32_t { identity, relu, gelu };  // gelu: tanh approximation
  Function function;
  const float *bias;  // per row; NULL: none
  int64_t stride_bias;
  float *d;
  int64_t m, n, ldd, stride_d, batch_count;
};

// Valid for the life of the process.
struct Host {
  const char *cpu_blas;  // LIBSGEMM_CPU_BLAS; NULL: not set
  // The BLAS that the program would call without the drop-in. NULL: none, or no call yet through the drop-in.
  const CpuBlas *(*program_blas)();
  const int *devices;  // permitted by LIBSGEMM_DEVICES; NULL: all
  int device_count;
  // True for code of libsgemm or its drop-in: calling it would recurse.
  bool (*is_libsgemm)(const void *code);
};

enum class Space : int32_t {
  host,    // pageable, or unknown to the backend
  pinned,  // page-locked, accessible to the devices
  device,
  managed,  // migrates: host and devices can access it
};

struct Location {
  Space space;
  int32_t device;  // for `device` and `managed`, else 0; -1: excluded by LIBSGEMM_DEVICES
};

// `columns` columns of `bytes` bytes, `pitch` bytes apart.
struct Copy {
  enum Direction : int32_t { to_device, to_host, within_device } direction;
  void *target;
  const void *source;
  size_t target_pitch, source_pitch;
  size_t bytes;
  int64_t columns;
};

// Default streams of CUDA and HIP: NULL and 1 are the legacy stream of all threads, 2 is the thread's own.
inline bool is_thread_default_stream(const void *stream) { return reinterpret_cast<uintptr_t>(stream) == 2; }
inline bool is_legacy_stream(const void *stream) { return reinterpret_cast<uintptr_t>(stream) <= 1; }
inline bool is_default_stream(const void *stream) {
  return is_legacy_stream(stream) || is_thread_default_stream(stream);
}

struct Kernel;

// Pointers are to static data.
struct Ran {
  const Kernel *kernel;  // a kernel of the same table that multiplied; NULL: the launched one
  const char *pass;      // preparation of operands: "copy of A"; NULL: none
};

// How a call runs.
struct Plan {
  // Choices of prepare() that launch() follows. Zeros: there are none, or launch() repeats them from the description.
  struct Config {
    int32_t slices;               // slices of k; if several, each has partial sums in the workspace
    int32_t slice_tiles;          // k-tiles of a slice
    int8_t cluster_x, cluster_y;  // log2 of a cluster's blocks
    bool swapped;                 // x of WgmmaSides is op(A), not op(B)

    bool operator==(const Config &other) const {
      return slices == other.slices && slice_tiles == other.slice_tiles && cluster_x == other.cluster_x &&
             cluster_y == other.cluster_y && swapped == other.swapped;
    }
  };

  const Kernel *kernel = nullptr;                            // NULL: none can run the call
  double seconds = std::numeric_limits<double>::infinity();  // predicted; only the order matters
  size_t workspace = 0;                                      // bytes of device memory
  bool tuned = false;                                        // the kernel was measured to be fastest
  Config config = {};
};

struct Launch {
  int device;             // number among those that LIBSGEMM_DEVICES permits
  void *stream;           // NULL: the device's default stream. A launch enqueues work and never waits for it
  bool capturing;         // the stream records a graph: do not synchronise
  bool rehearsal;         // load everything, enqueue nothing
  bool arrays_on_device;  // the kernel, not launch(), reads the batch's pointer arrays
  void *workspace;        // at least Plan::workspace bytes of device memory, aligned to 256
  size_t workspace_bytes;
  Plan::Config config;
  Ran *ran;  // may be NULL
  // CPU kernels: the program's BLAS for the called name. NULL: the one of open().
  const CpuBlas *blas;
  // Set when a kernel is enqueued: a later failure may leave C partly written. May be NULL.
  bool *enqueued;
};

// Gemms of different sizes; m, n, k and alpha are not 0. Matrices are in memory of one device, pointer arrays in host
// memory.
struct GroupedLaunch {
  // Predicted seconds of all; infinity if one is not supported.
  double (*cost)(const GemmDesc *groups, int64_t count, int device);
  libsgemm_status_t (*launch)(const GemmDesc *groups, int64_t count, const Launch &launch, Error *error);
};

// Convolutions (conv.h); functions as in Kernel. All tensors are in memory of one device, or of the host. `launch`
// writes only the output's elements.
struct ConvLaunch {
  Plan (*prepare)(const ConvDesc &desc, int device);
  libsgemm_status_t (*launch)(const ConvDesc &desc, const Launch &launch, Error *error);
};

// The cheapest legal kernel runs; the first of equals.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): in the order of the initialisers
struct Kernel {
  const char *name;                // unique over all backends
  libsgemm_math_mode_t math_mode;  // its arithmetic, even if forced for another mode
  // Returns its best plan, without Plan::kernel; infinite seconds: it cannot run the call. CPU kernels have a workspace
  // of their own. NULL: only convolutions.
  Plan (*prepare)(const GemmDesc &desc, int device);
  // SUCCESS, or an error with C not written. On a GPU it enqueues the work. Writes only the elements that the routine
  // defines.
  libsgemm_status_t (*launch)(const GemmDesc &desc, const Launch &launch, Error *error);
  // Sums over all of k stay on tensor cores, which truncate where FP32 rounds. The bias grows with k; error_contract.h
  // allows for it.
  bool truncates = false;
  // Enqueues several kernels that write to C. It is rehearsed first: a kernel that cannot be loaded must not leave C
  // half done.
  bool in_steps = false;
  // For `libsgemm info --kernels`: "few tiles of C, deep k". Static.
  const char *purpose = "";
  // Honours LIBSGEMM_DETERMINISTIC_INVARIANT wherever it supports such a call: each element has the order of sums that
  // its math mode defines, FP32's or FP64's (finish.h). Other kernels never run for such calls.
  bool invariant = false;
  const GroupedLaunch *groups = nullptr;  // NULL: groups run one by one
  const ConvLaunch *conv = nullptr;       // not NULL: only convolutions
  // Name of its device code, which other kernels may share. The symbols in a profiler begin with it. Static.
  const char *code = "";
};

inline Plan prepare_any(const Kernel &kernel, const GemmDesc &desc, int device) {
  return kernel.prepare != nullptr ? kernel.prepare(desc, device) : Plan();
}
inline Plan prepare_any(const Kernel &kernel, const ConvDesc &desc, int device) {
  return kernel.conv != nullptr ? kernel.conv->prepare(desc, device) : Plan();
}

// False: the call promises bits that the kernel does not compute.
template <typename Desc>
bool keeps_bits(const Kernel &kernel, const Desc &desc) {
  return !invariant(desc) || (kernel.invariant && kernel.math_mode == desc.math_mode);
}

template <typename Desc>
Plan prepare(const Kernel &kernel, const Desc &desc, int device, size_t workspace_bytes = SIZE_MAX) {
  if (!keeps_bits(kernel, desc)) return {};
  Plan plan = prepare_any(kernel, desc, device);
  if (!std::isfinite(plan.seconds) || plan.workspace > workspace_bytes) return {};
  plan.kernel = &kernel;
  return plan;
}

template <typename Desc>
bool can_do(const Kernel &kernel, const Desc &desc, int device) {
  return prepare(kernel, desc, device).kernel != nullptr;
}

inline Plan planned(double seconds, size_t workspace = 0, const Plan::Config &config = {}) {
  return {nullptr, seconds, workspace, false, config};
}

// prepare() of a kernel without choices. kWorkspace NULL: it needs none.
template <auto kSupports, auto kCost, auto kWorkspace = nullptr, typename Desc>
Plan prepare_fixed(const Desc &desc, int device) {
  if (!kSupports(desc, device)) return {};
  size_t workspace = 0;
  if constexpr (kWorkspace != nullptr) workspace = kWorkspace(desc, device);
  return planned(kCost(desc, device), workspace);
}

// `conv` must be static.
constexpr Kernel kernel_of_conv(const char *name, libsgemm_math_mode_t mode, const char *purpose,
                                const ConvLaunch *conv) {
  Kernel kernel = {name, mode, nullptr, nullptr};
  kernel.purpose = purpose;
  kernel.conv = conv;
  return kernel;
}

// An entry may be NULL if its comment says so. CPU backends leave `probe` and all after it NULL.
struct Backend {
  uint32_t abi;  // kBackendAbi; must stay the first member
  bool is_gpu;
  const char *name;

  const Kernel *kernels;
  int kernel_count;

  // Finds the driver or BLAS. Makes no device context, starts no thread. On refusal: UNAVAILABLE.
  libsgemm_status_t (*open)(const Host &host, Error *error);
  const char *(*version)();  // a static text
  // The number of devices that LIBSGEMM_DEVICES permits; 1 for a CPU. GPU backends: only after probe().
  int (*device_count)();
  // Makes no device context. memory_free_bytes stays 0; see memory().
  libsgemm_status_t (*describe_device)(int device, libsgemm_device_info_t *info, Error *error);
  // Called before a fork, while no call runs, to end the backend's own threads. NULL: none.
  void (*before_fork)();

  // Initialises the devices, once, before their first use. On refusal: UNAVAILABLE.
  libsgemm_status_t (*probe)(Error *error);
  // Every call uses it. Must not create a device context before probe(): without one there are no device pointers.
  void (*locate)(const void *const *pointers, int count, Location *locations);
  // Identity of the context that owns a thread's memory, streams and events on a device; they vanish with it. It is the
  // current context if that is on the device, else the device's own, which is created if necessary. Identities are not
  // reused, even after cudaDeviceReset. Odd: the device's own context. 0: none is available. NULL: always 1.
  uint64_t (*context)(int device);
  // For a default stream, the thread's current device. -1: excluded by LIBSGEMM_DEVICES. Makes no context.
  int (*stream_device)(void *stream);
  // True if `stream` records a graph, or is a default stream whose use the recording of another stream forbids.
  // device -1: the thread's current device.
  bool (*capturing)(int device, void *stream);
  // Identity of the graph that `stream` records; 0: none.
  uint64_t (*graph)(int device, void *stream);
  // Calls ended(what), from any thread, when the graph that `stream` records and all made from it are gone. ended()
  // must not call the backend. NULL: the backend cannot know.
  libsgemm_status_t (*keep_with_graph)(int device, void *stream, void (*ended)(void *what), void *what, Error *error);

  // Aligned to 256. OUT_OF_MEMORY leaves the device usable.
  libsgemm_status_t (*allocate)(int device, size_t bytes, void **memory, Error *error);
  // Waits for the work that uses the memory.
  void (*release)(int device, void *memory);
  libsgemm_status_t (*memory)(int device, size_t *free_bytes, size_t *total_bytes, Error *error);
  // Page-locked host memory for all devices.
  libsgemm_status_t (*allocate_pinned)(int device, size_t bytes, void **memory, Error *error);
  // False if the device is lost: the memory is still allocated, and another device may free it.
  bool (*release_pinned)(int device, void *memory);

  libsgemm_status_t (*create_stream)(int device, void **stream, Error *error);
  void (*destroy_stream)(int device, void *stream);
  libsgemm_status_t (*create_event)(int device, void **event, Error *error);
  void (*destroy_event)(int device, void *event);
  libsgemm_status_t (*record_event)(int device, void *event, void *stream, Error *error);
  libsgemm_status_t (*stream_wait_event)(int device, void *stream, void *event, Error *error);
  // *ended: the work enqueued before the event's latest record has ended. Reports an earlier failure of that work.
  libsgemm_status_t (*query_event)(int device, void *event, bool *ended, Error *error);
  // After a device did not answer in time: refuses later calls for it, leaves its resources alone.
  void (*abandon)(int device);
  // Waits; reports an earlier failure of the stream's work. device -1: the stream's own device, not for default
  // streams.
  libsgemm_status_t (*synchronize)(int device, void *stream, Error *error);
  libsgemm_status_t (*copy)(int device, const Copy &copy, void *stream, Error *error);

  // Enqueues C = beta C for all elements that the routine writes. beta 0: C is not read. trmm, trsm: zeros.
  libsgemm_status_t (*scale)(const GemmDesc &desc, const Launch &launch, Error *error);

  // NULL: not available.
  libsgemm_status_t (*epilogue)(const Epilogue &epilogue, const Launch &launch, Error *error);

  // Splits an operand for many products (libsgemm_plan_create). `operand`: an FP32 gemm whose op(A), m x k, is split
  // for its math mode; n is 0. Returns bytes of device memory; 0: nothing is kept. Both NULL: no mode keeps anything.
  size_t (*plan_bytes)(const GemmDesc &operand, int device);
  // Enqueues the split into `memory`, the later GemmDesc::plan_a or plan_b.
  libsgemm_status_t (*plan)(const GemmDesc &operand, void *memory, const Launch &launch, Error *error);
  // Share of the tiles of C that fp32_fast calls with this GemmDesc::ticket computed in FP64. Negative: not yet known.
  // Any thread may ask at any time. NULL: never known.
  double (*fp64_share)(uint64_t ticket);

  // Verification by checksum in a device workspace of checksum_bytes(); 0: no checksum for this call. checksum()
  // enqueues the part before the product, needed only if C is read, or the part `after` it. Then the largest of the
  // workspace's first kChecksumResults doubles is the worst |error| / bound; negative: nothing could be judged. NULL:
  // no checksums.
  size_t (*checksum_bytes)(const GemmDesc &desc, const Checksum &what, int device);
  libsgemm_status_t (*checksum)(const GemmDesc &desc, const Checksum &what, bool after, const Launch &launch,
                                Error *error);
  // Recomputes all elements in FP64 after the product, by code other than the kernels'. elements_bytes(): its
  // workspace, at most kMostElementBytes; 0 or NULL: the host verifies. The workspace's largest double is the worst
  // |error| / bound. `before`: the old C, dense, in device memory; NULL: not read.
  size_t (*elements_bytes)(const GemmDesc &desc, int device);
  libsgemm_status_t (*elements)(const GemmDesc &desc, const ElementBound &bound, const float *before,
                                const Launch &launch, Error *error);
};

constexpr size_t kMostElementBytes = 16384;

// The table of a CPU backend that needs nothing before a fork.
inline Backend cpu_backend(const char *name, const Kernel *kernels, int kernel_count, decltype(Backend::open) open,
                           decltype(Backend::version) version, decltype(Backend::describe_device) describe_device) {
  Backend b = {};
  b.abi = kBackendAbi;
  b.name = name;
  b.kernels = kernels;
  b.kernel_count = kernel_count;
  b.open = open;
  b.version = version;
  b.device_count = [] { return 1; };
  b.describe_device = describe_device;
  return b;
}

inline uint64_t context_of(const Backend &backend, int device) {
  return backend.context != nullptr ? backend.context(device) : 1;
}

using BackendEntry = const Backend *(*)();

}  // namespace libsgemm
