#include "cublas/take.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "cublas/handles.h"
#include "cublas/real.h"
#include "quiet_write.h"

// Marks this library, for whoever must know that a name of cuBLAS is ours.
extern "C" {
LIBSGEMM_API int libsgemm_cublas_version(void);
int libsgemm_cublas_version(void) { return LIBSGEMM_VERSION; }

// What the drop-in asks a handle for.
int cublasGetPointerMode_v2(libsgemm::CublasHandle handle, int *mode);
int cublasGetMathMode(libsgemm::CublasHandle handle, int *mode);
int cublasGetStream_v2(libsgemm::CublasHandle handle, void **stream);
}

namespace libsgemm {
namespace {

thread_local int t_depth = 0;

// NVIDIA_TF32_OVERRIDE=0 takes the permission to round to TF32 away from every program.
bool tf32_is_forbidden() {
  static const bool forbidden = [] {
    const char *const value = getenv("NVIDIA_TF32_OVERRIDE");
    return value != nullptr && std::strcmp(value, "0") == 0;
  }();
  return forbidden;
}

// Whether products of FP32 in this mode are at least as fast as those in TF32.
bool rounds_inputs(libsgemm_math_mode_t mode) {
  return mode == LIBSGEMM_MATH_TF32 || mode == LIBSGEMM_MATH_BF16 || mode == LIBSGEMM_MATH_FP16;
}

// Whether a product, and then an epilogue in a pass of its own, are faster than cuBLAS's, which has it in the product:
// where the product is deep enough for the pass to cost less than the mode gains (docs/cublas.md), and takes more than
// its start. 16-bit inputs gain nothing.
bool pays(const Product &p, libsgemm_math_mode_t mode) {
  const Call &c = p.call;
  const bool exact = mode == LIBSGEMM_MATH_FP32 || mode == LIBSGEMM_MATH_FP64;
  const double work = static_cast<double>(c.m) * static_cast<double>(c.n) * static_cast<double>(c.k);
  return c.type == Type::f32 && c.k >= (exact ? 1024 : 256) && work >= 0x1p28;
}

// What the handle says of the arithmetic of a call.
Asked asked_by(int math_mode) {
  switch (math_mode & kMathKind) {
    case kMathDefault:
      return Asked::exact;
    case kMathTf32:
      return tf32_is_forbidden() ? Asked::exact : Asked::reduced;
    case kMathTensorOp:
      return Asked::reduced;
    default:
      return Asked::refused;
  }
}

// Sizes, leading dimensions and enumerators that cuBLAS refuses, of a call in column-major order: seen here, since a
// message of libsgemm for them would cost more than the call.
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

struct Surroundings {
  void *stream = nullptr;
  Asked asked = Asked::exact;
};

// What the handle says; why it makes the call another's, or NULL.
const char *ask_handle(const Product &p, Surroundings *around) {
  static Real<decltype(cublasGetPointerMode_v2)> get_pointer_mode("cublasGetPointerMode_v2");
  static Real<decltype(cublasGetMathMode)> get_math_mode("cublasGetMathMode");
  static Real<decltype(cublasGetStream_v2)> get_stream("cublasGetStream_v2");
  around->asked = p.asked;
  if (p.from_lt) {
    around->stream = p.stream;
    return nullptr;
  }
  int pointer_mode = 0, math_mode = 0;
  if (get_pointer_mode(p.handle, &pointer_mode) != kCublasSuccess ||
      get_math_mode(p.handle, &math_mode) != kCublasSuccess ||
      get_stream(p.handle, &around->stream) != kCublasSuccess) {
    return "handle that cuBLAS refuses";
  }
  if (pointer_mode != kPointerModeHost) return "scalars on the device";
  const Asked asked = asked_by(math_mode);
  // To round FP32 is no matter where the inputs have 16 bits.
  const bool inexact = p.call.type == Type::f32 && asked == Asked::reduced;
  if (asked == Asked::refused || inexact) around->asked = asked;
  return nullptr;
}

// Told once: without a handle of ours every call goes on.
void tell_of_failure() {
  static std::atomic<bool> said{false};
  if (said.exchange(true)) return;
  libsgemm_info_t info;
  libsgemm_last_info(&info);
  char line[sizeof info.message + 64];
  const int length = snprintf(line, sizeof line, "libsgemm: %s: cuBLAS computes\n", info.message);
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

int cublas_status(libsgemm_status_t status) {
  switch (status) {
    case LIBSGEMM_SUCCESS:
      return kCublasSuccess;
    case LIBSGEMM_OUT_OF_MEMORY:
      return kCublasAllocFailed;
    case LIBSGEMM_EXECUTION_FAILED:
      return kCublasExecutionFailed;
    case LIBSGEMM_NOT_SUPPORTED:
      return kCublasNotSupported;
    case LIBSGEMM_INVALID_ENVIRONMENT:
    case LIBSGEMM_UNAVAILABLE:
      return kCublasNotInitialized;
    default:
      return kCublasInternalError;
  }
}

DeviceCall device_call(const Product &p, const Surroundings &around, HandleState *state) {
  DeviceCall how;
  how.handle = state->handle;
  how.stream = around.stream;
  how.stream_was_set = state->stream_was_set;
  how.workspace = p.from_lt ? p.workspace : state->workspace;
  how.epilogue = p.has_epilogue ? &p.epilogue : nullptr;
  how.workspace_bytes = p.from_lt ? p.workspace_bytes : state->workspace_bytes;
  state->stream_was_set = false;
  return how;
}

}  // namespace

bool is_inside() { return t_depth > 0; }
Inside::Inside() { ++t_depth; }
Inside::~Inside() { --t_depth; }

Product::Product(const char *entry, CublasHandle the_handle, Routine routine, Type type) : handle(the_handle) {
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
  if (a != b || c != kCudaR32F) return refuse("types");
  if (a == kCudaR32F) {
    call.type = Type::f32;
  } else if (a == kCudaR16F) {
    call.type = Type::f16;
  } else if (a == kCudaR16BF) {
    call.type = Type::bf16;
  } else {
    refuse("types");
  }
}

void Product::compute_type(int compute) {
  switch (compute) {
    case kCompute32F:
      return;
    case kCompute32FFastTf32:
      if (!tf32_is_forbidden()) asked = Asked::reduced;
      return;
    case kCompute32FFast16F:
    case kCompute32FFast16BF:
      asked = Asked::reduced;
      return;
    case kCompute32FPedantic:
      return refuse("pedantic math");
    default:
      return refuse("compute type");
  }
}

void Product::algorithm(int which) {
  const bool known = (which >= -1 && which <= 23) || (which >= 99 && which <= 115) || which == 999;
  if (!known) refuse("argument not accepted");
}

const char *try_ours(const Product &product, const Preparation &first, int *status, GpuTime *time) {
  if (product.refusal != nullptr) return product.refusal;
  if (was_forked()) return "after fork";
  Surroundings around;
  if (const char *const why = ask_handle(product, &around)) return why;
  if (around.asked == Asked::refused) return "pedantic or emulated math";
  if (product.alpha == nullptr || (product.has_beta && product.beta == nullptr)) return "argument not accepted";
  if (product.groups == nullptr && is_illegal(product.call)) return "argument not accepted";
  const std::shared_ptr<HandleState> state = state_of(product.handle);
  if (state == nullptr) return "out of memory";
  const std::lock_guard<std::mutex> lock(state->mutex);
  if (state->unavailable) return why_not(LIBSGEMM_UNAVAILABLE);
  if (!make_handle(state.get())) return "invalid environment";
  // The program lets cuBLAS round, which is faster than anything that does not.
  if (product.call.type == Type::f32 && around.asked == Asked::reduced && !rounds_inputs(state->math_mode)) {
    return "rounding allowed by the program";
  }
  if (product.has_epilogue && !pays(product, state->math_mode)) return "epilogue";
  if (first.prepare != nullptr && first.prepare(first.argument) != kCublasSuccess) return "argument not accepted";
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
  if (done != LIBSGEMM_SUCCESS && !final) return why_not(done);
  if (done == LIBSGEMM_SUCCESS && how.timed) time->finish(product.call.entry, how.ran_backend, how.ran_kernel);
  *status = cublas_status(done);
  return nullptr;
}

void *stream_of(const Product &product) {
  static Real<decltype(cublasGetStream_v2)> get_stream("cublasGetStream_v2");
  void *stream = product.stream;
  if (!product.from_lt && product.handle != nullptr) get_stream(product.handle, &stream);
  return stream;
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
  libsgemm_private_count_forwarded(&product.call, product.groups, why, status, spent);
  if (status == kCublasSuccess) time->finish(product.call.entry, "cublas", why);
}

}  // namespace libsgemm
