#include "gpu_blas/level3.h"

using namespace libsgemm;

extern "C" {
SYMM(int, cublasSsymm_v2)
SYMM(int64_t, cublasSsymm_v2_64)
SYRK(int, cublasSsyrk_v2)
SYRK(int64_t, cublasSsyrk_v2_64)
SYR2K(int, cublasSsyr2k_v2)
SYR2K(int64_t, cublasSsyr2k_v2_64)
SYRKX(int, cublasSsyrkx)
SYRKX(int64_t, cublasSsyrkx_64)
TRMM(int, cublasStrmm_v2, cublasSgeam, nullptr)
TRMM(int64_t, cublasStrmm_v2_64, cublasSgeam_64, nullptr)
TRSM(int, cublasStrsm_v2)
TRSM(int64_t, cublasStrsm_v2_64)
TRSM_BATCHED(int, cublasStrsmBatched)
TRSM_BATCHED(int64_t, cublasStrsmBatched_64)
}
