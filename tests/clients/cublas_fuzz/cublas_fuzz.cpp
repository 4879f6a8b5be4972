// Makes random calls of cuBLAS, each by linked names, which a preloaded libsgemm_cublas.so takes, and by the real
// library. Compares status, C within FP32's bound in include/libsgemm.h, and the memory around C bit by bit.
//
//   LD_PRELOAD=.../libsgemm_cublas.so cublas_fuzz [--cases 10000] [--seed 1] [--threads 1] [--reset] [--cost]
//
// --reset ends with cudaDeviceReset() while handles live; --cost measures what the drop-in adds to a forwarded call.
// Exit status: 0, 1 after a difference, 77 without GPU or drop-in.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "cublas_fuzz_draw.h"

namespace {

constexpr int64_t kElements = 1 << 20;  // elements of each matrix
constexpr double kUnit = 1.0 / (1 << 24);

// For the message after a crash.
thread_local const Case *t_case = nullptr;
thread_local const char *t_by = "";
std::string describe(const Case &x);

[[noreturn]] void skip(const char *why) {
  std::printf("SKIPPED: %s\n", why);
  std::exit(77);
}

void require(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  std::printf("FAILED: %s: %s, in a call of %s: %s\n", what, cudaGetErrorString(error), t_by,
              t_case != nullptr ? describe(*t_case).c_str() : "");
  std::fflush(stdout);
  std::_Exit(1);
}

void on_crash(int) {
  std::printf("FAILED: a crash in a call of %s: %s\n", t_by, t_case != nullptr ? describe(*t_case).c_str() : "");
  std::fflush(stdout);
  std::_Exit(1);
}

template <typename T>
T *device(size_t count) {
  void *memory = nullptr;
  require(cudaMalloc(&memory, count * sizeof(T)), "cudaMalloc");
  return static_cast<T *>(memory);
}

template <typename T>
T *device(const std::vector<T> &values) {
  T *const memory = device<T>(values.size());
  require(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), "copy");
  return memory;
}

// A or B in every type, with signs (index 0) and without (1).
struct Input {
  explicit Input(Random &random) {
    std::vector<float> values(kElements), absolute(kElements);
    std::vector<__half> halves[2];
    std::vector<__nv_bfloat16> bfloats[2];
    for (int64_t i = 0; i < kElements; ++i) {
      values[static_cast<size_t>(i)] = random.uniform();
      absolute[static_cast<size_t>(i)] = std::fabs(values[static_cast<size_t>(i)]);
    }
    for (int sign = 0; sign < 2; ++sign) {
      for (const float x : sign == 0 ? values : absolute) {
        halves[sign].push_back(__float2half(x));
        bfloats[sign].push_back(__float2bfloat16(x));
      }
      f32[sign] = device(sign == 0 ? values : absolute);
      f16[sign] = device(halves[sign]);
      bf16[sign] = device(bfloats[sign]);
    }
  }
  const void *at(cudaDataType_t type, int64_t offset, bool absolute) const {
    if (type == CUDA_R_16F) return f16[absolute ? 1 : 0] + offset;
    if (type == CUDA_R_16BF) return bf16[absolute ? 1 : 0] + offset;
    return f32[absolute ? 1 : 0] + offset;
  }
  float *f32[2];
  __half *f16[2];
  __nv_bfloat16 *bf16[2];
};

std::shared_mutex g_capturing;

struct Tally {
  std::mutex mutex;
  int cases[static_cast<int>(Routine::count)] = {}, succeeded[static_cast<int>(Routine::count)] = {};
  double worst[static_cast<int>(Routine::count)] = {};
  int failures = 0;
} g_tally;

std::string describe(const Case &x) {
  char text[512];
  std::snprintf(text, sizeof text,
                "%s%s op %d %d side %d uplo %d diag %d m %ld n %ld k %ld ld %ld %ld %ld strides %ld %ld %ld count %ld "
                "types %d %d compute %d algo %d alpha %g beta %g math %d epilogue %d%s%s%s offset %ld",
                name_of(x.routine), x.wide ? "_64" : "", x.transa, x.transb, x.side, x.uplo, x.diag,
                static_cast<long>(x.m), static_cast<long>(x.n), static_cast<long>(x.k), static_cast<long>(x.lda),
                static_cast<long>(x.ldb), static_cast<long>(x.ldc), static_cast<long>(x.stride_a),
                static_cast<long>(x.stride_b), static_cast<long>(x.stride_c), static_cast<long>(x.count), x.type,
                x.c_type, x.compute, x.algorithm, static_cast<double>(x.alpha), static_cast<double>(x.beta),
                x.math_mode, static_cast<int>(x.epilogue), x.rows ? " rows" : "", x.on_device ? " device scalars" : "",
                x.no_handle ? " no handle" : "", static_cast<long>(x.offset));
  return text;
}

void fail(const Case &x, const std::string &what) {
  const std::lock_guard<std::mutex> lock(g_tally.mutex);
  if (++g_tally.failures <= 20) std::printf("FAILED: %s: %s\n", what.c_str(), describe(x).c_str());
}

// Largest difference of both results, in units of S = |alpha| |A| |B| + |beta| |C|.
double tolerance(const Case &x) {
  const double terms = static_cast<double>(x.k) * (x.routine == Routine::syr2k ? 2 : 1);
  double error = (terms + 3) * kUnit;
  if (x.type != CUDA_R_32F) error += (std::floor(terms / 16) + 1) * 2 * kUnit;
  const int math = x.math_mode & 15;
  const bool rounds = math == CUBLAS_TF32_TENSOR_OP_MATH || x.compute == CUBLAS_COMPUTE_32F_FAST_TF32 ||
                      x.compute == CUBLAS_COMPUTE_32F_FAST_16BF;
  if (rounds && x.type == CUDA_R_32F) error += 1.0 / 100;
  return 2.02 * error;
}

class Worker {
 public:
  Worker(const Api &real, uint64_t seed) : real_(real), random_(seed), a_(random_), b_(random_) {
    for (int64_t i = 0; i < kElements; ++i) c0_.push_back(random_.uniform());
    for (cudaStream_t &stream : streams_) {
      require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    }
    c_ours_ = device<float>(kElements);
    c_real_ = device<float>(kElements);
    c_absolute_ = device<float>(kElements);
    scalars_ = device<float>(2);
    arrays_ = device<void *>(3 * 64);
    triangle_ = device<float>(kElements);
    workspace_ = device<char>(size_t{8} << 20);
    require(cudaMalloc(reinterpret_cast<void **>(&bias_), 4096), "cudaMalloc");
    require(cudaMemcpy(bias_, c0_.data(), 4096, cudaMemcpyHostToDevice), "the bias");
    require(cudaDeviceSynchronize(), "the operands");
  }

  void run(int cases) {
    for (int i = 0; i < cases; ++i) {
      if (i % 40 == 0) renew_handle();
      Case x = draw_case(random_);
      while (!fits(x)) x = draw_case(random_);
      one(x, random_.below(16) == 0);
    }
  }
  // Destroying a handle waits for the device, which would end other threads' captures.
  void end() {
    const std::unique_lock<std::shared_mutex> alone(g_capturing);
    if (handle_ != nullptr) cublasDestroy(handle_);
    handle_ = nullptr;
  }

 private:
  void renew_handle() {
    end();
    if (cublasCreate(&handle_) != CUBLAS_STATUS_SUCCESS) require(cudaErrorUnknown, "cublasCreate");
    which_ = random_.below(3);
    cublasSetStream(handle_, stream());
    if (random_.below(2) == 0) cublasSetWorkspace(handle_, workspace_, size_t{8} << 20);
  }
  cudaStream_t stream() const { return which_ < 2 ? streams_[which_] : nullptr; }

  static bool fits(const Case &x) {
    const int64_t count = std::max<int64_t>(x.count, 1);
    return count * std::max(x.stride_a, elements(shape_of_a(x), x.lda, x.rows)) + 8 <= kElements &&
           count * std::max(x.stride_b, elements(shape_of_b(x), x.ldb, x.rows)) + 8 <= kElements &&
           span(x) + 8 <= kElements && std::max(x.m, x.n) * 4 <= 4096;
  }
  static int64_t span(const Case &x) {
    const int64_t one = std::max<int64_t>(elements({x.m, x.n}, std::max<int64_t>(x.ldc, x.m), x.rows), 0);
    return std::max<int64_t>(x.count - 1, 0) * x.stride_c + one + 16;
  }

  Operands operands(const Case &x, float *c, bool absolute) const {
    auto *const arrays = const_cast<const void **>(arrays_);
    const bool solves = x.routine == Routine::trsm || x.routine == Routine::trsm_batched;
    const void *const a = solves ? triangle_ + x.offset : a_.at(x.type, x.offset, absolute);
    return {a,
            b_.at(x.type, x.offset, absolute),
            c + x.offset,
            scalars_,
            scalars_ + 1,
            arrays,
            arrays + 64,
            arrays_ + 128,
            bias_,
            stream()};
  }

  void make_triangle(const Case &x) {
    const int64_t order = std::max<int64_t>(x.k, 1);
    std::vector<float> values(static_cast<size_t>(kElements));
    for (float &value : values) value = random_.uniform() / static_cast<float>(order);
    for (int64_t item = 0; item < std::max<int64_t>(x.count, 1); ++item) {
      for (int64_t i = 0; i < x.k; ++i) {
        const int64_t at = x.offset + item * x.stride_a + i * (x.lda + 1);
        if (at < kElements) values[static_cast<size_t>(at)] = 1 + std::fabs(random_.uniform());
      }
    }
    copy(triangle_, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
  }

  void copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) const {
    require(cudaMemcpyAsync(to, from, bytes, kind, stream()), "copy");
    require(cudaStreamSynchronize(stream()), "copy");
  }

  int call(const Api &api, const Case &x, float *c, bool absolute, bool captured) {
    t_by = &api == &linked_ ? "libsgemm_cublas" : "cuBLAS";
    const Operands at = operands(x, c, absolute);
    if (is_batch(x.routine) && x.count > 0) send_pointers(x, at);
    if (!captured) {
      const int status = make_call(api, x, at, handle_);
      require(cudaStreamSynchronize(stream()), "a call");
      return status;
    }
    const std::shared_lock<std::shared_mutex> capturing(g_capturing);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    require(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal), "capture");
    const int status = make_call(api, x, at, handle_);
    const cudaError_t ended = cudaStreamEndCapture(stream(), &graph);
    if (ended != cudaSuccess) {
      cudaGetLastError();
      return 1000 + static_cast<int>(ended);
    }
    if (status == 0) {
      require(cudaGraphInstantiate(&ready, graph, 0), "a graph");
      require(cudaGraphLaunch(ready, stream()), "the launch of a graph");
      require(cudaStreamSynchronize(stream()), "a graph");
      cudaGraphExecDestroy(ready);
    }
    cudaGraphDestroy(graph);
    return status;
  }

  void one(const Case &x, bool captured) {
    t_case = &x;
    const bool solves = x.routine == Routine::trsm || x.routine == Routine::trsm_batched;
    if (solves) make_triangle(x);
    const int64_t count = span(x);
    std::vector<float> before(c0_.begin(), c0_.begin() + count + 8);
    const bool in_place = solves || x.routine == Routine::trmm;
    if (x.beta == 0 && !in_place && random_.below(3) == 0) {
      std::fill(before.begin(), before.end(), std::numeric_limits<float>::quiet_NaN());
    }
    const size_t bytes = before.size() * sizeof(float);
    const float scalars[2] = {x.alpha, x.beta};
    copy(scalars_, scalars, sizeof scalars, cudaMemcpyHostToDevice);
    copy(c_ours_, before.data(), bytes, cudaMemcpyHostToDevice);
    copy(c_real_, before.data(), bytes, cudaMemcpyHostToDevice);
    cublasSetMathMode(handle_, static_cast<cublasMath_t>(x.math_mode));
    cublasSetPointerMode(handle_, x.on_device ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST);
    captured = captured && which_ < 2 && !x.no_handle;
    const int ours = call(linked_, x, c_ours_, false, captured);
    // cublasLt 13.1 cannot be captured if there is nothing to compute.
    const bool empty = x.m == 0 || x.n == 0 || x.k == 0;
    const int real = call(real_, x, c_real_, false, captured && x.routine == Routine::lt && empty);
    std::vector<float> result(before.size()), expected(before.size()), size(before.size(), 0);
    copy(result.data(), c_ours_, bytes, cudaMemcpyDeviceToHost);
    copy(expected.data(), c_real_, bytes, cudaMemcpyDeviceToHost);
    if (ours != real) fail(x, "status " + std::to_string(ours) + ", of cuBLAS " + std::to_string(real));
    if (ours == real && real == 0 && x.c_type == CUDA_R_32F) sizes(x, before, expected, &size);
    const double worst = ours == real ? compare(x, before, result, expected, size, real == 0) : 0;
    const std::lock_guard<std::mutex> lock(g_tally.mutex);
    const int index = static_cast<int>(x.routine);
    ++g_tally.cases[index];
    g_tally.succeeded[index] += real == 0 ? 1 : 0;
    g_tally.worst[index] = std::max(g_tally.worst[index], worst);
  }

  // S of tolerance(): the product without signs; for TRSM a multiple of the solution's largest element.
  void sizes(const Case &x, const std::vector<float> &before, const std::vector<float> &expected,
             std::vector<float> *size) {
    if (x.routine == Routine::trsm || x.routine == Routine::trsm_batched) {
      float most = 0;
      for (const float value : expected) most = std::max(most, std::fabs(value));
      std::fill(size->begin(), size->end(), 16 * most);
      return;
    }
    Case positive = x;
    positive.alpha = std::fabs(x.alpha);
    positive.beta = std::fabs(x.beta);
    positive.epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    positive.on_device = false;
    std::vector<float> c;
    for (const float value : before) c.push_back(std::isnan(value) ? 0 : std::fabs(value));
    const size_t bytes = c.size() * sizeof(float);
    copy(c_absolute_, c.data(), bytes, cudaMemcpyHostToDevice);
    cublasSetPointerMode(handle_, CUBLAS_POINTER_MODE_HOST);
    if (call(real_, positive, c_absolute_, true, false) != 0) fail(x, "no product without signs");
    copy(size->data(), c_absolute_, bytes, cudaMemcpyDeviceToHost);
    if (x.epilogue != CUBLASLT_EPILOGUE_DEFAULT) {  // the bias, below 1
      for (float &value : *size) value += 1;
    }
  }

  // True for elements of C, false between them.
  static std::vector<char> elements_of_c(const Case &x, size_t count) {
    std::vector<char> own(count, 0);
    for (int64_t item = 0; item < x.count; ++item) {
      for (int64_t j = 0; j < x.n; ++j) {
        for (int64_t i = 0; i < x.m; ++i) {
          const bool stored = !is_triangle(x.routine) || (x.uplo == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j);
          const int64_t at = item * x.stride_c + (x.rows ? i * x.ldc + j : i + j * x.ldc) + x.offset;
          if (stored) own[static_cast<size_t>(at)] = 1;
        }
      }
    }
    return own;
  }

  static double compare(const Case &x, const std::vector<float> &before, const std::vector<float> &result,
                        const std::vector<float> &expected, const std::vector<float> &size, bool done) {
    if (!done || x.c_type != CUDA_R_32F) {
      const std::vector<float> &right = done ? expected : before;
      if (std::memcmp(result.data(), right.data(), right.size() * sizeof(float)) != 0) fail(x, "other bits in C");
      return 0;
    }
    const std::vector<char> own = elements_of_c(x, before.size());
    const double bound = tolerance(x);
    double worst = 0;
    for (size_t i = 0; i < result.size(); ++i) {
      if (own[i] == 0) {
        if (std::memcmp(&result[i], &before[i], sizeof(float)) == 0) continue;
        fail(x, "memory beside C was written, element " + std::to_string(i));
        return worst;
      }
      if (std::memcmp(&result[i], &expected[i], sizeof(float)) == 0) continue;
      const double error = std::fabs(static_cast<double>(result[i]) - static_cast<double>(expected[i]));
      const double limit = bound * static_cast<double>(size[i]) + 1e-36;
      worst = std::max(worst, error / limit);
      if (error <= limit) continue;
      char text[128];
      std::snprintf(text, sizeof text, "element %zu is %.9g, of cuBLAS %.9g, S %.9g", i, static_cast<double>(result[i]),
                    static_cast<double>(expected[i]), static_cast<double>(size[i]));
      fail(x, text);
      return worst;
    }
    return worst;
  }

  const Api linked_ = linked_api();
  const Api &real_;
  Random random_;
  Input a_, b_;
  std::vector<float> c0_;
  cudaStream_t streams_[2] = {};
  float *c_ours_, *c_real_, *c_absolute_, *scalars_, *triangle_, *bias_ = nullptr;
  void **arrays_;
  char *workspace_;
  cublasHandle_t handle_ = nullptr;
  int which_ = 0;
};

// Seconds of a call that launches nothing.
double seconds_of(const Api &api, const Case &x, cublasHandle_t handle) {
  constexpr int kCalls = 20000;
  const Operands none = {};
  double best = 1;
  for (int repeat = 0; repeat < 10; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) make_call(api, x, none, handle);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    best = std::min(best, spent.count() / kCalls);
  }
  return best;
}

// Forwarded calls have pedantic math, which is detected at once, or an argument that libsgemm refuses.
void measure_cost(const Api &real) {
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) require(cudaErrorUnknown, "cublasCreate");
  Case x = {};
  x.routine = Routine::gemm;
  x.m = x.n = x.k = 0;
  x.lda = x.ldb = x.ldc = 1;
  x.alpha = 1;
  const struct {
    const char *what;
    cublasMath_t math;
    int64_t n;
  } kinds[] = {{"pedantic math, nothing to do", CUBLAS_PEDANTIC_MATH, 0},
               {"illegal argument", CUBLAS_DEFAULT_MATH, -1}};
  for (const auto &kind : kinds) {
    cublasSetMathMode(handle, kind.math);
    x.n = kind.n;
    const double ours = seconds_of(linked_api(), x, handle), alone = seconds_of(real, x, handle);
    std::printf("cost of a call that is passed on (%s): %.0f ns, of cuBLAS alone %.0f ns: %.0f ns more\n", kind.what,
                1e9 * ours, 1e9 * alone, 1e9 * (ours - alone));
  }
  cublasDestroy(handle);
}

long option(int count, char **arguments, const char *name, long value) {
  for (int i = 1; i + 1 < count; ++i) {
    if (std::strcmp(arguments[i], name) == 0) value = std::atol(arguments[i + 1]);
  }
  return value;
}
bool flag(int count, char **arguments, const char *name) {
  return std::any_of(arguments + 1, arguments + count, [&](const char *x) { return std::strcmp(x, name) == 0; });
}

Api real_api() {
  const std::string version = std::to_string(CUBLAS_VER_MAJOR);
  void *const cublas = dlopen(("libcublas.so." + version).c_str(), RTLD_NOW | RTLD_LOCAL);
  void *const cublaslt = dlopen(("libcublasLt.so." + version).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (cublas == nullptr || cublaslt == nullptr) skip(dlerror());
  return api_of(cublas, cublaslt);
}

}  // namespace

int main(int count, char **arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) skip("there is no GPU");
  if (dlsym(RTLD_DEFAULT, "libsgemm_cublas_version") == nullptr) skip("libsgemm_cublas.so is not preloaded");
  const Api real = real_api();
  if (flag(count, arguments, "--cost")) {
    measure_cost(real);
    return 0;
  }
  std::signal(SIGSEGV, on_crash);
  std::signal(SIGFPE, on_crash);
  const int threads = static_cast<int>(option(count, arguments, "--threads", 1));
  const int cases = static_cast<int>(option(count, arguments, "--cases", 10000));
  const long seed = option(count, arguments, "--seed", 1);
  std::vector<Worker *> workers;
  for (int i = 0; i < threads; ++i) workers.push_back(new Worker(real, static_cast<uint64_t>(seed * 1000 + i)));
  std::vector<std::thread> running;
  for (Worker *const worker : workers) running.emplace_back([=] { worker->run(cases / threads); });
  for (std::thread &thread : running) thread.join();
  const bool reset = flag(count, arguments, "--reset");
  for (Worker *const worker : workers) {
    if (!reset) worker->end();
  }
  std::printf("%-20s %8s %8s  %s\n", "routine", "cases", "done", "worst difference / bound");
  for (int i = 0; i < static_cast<int>(Routine::count); ++i) {
    std::printf("%-20s %8d %8d  %.3f\n", name_of(static_cast<Routine>(i)), g_tally.cases[i], g_tally.succeeded[i],
                g_tally.worst[i]);
  }
  std::printf("%d differences\n", g_tally.failures);
  if (reset) cudaDeviceReset();
  return g_tally.failures == 0 ? 0 : 1;
}
