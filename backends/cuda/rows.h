// One line for each row of the kernel table, in its order: X(name), where `Kernel name()` is in kernels/<name>.cu.
#define LIBSGEMM_CUDA_ROWS(X)               \
  X(sm75_ffma_1x1x1_naive)                  \
  X(sm75_ffma_32x32x32_shared)              \
  X(sm75_ffma_64x64x16_register4x4)         \
  X(sm75_ffma_128x128x8_register8x8)        \
  X(sm75_ffma_128x128x8_vectorised)         \
  X(sm75_ffma_128x128x8_double_buffered)    \
  X(sm80_ffma_128x128x16_multistage)        \
  X(sm80_ffma_128x64x16_multistage)         \
  X(sm80_ffma_64x64x16_multistage)          \
  X(sm80_ffma_32x32x32_multistage)          \
  X(sm75_ffma_64x64x8_double_buffered)      \
  X(sm75_ffma_32x32x16_double_buffered)     \
  X(sm80_ffma_128x64x16_split_k)            \
  X(sm80_ffma_64x64x16_split_k)             \
  X(sm75_ffma_64x64x8_split_k)              \
  X(sm75_ffma_32x1x32_vector)               \
  X(sm75_ffma_32x4x32_skinny)               \
  X(sm75_ffma_32x8x32_skinny)               \
  X(sm75_ffma_32x16x32_skinny)              \
  X(sm75_ffma_128x32x16_tall)               \
  X(sm75_ffma_64x48x16_tall)                \
  X(sm75_ffma_64x64x16_tall)                \
  X(sm75_ffma_16x16x16_batched)             \
  X(sm75_ffma_32x32x16_batched)             \
  X(sm75_ffma_64x64x16_triangle)            \
  X(sm75_ffma_128x128x16_triangle)          \
  X(sm75_ffma_256x256x256_blocked_triangle) \
  X(sm75_ffma_64x64x16_symm)                \
  X(sm75_ffma_32x32x32_mirrored_symm)       \
  X(sm75_ffma_64x32x32_trmm_in_place)       \
  X(sm75_ffma_64x64x16_trmm)                \
  X(sm75_ffma_256x256x256_blocked_trmm)     \
  X(sm75_ffma_64x32x32_trsm)                \
  X(sm75_ffma_256x256x256_blocked_trsm)     \
  X(sm75_ffma_64x64x16_widened)             \
  X(sm75_ffma_128x128x16_widened)
