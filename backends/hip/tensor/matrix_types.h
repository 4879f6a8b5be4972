#pragma once

#include <cstdint>

#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) || \
    defined(__gfx950__) || defined(__gfx9_4_generic__)
#define LIBSGEMM_HIP_MFMA 1
#endif
#if defined(LIBSGEMM_HIP_MFMA) && !defined(__gfx908__)
#define LIBSGEMM_HIP_MFMA_BF16_1K 1
#endif
#if defined(LIBSGEMM_HIP_MFMA) && !defined(__gfx908__)
#define LIBSGEMM_HIP_MFMA_F64 1
#endif
#if defined(__gfx908__)  // its barriers wait for loads from memory, too
#define LIBSGEMM_HIP_BARRIER_WAITS 1
#endif
#if defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__)
#define LIBSGEMM_HIP_MFMA_XF32 1
#endif
#if defined(__gfx950__)
#define LIBSGEMM_HIP_MFMA_K16 1
#endif
#if defined(__GFX11__) || defined(__gfx1100__) || defined(__gfx1101__) || defined(__gfx1102__) ||   \
    defined(__gfx1103__) || defined(__gfx1150__) || defined(__gfx1151__) || defined(__gfx1152__) || \
    defined(__gfx1153__)
#define LIBSGEMM_HIP_WMMA_GFX11 1
#endif
#if defined(__gfx1200__) || defined(__gfx1201__) || defined(__gfx12_generic__)
#define LIBSGEMM_HIP_WMMA_GFX12 1
#endif

namespace libsgemm::hip {

// Registers of a lane. 16-bit elements are raw bits, the first in a word's low half.
using Floats8 = float __attribute__((vector_size(32)));
using Doubles4 = double __attribute__((vector_size(32)));
using Floats2 = float __attribute__((vector_size(8)));
using Floats16 = float __attribute__((vector_size(64)));
using Words2 = uint32_t __attribute__((vector_size(8)));
using Words4 = uint32_t __attribute__((vector_size(16)));
using Words8 = uint32_t __attribute__((vector_size(32)));

}  // namespace libsgemm::hip
