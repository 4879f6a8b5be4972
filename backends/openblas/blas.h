// The BLAS beneath: its six level-3 functions under one signature, whatever the width of its integers.
#pragma once

#include "backend.h"

namespace libsgemm {

// Opens it and resolves its functions. UNAVAILABLE with the reason if there is none, or if it is libsgemm itself.
libsgemm_status_t blas_open(const Host &host, Error *error);
const char *blas_version();  // "OpenBLAS 0.3.21 Haswell"
const char *blas_arch();     // "Haswell"; "" if it does not tell
int blas_threads();          // 1 if it does not tell
void blas_end_threads();     // they start again with the next call

// Whether sizes of a description fit the integers of this BLAS.
bool blas_fits(const GemmDesc &desc);

// The functions; `desc` fits and has no batch. gemm takes FP32 operands.
void blas_gemm(const GemmDesc &desc);
void blas_symm(const GemmDesc &desc);
void blas_syrk(const GemmDesc &desc);
void blas_syr2k(const GemmDesc &desc);
void blas_trmm(const GemmDesc &desc);
void blas_trsm(const GemmDesc &desc);

}  // namespace libsgemm
