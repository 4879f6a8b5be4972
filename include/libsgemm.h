/* libsgemm: single-precision level-3 BLAS and convolutions on an NVIDIA GPU, an AMD GPU or the CPU.
 *
 * These rules hold for every routine. docs/kernels/contract.md has the details that few programs need.
 *
 * Enumerators have the values of CBLAS. Sizes, leading dimensions and strides are int64_t and count elements, never
 * bytes.
 *
 * Storage. Element (i, j) of an r x c matrix X is X[i + j * ldx] in LIBSGEMM_COL_MAJOR, ldx >= max(1, r), and
 * X[i * ldx + j] in LIBSGEMM_ROW_MAJOR, ldx >= max(1, c). Padding up to the leading dimension is neither read nor
 * written. Pointers need the alignment of their type: 4 bytes, 2 for 16-bit inputs. op(X) is X for LIBSGEMM_NO_TRANS,
 * and X^T for LIBSGEMM_TRANS and LIBSGEMM_CONJ_TRANS.
 *
 * Special cases, as in the reference BLAS:
 * - The output has no elements: the call returns at once.
 * - beta == 0: C is written and not read. NaN in it does not spread.
 * - alpha == 0 or k == 0: C = beta * C. A and B are not read.
 * - Otherwise NaN and Inf in A and B spread.
 * - Only the `uplo` triangle of a symmetric or triangular matrix is read or written. With LIBSGEMM_UNIT the diagonal is
 *   one and is not read.
 *
 * Error bound. Products and sums are FP32, or sums are FP64 with one rounding where that is faster, as on an A100, H100
 * or H200. Other arithmetic runs on request (libsgemm_math_mode_t). Let u = 2^-24, S = |alpha| |A| |B| + |beta| |C| and
 * g = (k + 2) u / (1 - (k + 2) u). The error of an element of C is at most g S, for all numbers and orders of
 * summation, if no product, sum or number times alpha leaves the range of FP32. ssyr2k: 2 k replaces k. strsm: the
 * residual has this bound, with k + 3 for k + 2.
 *
 * Mostly the error is below the usual bound, 2 sqrt(k + 2) u S, to which the tests hold every kernel. Sums of equal
 * terms, as in products of constant matrices, may exceed it, and rarely sums with one dominant term. Sums of 16-bit
 * inputs and of the modes TF32, BF16 and FP16 may stay on tensor cores (libsgemm_info_t.truncated): then
 * (k / 16 + 1) 2^-23 (TF32: k / 8) is added to the factor of S in both bounds.
 *
 * Memory. A, B and C of one call are all in host memory, or all in memory of one GPU that an active backend drives. A
 * mixture is LIBSGEMM_INVALID_ARGUMENT. Managed memory counts as memory of every GPU. The GPU of the handle's stream
 * computes; without a handle the GPU that has the operands, or for managed memory the current one, on its default
 * stream.
 *
 * Arguments. After LIBSGEMM_INVALID_ARGUMENT libsgemm_last_info gives the argument's position and name. Positions count
 * from 1 (layout) as in CBLAS, also in the _h forms, which do not count the handle. Routines check enumerations, sizes,
 * leading dimensions, NULL and overflowing addresses where memory would be accessed, and outputs that share elements
 * with inputs. Matrices that are not accessed may be NULL and of any size: all of them if C is empty, A and B if alpha
 * or k is 0.
 *
 * Failures. After an error C is as before the call. The exception is a device that fails after it has begun to work on
 * C in its own or in managed memory. That is LIBSGEMM_EXECUTION_FAILED; if the call has returned, libsgemm_synchronize
 * returns it. The next backend replaces one that fails, unless that one may have written C and the result depends on
 * the old C. libsgemm_last_info and a line on stderr report it. Under LIBSGEMM_STRICT=1 the failure is returned.
 *
 * Threads. Without a handle a call is synchronous, and any number of threads may call; those beyond what the BLAS of
 * the CPU can take wait. With a handle (_h) a call is ordered on the handle's stream. It does not block with device
 * pointers, and is synchronous with host pointers. One thread at a time uses a handle. A calling thread needs 64 KiB of
 * stack.
 *
 * Process. The library never prints on stdout and never ends the process. Every function that returns a status may
 * return LIBSGEMM_OUT_OF_MEMORY, and works when it is called again with memory. The process may end, and fork, while
 * threads call. Calls after the start of exit() run on the built-in backend `ref`, or return LIBSGEMM_UNAVAILABLE. A
 * forked child computes on the CPU if its parent had used a GPU.
 *
 * Environment variables (docs/environment.md) are read once, at first use, and ignored in set-user-id programs. An
 * invalid value makes every call return LIBSGEMM_INVALID_ENVIRONMENT; the message lists the valid ones.
 */
#ifndef LIBSGEMM_H
#define LIBSGEMM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIBSGEMM_VERSION_MAJOR 0
#define LIBSGEMM_VERSION_MINOR 1
#define LIBSGEMM_VERSION_PATCH 0
/* 10000 * major + 100 * minor + patch of this header; libsgemm_version() gives that of the library. */
#define LIBSGEMM_VERSION (10000 * LIBSGEMM_VERSION_MAJOR + 100 * LIBSGEMM_VERSION_MINOR + LIBSGEMM_VERSION_PATCH)

#if defined(__GNUC__)
#define LIBSGEMM_API __attribute__((visibility("default")))
#else
#define LIBSGEMM_API
#endif

/* ---- Types ----------------------------------------------------------------------------------------------------------
 */

typedef enum { LIBSGEMM_ROW_MAJOR = 101, LIBSGEMM_COL_MAJOR = 102 } libsgemm_layout_t;
typedef enum { LIBSGEMM_NO_TRANS = 111, LIBSGEMM_TRANS = 112, LIBSGEMM_CONJ_TRANS = 113 } libsgemm_op_t;
typedef enum { LIBSGEMM_UPPER = 121, LIBSGEMM_LOWER = 122 } libsgemm_uplo_t;
typedef enum { LIBSGEMM_NON_UNIT = 131, LIBSGEMM_UNIT = 132 } libsgemm_diag_t;
typedef enum { LIBSGEMM_LEFT = 141, LIBSGEMM_RIGHT = 142 } libsgemm_side_t;

/* IEEE 754 binary16 and bfloat16, as raw bits. */
typedef uint16_t libsgemm_half_t;
typedef uint16_t libsgemm_bfloat16_t;

typedef enum {
  LIBSGEMM_SUCCESS = 0,
  LIBSGEMM_INVALID_ARGUMENT = 1,    /* libsgemm_info_t.argument and .message name it */
  LIBSGEMM_INVALID_ENVIRONMENT = 2, /* a variable has an invalid value; .message lists the valid ones */
  LIBSGEMM_INVALID_HANDLE = 3,      /* NULL, destroyed, or not made by libsgemm_create */
  LIBSGEMM_UNAVAILABLE = 4,         /* the requested backend cannot be used here; .message says why */
  LIBSGEMM_NOT_SUPPORTED = 5,       /* no permitted backend, or not the forced kernel, can compute the call */
  LIBSGEMM_OUT_OF_MEMORY = 6,       /* of the host or of a device */
  LIBSGEMM_EXECUTION_FAILED = 7,    /* a copy, a launch or a device failed */
  LIBSGEMM_VERIFICATION_FAILED = 8  /* the result was wrong (libsgemm_set_verify) and could not be replaced */
} libsgemm_status_t;

/* Arithmetic of libsgemm_sgemm, its batches and libsgemm_sconv2d; FP64 also of other routines. docs/math-modes.md
 * compares the modes. u, S and the usual bound are those of the top of this file.
 *
 * A mode runs only on request and where the backend has it for the call, BF16X6 and FP16X3 also only where they are
 * expected to be faster than FP32. Otherwise FP32 runs, and libsgemm_info_t.math_mode says so. alpha, beta and C are
 * FP32 in every mode. Sums are FP32, except in FP64, in FP32_FAST, and where FP64 runs for FP32.
 *
 * TF32, BF16 and FP16 round each element of A and B to the nearest number of fewer bits. The error is within FP32's
 * usual bound for the product of the rounded matrices. BF16X6 and FP16X3 keep FP32's error: they split each element
 * into parts and add the significant products of the parts, on 16-bit tensor cores.
 *
 * NaN, Inf and signs of zeros survive rounding and spread as in FP32. FP64 sums stay finite where FP32 overflows before
 * a finite result. docs/kernels/contract.md has the exact rules, also for overflow and denormal inputs. */
typedef enum {
  LIBSGEMM_MATH_FP32 = 0, /* default; FP64 where that is faster, as on an A100, H100 or H200 */
  /* Three bf16 parts per operand, six products. FP32's error; 4 u more in the bound. Bits below 2^-133, or 2^-148 of
   * the largest element of the row of op(A) or column of op(B) if that is more, are lost. */
  LIBSGEMM_MATH_BF16X6 = 1,
  /* Two fp16 parts per operand, three products. FP32's error; 8 u more in the bound. Bits below 2^-49 of the largest
   * element of the row or column are lost, which shows only if a row or column has elements of very different size. In
   * convolutions an image and a filter replace row and column. */
  LIBSGEMM_MATH_FP16X3 = 2,
  LIBSGEMM_MATH_TF32 = 3, /* inputs rounded to 11 significant bits, ties to even; range of FP32 */
  LIBSGEMM_MATH_BF16 = 4, /* inputs rounded to 8 significant bits, ties to even; range of FP32 */
  LIBSGEMM_MATH_FP16 = 5, /* inputs rounded to 11 significant bits, ties to even; Inf from 65520 on, zero up to 2^-25 */
  /* Sums in FP64, C rounded once: an error of at most 2^-24 |C| + (k + 2) 2^-53 S, the nearest float except in near
   * ties. On a CPU every routine but strsm has it, on NVIDIA GPUs from sm_80 and on AMD's gfx90a, gfx942 and gfx950
   * those with FP32 inputs that docs/math-modes.md lists. Elsewhere FP32 runs. */
  LIBSGEMM_MATH_FP64 = 6,
  /* The fastest arithmetic that keeps FP32's bound: the error of an element is at most (k + 2) u S for all numbers, and
   * as a rule far below the usual bound. An A100, A30, H100 or H200, and AMD's gfx942 and gfx950, use the parts of
   * FP16X3 in each tile of 128 x 128 of C for which they are exact enough, and FP64 sums in the others. Everything else
   * runs in FP32 or FP64. */
  LIBSGEMM_MATH_FP32_FAST = 7
} libsgemm_math_mode_t;

/* Reproducibility: what the bits of a result depend on (libsgemm_set_deterministic, LIBSGEMM_DETERMINISTIC;
 * docs/determinism.md). */
typedef enum {
  LIBSGEMM_DETERMINISTIC_OFF = 0, /* default: also on free memory and on earlier calls */
  /* On the call, the settings and the machine: the same call gives the same bits in every run, or an error. No backend
   * replaces one that fails, and no smaller workspace is tried. Addresses modulo 16 belong to the call, the number of
   * threads of the CPU BLAS to the settings. */
  LIBSGEMM_DETERMINISTIC_ON = 1,
  /* On the numbers alone, not on m, n, the place in C, the batch, layout, transposition, alignment, kernel, devices or
   * backend. There are two orders of sums; docs/kernels/contract.md defines them for the other routines.
   * Math mode FP64: for each 1024 terms, s = 0, then s = fma(a_l, b_l, s) for ascending l; these sums are added in
   * ascending order. All in FP64; the element is alpha s, or fma(alpha, s, beta c) if beta is not 0, rounded to FP32.
   * Other math modes, all in FP32: s = 0, then s = fma(a_l, b_l, s) for ascending l, and t = fma(alpha, s, 0). The
   * element is t if beta is 0, otherwise fma(beta, c, t).
   *
   * Only kernels with this order run. If a backend has none for a call, the next one computes it, on the CPU `cpu`, or
   * `ref` on one thread. NOT_SUPPORTED: strsm and libsgemm_sconv2d in GPU memory, libsgemm_sconv2d in mode FP64, and a
   * forced kernel with another order. */
  LIBSGEMM_DETERMINISTIC_INVARIANT = 2
} libsgemm_deterministic_t;

typedef enum {
  LIBSGEMM_VERIFY_OFF = 0,    /* default */
  LIBSGEMM_VERIFY_SAMPLE = 1, /* check four rows, four columns and a checksum of C, drawn for each call, in FP64 */
  LIBSGEMM_VERIFY_FULL = 2    /* check every element of C in FP64; costs far more than the call */
} libsgemm_verify_t;

typedef enum {
  LIBSGEMM_VERIFY_WARN = 0, /* default: one line on stderr, the result stands */
  /* C is restored, and the next backend computes it, one on the CPU if C is on a device; with LIBSGEMM_DETERMINISTIC_ON
   * the same as ERROR */
  LIBSGEMM_VERIFY_RETRY = 1,
  LIBSGEMM_VERIFY_ERROR = 2 /* C is restored and the call returns LIBSGEMM_VERIFICATION_FAILED */
} libsgemm_verify_action_t;

/* Report on the last routine that this thread called. Strings are empty where they do not apply. */
typedef struct {
  libsgemm_status_t status;
  int argument;  /* position of the argument at fault, as in CBLAS; 0 if none */
  int device;    /* index of the (first) device in its backend; 0 for a CPU */
  int devices;   /* number of devices that computed the call; 0 if none was needed */
  int fallbacks; /* number of backends that failed before the one that computed */
  int plans;     /* number of operands, 0 to 2, that plans provided */
  int truncated; /* 1 if sums stayed on tensor cores: the larger error bound holds */
  int tuned;     /* 1 if the kernel was chosen by a measurement of `libsgemm tune` */
  int64_t tiles; /* number of tiles in which a GPU computed a call on host memory; 0: otherwise */
  /* Share of C, 0 to 1 by tiles of 128 x 128, that mode fp32_fast left to FP64 sums. Negative: .math_mode is another
   * one, or the share is not known, for example before the work on the GPU has ended. */
  double fp64_share;
  double verify_ratio; /* worst |error| / bound that verification found, at most 1 if right; negative: not verified */
  char entry[40];      /* the function called: "libsgemm_sgemm", "cblas_sgemm64_" */
  char backend[24];    /* "openblas"; "none" if no backend was needed, as for an empty C or C = beta * C */
  char kernel[72];     /* the kernel that multiplied: "openblas_sgemm"; a forced kernel is named itself; "scale" or
                          "nothing" if none was needed */
  char math_mode[16];  /* arithmetic that ran: "fp32". For several kernels, as of groups of a batch, this and .kernel
                          name the one with the weakest bound: sums on tensor cores, else the last in the order fp64,
                          fp32, fp32_fast, bf16x6, fp16x3, tf32, fp16, bf16 */
  char reason[512];    /* why this backend and not an earlier one, and what was done to the operands first: "after copy
                          of A by sm75_mma_64x64x64_packed" */
  char message[512];   /* the error in words, naming the argument or the variable */
} libsgemm_info_t;

typedef struct {
  int available;    /* 1 if the backend can compute here */
  int is_gpu;       /* 1 if it computes on devices with memory of their own */
  int device_count; /* devices that LIBSGEMM_DEVICES permits; 1 for a CPU */
  int kernel_count; /* number of its kernels; 0 if not available */
  char name[24];    /* as in LIBSGEMM_BACKEND */
  char version[96]; /* of the software that it uses: "OpenBLAS 0.3.21 Haswell" */
  char path[256];   /* file of the plugin; empty if built in or not found */
  char reason[512]; /* why it is not available; empty if it is */
} libsgemm_backend_info_t;

typedef struct {
  char name[96];
  char arch[32];              /* "sm_90", "gfx90a", "Haswell" */
  uint64_t memory_bytes;      /* of the device; 0 for a CPU */
  uint64_t memory_free_bytes; /* 0 if not known */
  int compute_units;          /* multiprocessors; threads of a CPU backend */
} libsgemm_device_info_t;

typedef struct libsgemm_handle *libsgemm_handle_t;
typedef struct libsgemm_plan *libsgemm_plan_t;

/* ---- The library ----------------------------------------------------------------------------------------------------
 */

/* LIBSGEMM_VERSION of the library that is loaded. */
LIBSGEMM_API int libsgemm_version(void);

/* A static English text for `status`. Never NULL, also for a value that is no status. */
LIBSGEMM_API const char *libsgemm_status_string(libsgemm_status_t status);

/* Fills *info for the last routine that this thread called; with empty strings and backend "none" if it called none.
 * The functions of this section do not change it. INVALID_ARGUMENT: info is NULL. OUT_OF_MEMORY: all but .reason is
 * filled. */
LIBSGEMM_API libsgemm_status_t libsgemm_last_info(libsgemm_info_t *info);

/* Number of backends that this library knows, usable or not. Their order is that in which `auto` prefers them. */
LIBSGEMM_API int libsgemm_backend_count(void);

/* Static name of backend 0 <= index < libsgemm_backend_count(); NULL for another index. */
LIBSGEMM_API const char *libsgemm_backend_name(int index);

/* Describes backend `index`. Loads and probes it first if necessary, which may initialise a GPU. A missing backend is
 * no error: info->reason says why. INVALID_ARGUMENT: index is out of range, or info is NULL. */
LIBSGEMM_API libsgemm_status_t libsgemm_backend_describe(int index, libsgemm_backend_info_t *info);

/* Describes device 0 <= device < device_count of backend `index`. Makes a context on a GPU to read its free memory; a
 * call that computes elsewhere makes none there. INVALID_ARGUMENT: no such backend or device, or info is NULL.
 * UNAVAILABLE: the backend is not available. */
LIBSGEMM_API libsgemm_status_t libsgemm_device_describe(int index, int device, libsgemm_device_info_t *info);

/* Static name of kernel 0 <= kernel < kernel_count of backend `index`, as LIBSGEMM_KERNEL takes it; NULL for another.
 */
LIBSGEMM_API const char *libsgemm_kernel_name(int index, int kernel);

/* A kernel. Routines and types are those that it can compute on some device of the backend; empty: none, as for a
 * kernel of another architecture. */
typedef struct {
  char name[72];
  char routines[64];  /* without their first letters, a space between: "gemm batches", "syrk syr2k batches", "conv2d" */
  char types[32];     /* of A and B: "fp32", "fp16 bf16" */
  char math_mode[16]; /* its arithmetic: "fp32" */
  char purpose[64];   /* what it is for: "few tiles of C, deep k" */
  int invariant;      /* 1: it may run under LIBSGEMM_DETERMINISTIC_INVARIANT, in its math mode, on some device */
} libsgemm_kernel_info_t;

/* Describes kernel `kernel` of backend `index`. INVALID_ARGUMENT: no such backend or kernel, or info is NULL.
 * UNAVAILABLE: the backend is not available. */
LIBSGEMM_API libsgemm_status_t libsgemm_kernel_describe(int index, int kernel, libsgemm_kernel_info_t *info);

/* Memory through which calls on host memory use a GPU, without the workspaces of handles. It is kept for later calls,
 * within the limits. */
typedef struct {
  size_t device_limit; /* bytes of each device; 0: all free memory except a reserve, of which little is kept */
  size_t device_bytes; /* held now, on all devices */
  size_t pinned_limit; /* bytes of page-locked host memory, for copies of other host memory */
  size_t pinned_bytes; /* held now */
} libsgemm_memory_t;

/* Fills *memory. INVALID_ARGUMENT: memory is NULL. */
LIBSGEMM_API libsgemm_status_t libsgemm_get_memory(libsgemm_memory_t *memory);

/* Replaces LIBSGEMM_DEVICE_MEMORY_LIMIT and LIBSGEMM_PINNED_MEMORY_LIMIT; 0: the default. Running calls keep what they
 * have. A product that does not fit is computed in parts; if not even a small part fits, the next backend computes it.
 */
LIBSGEMM_API libsgemm_status_t libsgemm_set_memory_limits(size_t device_bytes, size_t pinned_bytes);

/* Frees what no call and no graph uses. */
LIBSGEMM_API libsgemm_status_t libsgemm_release_memory(void);

/* ---- Handles --------------------------------------------------------------------------------------------------------
 */

/* The functions of this section set libsgemm_last_info like a routine: status, entry and message. But
 * libsgemm_synchronize and libsgemm_destroy keep the report of the call that they wait for, and add only a failure that
 * they find: status and message. */

/* Makes a handle with the settings of the environment. Errors: INVALID_ARGUMENT (h is NULL), INVALID_ENVIRONMENT,
 * OUT_OF_MEMORY. */
LIBSGEMM_API libsgemm_status_t libsgemm_create(libsgemm_handle_t *h);

/* Waits for all work of the devices on which the handle was used, then frees it and its workspace. Its stream may be
 * destroyed already. NULL is accepted and does nothing. */
LIBSGEMM_API libsgemm_status_t libsgemm_destroy(libsgemm_handle_t h);

/* The stream (cudaStream_t, hipStream_t) on which calls with this handle are ordered. NULL, the default, and
 * cudaStreamLegacy are the default stream of the device that is current at the call; cudaStreamPerThread is that of the
 * calling thread. It may be set between calls without waiting, and the old stream may be destroyed.
 *
 * The device of the stream computes, also on managed memory. Operands in memory of another device are INVALID_ARGUMENT,
 * also with peer access. A stream of a device that LIBSGEMM_DEVICES leaves out is UNAVAILABLE. A call with page-locked
 * operands waits for the stream first.
 *
 * A stream that captures a graph records the call and is never waited for. A graph has a workspace of its own, and may
 * run while other graphs and calls of the handle run, and after the handle is destroyed. AMD GPUs: it must not run
 * after libsgemm_destroy or libsgemm_set_workspace. With a workspace of the caller graphs and calls must not run at the
 * same time. */
LIBSGEMM_API libsgemm_status_t libsgemm_set_stream(libsgemm_handle_t h, void *stream);
LIBSGEMM_API libsgemm_status_t libsgemm_get_stream(libsgemm_handle_t h, void **stream);

/* The default limit of a workspace that the library allocates. */
#define LIBSGEMM_WORKSPACE_DEFAULT_BYTES ((size_t)64 << 20)

/* Device memory for kernels that need scratch: `bytes` bytes at `workspace`, aligned to 256, on the device that
 * computes. The caller owns it; it is in use until the work on the stream ends.
 *
 * NULL and 0, the default: the library allocates its own on demand, at most LIBSGEMM_WORKSPACE_DEFAULT_BYTES a device
 * and handle. If memory is short it takes less; with LIBSGEMM_DETERMINISTIC_ON the call fails. NULL and bytes > 0: that
 * limit is `bytes`. No workspace is too small: a kernel that needs less is chosen.
 *
 * Waits for the handle's stream. INVALID_ARGUMENT: `workspace` is misaligned, or is not NULL and `bytes` is 0. */
LIBSGEMM_API libsgemm_status_t libsgemm_set_workspace(libsgemm_handle_t h, void *workspace, size_t bytes);
LIBSGEMM_API libsgemm_status_t libsgemm_get_workspace(libsgemm_handle_t h, void **workspace, size_t *bytes);

/* Arithmetic of calls with this handle (libsgemm_math_mode_t). INVALID_ARGUMENT: mode is no enumerator. */
LIBSGEMM_API libsgemm_status_t libsgemm_set_math_mode(libsgemm_handle_t h, libsgemm_math_mode_t mode);
LIBSGEMM_API libsgemm_status_t libsgemm_get_math_mode(libsgemm_handle_t h, libsgemm_math_mode_t *mode);

/* Reproducibility of results with this handle (libsgemm_deterministic_t). INVALID_ARGUMENT: `deterministic` is no
 * enumerator. */
LIBSGEMM_API libsgemm_status_t libsgemm_set_deterministic(libsgemm_handle_t h, libsgemm_deterministic_t deterministic);
LIBSGEMM_API libsgemm_status_t libsgemm_get_deterministic(libsgemm_handle_t h, libsgemm_deterministic_t *deterministic);

/* The backends that compute, as LIBSGEMM_BACKEND names them: "auto", a name, or a comma list in order of preference.
 * NULL: those of the environment. INVALID_ARGUMENT: a name is unknown; the message lists the valid values. The call
 * that needs a backend reports whether it can be used. */
LIBSGEMM_API libsgemm_status_t libsgemm_set_backend(libsgemm_handle_t h, const char *backends);

/* Forces a kernel by its name, with its backend and its arithmetic, in every math mode. NULL or "" lifts the force.
 * A call that the kernel cannot compute is NOT_SUPPORTED. INVALID_ARGUMENT: no such kernel; the message lists the
 * names. */
LIBSGEMM_API libsgemm_status_t libsgemm_set_kernel(libsgemm_handle_t h, const char *kernel);

/* Verification of the results of calls with this handle, and the action on a wrong one (docs/verification.md). The
 * calls become synchronous; a call that is recorded into a graph is not verified. INVALID_ARGUMENT: an argument is no
 * enumerator.
 *
 * An element is wrong if its error exceeds b, the usual bound with 4 sqrt(k + 2) for 2 sqrt(k + 2). Random errors do
 * that in less than one element of 10^11. Sums of equal terms may cause a false alarm from k = 250 or so. Numbers that
 * leave the range of FP32 on the way, or lose bits below it, cause none.
 *
 * FULL finds every wrong element. SAMPLE finds one if its row or column is drawn, and always if its error exceeds some
 * 8 sqrt(min(m, n)) b, as a wrong exponent mostly does (docs/kernels/contract.md).
 *
 * Single products in device memory are verified there, by SAMPLE with a checksum alone, by FULL on NVIDIA GPUs. RETRY,
 * ERROR, and FULL with beta other than 0, keep a copy of C in device memory, which stays with the handle. Other calls,
 * and FULL without that memory, are verified on copies in host memory. */
LIBSGEMM_API libsgemm_status_t libsgemm_set_verify(libsgemm_handle_t h, libsgemm_verify_t verify,
                                                   libsgemm_verify_action_t action);
LIBSGEMM_API libsgemm_status_t libsgemm_get_verify(libsgemm_handle_t h, libsgemm_verify_t *verify,
                                                   libsgemm_verify_action_t *action);

/* Waits until all work of the handle's stream is done; of a default stream, on every device in use. EXECUTION_FAILED:
 * some of it failed. */
LIBSGEMM_API libsgemm_status_t libsgemm_synchronize(libsgemm_handle_t h);

/* ---- Level-3 routines -----------------------------------------------------------------------------------------------
 */

/* C = alpha * op(A) * op(B) + beta * C.
 *
 * op(A) is m x k, op(B) k x n, C m x n; m, n, k >= 0. As stored A is m x k (NO_TRANS) or k x m, and B k x n or n x k.
 */
LIBSGEMM_API libsgemm_status_t libsgemm_sgemm(libsgemm_layout_t layout, libsgemm_op_t transa, libsgemm_op_t transb,
                                              int64_t m, int64_t n, int64_t k, float alpha, const float *A, int64_t lda,
                                              const float *B, int64_t ldb, float beta, float *C, int64_t ldc);
LIBSGEMM_API libsgemm_status_t libsgemm_sgemm_h(libsgemm_handle_t h, libsgemm_layout_t layout, libsgemm_op_t transa,
                                                libsgemm_op_t transb, int64_t m, int64_t n, int64_t k, float alpha,
                                                const float *A, int64_t lda, const float *B, int64_t ldb, float beta,
                                                float *C, int64_t ldc);

/* LEFT: C = alpha * A * B + beta * C, A symmetric m x m. RIGHT: C = alpha * B * A + beta * C, A symmetric n x n.
 *
 * B and C are m x n; m, n >= 0. Only the `uplo` triangle of A is read. */
LIBSGEMM_API libsgemm_status_t libsgemm_ssymm(libsgemm_layout_t layout, libsgemm_side_t side, libsgemm_uplo_t uplo,
                                              int64_t m, int64_t n, float alpha, const float *A, int64_t lda,
                                              const float *B, int64_t ldb, float beta, float *C, int64_t ldc);
LIBSGEMM_API libsgemm_status_t libsgemm_ssymm_h(libsgemm_handle_t h, libsgemm_layout_t layout, libsgemm_side_t side,
                                                libsgemm_uplo_t uplo, int64_t m, int64_t n, float alpha, const float *A,
                                                int64_t lda, const float *B, int64_t ldb, float beta, float *C,
                                                int64_t ldc);

/* C = alpha * op(A) * op(A)^T + beta * C, C symmetric n x n. Only the `uplo` triangle of C is read and written.
 *
 * op(A) is n x k: A is n x k (NO_TRANS) or k x n as stored; n, k >= 0. */
LIBSGEMM_API libsgemm_status_t libsgemm_ssyrk(libsgemm_layout_t layout, libsgemm_uplo_t uplo, libsgemm_op_t trans,
                                              int64_t n, int64_t k, float alpha, const float *A, int64_t lda,
                                              float beta, float *C, int64_t ldc);
LIBSGEMM_API libsgemm_status_t libsgemm_ssyrk_h(libsgemm_handle_t h, libsgemm_layout_t layout, libsgemm_uplo_t uplo,
                                                libsgemm_op_t trans, int64_t n, int64_t k, float alpha, const float *A,
                                                int64_t lda, float beta, float *C, int64_t ldc);

/* C = alpha * op(A) * op(B)^T + alpha * op(B) * op(A)^T + beta * C, C symmetric n x n. Only the `uplo` triangle of C is
 * read and written.
 *
 * op(A) and op(B) are n x k: A and B are n x k (NO_TRANS) or k x n as stored; n, k >= 0. */
LIBSGEMM_API libsgemm_status_t libsgemm_ssyr2k(libsgemm_layout_t layout, libsgemm_uplo_t uplo, libsgemm_op_t trans,
                                               int64_t n, int64_t k, float alpha, const float *A, int64_t lda,
                                               const float *B, int64_t ldb, float beta, float *C, int64_t ldc);
LIBSGEMM_API libsgemm_status_t libsgemm_ssyr2k_h(libsgemm_handle_t h, libsgemm_layout_t layout, libsgemm_uplo_t uplo,
                                                 libsgemm_op_t trans, int64_t n, int64_t k, float alpha, const float *A,
                                                 int64_t lda, const float *B, int64_t ldb, float beta, float *C,
                                                 int64_t ldc);

/* LEFT: B = alpha * op(A) * B, A triangular m x m. RIGHT: B = alpha * B * op(A), A triangular n x n.
 *
 * B is m x n and is overwritten; m, n >= 0. alpha == 0 sets B to zero without reading A. */
LIBSGEMM_API libsgemm_status_t libsgemm_strmm(libsgemm_layout_t layout, libsgemm_side_t side, libsgemm_uplo_t uplo,
                                              libsgemm_op_t transa, libsgemm_diag_t diag, int64_t m, int64_t n,
                                              float alpha, const float *A, int64_t lda, float *B, int64_t ldb);
LIBSGEMM_API libsgemm_status_t libsgemm_strmm_h(libsgemm_handle_t h, libsgemm_layout_t layout, libsgemm_side_t side,
                                                libsgemm_uplo_t uplo, libsgemm_op_t transa, libsgemm_diag_t diag,
                                                int64_t m, int64_t n, float alpha, const float *A, int64_t lda,
                                                float *B, int64_t ldb);

/* Solves op(A) * X = alpha * B (LEFT, A triangular m x m) or X * op(A) = alpha * B (RIGHT, A triangular n x n). X is
 * m x n and overwrites B; m, n >= 0. alpha == 0 sets B to zero without reading A.
 *
 * A is not tested for singularity: a zero on the diagonal gives Inf or NaN. Other numbers are divisors, however small.
 * Backend openblas does not support a diagonal whose reciprocals leave the normal range; `ref` solves such a system. */
LIBSGEMM_API libsgemm_status_t libsgemm_strsm(libsgemm_layout_t layout, libsgemm_side_t side, libsgemm_uplo_t uplo,
                                              libsgemm_op_t transa, libsgemm_diag_t diag, int64_t m, int64_t n,
                                              float alpha, const float *A, int64_t lda, float *B, int64_t ldb);
LIBSGEMM_API libsgemm_status_t libsgemm_strsm_h(libsgemm_handle_t h, libsgemm_layout_t layout, libsgemm_side_t side,
                                                libsgemm_uplo_t uplo, libsgemm_op_t transa, libsgemm_diag_t diag,
                                                int64_t m, int64_t n, float alpha, const float *A, int64_t lda,
                                                float *B, int64_t ldb);

/* C = alpha * op(A) * op(B) + beta * C as libsgemm_sgemm with m = n. Only the `uplo` triangle of C is read and written.
 *
 * op(A) is n x k, op(B) k x n, C n x n; n, k >= 0. */
LIBSGEMM_API libsgemm_status_t libsgemm_sgemmtr(libsgemm_layout_t layout, libsgemm_uplo_t uplo, libsgemm_op_t transa,
                                                libsgemm_op_t transb, int64_t n, int64_t k, float alpha, const float *A,
                                                int64_t lda, const float *B, int64_t ldb, float beta, float *C,
                                                int64_t ldc);
LIBSGEMM_API libsgemm_status_t libsgemm_sgemmtr_h(libsgemm_handle_t h, libsgemm_layout_t layout, libsgemm_uplo_t uplo,
                                                  libsgemm_op_t transa, libsgemm_op_t transb, int64_t n, int64_t k,
                                                  float alpha, const float *A, int64_t lda, const float *B, int64_t ldb,
                                                  float beta, float *C, int64_t ldc);

/* ---- Plans ----------------------------------------------------------------------------------------------------------
 */

/* A plan keeps the split of a matrix that is multiplied many times, such as weights, in the modes BF16X6, FP16X3 and
 * FP32_FAST (example: docs/math-modes.md). BF16X6 and FP16X3 then also run where FP32 is expected to be faster. Results
 * have the same bits as without a plan if the mode runs there too and the workspace holds the operands at once,
 * otherwise the same bound. */

/* Splits X for products in which it is A (LEFT) or B (RIGHT), in the handle's math mode. op(X) is rows x cols: m x k or
 * k x n. The work is ordered on the handle's stream and done on return. Then calls of any thread, handle and stream may
 * use the plan.
 *
 * The plan owns memory of X's device: 4 bytes an element in FP16X3 and FP32_FAST, 6 in BF16X6, of op(X) with its rows
 * (RIGHT: columns) rounded up to 128 and the other side to 64. X must stay in place and unchanged while the plan is in
 * use: some products read it too, for example those with NaN or Inf.
 *
 * In other modes, on backends that split nothing, and for X in host memory a plan keeps nothing: calls with it are
 * plain calls. libsgemm_info_t.kernel is "split" if something is kept, otherwise "nothing".
 *
 * Arguments count from 1 (h). After an error *plan is NULL, which a product takes as no plan. OUT_OF_MEMORY: the device
 * cannot hold the parts. NOT_SUPPORTED: the stream is capturing a graph. */
LIBSGEMM_API libsgemm_status_t libsgemm_plan_create(libsgemm_handle_t h, libsgemm_layout_t layout, libsgemm_side_t side,
                                                    libsgemm_op_t trans, int64_t rows, int64_t cols, const float *X,
                                                    int64_t ldx, libsgemm_plan_t *plan);

/* Frees the plan and its memory. Calls that use it must have ended (libsgemm_synchronize), and graphs with such calls
 * must not run any more. NULL is accepted and does nothing. INVALID_ARGUMENT: not a plan, or a destroyed one. */
LIBSGEMM_API libsgemm_status_t libsgemm_plan_destroy(libsgemm_plan_t plan);

/* libsgemm_sgemm_h with plans of A, of B, or of both; NULL: none. It may be captured into a graph.
 * libsgemm_info_t.plans is the number of plans that were used: 0 if the call ran in another arithmetic than the mode.
 *
 * INVALID_ARGUMENT, naming the plan: it is not of this operand (side, layout, transposition, size, address, leading
 * dimension), not of the handle's math mode, or not on the device that computes. */
LIBSGEMM_API libsgemm_status_t libsgemm_sgemm_planned_h(libsgemm_handle_t h, libsgemm_layout_t layout,
                                                        libsgemm_op_t transa, libsgemm_op_t transb, int64_t m,
                                                        int64_t n, int64_t k, float alpha, const float *A, int64_t lda,
                                                        libsgemm_plan_t plan_a, const float *B, int64_t ldb,
                                                        libsgemm_plan_t plan_b, float beta, float *C, int64_t ldc);

/* ---- 16-bit inputs --------------------------------------------------------------------------------------------------
 */

/* As libsgemm_sgemm, with A and B of IEEE binary16 (shgemm) or bfloat16 (sbgemm). alpha, beta, C and all sums are FP32.
 * Inputs are converted exactly; denormals, NaN and Inf are kept. Math modes do not apply. */
LIBSGEMM_API libsgemm_status_t libsgemm_shgemm(libsgemm_layout_t layout, libsgemm_op_t transa, libsgemm_op_t transb,
                                               int64_t m, int64_t n, int64_t k, float alpha, const libsgemm_half_t *A,
                                               int64_t lda, const libsgemm_half_t *B, int64_t ldb, float beta, float *C,
                                               int64_t ldc);
LIBSGEMM_API libsgemm_status_t libsgemm_shgemm_h(libsgemm_handle_t h, libsgemm_layout_t layout, libsgemm_op_t transa,
                                                 libsgemm_op_t transb, int64_t m, int64_t n, int64_t k, float alpha,
                                                 const libsgemm_half_t *A, int64_t lda, const libsgemm_half_t *B,
                                                 int64_t ldb, float beta, float *C, int64_t ldc);
LIBSGEMM_API libsgemm_status_t libsgemm_sbgemm(libsgemm_layout_t layout, libsgemm_op_t transa, libsgemm_op_t transb,
                                               int64_t m, int64_t n, int64_t k, float alpha,
                                               const libsgemm_bfloat16_t *A, int64_t lda, const libsgemm_bfloat16_t *B,
                                               int64_t ldb, float beta, float *C, int64_t ldc);
LIBSGEMM_API libsgemm_status_t libsgemm_sbgemm_h(libsgemm_handle_t h, libsgemm_layout_t layout, libsgemm_op_t transa,
                                                 libsgemm_op_t transb, int64_t m, int64_t n, int64_t k, float alpha,
                                                 const libsgemm_bfloat16_t *A, int64_t lda,
                                                 const libsgemm_bfloat16_t *B, int64_t ldb, float beta, float *C,
                                                 int64_t ldc);

/* As libsgemm_ssyrk, errors included, with A of IEEE binary16 (shsyrk) or bfloat16 (sbsyrk). alpha, beta, C and all
 * sums are FP32. Inputs are converted exactly; denormals, NaN and Inf are kept. Math modes do not apply. */
LIBSGEMM_API libsgemm_status_t libsgemm_shsyrk(libsgemm_layout_t layout, libsgemm_uplo_t uplo, libsgemm_op_t trans,
                                               int64_t n, int64_t k, float alpha, const libsgemm_half_t *A, int64_t lda,
                                               float beta, float *C, int64_t ldc);
LIBSGEMM_API libsgemm_status_t libsgemm_shsyrk_h(libsgemm_handle_t h, libsgemm_layout_t layout, libsgemm_uplo_t uplo,
                                                 libsgemm_op_t trans, int64_t n, int64_t k, float alpha,
                                                 const libsgemm_half_t *A, int64_t lda, float beta, float *C,
                                                 int64_t ldc);
LIBSGEMM_API libsgemm_status_t libsgemm_sbsyrk(libsgemm_layout_t layout, libsgemm_uplo_t uplo, libsgemm_op_t trans,
                                               int64_t n, int64_t k, float alpha, const libsgemm_bfloat16_t *A,
                                               int64_t lda, float beta, float *C, int64_t ldc);
LIBSGEMM_API libsgemm_status_t libsgemm_sbsyrk_h(libsgemm_handle_t h, libsgemm_layout_t layout, libsgemm_uplo_t uplo,
                                                 libsgemm_op_t trans, int64_t n, int64_t k, float alpha,
                                                 const libsgemm_bfloat16_t *A, int64_t lda, float beta, float *C,
                                                 int64_t ldc);

/* ---- Batches --------------------------------------------------------------------------------------------------------
 */

/* Groups of products, as cblas_sgemm_batch of MKL and OpenBLAS. Group g < group_count has group_size[g] >= 0 products
 * that share transa[g], ..., ldc[g], and takes the next group_size[g] pointers of A, B and C.
 *
 * All arrays are in host memory; those of pointers may be in device or managed memory if the matrices are in device
 * memory. Then the device reads them when the work runs, and they are not checked.
 *
 * The order of products is not defined. Outputs must not overlap each other, nor what other products read (not
 * checked). An illegal argument in any group fails the call before anything is written; the message names the group. If
 * a product fails, C of others may be done. */
LIBSGEMM_API libsgemm_status_t libsgemm_sgemm_batch(libsgemm_layout_t layout, const libsgemm_op_t *transa,
                                                    const libsgemm_op_t *transb, const int64_t *m, const int64_t *n,
                                                    const int64_t *k, const float *alpha, const float *const *A,
                                                    const int64_t *lda, const float *const *B, const int64_t *ldb,
                                                    const float *beta, float *const *C, const int64_t *ldc,
                                                    int64_t group_count, const int64_t *group_size);
LIBSGEMM_API libsgemm_status_t libsgemm_sgemm_batch_h(libsgemm_handle_t h, libsgemm_layout_t layout,
                                                      const libsgemm_op_t *transa, const libsgemm_op_t *transb,
                                                      const int64_t *m, const int64_t *n, const int64_t *k,
                                                      const float *alpha, const float *const *A, const int64_t *lda,
                                                      const float *const *B, const int64_t *ldb, const float *beta,
                                                      float *const *C, const int64_t *ldc, int64_t group_count,
                                                      const int64_t *group_size);
LIBSGEMM_API libsgemm_status_t libsgemm_shgemm_batch(libsgemm_layout_t layout, const libsgemm_op_t *transa,
                                                     const libsgemm_op_t *transb, const int64_t *m, const int64_t *n,
                                                     const int64_t *k, const float *alpha,
                                                     const libsgemm_half_t *const *A, const int64_t *lda,
                                                     const libsgemm_half_t *const *B, const int64_t *ldb,
                                                     const float *beta, float *const *C, const int64_t *ldc,
                                                     int64_t group_count, const int64_t *group_size);
LIBSGEMM_API libsgemm_status_t libsgemm_shgemm_batch_h(
    libsgemm_handle_t h, libsgemm_layout_t layout, const libsgemm_op_t *transa, const libsgemm_op_t *transb,
    const int64_t *m, const int64_t *n, const int64_t *k, const float *alpha, const libsgemm_half_t *const *A,
    const int64_t *lda, const libsgemm_half_t *const *B, const int64_t *ldb, const float *beta, float *const *C,
    const int64_t *ldc, int64_t group_count, const int64_t *group_size);
LIBSGEMM_API libsgemm_status_t libsgemm_sbgemm_batch(libsgemm_layout_t layout, const libsgemm_op_t *transa,
                                                     const libsgemm_op_t *transb, const int64_t *m, const int64_t *n,
                                                     const int64_t *k, const float *alpha,
                                                     const libsgemm_bfloat16_t *const *A, const int64_t *lda,
                                                     const libsgemm_bfloat16_t *const *B, const int64_t *ldb,
                                                     const float *beta, float *const *C, const int64_t *ldc,
                                                     int64_t group_count, const int64_t *group_size);
LIBSGEMM_API libsgemm_status_t libsgemm_sbgemm_batch_h(
    libsgemm_handle_t h, libsgemm_layout_t layout, const libsgemm_op_t *transa, const libsgemm_op_t *transb,
    const int64_t *m, const int64_t *n, const int64_t *k, const float *alpha, const libsgemm_bfloat16_t *const *A,
    const int64_t *lda, const libsgemm_bfloat16_t *const *B, const int64_t *ldb, const float *beta, float *const *C,
    const int64_t *ldc, int64_t group_count, const int64_t *group_size);

/* batch_count >= 0 products of one shape: product i uses A + i * stride_a, B + i * stride_b and C + i * stride_c.
 *
 * stride_a, stride_b >= 0; 0 shares the matrix. With more than one product stride_c >= (columns - 1) * ldc + rows of
 * the stored C (row-major: rows and columns exchanged). Shapes and errors as libsgemm_sgemm. */
LIBSGEMM_API libsgemm_status_t libsgemm_sgemm_batch_strided(libsgemm_layout_t layout, libsgemm_op_t transa,
                                                            libsgemm_op_t transb, int64_t m, int64_t n, int64_t k,
                                                            float alpha, const float *A, int64_t lda, int64_t stride_a,
                                                            const float *B, int64_t ldb, int64_t stride_b, float beta,
                                                            float *C, int64_t ldc, int64_t stride_c,
                                                            int64_t batch_count);
LIBSGEMM_API libsgemm_status_t libsgemm_sgemm_batch_strided_h(libsgemm_handle_t h, libsgemm_layout_t layout,
                                                              libsgemm_op_t transa, libsgemm_op_t transb, int64_t m,
                                                              int64_t n, int64_t k, float alpha, const float *A,
                                                              int64_t lda, int64_t stride_a, const float *B,
                                                              int64_t ldb, int64_t stride_b, float beta, float *C,
                                                              int64_t ldc, int64_t stride_c, int64_t batch_count);
LIBSGEMM_API libsgemm_status_t libsgemm_shgemm_batch_strided(libsgemm_layout_t layout, libsgemm_op_t transa,
                                                             libsgemm_op_t transb, int64_t m, int64_t n, int64_t k,
                                                             float alpha, const libsgemm_half_t *A, int64_t lda,
                                                             int64_t stride_a, const libsgemm_half_t *B, int64_t ldb,
                                                             int64_t stride_b, float beta, float *C, int64_t ldc,
                                                             int64_t stride_c, int64_t batch_count);
LIBSGEMM_API libsgemm_status_t libsgemm_shgemm_batch_strided_h(
    libsgemm_handle_t h, libsgemm_layout_t layout, libsgemm_op_t transa, libsgemm_op_t transb, int64_t m, int64_t n,
    int64_t k, float alpha, const libsgemm_half_t *A, int64_t lda, int64_t stride_a, const libsgemm_half_t *B,
    int64_t ldb, int64_t stride_b, float beta, float *C, int64_t ldc, int64_t stride_c, int64_t batch_count);
LIBSGEMM_API libsgemm_status_t libsgemm_sbgemm_batch_strided(libsgemm_layout_t layout, libsgemm_op_t transa,
                                                             libsgemm_op_t transb, int64_t m, int64_t n, int64_t k,
                                                             float alpha, const libsgemm_bfloat16_t *A, int64_t lda,
                                                             int64_t stride_a, const libsgemm_bfloat16_t *B,
                                                             int64_t ldb, int64_t stride_b, float beta, float *C,
                                                             int64_t ldc, int64_t stride_c, int64_t batch_count);
LIBSGEMM_API libsgemm_status_t libsgemm_sbgemm_batch_strided_h(
    libsgemm_handle_t h, libsgemm_layout_t layout, libsgemm_op_t transa, libsgemm_op_t transb, int64_t m, int64_t n,
    int64_t k, float alpha, const libsgemm_bfloat16_t *A, int64_t lda, int64_t stride_a, const libsgemm_bfloat16_t *B,
    int64_t ldb, int64_t stride_b, float beta, float *C, int64_t ldc, int64_t stride_c, int64_t batch_count);

/* batch_count >= 0 updates of one shape: number i uses A + i * stride_a and C + i * stride_c.
 *
 * stride_a >= 0; 0 shares A. With more than one update stride_c >= (n - 1) * ldc + n, though only `uplo` triangles are
 * written; elements between the outputs are neither read nor written. Shapes and errors as libsgemm_ssyrk,
 * libsgemm_shsyrk and libsgemm_sbsyrk. An illegal argument fails the call before anything is written. */
LIBSGEMM_API libsgemm_status_t libsgemm_ssyrk_batch_strided(libsgemm_layout_t layout, libsgemm_uplo_t uplo,
                                                            libsgemm_op_t trans, int64_t n, int64_t k, float alpha,
                                                            const float *A, int64_t lda, int64_t stride_a, float beta,
                                                            float *C, int64_t ldc, int64_t stride_c,
                                                            int64_t batch_count);
LIBSGEMM_API libsgemm_status_t libsgemm_ssyrk_batch_strided_h(libsgemm_handle_t h, libsgemm_layout_t layout,
                                                              libsgemm_uplo_t uplo, libsgemm_op_t trans, int64_t n,
                                                              int64_t k, float alpha, const float *A, int64_t lda,
                                                              int64_t stride_a, float beta, float *C, int64_t ldc,
                                                              int64_t stride_c, int64_t batch_count);
LIBSGEMM_API libsgemm_status_t libsgemm_shsyrk_batch_strided(libsgemm_layout_t layout, libsgemm_uplo_t uplo,
                                                             libsgemm_op_t trans, int64_t n, int64_t k, float alpha,
                                                             const libsgemm_half_t *A, int64_t lda, int64_t stride_a,
                                                             float beta, float *C, int64_t ldc, int64_t stride_c,
                                                             int64_t batch_count);
LIBSGEMM_API libsgemm_status_t libsgemm_shsyrk_batch_strided_h(libsgemm_handle_t h, libsgemm_layout_t layout,
                                                               libsgemm_uplo_t uplo, libsgemm_op_t trans, int64_t n,
                                                               int64_t k, float alpha, const libsgemm_half_t *A,
                                                               int64_t lda, int64_t stride_a, float beta, float *C,
                                                               int64_t ldc, int64_t stride_c, int64_t batch_count);
LIBSGEMM_API libsgemm_status_t libsgemm_sbsyrk_batch_strided(libsgemm_layout_t layout, libsgemm_uplo_t uplo,
                                                             libsgemm_op_t trans, int64_t n, int64_t k, float alpha,
                                                             const libsgemm_bfloat16_t *A, int64_t lda,
                                                             int64_t stride_a, float beta, float *C, int64_t ldc,
                                                             int64_t stride_c, int64_t batch_count);
LIBSGEMM_API libsgemm_status_t libsgemm_sbsyrk_batch_strided_h(libsgemm_handle_t h, libsgemm_layout_t layout,
                                                               libsgemm_uplo_t uplo, libsgemm_op_t trans, int64_t n,
                                                               int64_t k, float alpha, const libsgemm_bfloat16_t *A,
                                                               int64_t lda, int64_t stride_a, float beta, float *C,
                                                               int64_t ldc, int64_t stride_c, int64_t batch_count);

/* batch_count >= 0 products with a triangle, or triangular systems, of one shape: number i uses A + i * stride_a and
 * overwrites B + i * stride_b.
 *
 * stride_a >= 0; 0 shares A. With more than one stride_b >= (columns - 1) * ldb + rows of the stored B (row-major: rows
 * and columns exchanged). Shapes and errors as libsgemm_strmm and libsgemm_strsm. An illegal argument fails the call
 * before anything is written. */
LIBSGEMM_API libsgemm_status_t libsgemm_strmm_batch_strided(libsgemm_layout_t layout, libsgemm_side_t side,
                                                            libsgemm_uplo_t uplo, libsgemm_op_t transa,
                                                            libsgemm_diag_t diag, int64_t m, int64_t n, float alpha,
                                                            const float *A, int64_t lda, int64_t stride_a, float *B,
                                                            int64_t ldb, int64_t stride_b, int64_t batch_count);
LIBSGEMM_API libsgemm_status_t libsgemm_strmm_batch_strided_h(libsgemm_handle_t h, libsgemm_layout_t layout,
                                                              libsgemm_side_t side, libsgemm_uplo_t uplo,
                                                              libsgemm_op_t transa, libsgemm_diag_t diag, int64_t m,
                                                              int64_t n, float alpha, const float *A, int64_t lda,
                                                              int64_t stride_a, float *B, int64_t ldb, int64_t stride_b,
                                                              int64_t batch_count);
LIBSGEMM_API libsgemm_status_t libsgemm_strsm_batch_strided(libsgemm_layout_t layout, libsgemm_side_t side,
                                                            libsgemm_uplo_t uplo, libsgemm_op_t transa,
                                                            libsgemm_diag_t diag, int64_t m, int64_t n, float alpha,
                                                            const float *A, int64_t lda, int64_t stride_a, float *B,
                                                            int64_t ldb, int64_t stride_b, int64_t batch_count);
LIBSGEMM_API libsgemm_status_t libsgemm_strsm_batch_strided_h(libsgemm_handle_t h, libsgemm_layout_t layout,
                                                              libsgemm_side_t side, libsgemm_uplo_t uplo,
                                                              libsgemm_op_t transa, libsgemm_diag_t diag, int64_t m,
                                                              int64_t n, float alpha, const float *A, int64_t lda,
                                                              int64_t stride_a, float *B, int64_t ldb, int64_t stride_b,
                                                              int64_t batch_count);

/* ---- Convolution ----------------------------------------------------------------------------------------------------
 */

/* The convolution as in neural networks, or one of its gradients. As in cuDNN and PyTorch it is a cross-correlation:
 * the filter is not turned round. With x the images, f the filters, y the result, and x zero in the padding,
 *
 *   y(n, k, i, j) = sum over c, r, s of  x(n, c, i * stride_h - pad_top + r * dilation_h,
 *                                                j * stride_w - pad_left + s * dilation_w) * f(k, c, r, s) */
typedef enum {
  LIBSGEMM_CONV2D_FORWARD = 0,        /* y = alpha * conv(x, f) + beta * y;                   A = x, B = f,  C = y  */
  LIBSGEMM_CONV2D_DATA_GRADIENT = 1,  /* dx = alpha * sum over k, i, j of dy f + beta * dx;   A = dy, B = f, C = dx */
  LIBSGEMM_CONV2D_WEIGHT_GRADIENT = 2 /* df = alpha * sum over n, i, j of dy x + beta * df;   A = x, B = dy, C = df */
} libsgemm_conv2d_direction_t;

/* Order of the dimensions of dense tensors in memory, outermost first. Filters are [k][c / groups][r][s] or
 * [k][r][s][c / groups]. */
typedef enum { LIBSGEMM_NCHW = 0, LIBSGEMM_NHWC = 1 } libsgemm_tensor_layout_t;

/* A convolution. libsgemm_conv2d_init gives every field a value. Sizes count elements.
 *
 * x is n x c x h x w, f is k x c / groups x r x s, y is n x k x p x q (libsgemm_conv2d_output_size). Group g, the k /
 * groups filters from g * k / groups on, sees only the c / groups channels from g * c / groups on (groups = c:
 * depthwise).
 *
 * x_strides, f_strides and y_strides are the elements between neighbours in the dimensions (n, c, h, w) of x,
 * (k, c, r, s) of f and (n, k, p, q) of y, in any layout. All four 0, the default: a dense tensor in the order of
 * `layout`. Otherwise a view: elements outside it are neither read nor written. Strides are >= 0. Input strides may be
 * 0: the same elements serve again. Output strides must keep elements apart, as they do if each is more than the extent
 * of all dimensions with smaller ones. */
typedef struct {
  size_t size; /* sizeof(libsgemm_conv2d_t) of the program */
  libsgemm_conv2d_direction_t direction;
  libsgemm_tensor_layout_t layout;
  int64_t n, c, h, w;                               /* images: their number, channels, height, width; >= 0 */
  int64_t k, r, s;                                  /* filters: their number (>= 0), height and width (>= 1) */
  int64_t groups;                                   /* >= 1; divides c and k */
  int64_t stride_h, stride_w;                       /* >= 1 */
  int64_t pad_top, pad_left, pad_bottom, pad_right; /* zeros around an image; >= 0 */
  int64_t dilation_h, dilation_w;                   /* >= 1; 1: taps of the filter are neighbours */
  int64_t x_strides[4], f_strides[4], y_strides[4];
} libsgemm_conv2d_t;

/* Sets *conv to: forward, NCHW, dense, a 1 x 1 filter, no padding; groups, strides and dilations 1; n, c, h, w and k 0.
 * `size` is sizeof *conv: it identifies a program with an older header. Does nothing if conv is NULL. */
LIBSGEMM_API void libsgemm_conv2d_init(libsgemm_conv2d_t *conv, size_t size);

/* Rows p and columns q of y: p = 1 + (h + pad_top + pad_bottom - dilation_h * (r - 1) - 1) / stride_h, rounded down; q
 * likewise. INVALID_ARGUMENT: conv, p or q is NULL, a field is not valid, or the filter with its dilation is larger
 * than the image with its padding. Then *p and *q are untouched, and libsgemm_last_info names the field. */
LIBSGEMM_API libsgemm_status_t libsgemm_conv2d_output_size(const libsgemm_conv2d_t *conv, int64_t *p, int64_t *q);

/* Computes the convolution or gradient that conv->direction names, of the tensors listed there. alpha, beta, memory,
 * errors and streams are as in other routines. beta == 0 does not read C. alpha == 0, or no terms, give beta * C
 * without reading A and B.
 *
 * k in the error bound is the number of terms: (c / groups) r s of y, (k / groups) r s of dx, n p q of df. A math mode
 * runs where the backend has it for convolutions, otherwise FP32 runs. NaN and Inf spread; it is not promised that
 * those of f do where they meet zeros of the padding, or of dy between the strides.
 *
 * libsgemm_set_verify: the CPU verifies in FP64, SAMPLE 256 elements, drawn for each call, FULL all.
 *
 * Arguments count from 1 (conv). INVALID_ARGUMENT for a field of conv: position 1; the message names the field and its
 * value. NOT_SUPPORTED: the tensors are in memory of a GPU whose backend has no kernel for the call. */
LIBSGEMM_API libsgemm_status_t libsgemm_sconv2d(const libsgemm_conv2d_t *conv, float alpha, const float *A,
                                                const float *B, float beta, float *C);
LIBSGEMM_API libsgemm_status_t libsgemm_sconv2d_h(libsgemm_handle_t h, const libsgemm_conv2d_t *conv, float alpha,
                                                  const float *A, const float *B, float beta, float *C);

#ifdef __cplusplus
}
#endif

#endif
