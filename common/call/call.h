// A call as its caller made it: arguments not yet checked, in the caller's layout. Built by api.cpp and by the drop-in.
#pragma once

#include "contract/backend.h"
#include "contract/desc.h"
#include "libsgemm.h"

namespace libsgemm {

// Kind of name that the call came under. BLAS names (cblas, fortran) leave aliasing to their caller. Fortran has no
// layout argument, so positions of arguments count without it.
enum class Interface : int8_t { native, cblas, fortran };

// Enumerations are plain ints because a caller may pass any value. Fields that a routine does not have stay 0.
struct Call {
  const char *entry = nullptr;  // name of the function called; static
  Routine routine = Routine::gemm;
  Type type = Type::f32;
  Batch batch = Batch::none;  // none or strided
  Interface interface = Interface::native;
  int layout = 0, side = 0, uplo = 0, transa = 0, transb = 0, diag = 0;
  int64_t m = 0, n = 0, k = 0;
  float alpha = 0;
  const void *a = nullptr;
  int64_t lda = 0, stride_a = 0;
  const void *b = nullptr;
  int64_t ldb = 0, stride_b = 0;
  float beta = 0;
  float *c = nullptr;  // output; for trmm and trsm their B, and then ldc is its ldb
  int64_t ldc = 0, stride_c = 0;
  int64_t batch_count = 0;  // strided batch, or size of a group
  int64_t group = -1;       // index within a group call, for messages; -1: none
  bool planned = false;     // the entry has arguments plan_a and plan_b
  const libsgemm_plan *plan_a = nullptr, *plan_b = nullptr;
  const CpuBlas *blas = nullptr;  // see Launch::blas
  bool gives_back = false;        // drop-in: a call that no GPU takes is left to the caller's own BLAS
  bool device_only = false;       // GPU drop-in: NOT_SUPPORTED unless the GPU that has the operands computes it
};

// Arguments of a grouped batch (`*_batch`); fields as in Call.
struct GroupCall {
  const char *entry;
  Type type;
  Interface interface;
  int layout;
  const libsgemm_op_t *transa, *transb;
  const int64_t *m, *n, *k;
  const float *alpha;
  const void *const *a;
  const int64_t *lda;
  const void *const *b;
  const int64_t *ldb;
  const float *beta;
  float *const *c;
  const int64_t *ldc;
  int64_t group_count;
  const int64_t *group_size;
  const CpuBlas *blas;
  bool gives_back = false;
  bool device_only = false;
};

// BLAS that a drop-in stands in front of: `backend` names it in reports, `name` in sentences.
struct Vendor {
  const char *backend, *name;
};

// How to perform a call that a program makes to its GPU's BLAS.
struct DeviceCall {
  libsgemm_handle_t handle = nullptr;
  void *stream = nullptr;
  bool stream_was_set = false;  // since the latest call, maybe to another stream at the same address
  bool repeatable = false;      // at least LIBSGEMM_DETERMINISTIC_ON is required
  void *workspace = nullptr;    // the program's own, in use until the stream's work ends; NULL: the handle's
  size_t workspace_bytes = 0;
  const Epilogue *epilogue = nullptr;  // enqueued after the product; NULL: none
  bool timed = false;                  // the caller adds the GPU's time (libsgemm_private_add_time)
  bool no_kernel = false;  // output: NOT_SUPPORTED because a backend has no kernel for it, wherever the operands are
  // Outputs: names under which the call is counted.
  const char *ran_backend = "none", *ran_kernel = "";
};

// Checks and performs a call. submit() is synchronous and uses the settings of the environment; submit_h() uses those
// of a handle.
libsgemm_status_t submit(const Call &call);
libsgemm_status_t submit(const GroupCall &call);
libsgemm_status_t submit_h(const Call &call, libsgemm_handle_t handle);
libsgemm_status_t submit_h(const GroupCall &call, libsgemm_handle_t handle);

}  // namespace libsgemm

// Entry points of libsgemm.so for libsgemm_blas.so; not part of the public API. They work like submit() without a
// handle, with one exception. A call that fails for another reason than its arguments is computed with built-in
// defaults on the CPU, unless LIBSGEMM_STRICT is set, because a BLAS routine cannot report an error to its caller.
extern "C" {
// Sets *given_back if nothing was done and the caller's own BLAS must compute the call (see Call::gives_back).
LIBSGEMM_API libsgemm_status_t libsgemm_private_call(const libsgemm::Call *call, bool *given_back);
LIBSGEMM_API libsgemm_status_t libsgemm_private_group_call(const libsgemm::GroupCall *call, bool *given_back);

// Calls search(argument) while no fork can happen. The BLAS that it returns, if not NULL, is published: it also serves
// calls that do not come through the drop-in. False: the process is ending, or memory ran out.
LIBSGEMM_API bool libsgemm_private_find_blas(const libsgemm::CpuBlas *(*search)(void *), void *argument);

// Entry points of libsgemm.so for libsgemm_cublas.so and libsgemm_rocblas.so. They work like submit_h(), but do not
// count a failure: C is unchanged, and the caller lets the program's BLAS compute the call. *final: the caller must
// return the status instead, since the user requires the error or the output is already modified.
LIBSGEMM_API libsgemm_status_t libsgemm_private_device_call(const libsgemm::Call *call, libsgemm::DeviceCall *how,
                                                            bool *final);
LIBSGEMM_API libsgemm_status_t libsgemm_private_device_group_call(const libsgemm::GroupCall *call,
                                                                  libsgemm::DeviceCall *how, bool *final);

// True if calls are counted or logged.
LIBSGEMM_API bool libsgemm_private_instrumented(void);
// Counts and logs a call that the vendor's BLAS computed, with the status that it returned. `groups`, if not NULL,
// replaces all of `call` except its entry.
LIBSGEMM_API void libsgemm_private_count_forwarded(const libsgemm::Vendor *vendor, const libsgemm::Call *call,
                                                   const libsgemm::GroupCall *groups, const char *why, int status,
                                                   uint64_t nanoseconds);
// Adds time to the statistics of a call that was counted before under these names.
LIBSGEMM_API void libsgemm_private_add_time(const char *entry, const char *backend, const char *kernel,
                                            uint64_t nanoseconds);

// For Python, whose frameworks supply arrays with their device and its stream. From now on a default stream of the
// handle is that of the device that holds the operands, not of the current device.
LIBSGEMM_API void libsgemm_private_follow_operands(libsgemm_handle_t h);

// Adds a BLAS of the process to the statistics in LIBSGEMM_STATS_DIR, even if no call has been made.
LIBSGEMM_API void libsgemm_private_note_blas(const char *version, const char *file, bool has_lapack);
}
