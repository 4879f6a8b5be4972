// A call as it was made: arguments not yet checked, in the caller's layout. Built by api.cpp and by the drop-in.
#pragma once

#include "contract/backend.h"
#include "contract/desc.h"
#include "libsgemm.h"

namespace libsgemm {

// Under which kind of name a call came. A BLAS leaves aliasing to its caller, and Fortran has no layout argument to
// count.
enum class Interface : int8_t { native, cblas, fortran };

// Enumerations are plain ints because a caller may pass anything. Fields that a routine does not have stay 0.
struct Call {
  const char *entry = nullptr;  // name of the function called; static
  Routine routine = Routine::gemm;
  Type type = Type::f32;
  Batch batch = Batch::none;  // or strided
  Interface interface = Interface::native;
  int layout = 0, side = 0, uplo = 0, transa = 0, transb = 0, diag = 0;
  int64_t m = 0, n = 0, k = 0;
  float alpha = 0;
  const void *a = nullptr;
  int64_t lda = 0, stride_a = 0;
  const void *b = nullptr;
  int64_t ldb = 0, stride_b = 0;
  float beta = 0;
  float *c = nullptr;  // of trmm and trsm: their B, with ldc its ldb
  int64_t ldc = 0, stride_c = 0;
  int64_t batch_count = 0;  // of a strided batch, or a group's size
  int64_t group = -1;       // of a group call: which one, for messages
  bool planned = false;     // has arguments plan_a and plan_b
  const libsgemm_plan *plan_a = nullptr, *plan_b = nullptr;
  const CpuBlas *blas = nullptr;  // see Launch::blas
  bool gives_back = false;        // of the drop-in: what no GPU takes is for the caller's own BLAS
  bool device_only = false;  // a call of a program on its GPU's BLAS: NOT_SUPPORTED if it is not for that GPU alone
};

// A call of the group form of batches.
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

// A GPU's BLAS that a drop-in stands before: as a backend in reports, and in sentences.
struct Vendor {
  const char *backend, *name;
};

// How a call of a program on one is to be made.
struct DeviceCall {
  libsgemm_handle_t handle = nullptr;
  void *stream = nullptr;
  bool stream_was_set = false;  // since the latest call, maybe to another stream of the same address
  bool repeatable = false;      // the same bits run after run, at least
  void *workspace = nullptr;    // the program's own, in use until the work on the stream ends; NULL: the handle's
  size_t workspace_bytes = 0;
  const Epilogue *epilogue = nullptr;  // done behind the product; NULL: nothing
  bool timed = false;                  // the caller will add the time that the GPU takes (libsgemm_private_add_time)
  bool no_kernel = false;  // NOT_SUPPORTED since a backend has no kernel for it, whatever the operands' memory
  // What it was counted under.
  const char *ran_backend = "none", *ran_kernel = "";
};

// Checks and performs a call: synchronous and with the settings of the environment, or with those of a handle.
libsgemm_status_t submit(const Call &call);
libsgemm_status_t submit(const GroupCall &call);
libsgemm_status_t submit_h(const Call &call, libsgemm_handle_t handle);
libsgemm_status_t submit_h(const GroupCall &call, libsgemm_handle_t handle);

}  // namespace libsgemm

// The entry points of libsgemm_blas.so into libsgemm.so; not part of the public API. As submit() without a handle, but
// a call that fails for another reason than its arguments is computed with built-in defaults on the CPU unless
// LIBSGEMM_STRICT is set, because a BLAS routine has no way to tell its caller.
extern "C" {
// *given_back: nothing was done, and the call is for the caller's own BLAS (see Call::gives_back).
LIBSGEMM_API libsgemm_status_t libsgemm_private_call(const libsgemm::Call *call, bool *given_back);
LIBSGEMM_API libsgemm_status_t libsgemm_private_group_call(const libsgemm::GroupCall *call, bool *given_back);

// Calls search(argument) while no fork can happen. The BLAS that it returns, unless that is NULL, is made known: it
// serves calls that do not come by the drop-in, too. False: it was not called, or had not the memory to end.
LIBSGEMM_API bool libsgemm_private_find_blas(const libsgemm::CpuBlas *(*search)(void *), void *argument);

// The entry points of libsgemm_cublas.so and libsgemm_rocblas.so. As submit_h(), but what fails is not counted: C is as
// it was, and the caller has the program's BLAS compute it, unless *final tells that the user wants the error.
LIBSGEMM_API libsgemm_status_t libsgemm_private_device_call(const libsgemm::Call *call, libsgemm::DeviceCall *how,
                                                            bool *final);
LIBSGEMM_API libsgemm_status_t libsgemm_private_device_group_call(const libsgemm::GroupCall *call,
                                                                  libsgemm::DeviceCall *how, bool *final);

// Whether calls are counted or logged; and a call that the vendor's BLAS computed, with its status for it. `groups`: in
// place of all but the entry of `call`, or NULL.
LIBSGEMM_API bool libsgemm_private_instrumented(void);
LIBSGEMM_API void libsgemm_private_count_forwarded(const libsgemm::Vendor *vendor, const libsgemm::Call *call,
                                                   const libsgemm::GroupCall *groups, const char *why, int status,
                                                   uint64_t nanoseconds);
// Time of a call that was counted before, in the row of these names.
LIBSGEMM_API void libsgemm_private_add_time(const char *entry, const char *backend, const char *kernel,
                                            uint64_t nanoseconds);

// For Python, which takes arrays with their device and its stream from a framework: from now on a default stream of the
// handle is that of the device that has the operands, whichever is current.
LIBSGEMM_API void libsgemm_private_follow_operands(libsgemm_handle_t h);

// Adds a BLAS of the process to the statistics in LIBSGEMM_STATS_DIR, also if no call has come.
LIBSGEMM_API void libsgemm_private_note_blas(const char *version, const char *file, bool has_lapack);
}
