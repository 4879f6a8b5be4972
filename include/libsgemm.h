/* libsgemm: single-precision level-3 BLAS and convolutions on whatever the machine has (NVIDIA GPU, AMD GPU, CPU).
 *
 * Conventions, valid for every routine below
 * ------------------------------------------
 * Enumerators have the values of CBLAS, so constants of a caller's cblas.h pass unchanged. Sizes, leading dimensions
 * and strides are int64_t and count elements, never bytes.
 *
 * Storage. In LIBSGEMM_COL_MAJOR element (i, j) of an r x c matrix X is X[i + j * ldx], ldx >= max(1, r); in
 * LIBSGEMM_ROW_MAJOR it is X[i * ldx + j], ldx >= max(1, c). Elements between the matrix and its leading dimension
 * (padding) are neither read nor written. Any alignment of float (4 bytes; 2 bytes for the 16-bit types) is accepted.
 *
 * op(X) is X for LIBSGEMM_NO_TRANS and X^T for LIBSGEMM_TRANS and LIBSGEMM_CONJ_TRANS (the data are real).
 *
 * Special cases, as in the reference BLAS. An output with no elements returns at once. beta == 0: C is written without
 * being read, so NaN in it does not spread. alpha == 0 or k == 0: C = beta * C, and A and B are not read (they may be
 * NULL). Otherwise NaN and Inf in A and B spread. Only the triangle named by `uplo` of a symmetric or triangular matrix
 * is read or written; with LIBSGEMM_UNIT the diagonal is taken to be one and is not read.
 *
 * Arithmetic is FP32 with FP32 accumulation unless another mode is asked for (libsgemm_set_math_mode,
 * LIBSGEMM_MATH_MODE), or with FP64 accumulation and one rounding where that is faster, as on an A100, H100 or H200.
 * The error of an element of C is measured by S = |alpha| |A| |B| + |beta| |C|, and by the residual in trsm; u = 2^-24.
 * For all numbers it is at most g S, g = (k + 2) u / (1 - (k + 2) u), in whatever order is summed (ssyr2k: 2 k for k;
 * strsm: k + 3 for k + 2), if no product, sum or number times alpha on the way leaves the range of FP32. Mostly it is
 * far less, for rounding errors cancel each other: 2 sqrt(k + 2) u S is the usual bound, to which the library's tests
 * hold every kernel. Errors of random numbers stay below it, but for one element in some ten thousand where one term
 * far larger than all others comes first in the sum (in theory one in two thousand). Where many terms are equal, as in
 * products of constant matrices, errors add up instead, and only g S is certain: from a k of some 60 on the usual
 * bound may be exceeded, from some 250 on twice that.
 *
 * Products of 16-bit inputs (syrk too) and the modes TF32, BF16 and FP16 may leave their sums on tensor cores, which
 * cut off where FP32 rounds: then (k / 16 + 1) 2^-23 (TF32: k / 8) is added to either factor of S, and
 * libsgemm_info_t.truncated tells. There the smallest normal input (2^-14 in FP16, 2^-126) stands in S in the place of
 * smaller elements of A and B.
 *
 * Pointers may point to host memory or to memory of a GPU that an active backend drives, but A, B and C of one call all
 * to the host or all to one GPU; a mixture is LIBSGEMM_INVALID_ARGUMENT. Managed memory counts as every GPU's. With a
 * handle the GPU of its stream computes (libsgemm_set_stream). Without one it is the GPU that has the operands, or for
 * managed memory the current one, on its default stream.
 *
 * Errors. Every routine returns a status. An argument is at fault: LIBSGEMM_INVALID_ARGUMENT, and libsgemm_last_info
 * gives its position and name. Positions count from 1 (layout) as in CBLAS, also in the _h forms, whose handle is not
 * counted. Checked are the enumerations, sizes, leading dimensions, NULL where memory would be accessed, addresses that
 * would overflow there, and an output that shares elements with an input. An empty C is not accessed, and A and B are
 * not where alpha or k is 0: they may be NULL and of any size. Whatever the error, C is as it was before the call, but
 * where a device fails when it has begun to work on C in its own memory or in managed memory: that is EXECUTION_FAILED,
 * of a call that has returned by libsgemm_synchronize. A backend that fails is replaced by the next one, unless it may
 * have written C and the result depends on what C was; libsgemm_last_info and one line on stderr make it visible. Under
 * LIBSGEMM_STRICT=1 the failure is returned instead.
 *
 * Without a handle a call is synchronous and may be made from any number of threads at once; those beyond what the BLAS
 * of the CPU can bear wait for others to end. With a handle (_h) it is ordered on the handle's stream and does not
 * block when the pointers are device pointers; with host pointers it is synchronous. One handle is used by one thread
 * at a time. Nothing is printed on stdout, and the process is never ended, for want of memory neither: any function
 * that returns a status may return LIBSGEMM_OUT_OF_MEMORY, and works when it is called again with memory. A thread that
 * calls needs 64 KiB of stack (docs/decision.md).
 *
 * The process may end, and fork, while threads call. exit() waits for the calls at work inside a BLAS or a driver, but
 * for one that it interrupts in a signal handler. Calls that come later, from exit handlers, destructors and threads
 * that these join, are computed by the built-in backend `ref`; where it may not, or the operands are in memory of a
 * device, they return LIBSGEMM_UNAVAILABLE ("the process is ending"). Then handles and plans can be made, set and
 * destroyed, and no GPU is touched: what has to wait for one, or to ask it, is LIBSGEMM_UNAVAILABLE. A fork waits until
 * no call of another thread is at work; the child may call, on the CPU if its parent had used a GPU.
 *
 * Environment variables (read once, at first use; ignored in set-user-id programs) are described in
 * docs/environment.md. A variable with an invalid value makes every call return LIBSGEMM_INVALID_ENVIRONMENT with a
 * message that lists the valid ones.
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
  LIBSGEMM_INVALID_ARGUMENT = 1, /* libsgemm_info_t.argument and .message name it */
  LIBSGEMM_INVALID_ENVIRONMENT =
      2, /* an environment variable has a value that is not valid; .message lists the valid ones */
  LIBSGEMM_INVALID_HANDLE = 3,     /* NULL, or destroyed, or not made by libsgemm_create */
  LIBSGEMM_UNAVAILABLE = 4,        /* the backend asked for cannot be used here; .message says why */
  LIBSGEMM_NOT_SUPPORTED = 5,      /* no permitted backend, or not the forced kernel, can do this call */
  LIBSGEMM_OUT_OF_MEMORY = 6,      /* of the host or of a device */
  LIBSGEMM_EXECUTION_FAILED = 7,   /* a copy, a launch or a device failed */
  LIBSGEMM_VERIFICATION_FAILED = 8 /* the result was wrong (libsgemm_set_verify) and could not be replaced */
} libsgemm_status_t;

/* Arithmetic of libsgemm_sgemm, its batches and libsgemm_sconv2d, and in FP64 of other routines. A mode is used only if
 * asked for, and only where the backend has it for the call, BF16X6 and FP16X3 also only where they are expected to be
 * faster than FP32; otherwise, and in all other routines, FP32 runs, and libsgemm_info_t.math_mode says so. alpha, beta
 * and C are FP32 in every mode, and all sums in every mode but FP64 and FP32_FAST.
 *
 * TF32, BF16 and FP16 round A and B to fewer bits, each element to the nearest number, and multiply these: fast, with
 * errors that the rounded inputs determine. The error of an element is that of FP32, the usual bound above, with
 * respect to the product of the rounded matrices. BF16X6 and FP16X3 keep FP32's error: they split each element into
 * parts, multiply the parts on 16-bit tensor cores, and add up the significant products.
 *
 * Special values. NaN, Inf and signs of zeros survive rounding, and spread as in FP32; but tensor cores may read a
 * signalling NaN whose payload is in its 13 last bits alone as Inf in TF32. Finite numbers that round to
 * more than the largest number of the inputs become Inf: from 65520 in FP16, from 2^128 - 2^119 in BF16, from 2^128 -
 * 2^116 in TF32. Denormal numbers are kept in TF32 and BF16 (as multiples of 2^-136 and 2^-133); FP16 keeps multiples
 * of 2^-24 and makes zeros of numbers up to 2^-25. In BF16X6 and FP16X3 C has NaN and Inf where FP32 has them. Sums in
 * FP64, which FP32 and FP32_FAST may take too, have them where an operand has them, and Inf where alpha A B + beta C
 * itself is beyond FP32's range: a sum that FP32 overflows on its way to a finite result stays finite. */
typedef enum {
  LIBSGEMM_MATH_FP32 = 0, /* default; FP64 where that is faster, as on an A100, H100 or H200 */
  /* Three bf16 parts an operand, six products: the error of FP32, and 4 u more in the bound. Bits below 2^-133, or
   * 2^-148 of the largest element of the row of op(A) or column of op(B) if that is more, are lost. */
  LIBSGEMM_MATH_BF16X6 = 1,
  /* Two fp16 parts an operand, scaled by a power of two for each row of op(A) and column of op(B), three products: the
   * error of FP32, and 8 u more in the bound. Bits below 2^-49 of the largest element of the row or column are lost:
   * nothing to see in a product unless one row or column has elements of very different size. In convolutions an image
   * (BF16X6: below 2^-148) and a filter stand for these. */
  LIBSGEMM_MATH_FP16X3 = 2,
  LIBSGEMM_MATH_TF32 = 3, /* inputs rounded to 11 significant bits, ties to even; range of FP32 */
  LIBSGEMM_MATH_BF16 = 4, /* inputs rounded to 8 significant bits, ties to even; range of FP32 */
  LIBSGEMM_MATH_FP16 = 5, /* inputs rounded to 11 significant bits, ties to even; range of binary16, to 65504 */
  /* Sums in FP64, C rounded once: an error of at most 2^-24 |C| + (k + 2) 2^-53 (|alpha| |A| |B| + |beta| |C|), which
   * is the nearest float but in near ties. On a CPU every routine but trsm. Of FP32 inputs on NVIDIA GPUs from sm_80
   * on products, syrk, syr2k and gemmtr, made for the FP64 tensor cores of an A100, A30, H100 or H200 and slow without
   * such; from sm_90 on also symm and trmm, and trsm within an error of its own (docs/math-modes.md). On AMD's gfx90a,
   * gfx942 and gfx950 level 3 but trsm. Elsewhere FP32 runs. */
  LIBSGEMM_MATH_FP64 = 6,
  /* The fastest arithmetic that keeps FP32's bound for these very operands: whatever they hold, the error of an element
   * is at most (k + 2) u S, and as a rule far below the usual bound. On an A100, A30, H100 or H200, and AMD's gfx942
   * and gfx950, the parts of FP16X3, in tiles of 128 x 128 of C whose rows of op(A) and columns of op(B) these parts
   * hold well enough: without elements but zeros below 2^-27 of their largest, or a few powers of two further down for
   * large k, or with no more than a few small elements of any size (docs/math-modes.md); sums in FP64 in the other
   * tiles; and FP32 or FP64 for the whole product where that is expected to be faster, and everywhere else. In
   * convolutions an image stands for all rows that are made of it (docs/convolution.md). */
  LIBSGEMM_MATH_FP32_FAST = 7
} libsgemm_math_mode_t;

/* What the bits of a result may depend on (libsgemm_set_deterministic, LIBSGEMM_DETERMINISTIC). */
typedef enum {
  LIBSGEMM_DETERMINISTIC_OFF = 0, /* default: also on what memory was free, and on the calls before */
  /* On the call, the settings and the machine: the same call gives the same bits, run after run, or an error, since
   * nobody takes over from a backend that fails, and no smaller workspace is tried. To the call belong its addresses
   * modulo 16, to the settings the number of threads of the CPU BLAS. */
  LIBSGEMM_DETERMINISTIC_ON = 1,
  /* On nothing but the numbers. With s = 0, then s = fma(a_l, b_l, s) for each of the k terms in ascending l, and t =
   * fma(alpha, s, 0), an element of C becomes t if beta is 0, otherwise fma(beta, c, t); fma is FP32's, rounded once to
   * nearest even, with denormal numbers. So the bits of an element do not depend on m, n, its place in C, the batch,
   * layout, transposition and alignment, the kernel and its tiles, how many devices share a call, or the backend. (NaN
   * is NaN: which of them is not promised. A program that has its CPU flush denormal numbers to zero gets that there.)
   *
   * 16-bit inputs become FP32, exactly. symm takes the element that is stored for both; syrk, gemmtr and trmm sum the
   * terms that they have, trmm those of its triangle; ssyr2k those of op(A) op(B)^T and then, in the same s, those of
   * op(B) op(A)^T, of the call as it is in column-major order. strsm subtracts from alpha b_i the sum over the unknowns
   * in the order in which they are solved for: s as above, then x_i = fma(alpha, b_i, -s), divided by the diagonal
   * unless that is UNIT.
   *
   * Only kernels that sum so run: FP32 ones that share out k neither between blocks nor between threads, and no tensor
   * cores. Where a backend has none for a call the next one computes it, on the CPU `ref` (one thread; no BLAS can
   * promise this). Memory of a GPU is out of its reach: there strsm, all but products on AMD GPUs, and a forced kernel
   * that sums otherwise are NOT_SUPPORTED. The math mode does not matter, but for FP64, with which a call is
   * NOT_SUPPORTED. */
  LIBSGEMM_DETERMINISTIC_INVARIANT = 2
} libsgemm_deterministic_t;

typedef enum {
  LIBSGEMM_VERIFY_OFF = 0,    /* default */
  LIBSGEMM_VERIFY_SAMPLE = 1, /* check four rows, four columns and a checksum of C, drawn anew for each call, in FP64 */
  LIBSGEMM_VERIFY_FULL = 2    /* check every element of C in FP64; costs far more than the call itself */
} libsgemm_verify_t;

typedef enum {
  LIBSGEMM_VERIFY_WARN = 0, /* default: one line on stderr, the result stands */
  /* C is restored and the next backend computes it, one on the CPU if C is on a device; with LIBSGEMM_DETERMINISTIC_ON
   * as ERROR */
  LIBSGEMM_VERIFY_RETRY = 1,
  LIBSGEMM_VERIFY_ERROR = 2 /* C is restored and the call returns LIBSGEMM_VERIFICATION_FAILED */
} libsgemm_verify_action_t;

/* What the last routine called by this thread did. Strings are empty where they do not apply. */
typedef struct {
  libsgemm_status_t status;
  int argument;  /* position of the argument at fault, counted as in CBLAS; 0 if none */
  int device;    /* index of the device in its backend, of the first one if there were several; 0 for a CPU */
  int devices;   /* that computed parts of the call: 1, or more; 0 if none was needed */
  int fallbacks; /* backends that were tried and failed before the one that computed */
  int plans;     /* operands, 0 to 2, that came from plans instead of being split by the call */
  int truncated; /* 1 if the sums stayed on tensor cores, for which the larger error bound above holds */
  int tuned;     /* 1 if the kernel was chosen because `libsgemm tune` had measured it to be the fastest */
  int64_t tiles; /* in which a GPU computed the call from host memory; 0 if it was not computed so */
  /* Of math mode fp32_fast where .math_mode says that it ran: the share of C, 0 to 1 by tiles of 128 x 128, whose sums
   * were taken in FP64, because what the operands hold there keeps FP32's bound in no faster arithmetic. Negative:
   * another mode, or not known, as before the work on the GPU has ended: ask again then. */
  double fp64_share;
  double verify_ratio; /* worst |error| / bound found by verification, at most 1 if right; negative if not verified */
  char entry[40];      /* the function called: "libsgemm_sgemm", "cblas_sgemm64_" */
  char backend[24];    /* "openblas"; "none" if the call returned, or only scaled C, before any backend was needed */
  char kernel[72];    /* row of the kernel table that multiplied: "openblas_sgemm"; of a forced one its name; "scale" or
                         "nothing" where none was needed */
  char math_mode[16]; /* arithmetic that ran: "fp32"; of several rows, as in groups of a batch, and .kernel with it,
                         that of the one that promises least: one whose sums stay on tensor cores, else the last in the
                         order fp64, fp32, fp32_fast, bf16x6, fp16x3, tf32, fp16, bf16 */
  char reason[512];   /* why this backend, and why not those before it; and what was done to the operands before the
                         row multiplied: "after copy of A by sm75_mma_64x64x64_packed" */
  char message[512];  /* the error in words, naming the argument or the variable */
} libsgemm_info_t;

typedef struct {
  int available;    /* 1 if the backend can compute here */
  int is_gpu;       /* 1 if it computes on devices with memory of their own */
  int device_count; /* devices that LIBSGEMM_DEVICES permits; 1 for a CPU backend */
  int kernel_count; /* rows of its kernel table; 0 if not available */
  char name[24];    /* as in LIBSGEMM_BACKEND */
  char version[96]; /* of the software beneath, e.g. "OpenBLAS 0.3.21 Haswell" */
  char path[256];   /* file of the plugin; empty if built in or not found */
  char reason[512]; /* why it is not available; empty if it is */
} libsgemm_backend_info_t;

typedef struct {
  char name[96];
  char arch[32];              /* "sm_90", "gfx90a", "Haswell" */
  uint64_t memory_bytes;      /* of the device; 0 for a CPU */
  uint64_t memory_free_bytes; /* 0 if the device does not tell */
  int compute_units;          /* multiprocessors; threads of a CPU backend */
} libsgemm_device_info_t;

typedef struct libsgemm_handle *libsgemm_handle_t;
typedef struct libsgemm_plan *libsgemm_plan_t;

/* ---- The library ----------------------------------------------------------------------------------------------------
 */

/* LIBSGEMM_VERSION of the library that is loaded. */
LIBSGEMM_API int libsgemm_version(void);

/* A static English sentence for `status`; never NULL, also for a value that is no status. */
LIBSGEMM_API const char *libsgemm_status_string(libsgemm_status_t status);

/* Fills *info for the last routine called by this thread. INVALID_ARGUMENT if info is NULL; SUCCESS otherwise, and with
 * empty strings and backend "none" if this thread has called nothing; OUT_OF_MEMORY, and all but .reason, if there is
 * none to find the words. The calls of this section do not change it. */
LIBSGEMM_API libsgemm_status_t libsgemm_last_info(libsgemm_info_t *info);

/* Number of backends this library knows, usable or not, in the order in which `auto` prefers them. */
LIBSGEMM_API int libsgemm_backend_count(void);

/* Name of backend 0 <= index < libsgemm_backend_count(), static; NULL for another index. */
LIBSGEMM_API const char *libsgemm_backend_name(int index);

/* Loads and probes backend `index` if that has not happened yet (which may initialise a GPU) and describes it. Does not
 * fail because a backend is missing: that is what info->reason tells. INVALID_ARGUMENT: index out of range or info
 * NULL. */
LIBSGEMM_API libsgemm_status_t libsgemm_backend_describe(int index, libsgemm_backend_info_t *info);

/* Describes device 0 <= device < device_count of backend `index`; otherwise as libsgemm_backend_describe, and
 * UNAVAILABLE if the backend is. Asking for its free memory makes a context on that device of a GPU: it is this
 * function alone that does so, not a call that computes elsewhere. */
LIBSGEMM_API libsgemm_status_t libsgemm_device_describe(int index, int device, libsgemm_device_info_t *info);

/* Name of row 0 <= row < kernel_count of backend `index`, as LIBSGEMM_KERNEL takes it; static; NULL for another row. */
LIBSGEMM_API const char *libsgemm_kernel_name(int index, int row);

/* Such a row. Routines and types are those of calls that some device of the backend can do with it; both are empty if
 * none can, as where the row is for another architecture. */
typedef struct {
  char name[72];
  char routines[64];  /* without their first letters, a space between: "gemm batches", "syrk syr2k batches", "conv2d" */
  char types[32];     /* of A and B: "fp32", "fp16 bf16" */
  char math_mode[16]; /* the arithmetic it computes in: "fp32" */
  char purpose[64];   /* what it is for, in a few words: "few tiles of C, deep k" */
  int invariant;      /* 1: it may run where LIBSGEMM_DETERMINISTIC_INVARIANT is asked for */
} libsgemm_kernel_info_t;

/* INVALID_ARGUMENT if there is no such backend or row, or info is NULL; UNAVAILABLE if the backend is not available. */
LIBSGEMM_API libsgemm_status_t libsgemm_kernel_describe(int index, int row, libsgemm_kernel_info_t *info);

/* Memory that calls on host memory use on their way to a GPU and back, apart from the workspaces of handles. What a
 * call has used is kept for the next one, within the limits. */
typedef struct {
  size_t device_limit; /* bytes of each device; 0: all that is free but for a reserve, of which little is kept */
  size_t device_bytes; /* held now, on all devices together */
  size_t pinned_limit; /* bytes of page-locked host memory, for copies of memory that is not */
  size_t pinned_bytes; /* held now */
} libsgemm_memory_t;

/* INVALID_ARGUMENT if memory is NULL. */
LIBSGEMM_API libsgemm_status_t libsgemm_get_memory(libsgemm_memory_t *memory);

/* Replaces LIBSGEMM_DEVICE_MEMORY_LIMIT and LIBSGEMM_PINNED_MEMORY_LIMIT; 0: the default. Calls at work keep what they
 * have. A product that does not fit is computed in parts; one of which not even a small part does goes to the next
 * backend. */
LIBSGEMM_API libsgemm_status_t libsgemm_set_memory_limits(size_t device_bytes, size_t pinned_bytes);

/* Gives back what no call and no graph is using. */
LIBSGEMM_API libsgemm_status_t libsgemm_release_memory(void);

/* ---- Handles --------------------------------------------------------------------------------------------------------
 */

/* The functions of this section set libsgemm_last_info like a routine: status, entry and message. But what it knows of
 * the call that libsgemm_synchronize or libsgemm_destroy waits for stays, and only a failure that the wait finds is
 * added: its status and message. */

/* A new handle with the settings of the environment. INVALID_ARGUMENT (h NULL), INVALID_ENVIRONMENT, OUT_OF_MEMORY. */
LIBSGEMM_API libsgemm_status_t libsgemm_create(libsgemm_handle_t *h);

/* Waits for all work of the devices that the handle has been used on, and frees it and its workspace. Its stream may be
 * gone. NULL is accepted and does nothing. */
LIBSGEMM_API libsgemm_status_t libsgemm_destroy(libsgemm_handle_t h);

/* The stream (cudaStream_t, hipStream_t) on which calls with this handle are ordered; NULL, the default, is the default
 * stream of the device that is current when a call is made, which cudaStreamLegacy names too; cudaStreamPerThread is
 * that of the calling thread. May be set between calls without waiting: what the handle itself shares between its
 * calls, its workspace, is passed on from stream to stream in order. The old stream may be destroyed.
 *
 * The device of the stream computes, on managed memory too, since no other would do so in the order of the program's
 * work. Operands in memory of another device are INVALID_ARGUMENT, also where the two have peer access; a stream of a
 * device that LIBSGEMM_DEVICES leaves out is UNAVAILABLE.
 *
 * A call whose operands are in host memory and some of them page-locked first waits for the stream, which may still be
 * filling or reading them.
 *
 * A stream that is capturing a graph is recorded into, and never waited for. A graph whose calls need a workspace gets
 * one of its own, of the size that the handle's may have, allocated while it is recorded: so graphs of one handle may
 * run at the same time, beside direct calls, and after the handle is gone. It is kept for later graphs once this one
 * and all its executables are destroyed; libsgemm_release_memory gives it back. On AMD GPUs, where nobody tells of a
 * graph's end, it is given back by libsgemm_destroy and libsgemm_set_workspace instead, and the graph must not run
 * after that. In a workspace of the caller's own (libsgemm_set_workspace) graphs and calls must not run at the same
 * time. */
LIBSGEMM_API libsgemm_status_t libsgemm_set_stream(libsgemm_handle_t h, void *stream);
LIBSGEMM_API libsgemm_status_t libsgemm_get_stream(libsgemm_handle_t h, void **stream);

/* Device memory for kernels that need scratch: `bytes` bytes at `workspace`, aligned to 256, of the device that
 * computes, owned by the caller and in use until the work on the stream ends. NULL, 0 (default): the library
 * allocates its own on demand, at most LIBSGEMM_WORKSPACE_DEFAULT_BYTES a device and handle; less where memory is
 * short, but with LIBSGEMM_DETERMINISTIC_ON the call then fails, since another kernel could give other bits. NULL with
 * bytes > 0 bounds the library's own instead. No workspace is too small: a kernel that needs less is chosen. Waits for
 * the work of the handle's stream. INVALID_ARGUMENT: `workspace` is misaligned, or `bytes` is 0 with a workspace that
 * is not NULL. */
#define LIBSGEMM_WORKSPACE_DEFAULT_BYTES ((size_t)64 << 20)
LIBSGEMM_API libsgemm_status_t libsgemm_set_workspace(libsgemm_handle_t h, void *workspace, size_t bytes);
LIBSGEMM_API libsgemm_status_t libsgemm_get_workspace(libsgemm_handle_t h, void **workspace, size_t *bytes);

/* Arithmetic of libsgemm_sgemm, its batches and libsgemm_sconv2d called with this handle. INVALID_ARGUMENT if mode is
 * none of the enumerators. */
LIBSGEMM_API libsgemm_status_t libsgemm_set_math_mode(libsgemm_handle_t h, libsgemm_math_mode_t mode);
LIBSGEMM_API libsgemm_status_t libsgemm_get_math_mode(libsgemm_handle_t h, libsgemm_math_mode_t *mode);

/* What the bits of results of calls with this handle may depend on. INVALID_ARGUMENT if `deterministic` is none of the
 * enumerators. */
LIBSGEMM_API libsgemm_status_t libsgemm_set_deterministic(libsgemm_handle_t h, libsgemm_deterministic_t deterministic);
LIBSGEMM_API libsgemm_status_t libsgemm_get_deterministic(libsgemm_handle_t h, libsgemm_deterministic_t *deterministic);

/* Who computes: what LIBSGEMM_BACKEND takes ("auto", a name, a comma list in order of preference). NULL: the
 * environment's. INVALID_ARGUMENT, with the valid values in the message, if a name is unknown; whether a backend can be
 * used here shows in the call that needs it. */
LIBSGEMM_API libsgemm_status_t libsgemm_set_backend(libsgemm_handle_t h, const char *backends);

/* Forces a row of the kernel tables by its name, and so the backend that has it and the arithmetic that it computes in,
 * whatever the math mode; NULL or "" lifts the force. A call that the row cannot do returns NOT_SUPPORTED.
 * INVALID_ARGUMENT, with the valid names in the message, if there is no such row. */
LIBSGEMM_API libsgemm_status_t libsgemm_set_kernel(libsgemm_handle_t h, const char *kernel);

/* Verification of the results of calls with this handle, and what happens to a wrong one. Makes the calls synchronous;
 * a call that is recorded into a graph is not verified. INVALID_ARGUMENT if either is none of the enumerators.
 *
 * An element is wrong if its error exceeds b_ij: the usual bound above, but with 4 sqrt(k + 2) for 2 sqrt(k + 2), lest
 * one element of many raise an alarm by chance: random errors are beyond that in less than one element of 10^11. Those
 * of products of constant matrices may be, where k is more than some 250 and a kernel sums one term after the
 * other; such an alarm is a false one. Numbers that leave the range of FP32 on the way, or lose bits below it, are
 * none, whether alpha is multiplied first or last. FULL finds every wrong one. SAMPLE finds one if its row or column is
 * among those drawn, with probability 1 - (1 - 1/m)^4 (1 - 1/n)^4, and always, by the checksum, if its error is more
 * than 8 (sum_j b_ij^2)^(1/2), or a little more, over the row i of C (over the column, where C has more columns than
 * rows): some 8 sqrt(min(m, n)) times b_ij, as a wrong exponent or high bit of the mantissa mostly is. So it does where
 * A, B or C hold NaN or Inf elsewhere. The thread's rounding mode, and whether it flushes denormal numbers, do not
 * matter to verification, but to what it allows the CPU's kernels; it raises no floating-point flag and does not trap.
 *
 * In memory of a device the sample of a product is its checksum alone, computed there: of all of C where that is cheap,
 * as up to m = n = k = 1024, of a twelfth of its elements at 4096, drawn anew for each call, of a quarter at 8192.
 * What it reads is chosen to take some two per cent of the time of the product. FULL recomputes a product there in FP64
 * on NVIDIA GPUs. RETRY and ERROR, and FULL with beta other than 0, take device memory of C's size, for a copy of C,
 * which stays with the handle. All else, and FULL where that memory is short, is verified on copies in host memory. */
LIBSGEMM_API libsgemm_status_t libsgemm_set_verify(libsgemm_handle_t h, libsgemm_verify_t verify,
                                                   libsgemm_verify_action_t action);
LIBSGEMM_API libsgemm_status_t libsgemm_get_verify(libsgemm_handle_t h, libsgemm_verify_t *verify,
                                                   libsgemm_verify_action_t *action);

/* Waits until all work of this handle's stream is done, of a default stream on every device in use; EXECUTION_FAILED if
 * some of it failed. */
LIBSGEMM_API libsgemm_status_t libsgemm_synchronize(libsgemm_handle_t h);

/* ---- Level-3 routines -----------------------------------------------------------------------------------------------
 */

/* C = alpha * op(A) * op(B) + beta * C.
 * op(A) is m x k, op(B) k x n, C m x n; m, n, k >= 0. So A is m x k (NO_TRANS) or k x m as stored, B k x n or n x k. */
LIBSGEMM_API libsgemm_status_t libsgemm_sgemm(libsgemm_layout_t layout, libsgemm_op_t transa, libsgemm_op_t transb,
                                              int64_t m, int64_t n, int64_t k, float alpha, const float *A, int64_t lda,
                                              const float *B, int64_t ldb, float beta, float *C, int64_t ldc);
LIBSGEMM_API libsgemm_status_t libsgemm_sgemm_h(libsgemm_handle_t h, libsgemm_layout_t layout, libsgemm_op_t transa,
                                                libsgemm_op_t transb, int64_t m, int64_t n, int64_t k, float alpha,
                                                const float *A, int64_t lda, const float *B, int64_t ldb, float beta,
                                                float *C, int64_t ldc);

/* LEFT: C = alpha * A * B + beta * C with A symmetric m x m; RIGHT: C = alpha * B * A + beta * C with A symmetric n x
 * n. B and C are m x n; m, n >= 0. Only the `uplo` triangle of A is read. */
LIBSGEMM_API libsgemm_status_t libsgemm_ssymm(libsgemm_layout_t layout, libsgemm_side_t side, libsgemm_uplo_t uplo,
                                              int64_t m, int64_t n, float alpha, const float *A, int64_t lda,
                                              const float *B, int64_t ldb, float beta, float *C, int64_t ldc);
LIBSGEMM_API libsgemm_status_t libsgemm_ssymm_h(libsgemm_handle_t h, libsgemm_layout_t layout, libsgemm_side_t side,
                                                libsgemm_uplo_t uplo, int64_t m, int64_t n, float alpha, const float *A,
                                                int64_t lda, const float *B, int64_t ldb, float beta, float *C,
                                                int64_t ldc);

/* C = alpha * op(A) * op(A)^T + beta * C, C symmetric n x n, of which only the `uplo` triangle is read and written.
 * op(A) is n x k: A is n x k (NO_TRANS) or k x n as stored; n, k >= 0. */
LIBSGEMM_API libsgemm_status_t libsgemm_ssyrk(libsgemm_layout_t layout, libsgemm_uplo_t uplo, libsgemm_op_t trans,
                                              int64_t n, int64_t k, float alpha, const float *A, int64_t lda,
                                              float beta, float *C, int64_t ldc);
LIBSGEMM_API libsgemm_status_t libsgemm_ssyrk_h(libsgemm_handle_t h, libsgemm_layout_t layout, libsgemm_uplo_t uplo,
                                                libsgemm_op_t trans, int64_t n, int64_t k, float alpha, const float *A,
                                                int64_t lda, float beta, float *C, int64_t ldc);

/* C = alpha * op(A) * op(B)^T + alpha * op(B) * op(A)^T + beta * C, C symmetric n x n, of which only the `uplo`
 * triangle is read and written. op(A), op(B) are n x k: A and B are n x k (NO_TRANS) or k x n as stored; n, k >= 0. */
LIBSGEMM_API libsgemm_status_t libsgemm_ssyr2k(libsgemm_layout_t layout, libsgemm_uplo_t uplo, libsgemm_op_t trans,
                                               int64_t n, int64_t k, float alpha, const float *A, int64_t lda,
                                               const float *B, int64_t ldb, float beta, float *C, int64_t ldc);
LIBSGEMM_API libsgemm_status_t libsgemm_ssyr2k_h(libsgemm_handle_t h, libsgemm_layout_t layout, libsgemm_uplo_t uplo,
                                                 libsgemm_op_t trans, int64_t n, int64_t k, float alpha, const float *A,
                                                 int64_t lda, const float *B, int64_t ldb, float beta, float *C,
                                                 int64_t ldc);

/* LEFT: B = alpha * op(A) * B with A triangular m x m; RIGHT: B = alpha * B * op(A) with A triangular n x n. B is m x n
 * and is overwritten; m, n >= 0. alpha == 0 sets B to zero without reading A. */
LIBSGEMM_API libsgemm_status_t libsgemm_strmm(libsgemm_layout_t layout, libsgemm_side_t side, libsgemm_uplo_t uplo,
                                              libsgemm_op_t transa, libsgemm_diag_t diag, int64_t m, int64_t n,
                                              float alpha, const float *A, int64_t lda, float *B, int64_t ldb);
LIBSGEMM_API libsgemm_status_t libsgemm_strmm_h(libsgemm_handle_t h, libsgemm_layout_t layout, libsgemm_side_t side,
                                                libsgemm_uplo_t uplo, libsgemm_op_t transa, libsgemm_diag_t diag,
                                                int64_t m, int64_t n, float alpha, const float *A, int64_t lda,
                                                float *B, int64_t ldb);

/* Solves op(A) * X = alpha * B (LEFT, A triangular m x m) or X * op(A) = alpha * B (RIGHT, A triangular n x n) for the
 * m x n matrix X, which overwrites B; m, n >= 0. As in the reference BLAS no test for singularity is made: a zero on
 * the diagonal gives Inf or NaN. Other numbers are divided by, however small: backend openblas does not support a
 * diagonal whose reciprocals leave the normal range, and "ref" solves such a system. alpha == 0 sets B to zero without
 * reading A. */
LIBSGEMM_API libsgemm_status_t libsgemm_strsm(libsgemm_layout_t layout, libsgemm_side_t side, libsgemm_uplo_t uplo,
                                              libsgemm_op_t transa, libsgemm_diag_t diag, int64_t m, int64_t n,
                                              float alpha, const float *A, int64_t lda, float *B, int64_t ldb);
LIBSGEMM_API libsgemm_status_t libsgemm_strsm_h(libsgemm_handle_t h, libsgemm_layout_t layout, libsgemm_side_t side,
                                                libsgemm_uplo_t uplo, libsgemm_op_t transa, libsgemm_diag_t diag,
                                                int64_t m, int64_t n, float alpha, const float *A, int64_t lda,
                                                float *B, int64_t ldb);

/* C = alpha * op(A) * op(B) + beta * C as libsgemm_sgemm with m = n, but only the `uplo` triangle of C is read and
 * written. op(A) is n x k, op(B) k x n, C n x n; n, k >= 0. */
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

/* For matrices that are multiplied many times, such as weights, in the modes BF16X6, FP16X3 and FP32_FAST: the split
 * into parts, which otherwise each call makes anew, is made once and kept. A call with a plan runs in the mode also
 * where FP32 is expected to be faster (in FP32_FAST as without one). Results have the same bits as without plans where
 * the mode runs and the workspace holds a call's operands at once; otherwise k may be cut at other places, and the same
 * bound holds.
 *
 *   libsgemm_plan_create(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_LEFT, LIBSGEMM_NO_TRANS, m, k, A, lda, &plan);
 *   for (i = 0; i < count; ++i)
 *     libsgemm_sgemm_planned_h(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, m, n, k, 1, A, lda, plan,
 *                              B[i], ldb, NULL, 0, C[i], ldc);
 *   libsgemm_synchronize(h);
 *   libsgemm_plan_destroy(plan); */

/* Splits X for products in which it is A (LEFT) or B (RIGHT), in the handle's math mode. op(X) is rows x cols: m x k or
 * k x n. Ordered on the handle's stream, and done when it returns: the plan then serves calls of any thread, on any
 * handle and stream. It owns memory of X's device: of op(X) with its rows (LEFT; RIGHT: columns) rounded up to 128 and
 * the other side to 64, 4 bytes an element in FP16X3 and FP32_FAST, and 6 in BF16X6.
 *
 * X must stay where it is, and unchanged, while the plan is in use: products that hold NaN or Inf, or could overflow,
 * or in FP32_FAST hold elements of very different size, read it, too.
 *
 * In other modes, on backends that split nothing, and of X in host memory a plan keeps nothing and costs nothing: calls
 * with it are plain ones, so that programs run everywhere. libsgemm_info_t.kernel is "split" if something is kept and
 * "nothing" if not.
 *
 * Arguments count from 1 (h). After an error *plan is NULL, which a product takes for no plan. OUT_OF_MEMORY: the
 * device cannot hold the parts. NOT_SUPPORTED: the stream is capturing a graph. */
LIBSGEMM_API libsgemm_status_t libsgemm_plan_create(libsgemm_handle_t h, libsgemm_layout_t layout, libsgemm_side_t side,
                                                    libsgemm_op_t trans, int64_t rows, int64_t cols, const float *X,
                                                    int64_t ldx, libsgemm_plan_t *plan);

/* Frees the plan and its memory. Calls that use it must have ended (libsgemm_synchronize), and graphs that hold such
 * calls must not run any more. NULL is accepted and does nothing. INVALID_ARGUMENT: not a plan, or destroyed. */
LIBSGEMM_API libsgemm_status_t libsgemm_plan_destroy(libsgemm_plan_t plan);

/* libsgemm_sgemm_h with plans of A, of B, or of both; NULL: none. A plan must have been made of this operand (side,
 * layout, transposition, size, address, leading dimension), in the handle's math mode, and on the device that the
 * product runs on; if not, the call fails with INVALID_ARGUMENT and names it. May be captured into a graph.
 * libsgemm_info_t.plans tells how many were used: none where another arithmetic ran than the mode asked for. */
LIBSGEMM_API libsgemm_status_t libsgemm_sgemm_planned_h(libsgemm_handle_t h, libsgemm_layout_t layout,
                                                        libsgemm_op_t transa, libsgemm_op_t transb, int64_t m,
                                                        int64_t n, int64_t k, float alpha, const float *A, int64_t lda,
                                                        libsgemm_plan_t plan_a, const float *B, int64_t ldb,
                                                        libsgemm_plan_t plan_b, float beta, float *C, int64_t ldc);

/* ---- 16-bit inputs --------------------------------------------------------------------------------------------------
 */

/* As libsgemm_sgemm with A and B of IEEE binary16 (shgemm) or bfloat16 (sbgemm), and alpha, beta, C and all sums in
 * FP32. The inputs are converted exactly; denormals, NaN and Inf are kept. Math modes do not apply. */
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

/* As libsgemm_ssyrk with A of IEEE binary16 (shsyrk) or bfloat16 (sbsyrk), and alpha, beta, C and all sums in FP32: C =
 * alpha * op(A) * op(A)^T + beta * C, C symmetric n x n, of which only the `uplo` triangle is read and written. op(A)
 * is n x k: A is n x k (NO_TRANS) or k x n as stored; n, k >= 0. The inputs are converted exactly; denormals, NaN and
 * Inf are kept. Math modes do not apply. Errors as libsgemm_ssyrk. */
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

/* Groups of products, as cblas_sgemm_batch of MKL and OpenBLAS: group g < group_count holds group_size[g] >= 0 products
 * that share transa[g], ..., ldc[g], and takes the next group_size[g] pointers of A, B and C. The arrays of parameters
 * lie in host memory. So do the arrays of pointers, or, where the matrices are in device memory, they may lie there or
 * in managed memory; then the device reads them when the work runs, and they are not checked. The outputs must not
 * overlap each other, nor what other products read (not checked): the order is not defined, and on a GPU groups of
 * different sizes may run in one launch. An illegal argument in any group fails the whole call before anything is
 * written; the message names the group. If a product fails, C of others may be done. */
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

/* batch_count >= 0 products of one shape: product i uses A + i * stride_a, B + i * stride_b, C + i * stride_c. Strides
 * of A and B are >= 0 (0 shares the matrix); stride_c must keep the outputs apart, that is |C| <= stride_c where |C| is
 * (columns - 1) * ldc + rows of the stored matrix. Shapes and errors as libsgemm_sgemm. */
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

/* batch_count >= 0 updates of one shape: number i uses A + i * stride_a and C + i * stride_c. stride_a >= 0 (0 shares
 * A); stride_c must keep the outputs apart: at least (n - 1) * ldc + n, though only the uplo triangle of each C is
 * written, if there is more than one. What lies between them is neither read nor written. Shapes and errors as
 * libsgemm_ssyrk, libsgemm_shsyrk and libsgemm_sbsyrk; an illegal argument fails the whole call before anything is
 * written. */
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
 * overwrites B + i * stride_b. stride_a >= 0 (0 shares the triangle); stride_b must keep the matrices apart: at least
 * (columns - 1) * ldb + rows of the stored B (in row-major order rows and columns exchanged), if there is more than
 * one. Shapes and errors as libsgemm_strmm and libsgemm_strsm; an illegal argument fails the whole call before anything
 * is written. */
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

/* Convolutions of images with filters as neural networks have them, and their gradients. As in cuDNN and PyTorch they
 * are cross-correlations: the filter is not turned round. With x the images, f the filters, y the result
 *
 *   y(n, k, i, j) = sum over c, r, s of  x(n, c, i * stride_h - pad_top + r * dilation_h,
 *                                                j * stride_w - pad_left + s * dilation_w) * f(k, c, r, s)
 *
 * where x is zero outside of the image, in the padding. */
typedef enum {
  LIBSGEMM_CONV2D_FORWARD = 0,        /* y = alpha * conv(x, f) + beta * y;                   A = x, B = f,  C = y  */
  LIBSGEMM_CONV2D_DATA_GRADIENT = 1,  /* dx = alpha * sum over k, i, j of dy f + beta * dx;   A = dy, B = f, C = dx */
  LIBSGEMM_CONV2D_WEIGHT_GRADIENT = 2 /* df = alpha * sum over n, i, j of dy x + beta * df;   A = x, B = dy, C = df */
} libsgemm_conv2d_direction_t;

/* The order of dimensions in memory, outermost first, of tensors that are dense: filters are [k][c / groups][r][s] or
 * [k][r][s][c / groups]. */
typedef enum { LIBSGEMM_NCHW = 0, LIBSGEMM_NHWC = 1 } libsgemm_tensor_layout_t;

/* What is convolved; libsgemm_conv2d_init gives every field a value. Each size is a number of elements.
 *
 * x is n x c x h x w, f is k x c / groups x r x s, and y is n x k x p x q, p and q from libsgemm_conv2d_output_size.
 * With more than one group, group g of the k / groups filters from g * k / groups on sees only the c / groups channels
 * from g * c / groups on (groups = c: depthwise).
 *
 * x_strides, f_strides, y_strides: elements between neighbours in the dimensions (n, c, h, w) of x, (k, c, r, s) of f,
 * (n, k, p, q) of y, in this order whatever the layout. All four 0, the default: the tensor is dense, in the order of
 * `layout`. Otherwise it is a view: elements between those that belong to it are neither read nor written. No stride
 * may be negative; one of an input may be 0, so that the same elements serve again; those of an output must keep its
 * elements apart, which holds if each stride is more than the extent of all dimensions with smaller ones. */
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

/* Forward, NCHW, dense: a 1 x 1 filter without padding; groups, strides and dilations are 1, n, c, h, w and k 0. `size`
 * is sizeof *conv, by which a program of an older header is known. Does nothing if conv is NULL. */
LIBSGEMM_API void libsgemm_conv2d_init(libsgemm_conv2d_t *conv, size_t size);

/* Rows p and columns q of y: 1 + (h + pad_top + pad_bottom - dilation_h * (r - 1) - 1) / stride_h, rounded down; q
 * likewise. INVALID_ARGUMENT if conv, p or q is NULL, or a field is not as above, or the filter, with its dilation, is
 * larger than the image with its padding; then *p and *q are untouched, and libsgemm_last_info names the field. */
LIBSGEMM_API libsgemm_status_t libsgemm_conv2d_output_size(const libsgemm_conv2d_t *conv, int64_t *p, int64_t *q);

/* The convolution, or the gradient that conv->direction says. A, B and C as there; alpha and beta, host and device
 * memory, errors and streams as everywhere above: beta == 0 does not read C; alpha == 0, and no terms (of y no channel
 * or an empty image, of dx no filter, of df no image or an empty one) give beta * C without reading A and B. The
 * bound of an element's error is that of a product with k its number of terms: (c / groups) r s of y, (k / groups) r s
 * of dx, n p q of df. All math modes apply where the backend has them for convolutions; otherwise FP32 runs.
 *
 * NaN and Inf spread; whether one of f also does by a zero of the padding, or of dy between the strides, that it meets
 * is not promised: some kernels multiply these, some leave them out. In LIBSGEMM_DETERMINISTIC_INVARIANT they are left
 * out, and terms are summed in the order of (c, r, s) for y, (k, r, s) for dx and (n, i, j) for df.
 *
 * Positions of arguments count from 1 (conv). INVALID_ARGUMENT for a field of conv: position 1, and the message names
 * the field and its value. Verification (libsgemm_set_verify) computes elements in FP64 on the CPU: SAMPLE 256 of
 * them, drawn anew for each call, which finds an error that spoils the share x of all with probability 1 - (1 - x)^256;
 * FULL all. NOT_SUPPORTED: the tensors are in memory of a GPU whose backend has no kernel for the call. */
LIBSGEMM_API libsgemm_status_t libsgemm_sconv2d(const libsgemm_conv2d_t *conv, float alpha, const float *A,
                                                const float *B, float beta, float *C);
LIBSGEMM_API libsgemm_status_t libsgemm_sconv2d_h(libsgemm_handle_t h, const libsgemm_conv2d_t *conv, float alpha,
                                                  const float *A, const float *B, float beta, float *C);

#ifdef __cplusplus
}
#endif

#endif
