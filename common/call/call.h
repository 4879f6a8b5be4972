// A call as its caller made it: unchecked, in the caller's layout.
#pragma once

#include "contract/backend.h"
#include "contract/desc.h"
#include "libsgemm.h"

namespace libsgemm {

// BLAS names (cblas, fortran) leave aliasing to their caller. Fortran's argument positions do not count the layout.
enum class Interface : int8_t { native, cblas, fortran };

// Who calls, and who else could compute.
struct Caller {
  const char *entry = nullptr;    // static
  const CpuBlas *blas = nullptr;  // see Launch::blas
  bool gives_back = false;        // drop-in: the caller's own BLAS gets a call that no GPU takes
  bool device_only = false;       // GPU drop-in: NOT_SUPPORTED unless the operands' GPU computes it
};

// Enumerations are ints: a caller may pass any value. Fields that a routine does not have are 0.
struct Call : Caller {
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
  float *c = nullptr;  // output; trmm's and trsm's B, with ldc for ldb
  int64_t ldc = 0, stride_c = 0;
  int64_t batch_count = 0;  // strided batch, or size of a group
  int64_t group = -1;       // index of the group, for messages; -1: none
  bool planned = false;     // with plan_a and plan_b
  const libsgemm_plan *plan_a = nullptr, *plan_b = nullptr;
};

// Fields as in Call.
struct GroupCall : Caller {
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
};

// The BLAS that a drop-in replaces: `backend` in reports, `name` in sentences.
struct Vendor {
  const char *backend, *name;
};

struct DeviceCall {
  libsgemm_handle_t handle = nullptr;
  void *stream = nullptr;
  bool stream_was_set = false;  // set since the latest call, maybe to another stream at the same address
  bool repeatable = false;      // requires at least LIBSGEMM_DETERMINISTIC_ON
  void *workspace = nullptr;    // the program's own, in use until the stream's work ends; NULL: the handle's
  size_t workspace_bytes = 0;
  const Epilogue *epilogue = nullptr;  // enqueued after the product, or NULL
  bool timed = false;                  // the caller adds the GPU's time (libsgemm_private_add_time)
  bool no_kernel = false;              // output: NOT_SUPPORTED because no kernel exists, wherever the operands are
  // Outputs, for statistics.
  const char *ran_backend = "none", *ran_kernel = "";
};

// Synchronous, with the environment's settings; submit_h(): with a handle's.
libsgemm_status_t submit(const Call &call);
libsgemm_status_t submit(const GroupCall &call);
libsgemm_status_t submit_h(const Call &call, libsgemm_handle_t handle);
libsgemm_status_t submit_h(const GroupCall &call, libsgemm_handle_t handle);

}  // namespace libsgemm

// For libsgemm_blas.so; not public. A BLAS routine cannot report an error: unless LIBSGEMM_STRICT is set, a failed call
// with legal arguments is computed by defaults on the CPU.
extern "C" {
// *given_back: the caller's own BLAS must compute (Caller::gives_back).
LIBSGEMM_API libsgemm_status_t libsgemm_private_call(const libsgemm::Call *call, bool *given_back);
LIBSGEMM_API libsgemm_status_t libsgemm_private_group_call(const libsgemm::GroupCall *call, bool *given_back);

// Calls search(argument) while no fork can happen, and publishes the BLAS that it returns. False: the process is
// ending, or memory ran out.
LIBSGEMM_API bool libsgemm_private_find_blas(const libsgemm::CpuBlas *(*search)(void *), void *argument);

// For libsgemm_cublas.so and libsgemm_rocblas.so, as submit_h(). Failures are not counted: C is unchanged, and the
// caller forwards the call. *final: it must return the status instead, because the user requires the error, or the
// output is modified.
LIBSGEMM_API libsgemm_status_t libsgemm_private_device_call(const libsgemm::Call *call, libsgemm::DeviceCall *how,
                                                            bool *final);
LIBSGEMM_API libsgemm_status_t libsgemm_private_device_group_call(const libsgemm::GroupCall *call,
                                                                  libsgemm::DeviceCall *how, bool *final);

LIBSGEMM_API bool libsgemm_private_instrumented(void);
// `groups`, if not NULL, replaces all of `call` but its entry.
LIBSGEMM_API void libsgemm_private_count_forwarded(const libsgemm::Vendor *vendor, const libsgemm::Call *call,
                                                   const libsgemm::GroupCall *groups, const char *why, int status,
                                                   uint64_t nanoseconds);
// Adds the time to a call that was counted under these names.
LIBSGEMM_API void libsgemm_private_add_time(const char *entry, const char *backend, const char *kernel,
                                            uint64_t nanoseconds);

// For Python: the handle's default stream is that of the operands' device, not of the current one.
LIBSGEMM_API void libsgemm_private_follow_operands(libsgemm_handle_t h);

// Adds a BLAS to the statistics, even without a call.
LIBSGEMM_API void libsgemm_private_note_blas(const char *version, const char *file, bool has_lapack);
}
