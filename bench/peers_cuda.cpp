// cuBLAS and cublasLt, declared here as far as needed, so that the command builds on a machine without CUDA. The names,
// types and values are those of the libraries' public binary interface.
#include "peers_cuda.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <stdlib.h>

#include "command.h"
#include "device_peer.h"

namespace command {
namespace {

constexpr int kSuccess = 0;                                // CUBLAS_STATUS_SUCCESS
constexpr int kOperationN = 0;                             // CUBLAS_OP_N
constexpr int kOperationT = 1;                             // CUBLAS_OP_T
constexpr int kDefaultMath = 0;                            // CUBLAS_DEFAULT_MATH
constexpr int kPedanticMath = 2;                           // CUBLAS_PEDANTIC_MATH
constexpr int kTf32Math = 3;                               // CUBLAS_TF32_TENSOR_OP_MATH
constexpr int kCompute32F = 68;                            // CUBLAS_COMPUTE_32F
constexpr int kChoose = -1;                                // CUBLAS_GEMM_DEFAULT
constexpr int kReal32F = 0, kReal16F = 2, kReal16BF = 14;  // CUDA_R_...

using Opaque = void *;  // a handle or a descriptor

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

void require_cublas(int status, const char *what) {
  if (status != kSuccess) throw Error(fmt::format("{}: status {}", what, status));
}

int operation(libsgemm_op_t op) { return op == LIBSGEMM_NO_TRANS ? kOperationN : kOperationT; }

std::string version_of(int (*get)(int, int *)) {
  int version[3] = {0, 0, 0};  // libraryPropertyType: major, minor, patch
  for (int i = 0; i < 3; ++i) require_cublas(get(i, &version[i]), "the version of cuBLAS");
  return fmt::format("{}.{}.{}", version[0], version[1], version[2]);
}

struct MathRow {
  CublasMath math;
  int value;
  const char *peer, *text;
};
constexpr MathRow kMaths[] = {
    {CublasMath::kPedantic, kPedanticMath, "cublas", "FP32 (pedantic math; default math for 16-bit inputs)"},
    {CublasMath::kDefault, kDefaultMath, "cublas-default", "FP32 (default math)"},
    {CublasMath::kTf32, kTf32Math, "cublas-tf32", "TF32"}};

const MathRow &row_of(CublasMath math) {
  for (const MathRow &row : kMaths) {
    if (row.math == math) return row;
  }
  return kMaths[0];
}

class Cublas : public DevicePeer {
 public:
  explicit Cublas(CublasMath math) : DevicePeer(cuda_memory()), math_(row_of(math)) {
    const Libraries &from = libraries();
    const auto get = [&from](auto *function, const char *symbol) {
      find_symbol(function, from.cublas, from.cublas_file, symbol);
    };
    int (*create)(Opaque *), (*set_stream)(Opaque, void *), (*set_workspace)(Opaque, void *, size_t);
    int (*property)(int, int *);
    get(&create, "cublasCreate_v2");
    get(&destroy_, "cublasDestroy_v2");
    get(&set_stream, "cublasSetStream_v2");
    get(&set_workspace, "cublasSetWorkspace_v2");
    get(&set_math_, "cublasSetMathMode");
    get(&property, "cublasGetProperty");
    get(&sgemm_, "cublasSgemm_v2");
    get(&gemm_ex_, "cublasGemmEx");
    sgemm_64_ = reinterpret_cast<Sgemm<int64_t>>(dlsym(from.cublas, "cublasSgemm_v2_64"));  // since CUDA 12
    gemm_ex_64_ = reinterpret_cast<GemmEx<int64_t>>(dlsym(from.cublas, "cublasGemmEx_64"));
    version_ = version_of(property);
    require_cublas(create(&handle_), "cublasCreate");
    require_cublas(set_stream(handle_, memory_.stream()), "cublasSetStream");
    require_cublas(set_workspace(handle_, workspace_, kPeerWorkspaceBytes), "cublasSetWorkspace");
    require_cublas(set_math_(handle_, math_.value), "cublasSetMathMode");
  }
  ~Cublas() override { destroy_(handle_); }

  std::string name() const override { return math_.peer; }
  std::string version() const override {
    return fmt::format("cuBLAS {}, {}, 32 MiB of workspace", version_, math_.text);
  }
  bool supports(const Call &call) const override {
    if (is_16_bit(call)) return gemm_ex_64_ != nullptr || !needs_64_bits(call);
    return DevicePeer::supports(call) && (sgemm_64_ != nullptr || !needs_64_bits(call));
  }
  // Whether TF32 inputs are rounded or cut off is the library's choice.
  Precision precision() const override {
    Precision precision;
    if (math_.math == CublasMath::kTf32) {
      precision.rounding = 0x1p-10;
      precision.truncates = true;
    }
    return precision;
  }
  // Pedantic math would keep products of 16-bit inputs off the tensor cores.
  void prepare(const std::vector<Call> &calls) override {
    require_cublas(set_math_(handle_, is_16_bit(calls[0]) ? kDefaultMath : math_.value), "cublasSetMathMode");
  }
  void run(const Call &x) override {
    if (is_16_bit(x)) {
      require_cublas(needs_64_bits(x) ? call_16_bit<int64_t>(gemm_ex_64_, x) : call_16_bit<int>(gemm_ex_, x),
                     "cublasGemmEx");
    } else {
      require_cublas(needs_64_bits(x) ? call<int64_t>(sgemm_64_, x) : call<int>(sgemm_, x), "cublasSgemm");
    }
  }

 private:
  template <class Size>
  using Sgemm = int (*)(Opaque, int, int, Size, Size, Size, const float *, const float *, Size, const float *, Size,
                        const float *, float *, Size);
  template <class Size>
  using GemmEx = int (*)(Opaque, int, int, Size, Size, Size, const void *, const void *, int, Size, const void *, int,
                         Size, const void *, void *, int, Size, int, int);

  static bool is_16_bit(const Call &call) { return traits(call.routine).element != Element::kFloat32; }

  // FP32 sums and output.
  template <class Size>
  int call_16_bit(GemmEx<Size> gemm_ex, const Call &x) {
    const int type = x.routine == Routine::kShgemm ? kReal16F : kReal16BF;
    const auto size = [](int64_t value) { return static_cast<Size>(value); };
    return gemm_ex(handle_, operation(x.transa), operation(x.transb), size(x.m), size(x.n), size(x.k), &x.alpha, x.a,
                   type, size(x.lda), x.b, type, size(x.ldb), &x.beta, x.c, kReal32F, size(x.ldc), kCompute32F,
                   kChoose);
  }

  template <class Size>
  int call(Sgemm<Size> sgemm, const Call &x) {
    const auto size = [](int64_t value) { return static_cast<Size>(value); };
    return sgemm(handle_, operation(x.transa), operation(x.transb), size(x.m), size(x.n), size(x.k), &x.alpha,
                 static_cast<const float *>(x.a), size(x.lda), static_cast<const float *>(x.b), size(x.ldb), &x.beta,
                 static_cast<float *>(x.c), size(x.ldc));
  }

  const MathRow &math_;
  Opaque handle_ = nullptr;
  int (*set_math_)(Opaque, int) = nullptr;
  int (*destroy_)(Opaque) = nullptr;
  Sgemm<int> sgemm_ = nullptr;
  Sgemm<int64_t> sgemm_64_ = nullptr;
  GemmEx<int> gemm_ex_ = nullptr;
  GemmEx<int64_t> gemm_ex_64_ = nullptr;
  std::string version_;
};

// Its values are cuBLAS's: CUBLASLT_MATMUL_DESC_TRANSA and _TRANSB, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES.
LtLibrary lt_library() {
  const Libraries &from = libraries();
  return {from.cublaslt, from.cublaslt_file, "cublasLt", kOperationN, kOperationT, kCompute32F, 3, 4, 1, 64};
}

class CublasLt : public LtPeer {
 public:
  explicit CublasLt(GpuMemory &memory) : LtPeer(lt_library(), memory) {
    int (*property)(int, int *);
    find_symbol(&property, library_.handle, library_.file, "cublasLtGetProperty");
    version_ = version_of(property);
  }

  std::string name() const override { return "cublaslt"; }
  std::string version() const override { return fmt::format("cublasLt {}, {}", version_, way_text()); }

 private:
  std::string version_;
};

}  // namespace

std::unique_ptr<Peer> open_cublas(CublasMath math) { return std::make_unique<Cublas>(math); }
void *cublas_library(std::string *file) {
  *file = libraries().cublas_file;
  return libraries().cublas;
}
std::unique_ptr<Peer> open_cublaslt() { return std::make_unique<CublasLt>(cuda_memory()); }

}  // namespace command
