// The device code, in the order of the kernel table: X(name, purpose). `KernelList name()` in <name>.hip returns the
// kernels that run it; _trmm_in_place is in the file of _trsm, _weights and _widened_triangle in that of the line
// before, _symm and _trmm in _one_sided, _blocked, without device code, in blocked_kernels.cpp. `libsgemm info
// --kernels` prints the purpose of the first (at most 36 characters). No kernel has run on AMD hardware yet.

// tests/hip_on_cuda leaves them out: NVIDIA GPUs have other matrix instructions.
#if defined(__HIP_PLATFORM_NVIDIA__)
#define LIBSGEMM_HIP_MATRIX_CODE(X)
#else
#define LIBSGEMM_HIP_MATRIX_CODE(X)                                         \
  X(gfx908_mfma_128x128x16_ping_pong, "FP32 matrix cores, large C")         \
  X(gfx908_mfma_128x128x16_triangle, "FP32 matrix cores, triangle of C")    \
  X(gfx908_mfma_128x128x16_symm, "FP32 matrix cores")                       \
  X(gfx908_mfma_128x128x16_trmm, "FP32 matrix cores, from a copy")          \
  X(gfx908_mfma_128x128x32_widened, "matrix cores")                         \
  X(gfx908_mfma_128x128x32_widened_triangle, "matrix cores, triangle of C") \
  X(gfx942_mfma_256x256x32_widened, "matrix cores, large C, vectors")       \
  X(gfx942_mfma_256x256x32_widened_triangle, "the same, triangle of C")     \
  X(gfx908_mfma_128x128x8_conv, "convolutions, FP32 matrix cores")          \
  X(gfx11_wmma_128x128x32_widened, "matrix cores")                          \
  X(gfx11_wmma_128x128x32_widened_triangle, "matrix cores, triangle of C")  \
  X(gfx_mma_64x64x64_fp16_packed, "operands rounded first")                 \
  X(gfx_mma_64x64x64_bf16_packed, "operands rounded first")                 \
  X(gfx908_mfma_128x128x32_fp16x3, "FP32's error by three products")        \
  X(gfx942_mfma_128x128x16_bf16x6, "FP32's error by six products")          \
  X(gfx942_mfma_128x128x16_xf32, "operands rounded during the load")        \
  X(gfx942_mfma_256x128x8_xf32, "the same where large")                     \
  X(gfx90a_dmfma_128x128x8_ping_pong, "FP64 sums, large C")                 \
  X(gfx90a_dmfma_128x128x8_triangle, "FP64 sums, triangle of C")            \
  X(gfx90a_dmfma_128x128x8_symm, "FP64 sums")                               \
  X(gfx90a_dmfma_128x128x8_trmm, "FP64 sums, from a copy")
#endif

#define LIBSGEMM_HIP_DEVICE_CODE(X)                                          \
  X(gfx_fma_1x1x1_naive, "ladder, step 1")                                   \
  X(gfx_fma_128x128x8_ping_pong, "large C")                                  \
  X(gfx_fma_256x128x8_ping_pong, "large C, many registers")                  \
  X(gfx_fma_64x64x8_ping_pong, "small C")                                    \
  X(gfx_fma_32x4x32_skinny, "up to 4 rows or columns")                       \
  X(gfx_fma_32x8x32_skinny, "up to 16 rows or columns")                      \
  X(gfx_fma_128x128x8_triangle, "triangle of a large C")                     \
  X(gfx_fma_64x64x8_triangle, "triangle of a small C")                       \
  X(gfx_fma_256x256x256_blocked_triangle, "triangle of a large C, by gemms") \
  X(gfx_fma_128x128x8_symm, "symmetric times general, large")                \
  X(gfx_fma_64x64x8_symm, "symmetric times general, small")                  \
  X(gfx_fma_128x128x8_trmm, "triangle times matrix, from a copy")            \
  X(gfx_fma_64x64x8_trmm, "the same where small")                            \
  X(gfx_fma_64x32x32_trmm_in_place, "triangle times matrix in place")        \
  X(gfx_fma_256x256x256_blocked_trmm, "large triangle in place, by gemms")   \
  X(gfx_fma_64x32x32_trsm, "triangular systems")                             \
  X(gfx_fma_256x256x256_blocked_trsm, "large triangular systems, by gemms")  \
  X(gfx_fma_128x128x8_widened, "FP32 units")                                 \
  X(gfx_fma_128x128x8_widened_triangle, "FP32 units, triangle of C")         \
  X(gfx_fma_128x128x8_conv, "large convolutions")                            \
  X(gfx_fma_64x64x8_conv, "small convolutions")                              \
  X(gfx_fma_4x1x4_depthwise, "depthwise convolutions")                       \
  X(gfx_fma_4x1x4_depthwise_weights, "their weight gradients")               \
  X(gfx_dfma_64x64x16_chains, "FP64 units, promised order of sums")          \
  LIBSGEMM_HIP_MATRIX_CODE(X)
