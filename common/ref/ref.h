// The built-in backend: plain C++, so that the library works wherever it loads.
#pragma once

#include "contract/backend.h"

namespace libsgemm {

const Backend *ref_backend();

// Allocates the calling thread's scratch memory. After that the kernels cannot fail, except in place. False: no memory.
bool prepare_ref();

// Each computes every routine; FP64 sums: all but trsm; other math modes: only products. On the calling thread.
libsgemm_status_t cpu_scalar_1x1x1_naive(const GemmDesc &desc, const Launch &launch, Error *error);
template <libsgemm_math_mode_t MODE>
libsgemm_status_t cpu_sse2_8x4x256_packed(const GemmDesc &desc, const Launch &launch, Error *error);
template <libsgemm_math_mode_t MODE>
libsgemm_status_t cpu_avx2_16x6x256_packed(const GemmDesc &desc, const Launch &launch, Error *error);
// kChain[WHICH].
template <int WHICH>
libsgemm_status_t cpu_chain(const GemmDesc &desc, const Launch &launch, Error *error);
libsgemm_status_t cpu_sse2_4x4x256_packed_fp64(const GemmDesc &desc, const Launch &launch, Error *error);
libsgemm_status_t cpu_avx2_8x6x256_packed_fp64(const GemmDesc &desc, const Launch &launch, Error *error);
// Convolutions.
template <libsgemm_math_mode_t MODE>
libsgemm_status_t cpu_scalar_direct_conv(const ConvDesc &desc, const Launch &launch, Error *error);

}  // namespace libsgemm
