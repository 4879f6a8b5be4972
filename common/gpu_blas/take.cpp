#include "gpu_blas/take.h"

#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "gpu_blas/handles.h"
#include "process/quiet_write.h"

namespace libsgemm {
namespace {

thread_local int t_depth = 0;

// True if a product and a pass for the epilogue are faster than cuBLAS, which fuses both: the mode must gain more than
// the pass costs (docs/cublas.md), and the product outlast the pass's start. 16-bit inputs gain nothing.
bool pays(const Product &p, libsgemm_math_mode_t mode) {
  const Call &c = p.call;
  const double work = static_cast<double>(c.m) * static_cast<double>(c.n) * static_cast<double>(c.k);
  return c.type == Type::f32 && c.k >= (mode_traits(mode).converts() ? 256 : 1024) && work >= 0x1p28;
}

// The vendor refuses the call. Checked here: an error message of libsgemm would cost more than the call.
bool is_illegal(const Call &c) {
  const RoutineTraits &routine = traits_of(c.routine);
  const int64_t m = routine.triangle_of_c ? c.n : c.m;
  if (m < 0 || c.n < 0 || c.k < 0 || c.transa < 0 || c.transb < 0 || c.side < 0 || c.uplo < 0 || c.diag < 0)
    return true;
  if (c.layout != LIBSGEMM_COL_MAJOR || c.batch_count < 0) return c.batch_count < 0;
  const bool turned_a = c.transa == LIBSGEMM_TRANS || c.transa == LIBSGEMM_CONJ_TRANS;
  const bool turned_b = c.transb == LIBSGEMM_TRANS || c.transb == LIBSGEMM_CONJ_TRANS;
  const int64_t order = c.side == LIBSGEMM_LEFT ? c.m : c.n;
  const int64_t rows_of_a = routine.one_sided() ? order : turned_a ? c.k : m;
  const int64_t rows_of_b = routine.b == RoutineTraits::as_c   ? m
                            : routine.b == RoutineTraits::as_a ? rows_of_a
                            : turned_b                         ? c.n
                                                               : c.k;
  return c.lda < rows_of_a || (routine.has_b() && c.ldb < rows_of_b) || c.ldc < m;
}

void tell_of_failure() {
  static std::atomic<bool> said{false};
  if (said.exchange(true)) return;
  libsgemm_info_t info;
  libsgemm_last_info(&info);
  char line[sizeof info.message + 64];
  const int length = snprintf(line, sizeof line, "libsgemm: %s: %s computes\n", info.message, kVendor.name);
  write_quietly(STDERR_FILENO, line, static_cast<size_t>(length));
}

bool make_handle(HandleState *state) {
  if (state->handle != nullptr) return true;
  if (libsgemm_create(&state->handle) != LIBSGEMM_SUCCESS) {
    state->handle = nullptr;
    tell_of_failure();
    return false;
  }
  libsgemm_get_math_mode(state->handle, &state->math_mode);
  return true;
}

const char *why_not(libsgemm_status_t status) {
  switch (status) {
    case LIBSGEMM_INVALID_ARGUMENT:
      return "argument not accepted";
    case LIBSGEMM_UNAVAILABLE:
      return "backend unavailable";
    case LIBSGEMM_NOT_SUPPORTED:
      return "no kernel for it";
    case LIBSGEMM_OUT_OF_MEMORY:
      return "out of memory";
    case LIBSGEMM_VERIFICATION_FAILED:
      return "wrong result";
    default:
      return "failed";
  }
}

DeviceCall device_call(const Product &p, const Surroundings &around, HandleState *state) {
  DeviceCall how;
  how.handle = state->handle;
  how.stream = around.stream;
  how.stream_was_set = state->stream_was_set;
  how.repeatable = around.repeatable;
  how.workspace = p.from_lt ? p.workspace : state->workspace;
  how.workspace_bytes = p.from_lt ? p.workspace_bytes : state->workspace_bytes;
  how.epilogue = p.has_epilogue() ? &p.epilogue : nullptr;
  state->stream_was_set = false;
  return how;
}

}  // namespace

bool is_inside() { return t_depth > 0; }
Inside::Inside() { ++t_depth; }
Inside::~Inside() { --t_depth; }

Product::Product(const char *entry, VendorHandle the_handle, Routine routine, Type type) : handle(the_handle) {
  call.entry = entry;
  call.routine = routine;
  call.type = type;
  call.layout = LIBSGEMM_COL_MAJOR;
  call.device_only = true;
}

void Product::size(int64_t m, int64_t n, int64_t k) {
  call.m = m;
  call.n = n;
  call.k = k;
}

void Product::operands(const void *a, int64_t lda, const void *b, int64_t ldb, void *c, int64_t ldc) {
  call.a = a;
  call.lda = lda;
  call.b = b;
  call.ldb = ldb;
  call.c = static_cast<float *>(c);
  call.ldc = ldc;
}

void Product::strides(int64_t a, int64_t b, int64_t c, int64_t batch_count) {
  call.batch = Batch::strided;
  call.stride_a = a;
  call.stride_b = b;
  call.stride_c = c;
  call.batch_count = batch_count;
}

void Product::scalars(const void *the_alpha, const void *the_beta, bool with_beta) {
  alpha = static_cast<const float *>(the_alpha);
  beta = static_cast<const float *>(the_beta);
  has_beta = with_beta;
}

void Product::types(int a, int b, int c) {
  Type of_c = Type::f32;
  if (a != b || !type_of(a, &call.type) || !type_of(c, &of_c) || of_c != Type::f32) refuse("types");
}

const char *try_ours(const Product &product, const Preparation &first, int *status, GpuTime *time) {
  if (product.refusal != nullptr) return product.refusal;
  if (was_forked()) return "after fork";
  Surroundings around;
  around.asked = product.asked;
  if (const char *const why = ask_handle(product, &around)) return why;
  if (around.asked == Asked::refused) return "pedantic or emulated math";
  if (product.alpha == nullptr || (product.has_beta && product.beta == nullptr)) return "argument not accepted";
  if (product.c_apart && *product.beta != 0) return "C apart from D";
  if (product.groups == nullptr && is_illegal(product.call)) return "argument not accepted";
  const std::shared_ptr<HandleState> state = state_of(product.handle);
  if (state == nullptr) return "out of memory";
  const std::lock_guard<std::mutex> lock(state->mutex);
  if (state->unavailable) return why_not(LIBSGEMM_UNAVAILABLE);
  if (!make_handle(state.get())) return "invalid environment";
  // The program allows its BLAS to round inputs, which is faster than any mode that does not.
  if (product.call.type == Type::f32 && around.asked == Asked::reduced &&
      mode_traits(state->math_mode).rounding == Rounding::none) {
    return "rounding allowed by the program";
  }
  if (product.has_epilogue() && !pays(product, state->math_mode)) return "epilogue";
  if (first.prepare != nullptr && state->prepares_in_vain) return why_not(LIBSGEMM_NOT_SUPPORTED);
  if (first.prepare != nullptr && first.prepare(first.argument) != kVendorSuccess) return "argument not accepted";
  DeviceCall how = device_call(product, around, state.get());
  how.timed = time != nullptr && time->active();
  bool final = false;
  libsgemm_status_t done;
  if (product.groups != nullptr) {
    done = libsgemm_private_device_group_call(product.groups, &how, &final);
  } else {
    Call call = product.call;
    call.alpha = *product.alpha;
    call.beta = product.has_beta ? *product.beta : 0;
    done = libsgemm_private_device_call(&call, &how, &final);
  }
  if (done == LIBSGEMM_UNAVAILABLE) state->unavailable = true;
  if (first.prepare != nullptr && how.no_kernel) state->prepares_in_vain = true;
  if (done != LIBSGEMM_SUCCESS && !final) return why_not(done);
  if (done == LIBSGEMM_SUCCESS && how.timed) time->finish(product.call.entry, how.ran_backend, how.ran_kernel);
  *status = vendor_status(done);
  return nullptr;
}

void *stream_of(const Product &product) {
  return product.from_lt || product.handle == nullptr ? product.stream : stream_of(product.handle);
}

bool is_counting() {
  static const bool counting = libsgemm_private_instrumented();
  return counting;
}

uint64_t nanoseconds_now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000 + static_cast<uint64_t>(time.tv_nsec);
}

void count_forwarded(const Product &product, const char *why, int status, uint64_t start, GpuTime *time) {
  const uint64_t spent = time->active() ? 0 : nanoseconds_now() - start;
  libsgemm_private_count_forwarded(&kVendor, &product.call, product.groups, why, status, spent);
  if (status == kVendorSuccess) time->finish(product.call.entry, kVendor.backend, why);
}

}  // namespace libsgemm
