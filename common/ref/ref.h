// The built-in backend: plain C++, works wherever the library loads.
#pragma once

#include "contract/backend.h"

namespace libsgemm {

const Backend *ref_backend();

// Allocates the thread's scratch memory: then kernels that do not work in place cannot fail. False: no memory.
bool prepare_ref();

// Every routine; math modes other than FP32 and FP64: only products. All run on the calling thread.
libsgemm_status_t cpu_scalar_1x1x1_naive(const GemmDesc &desc, const Launch &launch, Error *error);
template <libsgemm_math_mode_t MODE>
libsgemm_status_t cpu_sse2_8x4x256_packed(const GemmDesc &desc, const Launch &launch, Error *error);
template <libsgemm_math_mode_t MODE>
libsgemm_status_t cpu_avx2_16x6x256_packed(const GemmDesc &desc, const Launch &launch, Error *error);
template <int WHICH>
libsgemm_status_t cpu_chain(const GemmDesc &desc, const Launch &launch, Error *error);
libsgemm_status_t cpu_sse2_4x4x256_packed_fp64(const GemmDesc &desc, const Launch &launch, Error *error);
libsgemm_status_t cpu_avx2_8x6x256_packed_fp64(const GemmDesc &desc, const Launch &launch, Error *error);
template <libsgemm_math_mode_t MODE>
libsgemm_status_t cpu_scalar_direct_conv(const ConvDesc &desc, const Launch &launch, Error *error);

}  // namespace libsgemm
