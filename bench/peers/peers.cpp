#include "peers.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <limits>
#include <new>

#include "base/command.h"
#include "base/timing.h"
#include "peers_cuda.h"
#include "peers_hip.h"

namespace command {
namespace {

// OpenBLAS's enumerators equal ours.
class OpenBlas : public Peer {
 public:
  OpenBlas() : library_(load_cpu_blas()) {
    for (int i = 0; i < kRoutineCount; ++i) {
      functions_[i] = kNames[i] != nullptr ? dlsym(library_, kNames[i]) : nullptr;
    }
  }

  std::string name() const override { return "openblas"; }
  std::string version() const override { return describe_cpu_blas(library_); }
  int threads() const override {
    const auto get = reinterpret_cast<int (*)()>(dlsym(library_, "openblas_get_num_threads"));
    return get != nullptr ? get() : 0;
  }
  Memory &memory() const override { return host_memory(); }

  bool supports(const Call &call) const override {
    constexpr int64_t kMost = std::numeric_limits<int>::max();
    return functions_[static_cast<int>(call.routine)] != nullptr && call.m <= kMost && call.n <= kMost &&
           call.k <= kMost && call.lda <= kMost && call.ldb <= kMost && call.ldc <= kMost;
  }

  std::string stand_in(const Call &call) const override {
    return call.batch > 1 ? fmt::format("a loop of {}", kNames[static_cast<int>(call.routine)]) : "";
  }

  void run(const Call &call) override {
    for (int64_t i = 0; i < call.batch; ++i) run_one(item_of(call, i));
  }

 private:
  static constexpr const char *kNames[kRoutineCount] = {"cblas_sgemm",  "cblas_ssymm", "cblas_ssyrk",  "cblas_ssyr2k",
                                                        "cblas_strmm",  "cblas_strsm", "cblas_sgemmt", nullptr,
                                                        "cblas_sbgemm", nullptr,       nullptr};

  void run_one(const Call &x) {
    const int m = static_cast<int>(x.m), n = static_cast<int>(x.n), k = static_cast<int>(x.k);
    const int lda = static_cast<int>(x.lda), ldb = static_cast<int>(x.ldb), ldc = static_cast<int>(x.ldc);
    constexpr int kLayout = LIBSGEMM_COL_MAJOR, kNonUnit = LIBSGEMM_NON_UNIT;
    const int side = x.side, uplo = x.uplo;
    switch (x.routine) {
      case Routine::kSgemm:
      case Routine::kSbgemm:
        return call(x.routine, kLayout, x.transa, x.transb, m, n, k, x.alpha, x.a, lda, x.b, ldb, x.beta, x.c, ldc);
      case Routine::kSsymm:
        return call(x.routine, kLayout, side, uplo, m, n, x.alpha, x.a, lda, x.b, ldb, x.beta, x.c, ldc);
      case Routine::kSsyrk:
        return call(x.routine, kLayout, uplo, x.transa, n, k, x.alpha, x.a, lda, x.beta, x.c, ldc);
      case Routine::kSsyr2k:
        return call(x.routine, kLayout, uplo, x.transa, n, k, x.alpha, x.a, lda, x.b, ldb, x.beta, x.c, ldc);
      case Routine::kStrmm:
      case Routine::kStrsm:
        return call(x.routine, kLayout, side, uplo, x.transa, kNonUnit, m, n, x.alpha, x.a, lda, x.c, ldc);
      case Routine::kSgemmtr:
        return call(x.routine, kLayout, uplo, x.transa, x.transb, n, k, x.alpha, x.a, lda, x.b, ldb, x.beta, x.c, ldc);
      case Routine::kShgemm:
      case Routine::kShsyrk:
      case Routine::kSbsyrk:
        return;
    }
  }

  // Types of the C prototype: enumerations and sizes are int, scalars float, matrices pointers.
  template <class... Arguments>
  void call(Routine routine, Arguments... arguments) {
    using Function = void (*)(Arguments...);
    reinterpret_cast<Function>(functions_[static_cast<int>(routine)])(arguments...);
  }

  void *library_;
  void *functions_[kRoutineCount];
};

struct PeerRow {
  const char *name;
  std::unique_ptr<Peer> (*open)();
};

constexpr PeerRow kPeers[] = {
    {"openblas", [] { return std::unique_ptr<Peer>(new OpenBlas); }},
    {"cublas", [] { return open_cublas(CublasMath::kPedantic); }},
    {"cublas-default", [] { return open_cublas(CublasMath::kDefault); }},
    {"cublas-tf32", [] { return open_cublas(CublasMath::kTf32); }},
    {"cublaslt", open_cublaslt},
    {"rocblas", open_rocblas},
    {"hipblaslt", open_hipblaslt},
};

}  // namespace

std::vector<std::string> peer_names() {
  std::vector<std::string> names;
  for (const PeerRow &row : kPeers) names.push_back(row.name);
  return names;
}

std::unique_ptr<Peer> open_peer(const std::string &name) {
  for (const PeerRow &row : kPeers) {
    if (name == row.name) return row.open();
  }
  throw Error(fmt::format("--peer {}: there is no such peer; there are none, {}", name, fmt::join(peer_names(), ", ")));
}

void *load_cpu_blas() {
  const char *set = getenv("LIBSGEMM_CPU_BLAS");
  const std::string file = set != nullptr && set[0] != '\0' ? set : "libopenblas.so.0";
  void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Error(fmt::format("OpenBLAS: {}", dlerror()));
  const auto config = reinterpret_cast<const char *(*)()>(dlsym(library, "openblas_get_config"));
  if (config == nullptr) throw Error(file + ": is not OpenBLAS (it has no openblas_get_config)");
  if (strstr(config(), "USE64BITINT") != nullptr) throw Error(file + ": has 64-bit integers; the LP64 build is wanted");
  return library;
}

std::string describe_cpu_blas(void *library) {
  const auto config = reinterpret_cast<const char *(*)()>(dlsym(library, "openblas_get_config"));
  Dl_info where;
  const bool found = dladdr(reinterpret_cast<void *>(config), &where) != 0;
  char path[PATH_MAX];
  const bool resolved = found && realpath(where.dli_fname, path) != nullptr;
  return fmt::format("{} ({})", config(), resolved ? path : "unknown file");
}

}  // namespace command
