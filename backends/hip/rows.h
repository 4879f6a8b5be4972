// One line for each row of the kernel table, in its order: X(name), where `Kernel name()` is in kernels/. A row named
// _split_k is in the file of the row whose kernel it launches.

// Rows on matrix instructions, which tests/hip_on_cuda leaves out: an NVIDIA GPU has others.
#if defined(__HIP_PLATFORM_NVIDIA__)
#define LIBSGEMM_HIP_MATRIX_ROWS(X)
#else
#define LIBSGEMM_HIP_MATRIX_ROWS(X)   \
  X(gfx908_mfma_128x128x16_ping_pong) \
  X(gfx908_mfma_128x128x16_split_k)   \
  X(gfx908_mfma_128x128x32_widened)   \
  X(gfx11_wmma_128x128x32_widened)
#endif

#define LIBSGEMM_HIP_ROWS(X)     \
  X(gfx_fma_1x1x1_naive)         \
  X(gfx_fma_128x128x8_ping_pong) \
  X(gfx_fma_256x128x8_ping_pong) \
  X(gfx_fma_64x64x8_ping_pong)   \
  X(gfx_fma_128x128x8_split_k)   \
  X(gfx_fma_64x64x8_split_k)     \
  X(gfx_fma_32x4x32_skinny)      \
  X(gfx_fma_32x8x32_skinny)      \
  X(gfx_fma_128x128x8_widened)   \
  LIBSGEMM_HIP_MATRIX_ROWS(X)
