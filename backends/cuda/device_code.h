// The device code, in the order of the kernel table: X(name, purpose). `KernelList name()` in <name>.cu returns the
// kernels that run it; _triangle, _symm and _trmm on FP64 tensor cores are in the file of the same tile,
// _depthwise_weights in that of _depthwise. `libsgemm info --kernels` prints the purpose of the first (at most 36
// characters).
#define LIBSGEMM_CUDA_DEVICE_CODE(X)                                          \
  X(sm75_ffma_1x1x1_naive, "ladder, step 1, and tiny k")                      \
  X(sm75_ffma_32x32x32_shared, "ladder, step 2")                              \
  X(sm75_ffma_64x64x16_register4x4, "ladder, step 3")                         \
  X(sm75_ffma_128x128x8_register8x8, "ladder, step 4")                        \
  X(sm75_ffma_128x128x8_vectorised, "ladder, step 5")                         \
  X(sm75_ffma_128x128x8_double_buffered, "large C")                           \
  X(sm80_ffma_128x128x16_multistage, "large C")                               \
  X(sm90_ffma_256x128x16_stream_k, "many tiles of C")                         \
  X(sm90_ffma_256x128x16_split_k, "few tiles of C, deep k")                   \
  X(sm90_ffma_256x128x16_packed, "large C, operands copied first")            \
  X(sm90_ffma_128x128x16_sliced_k, "medium C")                                \
  X(sm90_ffma_256x64x16_sliced_k, "33 to 64 rows or columns")                 \
  X(sm90_ffma_512x32x16_sliced_k, "17 to 32 rows or columns")                 \
  X(sm80_ffma_128x64x16_multistage, "medium or narrow C")                     \
  X(sm80_ffma_64x64x16_multistage, "a few hundred rows and columns")          \
  X(sm80_ffma_32x32x32_multistage, "small C")                                 \
  X(sm75_ffma_64x64x8_double_buffered, "a few hundred rows and columns")      \
  X(sm75_ffma_32x32x16_double_buffered, "small C")                            \
  X(sm75_ffma_32x1x32_vector, "one row or column")                            \
  X(sm75_ffma_32x4x32_skinny, "up to 4 rows or columns")                      \
  X(sm75_ffma_32x8x32_skinny, "up to 8 rows or columns")                      \
  X(sm75_ffma_32x16x32_skinny, "up to 16 rows or columns")                    \
  X(sm75_ffma_128x32x16_tall, "about 32 rows or columns")                     \
  X(sm75_ffma_64x48x16_tall, "about 48 rows or columns")                      \
  X(sm75_ffma_64x48x32_thin, "about 48 rows or columns, long k")              \
  X(sm75_ffma_128x64x16_thin, "about 64 rows or columns")                     \
  X(sm80_ffma_256x64x16_thin, "about 64 rows or columns, short k")            \
  X(sm75_ffma_16x16x16_batched, "batches of up to 16 x 16")                   \
  X(sm75_ffma_32x32x16_batched, "batches of up to 32 x 32")                   \
  X(sm75_ffma_64x64x16_triangle, "triangle of a small C")                     \
  X(sm75_ffma_128x128x16_triangle, "triangle of a medium C")                  \
  X(sm75_ffma_256x256x256_blocked_triangle, "triangle of a large C, by gemm") \
  X(sm75_mma_256x256x256_blocked_triangle, "the same of 16-bit inputs")       \
  X(sm75_ffma_64x64x16_symm, "symmetric times general")                       \
  X(sm75_ffma_32x32x32_mirrored_symm, "the same where large, by gemm")        \
  X(sm75_ffma_64x32x32_trmm_in_place, "triangle times matrix, in place")      \
  X(sm75_ffma_64x64x16_trmm, "the same from a copy")                          \
  X(sm75_ffma_256x256x256_blocked_trmm, "the same where large, by gemm")      \
  X(sm75_ffma_64x32x32_trsm, "triangular systems")                            \
  X(sm75_ffma_256x256x256_blocked_trsm, "the same where large, by gemm")      \
  X(sm90_dmma_512x16x16_trsm, "triangular systems, FP64 sums")                \
  X(sm75_ffma_64x64x16_widened, "FP32 units, small C")                        \
  X(sm75_ffma_128x128x16_widened, "FP32 units, large C")                      \
  X(sm75_wmma_16x16x16_warp, "16-bit ladder, step 1")                         \
  X(sm75_wmma_128x128x32_staged, "sm_75, any alignment, pointers")            \
  X(sm80_wmma_256x128x32_multistage, "large C")                               \
  X(sm90_wgmma_256x128x64, "large C")                                         \
  X(sm90_wgmma_256x128x64_triangle, "triangle of a large C")                  \
  X(sm90_wgmma_256x128x64_grouped, "groups of products, one launch")          \
  X(sm90_wgmma_128x128x64_grouped, "the same of medium sizes")                \
  X(sm90_wgmma_64x128x64_grouped, "the same of few rows or columns")          \
  X(sm80_mma_128x128x32_multistage, "large C")                                \
  X(sm80_mma_256x128x64_multistage, "very large C")                           \
  X(sm80_mma_128x64x64_multistage, "medium C")                                \
  X(sm80_mma_128x64x64_unaligned, "any alignment")                            \
  X(sm80_mma_64x64x64_unaligned, "any alignment, medium C")                   \
  X(sm80_mma_32x32x128_unaligned, "any alignment, small C")                   \
  X(sm80_wmma_128x128x16_multistage, "any operands")                          \
  X(sm80_mma_256x128x32_multistage, "K-major operands")                       \
  X(sm90_wgmma_256x128x32_packed, "large C, operands rounded first")          \
  X(sm90_wgmma_64x128x32_packed, "medium C, operands rounded first")          \
  X(sm80_mma_256x128x32_packed, "large C, operands rounded first")            \
  X(sm80_mma_128x64x32_packed, "medium C, operands rounded first")            \
  X(sm80_mma_64x64x64_bf16_packed, "operands rounded first")                  \
  X(sm75_mma_64x64x64_fp16_packed, "operands rounded first")                  \
  X(sm75_mma_64x64x64_packed, "operands copied first to align them")          \
  X(sm90_wgmma_128x256x32_bf16x6, "FP32's error by six products")             \
  X(sm90_wgmma_128x256x32_fp16x3, "FP32's error by three products")           \
  X(sm80_mma_128x64x32_bf16x6, "FP32's error by six products")                \
  X(sm80_mma_128x64x32_fp16x3, "FP32's error by three products")              \
  X(sm90_dmma_64x128x32_multistage, "large C")                                \
  X(sm90_dmma_64x64x32_multistage, "medium C")                                \
  X(sm90_dmma_32x128x32_multistage, "C of few rows")                          \
  X(sm90_dmma_128x32x32_multistage, "C of few columns")                       \
  X(sm90_dmma_32x32x64_multistage, "small C")                                 \
  X(sm80_dmma_64x64x32_multistage, "medium and large C")                      \
  X(sm80_dmma_32x32x64_multistage, "small C")                                 \
  X(sm90_dmma_64x64x32_triangle, "triangle of a large C")                     \
  X(sm90_dmma_32x32x64_triangle, "triangle of a small C")                     \
  X(sm90_dmma_64x64x32_trmm, "triangle times matrix, from a copy")            \
  X(sm90_dmma_32x32x64_trmm, "the same where small")                          \
  X(sm90_dmma_32x32x64_symm, "symmetric times general, small")                \
  X(sm80_dmma_64x64x32_triangle, "triangle of a large C")                     \
  X(sm80_dmma_32x32x64_triangle, "triangle of a small C")                     \
  X(sm75_dfma_64x64x16_chains, "FP64 units, promised order of sums")          \
  X(sm90_dmma_64x64x32_grouped, "groups of products, one launch")             \
  X(sm90_dmma_32x32x64_grouped, "the same of few rows or columns")            \
  X(sm90_wgmma_128x256x32_fp16x3_conv, "convolutions, three products")        \
  X(sm90_wgmma_128x256x32_bf16x6_conv, "convolutions, six products")          \
  X(sm90_wgmma_128x256x64_fp16_conv, "convolutions, rounded to fp16")         \
  X(sm90_wgmma_128x256x64_bf16_conv, "convolutions, rounded to bf16")         \
  X(sm90_wgmma_128x256x32_tf32_conv, "convolutions, rounded to TF32")         \
  X(sm90_wgmma_128x256x32_fp16x3_weights, "weight gradients, three products") \
  X(sm90_wgmma_128x256x32_bf16x6_weights, "weight gradients, six products")   \
  X(sm90_wgmma_128x256x64_fp16_weights, "weight gradients, rounded to fp16")  \
  X(sm90_wgmma_128x256x64_bf16_weights, "weight gradients, rounded to bf16")  \
  X(sm90_dmma_64x64x32_conv, "convolutions")                                  \
  X(sm90_dmma_32x128x32_conv, "convolutions of few rows of C")                \
  X(sm90_dmma_128x32x32_conv, "convolutions of few columns of C")             \
  X(sm90_dmma_32x32x64_conv, "small convolutions")                            \
  X(sm80_dmma_64x64x32_conv, "convolutions")                                  \
  X(sm80_dmma_32x32x64_conv, "small convolutions")                            \
  X(sm75_ffma_128x64x16_conv, "convolutions, without FP64")                   \
  X(sm75_ffma_64x64x16_conv, "smaller ones, without FP64")                    \
  X(sm75_ffma_16x64x4_narrow_conv, "convolutions to few channels")            \
  X(sm75_ffma_4x1x4_depthwise, "depthwise convolutions")                      \
  X(sm75_ffma_4x1x4_depthwise_weights, "their weight gradient")
