// The BLAS beneath: the one that LIBSGEMM_CPU_BLAS names, the program's own, or the machine's OpenBLAS.
#pragma once

#include "contract/backend.h"
#include "contract/cpu_blas.h"

namespace libsgemm {

// Finds it and resolves its functions. UNAVAILABLE with the reason if there is none, or if it is libsgemm itself.
libsgemm_status_t blas_open(const Host &host, Error *error);
const char *blas_version();  // "OpenBLAS 0.3.21 Haswell"
const char *blas_arch();     // "Haswell"; "" if it does not tell
int blas_threads();          // that its next call uses; 1 if it does not tell
void blas_end_threads();     // they start again with the next call

// The BLAS for a launch: the caller's own, see Launch::blas, or the one that was opened.
const CpuBlas &blas_for(const Launch &launch);

// Whether sizes of a description fit the integers of a BLAS.
bool blas_fits(const CpuBlas &blas, const GemmDesc &desc);

// The functions; `desc` fits and has no batch. gemm takes FP32 operands.
void blas_gemm(const CpuBlas &blas, const GemmDesc &desc);
void blas_symm(const CpuBlas &blas, const GemmDesc &desc);
void blas_syrk(const CpuBlas &blas, const GemmDesc &desc);
void blas_syr2k(const CpuBlas &blas, const GemmDesc &desc);
void blas_trmm(const CpuBlas &blas, const GemmDesc &desc);
void blas_trsm(const CpuBlas &blas, const GemmDesc &desc);

}  // namespace libsgemm
