// cuBLAS and cublasLt, declared here as far as needed, so that the command builds on a machine without CUDA. The names,
// types and values are those of the libraries' public binary interface.
#include "peers_cuda.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "command.h"
#include "cuda_memory.h"

namespace command {
namespace {

constexpr size_t kWorkspaceBytes = size_t{32} << 20;
constexpr int kMostAlgorithms = 16;
constexpr int kAlgorithmCalls = 3;  // first; then as many as take kAlgorithmSeconds:
constexpr double kAlgorithmSeconds = 2e-3, kMostAlgorithmCalls = 500;

constexpr int kSuccess = 0;              // CUBLAS_STATUS_SUCCESS
constexpr int kOperationN = 0;           // CUBLAS_OP_N
constexpr int kOperationT = 1;           // CUBLAS_OP_T
constexpr int kDefaultMath = 0;          // CUBLAS_DEFAULT_MATH
constexpr int kPedanticMath = 2;         // CUBLAS_PEDANTIC_MATH
constexpr int kCompute32F = 68;          // CUBLAS_COMPUTE_32F
constexpr int kReal32F = 0;              // CUDA_R_32F
constexpr int kDescriptionTransa = 3;    // CUBLASLT_MATMUL_DESC_TRANSA
constexpr int kDescriptionTransb = 4;    // CUBLASLT_MATMUL_DESC_TRANSB
constexpr int kPreferenceWorkspace = 1;  // CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES

using Opaque = void *;  // a handle or a descriptor

struct LtAlgorithm {
  uint64_t data[8];
};

struct LtHeuristic {
  LtAlgorithm algorithm;
  size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};

struct Libraries {
  void *cublas, *cublaslt;
  std::string cublas_file, cublaslt_file;
};

// Both from one place, cublasLt first: it is what cuBLAS loads otherwise, and maybe another version.
Libraries load_libraries() {
  const char *home = getenv("CUDA_HOME");
  const std::string root = home != nullptr && home[0] != '\0' ? home : "/usr/local/cuda";
  std::string first_problem;
  for (const std::string &folder : {std::string(), root + "/lib64/"}) {
    for (const int version : {13, 12, 11}) {
      Libraries found{nullptr, nullptr, fmt::format("{}libcublas.so.{}", folder, version),
                      fmt::format("{}libcublasLt.so.{}", folder, version)};
      found.cublaslt = dlopen(found.cublaslt_file.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (found.cublaslt != nullptr) found.cublas = dlopen(found.cublas_file.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (found.cublas != nullptr) return found;
      const std::string problem = dlerror();
      if (first_problem.empty()) first_problem = problem;
    }
  }
  throw Error(
      fmt::format("cuBLAS cannot be loaded: {}; LD_LIBRARY_PATH or CUDA_HOME may say where it is", first_problem));
}

const Libraries &libraries() {
  static const Libraries loaded = load_libraries();
  return loaded;
}

template <class Function>
void find(Function *function, void *library, const std::string &file, const char *symbol) {
  *function = reinterpret_cast<Function>(require_symbol(library, file.c_str(), symbol));
}

void require_cublas(int status, const char *what) {
  if (status != kSuccess) throw Error(fmt::format("{}: status {}", what, status));
}

int operation(libsgemm_op_t op) { return op == LIBSGEMM_NO_TRANS ? kOperationN : kOperationT; }

std::string version_of(int (*get)(int, int *)) {
  int version[3] = {0, 0, 0};  // libraryPropertyType: major, minor, patch
  for (int i = 0; i < 3; ++i) require_cublas(get(i, &version[i]), "the version of cuBLAS");
  return fmt::format("{}.{}.{}", version[0], version[1], version[2]);
}

// What both peers share: the device, and a workspace on it.
class DevicePeer : public Peer {
 public:
  DevicePeer() : workspace_(memory_.allocate(kWorkspaceBytes)) {}
  ~DevicePeer() override { memory_.release(workspace_); }
  DevicePeer(const DevicePeer &) = delete;
  DevicePeer &operator=(const DevicePeer &) = delete;
  int threads() const override { return memory_.description().multiprocessors; }
  Memory &memory() const override { return memory_; }
  bool supports(const Call &call) const override { return call.routine == Routine::kSgemm; }

 protected:
  CudaMemory &memory_ = cuda_memory();
  void *const workspace_;
};

class Cublas : public DevicePeer {
 public:
  explicit Cublas(CublasMath math) : math_(math) {
    const Libraries &from = libraries();
    const auto get = [&from](auto *function, const char *symbol) {
      find(function, from.cublas, from.cublas_file, symbol);
    };
    int (*create)(Opaque *), (*set_stream)(Opaque, void *), (*set_workspace)(Opaque, void *, size_t);
    int (*set_math)(Opaque, int), (*property)(int, int *);
    get(&create, "cublasCreate_v2");
    get(&destroy_, "cublasDestroy_v2");
    get(&set_stream, "cublasSetStream_v2");
    get(&set_workspace, "cublasSetWorkspace_v2");
    get(&set_math, "cublasSetMathMode");
    get(&property, "cublasGetProperty");
    get(&sgemm_, "cublasSgemm_v2");
    sgemm_64_ = reinterpret_cast<Sgemm<int64_t>>(dlsym(from.cublas, "cublasSgemm_v2_64"));  // since CUDA 12
    version_ = version_of(property);
    require_cublas(create(&handle_), "cublasCreate");
    require_cublas(set_stream(handle_, memory_.stream()), "cublasSetStream");
    require_cublas(set_workspace(handle_, workspace_, kWorkspaceBytes), "cublasSetWorkspace");
    require_cublas(set_math(handle_, math == CublasMath::kPedantic ? kPedanticMath : kDefaultMath),
                   "cublasSetMathMode");
  }
  ~Cublas() override { destroy_(handle_); }

  std::string name() const override { return math_ == CublasMath::kPedantic ? "cublas" : "cublas-default"; }
  std::string version() const override {
    return fmt::format("cuBLAS {}, FP32 ({} math), 32 MiB of workspace", version_,
                       math_ == CublasMath::kPedantic ? "pedantic" : "default");
  }
  bool supports(const Call &call) const override {
    return DevicePeer::supports(call) && (sgemm_64_ != nullptr || !needs_64_bits(call));
  }
  void run(const Call &x) override {
    require_cublas(needs_64_bits(x) ? call<int64_t>(sgemm_64_, x) : call<int>(sgemm_, x), "cublasSgemm");
  }

 private:
  template <class Size>
  using Sgemm = int (*)(Opaque, int, int, Size, Size, Size, const float *, const float *, Size, const float *, Size,
                        const float *, float *, Size);

  static bool needs_64_bits(const Call &x) {
    return std::max({x.m, x.n, x.k, x.lda, x.ldb, x.ldc}) > std::numeric_limits<int>::max();
  }
  template <class Size>
  int call(Sgemm<Size> sgemm, const Call &x) {
    const auto size = [](int64_t value) { return static_cast<Size>(value); };
    return sgemm(handle_, operation(x.transa), operation(x.transb), size(x.m), size(x.n), size(x.k), &x.alpha,
                 static_cast<const float *>(x.a), size(x.lda), static_cast<const float *>(x.b), size(x.ldb), &x.beta,
                 static_cast<float *>(x.c), size(x.ldc));
  }

  CublasMath math_;
  Opaque handle_ = nullptr;
  int (*destroy_)(Opaque) = nullptr;
  Sgemm<int> sgemm_ = nullptr;
  Sgemm<int64_t> sgemm_64_ = nullptr;
  std::string version_;
};

class CublasLt : public DevicePeer {
 public:
  CublasLt() {
    const Libraries &from = libraries();
    const auto get = [&from](auto *function, const char *symbol) {
      find(function, from.cublaslt, from.cublaslt_file, symbol);
    };
    int (*create)(Opaque *), (*property)(int, int *);
    get(&create, "cublasLtCreate");
    get(&destroy_, "cublasLtDestroy");
    get(&destroy_description_, "cublasLtMatmulDescDestroy");
    get(&destroy_layout_, "cublasLtMatrixLayoutDestroy");
    get(&destroy_preference_, "cublasLtMatmulPreferenceDestroy");
    get(&property, "cublasLtGetProperty");
    get(&create_description_, "cublasLtMatmulDescCreate");
    get(&set_description_, "cublasLtMatmulDescSetAttribute");
    get(&create_layout_, "cublasLtMatrixLayoutCreate");
    get(&create_preference_, "cublasLtMatmulPreferenceCreate");
    get(&set_preference_, "cublasLtMatmulPreferenceSetAttribute");
    get(&heuristic_, "cublasLtMatmulAlgoGetHeuristic");
    get(&matmul_, "cublasLtMatmul");
    version_ = version_of(property);
    require_cublas(create(&handle_), "cublasLtCreate");
    require_cublas(create_preference_(&preference_), "cublasLtMatmulPreferenceCreate");
    const uint64_t bytes = kWorkspaceBytes;
    require_cublas(set_preference_(preference_, kPreferenceWorkspace, &bytes, sizeof bytes),
                   "cublasLtMatmulPreferenceSetAttribute");
  }
  ~CublasLt() override {
    for (Opaque description : descriptions_) destroy_description_(description);
    for (Opaque layout : layouts_) destroy_layout_(layout);
    destroy_preference_(preference_);
    destroy_(handle_);
  }

  std::string name() const override { return "cublaslt"; }
  std::string version() const override {
    return fmt::format("cublasLt {}, FP32, the fastest of up to {} algorithms, 32 MiB of workspace", version_,
                       kMostAlgorithms);
  }

  void prepare(const std::vector<Call> &calls) override {
    const Call &call = calls[0];
    if (ways_.find(key_of(call)) != ways_.end()) return;
    Way way = describe(call);
    LtHeuristic found[kMostAlgorithms];
    int count = 0;
    require_cublas(
        heuristic_(handle_, way.description, way.a, way.b, way.c, way.c, preference_, kMostAlgorithms, found, &count),
        "cublasLtMatmulAlgoGetHeuristic");
    double best = HUGE_VAL;
    for (int i = 0; i < count; ++i) {
      way.algorithm = found[i].algorithm;
      const double seconds = found[i].state == kSuccess ? time(calls, way) : HUGE_VAL;
      if (!(seconds < best)) continue;
      best = seconds;
      ways_[key_of(call)] = way;
    }
    if (best == HUGE_VAL) throw Error(fmt::format("cublasLt has no algorithm for {}x{}x{}", call.m, call.n, call.k));
  }

  void run(const Call &call) override {
    const auto way = ways_.find(key_of(call));
    if (way == ways_.end()) throw Error("cublasLt: a call that was not prepared");
    require_cublas(multiply(call, way->second), "cublasLtMatmul");
  }

 private:
  using Key = std::array<int64_t, 8>;
  struct Way {
    Opaque description = nullptr, a = nullptr, b = nullptr, c = nullptr;
    LtAlgorithm algorithm{};
  };

  static Key key_of(const Call &x) { return {x.transa, x.transb, x.m, x.n, x.k, x.lda, x.ldb, x.ldc}; }

  Opaque layout(Extent extent, int64_t ld) {
    Opaque result = nullptr;
    require_cublas(create_layout_(&result, kReal32F, static_cast<uint64_t>(extent.rows),
                                  static_cast<uint64_t>(extent.columns), ld),
                   "cublasLtMatrixLayoutCreate");
    layouts_.push_back(result);
    return result;
  }

  Way describe(const Call &x) {
    Way way;
    require_cublas(create_description_(&way.description, kCompute32F, kReal32F), "cublasLtMatmulDescCreate");
    descriptions_.push_back(way.description);
    const int32_t transa = operation(x.transa), transb = operation(x.transb);
    require_cublas(set_description_(way.description, kDescriptionTransa, &transa, sizeof transa), "transa");
    require_cublas(set_description_(way.description, kDescriptionTransb, &transb, sizeof transb), "transb");
    way.a = layout(extent_of_a(x), x.lda);
    way.b = layout(extent_of_b(x), x.ldb);
    way.c = layout(extent_of_c(x), x.ldc);
    return way;
  }

  int multiply(const Call &x, const Way &way) {
    return matmul_(handle_, way.description, &x.alpha, x.a, way.a, x.b, way.b, &x.beta, x.c, way.c, x.c, way.c,
                   &way.algorithm, workspace_, kWorkspaceBytes, memory_.stream());
  }

  // Seconds of one call; infinite where the algorithm refuses it.
  double time(const std::vector<Call> &calls, const Way &way) {
    if (multiply(calls[0], way) != kSuccess) return HUGE_VAL;
    const auto again = [&](int i) {
      require_cublas(multiply(calls[static_cast<size_t>(i) % calls.size()], way), "cublasLtMatmul");
    };
    const double once = memory_.time(kAlgorithmCalls, again) / kAlgorithmCalls;
    const int count = static_cast<int>(
        std::clamp(kAlgorithmSeconds / std::max(once, 1e-7), 1.0 * kAlgorithmCalls, kMostAlgorithmCalls));
    return memory_.time(count, again) / count;
  }

  Opaque handle_ = nullptr, preference_ = nullptr;
  int (*destroy_)(Opaque) = nullptr, (*destroy_preference_)(Opaque) = nullptr;
  int (*destroy_description_)(Opaque) = nullptr, (*destroy_layout_)(Opaque) = nullptr;
  int (*create_description_)(Opaque *, int, int) = nullptr;
  int (*set_description_)(Opaque, int, const void *, size_t) = nullptr;
  int (*create_layout_)(Opaque *, int, uint64_t, uint64_t, int64_t) = nullptr;
  int (*create_preference_)(Opaque *) = nullptr;
  int (*set_preference_)(Opaque, int, const void *, size_t) = nullptr;
  int (*heuristic_)(Opaque, Opaque, Opaque, Opaque, Opaque, Opaque, Opaque, int, LtHeuristic *, int *) = nullptr;
  int (*matmul_)(Opaque, Opaque, const void *, const void *, Opaque, const void *, Opaque, const void *, const void *,
                 Opaque, void *, Opaque, const LtAlgorithm *, void *, size_t, void *) = nullptr;
  std::vector<Opaque> descriptions_, layouts_;
  std::map<Key, Way> ways_;
  std::string version_;
};

}  // namespace

std::unique_ptr<Peer> open_cublas(CublasMath math) { return std::make_unique<Cublas>(math); }
std::unique_ptr<Peer> open_cublaslt() { return std::make_unique<CublasLt>(); }

}  // namespace command
