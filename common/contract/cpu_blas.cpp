#include "cpu_blas.h"

#include <dlfcn.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>

namespace libsgemm {
namespace {

template <typename Function>
bool find(const Functions &library, const std::string &name, Function *function) {
  *function = reinterpret_cast<Function>(library(name.c_str()));
  return *function != nullptr;
}

// OpenBLAS has 50 buffers, or two per thread of its build if that is more. Each of its threads holds one.
int most_calls(const std::string &config) {
  const size_t at = config.find("MAX_THREADS=");
  const int threads = at != std::string::npos ? std::atoi(config.c_str() + at + std::strlen("MAX_THREADS=")) : 1;
  return std::max(50, 2 * threads) - threads;
}

// "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY Haswell MAX_THREADS=64".
void identify(const Functions &library, const Spelling &spelling, CpuBlas *blas) {
  using Text = const char *(*)();
  const std::string prefix = spelling.prefix, suffix = spelling.wide ? "64_" : "";
  Text config = nullptr, core = nullptr, blis = nullptr;
  find(library, prefix + "openblas_get_config" + suffix, &config);
  find(library, prefix + "openblas_get_corename" + suffix, &core);
  // OpenBLAS ends its threads before a fork, unless it was loaded after the fork began.
  find(library, prefix + "blas_thread_shutdown_", &blas->end_threads);
  for (const std::string &name : {prefix + "openblas_get_num_threads" + suffix,
                                  std::string("bli_thread_get_num_threads"), std::string("MKL_Get_Max_Threads"),
                                  std::string("flexiblas_get_num_threads"), std::string("nvpl_blas_get_max_threads")}) {
    if (find(library, name, &blas->get_threads)) break;
  }
  const std::string text = config != nullptr ? config() : "";
  blas->wide = spelling.wide || text.find("USE64BITINT") != std::string::npos;
  blas->arch = core != nullptr ? core() : "";
  blas->most_calls = text.empty() ? INT_MAX : most_calls(text);
  if (!text.empty()) {
    find(library, "blas_memory_alloc", &blas->take_buffer);
    find(library, "blas_memory_free", &blas->return_buffer);
    blas->threads_run = static_cast<const volatile int *>(library("blas_server_avail"));
  }
  blas->version = blas->file.substr(blas->file.rfind('/') + 1);
  if (!text.empty()) {
    blas->version = text.substr(0, text.find(' ', text.find(' ') + 1)) + " " + blas->arch;
  } else if (find(library, "bli_info_get_version_str", &blis)) {
    blas->version = std::string("BLIS ") + blis();
  }
}

}  // namespace

Functions functions_of(void *library) {
  return [library](const char *name) { return dlsym(library, name); };
}

bool resolve_blas(const Functions &library, const Spelling &spelling, const std::string &file, CpuBlas *blas,
                  std::string *problem) {
  const auto name = [&](const char *routine) { return std::string(spelling.prefix) + routine + spelling.suffix; };
  if (!find(library, name("sgemm"), &blas->gemm)) return false;
  if (!find(library, name("ssymm"), &blas->symm) || !find(library, name("ssyrk"), &blas->syrk) ||
      !find(library, name("ssyr2k"), &blas->syr2k) || !find(library, name("strmm"), &blas->trmm) ||
      !find(library, name("strsm"), &blas->trsm)) {
    *problem = file + " has not all of sgemm, ssymm, ssyrk, ssyr2k, strmm and strsm";
    return false;
  }
  find(library, name("dgemm"), &blas->gemm_fp64);
  void *factorise = nullptr;
  blas->has_lapack = find(library, name("sgetrf"), &factorise);
  blas->file = file;
  identify(library, spelling, blas);
  return true;
}

}  // namespace libsgemm
