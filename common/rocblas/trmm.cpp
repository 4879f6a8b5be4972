#include "rocblas/trmm.h"

#include <cstdlib>

#include "gpu_blas/real.h"
#include "rocblas/rocblas.h"

extern "C" int rocblas_get_version_string(char *text, size_t bytes);

namespace libsgemm {

bool trmm_is_older() {
  static const bool older = [] {
    static Real<decltype(rocblas_get_version_string)> get_version("rocblas_get_version_string");
    char text[256] = "";
    return get_version(static_cast<char *>(text), sizeof text) == kVendorSuccess &&
           std::atoi(text) < kRocblasFirstTrmmApart;
  }();
  return older;
}

}  // namespace libsgemm
