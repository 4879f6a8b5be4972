// cuBLAS and cublasLt as peers.
#include "peers_cuda.h"

#include <dlfcn.h>
#include <fmt/core.h>
#include <stdlib.h>

#include <algorithm>
#include <limits>
#include <map>

#include "base/command.h"
#include "device_peer.h"

namespace command {
namespace {

constexpr int kSuccess = 0;                                // CUBLAS_STATUS_SUCCESS
constexpr int kOperationN = 0;                             // CUBLAS_OP_N
constexpr int kOperationT = 1;                             // CUBLAS_OP_T
constexpr int kLeft = 0, kRight = 1;                       // CUBLAS_SIDE_...
constexpr int kLower = 0, kUpper = 1;                      // CUBLAS_FILL_MODE_...
constexpr int kNonUnit = 0;                                // CUBLAS_DIAG_NON_UNIT
constexpr int kDefaultMath = 0;                            // CUBLAS_DEFAULT_MATH
constexpr int kPedanticMath = 2;                           // CUBLAS_PEDANTIC_MATH
constexpr int kTf32Math = 3;                               // CUBLAS_TF32_TENSOR_OP_MATH
constexpr int kCompute32F = 68;                            // CUBLAS_COMPUTE_32F
constexpr int kChoose = -1;                                // CUBLAS_GEMM_DEFAULT
constexpr int kReal32F = 0, kReal16F = 2, kReal16BF = 14;  // CUDA_R_...

using Opaque = void *;

struct Libraries {
  void *cublas, *cublaslt;
  std::string cublas_file, cublaslt_file;
};

// Both come from one folder, cublasLt first: cuBLAS might load another version of it.
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
int side_of(const Call &x) { return x.side == LIBSGEMM_LEFT ? kLeft : kRight; }
int triangle_of(const Call &x) { return x.uplo == LIBSGEMM_UPPER ? kUpper : kLower; }

std::string version_of(int (*get)(int, int *)) {
  int version[3] = {0, 0, 0};
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

// cuBLAS's functions for 32-bit sizes, and with a suffix for 64-bit sizes. Strides always have 64 bits.
template <class Size>
struct CublasFunctions {
  int (*sgemm)(Opaque, int, int, Size, Size, Size, const float *, const float *, Size, const float *, Size,
               const float *, float *, Size);
  int (*sgemm_strided)(Opaque, int, int, Size, Size, Size, const float *, const float *, Size, long long, const float *,
                       Size, long long, const float *, float *, Size, long long, Size);
  int (*gemm_ex)(Opaque, int, int, Size, Size, Size, const void *, const void *, int, Size, const void *, int, Size,
                 const void *, void *, int, Size, int, int);
  int (*gemm_strided_ex)(Opaque, int, int, Size, Size, Size, const void *, const void *, int, Size, long long,
                         const void *, int, Size, long long, const void *, void *, int, Size, long long, Size, int,
                         int);
  int (*ssymm)(Opaque, int, int, Size, Size, const float *, const float *, Size, const float *, Size, const float *,
               float *, Size);
  int (*ssyrk)(Opaque, int, int, Size, Size, const float *, const float *, Size, const float *, float *, Size);
  int (*ssyr2k)(Opaque, int, int, Size, Size, const float *, const float *, Size, const float *, Size, const float *,
                float *, Size);
  int (*strmm)(Opaque, int, int, int, int, Size, Size, const float *, const float *, Size, const float *, Size, float *,
               Size);
  int (*strsm)(Opaque, int, int, int, int, Size, Size, const float *, const float *, Size, float *, Size);
  int (*strsm_batched)(Opaque, int, int, int, int, Size, Size, const float *, const float *const *, Size,
                       float *const *, Size, Size);
};

template <class Size, class Get>
void find_functions(CublasFunctions<Size> *f, const std::string &suffix, const Get &get) {
  get(&f->sgemm, "cublasSgemm_v2" + suffix);
  get(&f->sgemm_strided, "cublasSgemmStridedBatched" + suffix);
  get(&f->gemm_ex, "cublasGemmEx" + suffix);
  get(&f->gemm_strided_ex, "cublasGemmStridedBatchedEx" + suffix);
  get(&f->ssymm, "cublasSsymm_v2" + suffix);
  get(&f->ssyrk, "cublasSsyrk_v2" + suffix);
  get(&f->ssyr2k, "cublasSsyr2k_v2" + suffix);
  get(&f->strmm, "cublasStrmm_v2" + suffix);
  get(&f->strsm, "cublasStrsm_v2" + suffix);
  get(&f->strsm_batched, "cublasStrsmBatched" + suffix);
}

class Cublas : public DevicePeer {
 public:
  explicit Cublas(CublasMath math) : DevicePeer(cuda_memory()), math_(row_of(math)) {
    const Libraries &from = libraries();
    const auto get = [&from](auto *function, const std::string &symbol) {
      find_symbol(function, from.cublas, from.cublas_file, symbol.c_str());
    };
    int (*create)(Opaque *), (*set_stream)(Opaque, void *), (*set_workspace)(Opaque, void *, size_t);
    int (*property)(int, int *);
    get(&create, "cublasCreate_v2");
    get(&destroy_, "cublasDestroy_v2");
    get(&set_stream, "cublasSetStream_v2");
    get(&set_workspace, "cublasSetWorkspace_v2");
    get(&set_math_, "cublasSetMathMode");
    get(&property, "cublasGetProperty");
    find_functions(&functions_, "", get);
    grouped_ = reinterpret_cast<decltype(grouped_)>(dlsym(from.cublas, "cublasSgemmGroupedBatched"));
    grouped_ex_ = reinterpret_cast<decltype(grouped_ex_)>(dlsym(from.cublas, "cublasGemmGroupedBatchedEx"));
    has_64_ = dlsym(from.cublas, "cublasSgemm_v2_64") != nullptr;  // since CUDA 12
    if (has_64_) find_functions(&functions_64_, "_64", get);
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
  bool supports(const Call &call) const override { return has_64_ || !needs_64_bits(call); }
  // cuBLAS lacks SGEMMTR, SSYRK of 16-bit inputs, and batches other than of products and STRSM.
  std::string stand_in(const Call &call) const override {
    if (call.batch > 1 && call.routine == Routine::kStrsm) return "cublasStrsmBatched, with arrays of pointers";
    const std::string name = function_name(call.routine);
    if (fills_c(call)) return fmt::format("{}{}, which computes all of C", call.batch > 1 ? "a loop of " : "", name);
    return call.batch > 1 && !is_gemm(call) ? "a loop of " + name : "";
  }
  bool fills_c(const Call &call) const override {
    return call.routine == Routine::kSgemmtr || call.routine == Routine::kShsyrk || call.routine == Routine::kSbsyrk;
  }
  // TF32 inputs may be rounded or truncated.
  Precision precision() const override {
    Precision precision;
    if (math_.math == CublasMath::kTf32) {
      precision.rounding = 0x1p-10;
      precision.truncates = true;
    }
    return precision;
  }
  // Pedantic math excludes tensor cores for 16-bit inputs.
  void prepare(const std::vector<Call> &calls) override {
    require_cublas(set_math_(handle_, is_16_bit(calls[0]) ? kDefaultMath : math_.value), "cublasSetMathMode");
    arrays_.clear();
    if (calls[0].routine != Routine::kStrsm || calls[0].batch == 1) return;
    for (const Call &call : calls) arrays_.emplace(call.c, make_arrays(call));
  }
  // cublasSgemmGroupedBatched, cublasGemmGroupedBatchedEx: device arrays of pointers, 32-bit sizes; since CUDA 12.5.
  bool prepare_groups(const GroupsCall &x) override {
    group_pointers_.reset();
    const bool wide = x.element == Element::kFloat32;
    if (wide ? grouped_ == nullptr : grouped_ex_ == nullptr) return false;
    require_cublas(set_math_(handle_, wide ? math_.value : kDefaultMath), "cublasSetMathMode");
    std::vector<const void *> pointers;
    pointers.insert(pointers.end(), x.a.begin(), x.a.end());
    pointers.insert(pointers.end(), x.b.begin(), x.b.end());
    pointers.insert(pointers.end(), x.c.begin(), x.c.end());
    group_pointers_ = std::make_unique<Buffer>(&memory_, pointers.size() * sizeof(void *));
    memory_.upload(group_pointers_->data(), pointers.data(), pointers.size() * sizeof(void *));
    const auto narrow = [](const std::vector<int64_t> &values) {
      std::vector<int> numbers;
      for (const int64_t value : values) {
        if (value > std::numeric_limits<int>::max()) throw Error("groups by cuBLAS: a size beyond 2^31");
        numbers.push_back(static_cast<int>(value));
      }
      return numbers;
    };
    const auto operations = [](const std::vector<libsgemm_op_t> &ops) {
      std::vector<int> numbers(ops.size());
      std::transform(ops.begin(), ops.end(), numbers.begin(), operation);
      return numbers;
    };
    groups_ = {operations(x.transa), operations(x.transb), narrow(x.m),   narrow(x.n),    narrow(x.k),
               narrow(x.lda),        narrow(x.ldb),        narrow(x.ldc), narrow(x.sizes)};
    // Some versions write the inputs' type, not FP32, for 16-bit inputs.
    group_output_ = Element::kFloat32;
    if (!wide && call_grouped_ex(x) != kSuccess) group_output_ = x.element;
    return true;
  }
  Element output_of_groups() const override { return group_output_; }
  void run_groups(const GroupsCall &x) override {
    if (x.element != Element::kFloat32) return require_cublas(call_grouped_ex(x), "cublasGemmGroupedBatchedEx");
    const auto *pointers = static_cast<void *const *>(group_pointers_->data());
    const auto count = x.count();
    const Groups &g = groups_;
    require_cublas(grouped_(handle_, g.transa.data(), g.transb.data(), g.m.data(), g.n.data(), g.k.data(),
                            x.alpha.data(), reinterpret_cast<const float *const *>(pointers), g.lda.data(),
                            reinterpret_cast<const float *const *>(pointers + count), g.ldb.data(), x.beta.data(),
                            reinterpret_cast<float *const *>(pointers + 2 * count), g.ldc.data(),
                            static_cast<int>(count), g.sizes.data()),
                   "cublasSgemmGroupedBatched");
  }
  void run(const Call &x) override {
    if (is_gemm(x) || (x.routine == Routine::kStrsm && x.batch > 1)) return run_one(x);
    for (int64_t i = 0; i < x.batch; ++i) run_one(item_of(x, i));
  }

 private:
  static bool is_gemm(const Call &call) { return traits(call.routine).base == libsgemm::Routine::gemm; }
  static bool is_16_bit(const Call &call) { return traits(call.routine).element != Element::kFloat32; }
  static const char *function_name(Routine routine) {
    constexpr const char *kNames[kRoutineCount] = {"cublasSgemm",  "cublasSsymm",  "cublasSsyrk", "cublasSsyr2k",
                                                   "cublasStrmm",  "cublasStrsm",  "cublasSgemm", "cublasGemmEx",
                                                   "cublasGemmEx", "cublasGemmEx", "cublasGemmEx"};
    return kNames[static_cast<int>(routine)];
  }

  static int type_of(Element element) {
    return element == Element::kFloat32 ? kReal32F : element == Element::kBinary16 ? kReal16F : kReal16BF;
  }
  int call_grouped_ex(const GroupsCall &x) {
    const auto *pointers = static_cast<void *const *>(group_pointers_->data());
    const auto count = x.count();
    const Groups &g = groups_;
    const int type = type_of(x.element);
    return grouped_ex_(handle_, g.transa.data(), g.transb.data(), g.m.data(), g.n.data(), g.k.data(), x.alpha.data(),
                       pointers, type, g.lda.data(), pointers + count, type, g.ldb.data(), x.beta.data(),
                       pointers + 2 * count, type_of(group_output_), g.ldc.data(), static_cast<int>(count),
                       g.sizes.data(), kCompute32F);
  }

  // The matrices of A, then those of C.
  std::unique_ptr<Buffer> make_arrays(const Call &call) {
    std::vector<const void *> pointers;
    for (int64_t i = 0; i < call.batch; ++i) pointers.push_back(item_of(call, i).a);
    for (int64_t i = 0; i < call.batch; ++i) pointers.push_back(item_of(call, i).c);
    auto arrays = std::make_unique<Buffer>(&memory_, pointers.size() * sizeof(void *));
    memory_.upload(arrays->data(), pointers.data(), pointers.size() * sizeof(void *));
    return arrays;
  }

  void run_one(const Call &x) {
    const int status = needs_64_bits(x) ? call<int64_t>(functions_64_, x) : call<int>(functions_, x);
    if (status != kSuccess) throw Error(fmt::format("{}: status {}", function_name(x.routine), status));
  }

  template <class Size>
  int call(const CublasFunctions<Size> &f, const Call &x) {
    const auto size = [](int64_t value) { return static_cast<Size>(value); };
    const Size m = size(x.m), n = size(x.n), k = size(x.k), lda = size(x.lda), ldb = size(x.ldb), ldc = size(x.ldc);
    const int transa = operation(x.transa), transb = operation(x.transb), side = side_of(x), uplo = triangle_of(x);
    const auto *a = static_cast<const float *>(x.a), *b = static_cast<const float *>(x.b);
    auto *c = static_cast<float *>(x.c);
    switch (x.routine) {
      case Routine::kSgemm:
        if (x.batch == 1) return f.sgemm(handle_, transa, transb, m, n, k, &x.alpha, a, lda, b, ldb, &x.beta, c, ldc);
        return f.sgemm_strided(handle_, transa, transb, m, n, k, &x.alpha, a, lda, x.stride_a, b, ldb, x.stride_b,
                               &x.beta, c, ldc, x.stride_c, size(x.batch));
      case Routine::kSgemmtr:
        return f.sgemm(handle_, transa, transb, n, n, k, &x.alpha, a, lda, b, ldb, &x.beta, c, ldc);
      case Routine::kSsymm:
        return f.ssymm(handle_, side, uplo, m, n, &x.alpha, a, lda, b, ldb, &x.beta, c, ldc);
      case Routine::kSsyrk:
        return f.ssyrk(handle_, uplo, transa, n, k, &x.alpha, a, lda, &x.beta, c, ldc);
      case Routine::kSsyr2k:
        return f.ssyr2k(handle_, uplo, transa, n, k, &x.alpha, a, lda, b, ldb, &x.beta, c, ldc);
      case Routine::kStrmm:
        return f.strmm(handle_, side, uplo, transa, kNonUnit, m, n, &x.alpha, a, lda, b, ldc, c, ldc);
      case Routine::kStrsm:
        if (x.batch > 1) return call_strsm_batch(f, x);
        return f.strsm(handle_, side, uplo, transa, kNonUnit, m, n, &x.alpha, a, lda, c, ldc);
      case Routine::kShgemm:
      case Routine::kSbgemm:
        return call_16_bit(f, x);
      case Routine::kShsyrk:
      case Routine::kSbsyrk:
        return call_16_bit(f, with_a_as_b(x));
    }
    return kSuccess;
  }

  template <class Size>
  int call_strsm_batch(const CublasFunctions<Size> &f, const Call &x) {
    const auto arrays = arrays_.find(x.c);
    if (arrays == arrays_.end()) throw Error("cublasStrsmBatched: a call that was not prepared");
    const auto *pointers = static_cast<void *const *>(arrays->second->data());
    return f.strsm_batched(handle_, side_of(x), triangle_of(x), operation(x.transa), kNonUnit, static_cast<Size>(x.m),
                           static_cast<Size>(x.n), &x.alpha, reinterpret_cast<const float *const *>(pointers),
                           static_cast<Size>(x.lda), reinterpret_cast<float *const *>(pointers + x.batch),
                           static_cast<Size>(x.ldc), static_cast<Size>(x.batch));
  }

  static Call with_a_as_b(const Call &x) {
    Call product = x;
    product.b = x.a;
    product.ldb = x.lda;
    product.transb = x.transa == LIBSGEMM_NO_TRANS ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
    return product;
  }

  template <class Size>
  int call_16_bit(const CublasFunctions<Size> &f, const Call &x) {
    const int type = type_of(traits(x.routine).element);
    const auto size = [](int64_t value) { return static_cast<Size>(value); };
    if (x.batch == 1) {
      return f.gemm_ex(handle_, operation(x.transa), operation(x.transb), size(x.m), size(x.n), size(x.k), &x.alpha,
                       x.a, type, size(x.lda), x.b, type, size(x.ldb), &x.beta, x.c, kReal32F, size(x.ldc), kCompute32F,
                       kChoose);
    }
    return f.gemm_strided_ex(handle_, operation(x.transa), operation(x.transb), size(x.m), size(x.n), size(x.k),
                             &x.alpha, x.a, type, size(x.lda), x.stride_a, x.b, type, size(x.ldb), x.stride_b, &x.beta,
                             x.c, kReal32F, size(x.ldc), x.stride_c, size(x.batch), kCompute32F, kChoose);
  }

  struct Groups {
    std::vector<int> transa, transb, m, n, k, lda, ldb, ldc, sizes;
  };

  const MathRow &math_;
  Opaque handle_ = nullptr;
  int (*grouped_)(Opaque, const int *, const int *, const int *, const int *, const int *, const float *,
                  const float *const *, const int *, const float *const *, const int *, const float *, float *const *,
                  const int *, int, const int *) = nullptr;
  int (*grouped_ex_)(Opaque, const int *, const int *, const int *, const int *, const int *, const void *,
                     const void *const *, int, const int *, const void *const *, int, const int *, const void *,
                     void *const *, int, const int *, int, const int *, int) = nullptr;
  Groups groups_;
  Element group_output_ = Element::kFloat32;
  std::unique_ptr<Buffer> group_pointers_;  // pointers to A, B, C
  int (*set_math_)(Opaque, int) = nullptr;
  int (*destroy_)(Opaque) = nullptr;
  CublasFunctions<int> functions_ = {};
  CublasFunctions<int64_t> functions_64_ = {};
  bool has_64_ = false;
  std::map<const void *, std::unique_ptr<Buffer>> arrays_;  // arrays of STRSM's batches, by C
  std::string version_;
};

// CUBLASLT_MATMUL_DESC_TRANSA, _TRANSB, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES.
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
