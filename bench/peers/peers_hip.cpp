// rocBLAS and hipBLASLt (ROCm 6 and later) as peers.
#include "peers_hip.h"

#include <dlfcn.h>
#include <fmt/core.h>
#include <string.h>

#include "base/command.h"
#include "device_peer.h"
#include "rocm.h"

namespace command {
namespace {

constexpr int kSuccess = 0;                                // rocblas_status_success
constexpr int kOperationN = 111;                           // rocblas_operation_none, HIPBLAS_OP_N
constexpr int kOperationT = 112;                           // rocblas_operation_transpose, HIPBLAS_OP_T
constexpr int kF16 = 150, kF32 = 151, kBF16 = 168;         // rocblas_datatype_..._r
constexpr int kStandard = 0;                               // rocblas_gemm_algo_standard
constexpr int kNewestRocblas = 5, kOldestRocblas = 0;      // ROCm 7, ROCm 5
constexpr int kNewestHipblaslt = 1, kOldestHipblaslt = 0;  // ROCm 7, ROCm 6
constexpr int kCompute32F = 2;                             // HIPBLAS_COMPUTE_32F

int operation(libsgemm_op_t op) { return op == LIBSGEMM_NO_TRANS ? kOperationN : kOperationT; }

void require_rocblas(int status, const char *what) {
  if (status != kSuccess) throw Error(fmt::format("{}: status {}", what, status));
}

class Rocblas : public DevicePeer {
 public:
  explicit Rocblas(GpuMemory &memory) : DevicePeer(memory) {
    const Library from = load_rocm("rocBLAS", "librocblas.so", kNewestRocblas, kOldestRocblas);
    const auto get = [&from](auto *function, const char *symbol) {
      find_symbol(function, from.handle, from.file, symbol);
    };
    int (*create)(void **), (*set_stream)(void *, void *), (*version)(char *, size_t);
    get(&create, "rocblas_create_handle");
    get(&destroy_, "rocblas_destroy_handle");
    get(&set_stream, "rocblas_set_stream");
    get(&version, "rocblas_get_version_string");
    get(&sgemm_, "rocblas_sgemm");
    get(&gemm_ex_, "rocblas_gemm_ex");
    sgemm_64_ = reinterpret_cast<Sgemm<int64_t>>(dlsym(from.handle, "rocblas_sgemm_64"));  // since ROCm 6
    char text[256] = "";
    require_rocblas(version(text, sizeof text), "rocblas_get_version_string");
    version_ = text;
    require_rocblas(create(&handle_), "rocblas_create_handle");
    require_rocblas(set_stream(handle_, memory_.stream()), "rocblas_set_stream");
  }
  ~Rocblas() override { destroy_(handle_); }

  std::string name() const override { return "rocblas"; }
  std::string version() const override {
    return fmt::format("rocBLAS {}, FP32, its own choice of kernel and workspace", version_);
  }
  bool supports(const Call &call) const override {
    if (call.batch > 1) return false;
    switch (call.routine) {
      case Routine::kSgemm:
        return sgemm_64_ != nullptr || !needs_64_bits(call);
      case Routine::kShgemm:
      case Routine::kSbgemm:
        return !needs_64_bits(call);
      default:
        return false;
    }
  }
  void run(const Call &x) override {
    if (x.routine != Routine::kSgemm) return run_16_bit(x);
    require_rocblas(needs_64_bits(x) ? call<int64_t>(sgemm_64_, x) : call<int>(sgemm_, x), "rocblas_sgemm");
  }

 private:
  template <class Size>
  using Sgemm = int (*)(void *, int, int, Size, Size, Size, const float *, const float *, Size, const float *, Size,
                        const float *, float *, Size);
  using GemmEx = int (*)(void *, int, int, int, int, int, const void *, const void *, int, int, const void *, int, int,
                         const void *, const void *, int, int, void *, int, int, int, int, int32_t, uint32_t);

  template <class Size>
  int call(Sgemm<Size> sgemm, const Call &x) {
    const auto size = [](int64_t value) { return static_cast<Size>(value); };
    return sgemm(handle_, operation(x.transa), operation(x.transb), size(x.m), size(x.n), size(x.k), &x.alpha,
                 static_cast<const float *>(x.a), size(x.lda), static_cast<const float *>(x.b), size(x.ldb), &x.beta,
                 static_cast<float *>(x.c), size(x.ldc));
  }

  void run_16_bit(const Call &x) {
    const int type = x.routine == Routine::kShgemm ? kF16 : kBF16;
    const auto size = [](int64_t value) { return static_cast<int>(value); };
    require_rocblas(gemm_ex_(handle_, operation(x.transa), operation(x.transb), size(x.m), size(x.n), size(x.k),
                             &x.alpha, x.a, type, size(x.lda), x.b, type, size(x.ldb), &x.beta, x.c, kF32, size(x.ldc),
                             x.c, kF32, size(x.ldc), kF32, kStandard, 0, 0),
                    "rocblas_gemm_ex");
  }

  void *handle_ = nullptr;
  int (*destroy_)(void *) = nullptr;
  Sgemm<int> sgemm_ = nullptr;
  Sgemm<int64_t> sgemm_64_ = nullptr;
  GemmEx gemm_ex_ = nullptr;
  std::string version_;
};

// The last numbers: HIPBLASLT_MATMUL_DESC_TRANSA, _TRANSB, HIPBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, and the bytes of
// hipblasLtMatmulAlgo_t: 16 and the workspace's size.
LtLibrary lt_library() {
  const Library from = load_rocm("hipBLASLt", "libhipblaslt.so", kNewestHipblaslt, kOldestHipblaslt);
  return {from.handle, from.file, "hipblasLt", kOperationN, kOperationT, kCompute32F, 0, 1, 1, 16 + sizeof(size_t)};
}

class HipblasLt : public LtPeer {
 public:
  explicit HipblasLt(GpuMemory &memory) : LtPeer(lt_library(), memory) {
    int (*get_version)(void *, int *);
    find_symbol(&get_version, library_.handle, library_.file, "hipblasLtGetVersion");
    int version = 0;
    require(get_version(handle_, &version), "GetVersion");
    version_ = fmt::format("{}.{}.{}", version / 100000, version / 100 % 1000, version % 100);
  }

  std::string name() const override { return "hipblaslt"; }
  std::string version() const override { return fmt::format("hipBLASLt {}, {}", version_, way_text()); }

 private:
  std::string version_;
};

}  // namespace

std::unique_ptr<Peer> open_rocblas() { return std::make_unique<Rocblas>(hip_memory()); }
std::unique_ptr<Peer> open_hipblaslt() { return std::make_unique<HipblasLt>(hip_memory()); }

}  // namespace command
