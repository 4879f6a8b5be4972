// The BLAS that computes: LIBSGEMM_CPU_BLAS, the program's own, or the machine's OpenBLAS.
#pragma once

#include "contract/backend.h"
#include "contract/cpu_blas.h"

namespace libsgemm {

// UNAVAILABLE, with the reason: there is no BLAS, or it is libsgemm itself.
libsgemm_status_t blas_open(const Host &host, Error *error);
const char *blas_version();
const char *blas_arch();  // "Haswell"; "": not reported
int blas_threads();       // threads of its next call; 1: not reported
void blas_end_threads();  // the next call starts them again

// The caller's own (Launch::blas), or the opened one.
const CpuBlas &blas_for(const Launch &launch);

bool blas_fits(const CpuBlas &blas, const GemmDesc &desc);

// `desc` fits the BLAS's integers and has no batch. gemm takes FP32 operands.
void blas_gemm(const CpuBlas &blas, const GemmDesc &desc);
void blas_symm(const CpuBlas &blas, const GemmDesc &desc);
void blas_syrk(const CpuBlas &blas, const GemmDesc &desc);
void blas_syr2k(const CpuBlas &blas, const GemmDesc &desc);
void blas_trmm(const CpuBlas &blas, const GemmDesc &desc);
void blas_trsm(const CpuBlas &blas, const GemmDesc &desc);

}  // namespace libsgemm
