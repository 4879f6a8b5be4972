// The BLAS that computes: the one that LIBSGEMM_CPU_BLAS names, the program's own, or the machine's OpenBLAS.
#pragma once

#include "contract/backend.h"
#include "contract/cpu_blas.h"

namespace libsgemm {

// Finds the BLAS and resolves its functions. UNAVAILABLE with the reason if there is none, or if it is libsgemm itself.
libsgemm_status_t blas_open(const Host &host, Error *error);
const char *blas_version();  // "OpenBLAS 0.3.21 Haswell"
const char *blas_arch();     // "Haswell"; "" if the BLAS does not tell
int blas_threads();          // threads of its next call; 1 if the BLAS does not tell
void blas_end_threads();     // ends its threads; they start again with the next call

// Returns the BLAS for a launch: the caller's own, see Launch::blas, or the one that was opened.
const CpuBlas &blas_for(const Launch &launch);

// True if the sizes of a description fit the integers of a BLAS.
bool blas_fits(const CpuBlas &blas, const GemmDesc &desc);

// Call the BLAS; `desc` fits and has no batch. gemm takes FP32 operands.
void blas_gemm(const CpuBlas &blas, const GemmDesc &desc);
void blas_symm(const CpuBlas &blas, const GemmDesc &desc);
void blas_syrk(const CpuBlas &blas, const GemmDesc &desc);
void blas_syr2k(const CpuBlas &blas, const GemmDesc &desc);
void blas_trmm(const CpuBlas &blas, const GemmDesc &desc);
void blas_trsm(const CpuBlas &blas, const GemmDesc &desc);

}  // namespace libsgemm
