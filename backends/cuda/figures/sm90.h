// What bench/fit.py found for sm_90, of 180 random shapes with cold operands on an H200 (docs/decision.md).
#pragma once
// clang-format off

// X(row, peak_fraction, stall, steps, latency), of Figures in gpu/cost.h.
#define LIBSGEMM_FIGURES_SM90(X) \
  X(sm75_ffma_128x128x8_double_buffered, 0.698, 1.76, 18, 0.14e-6) \
  X(sm75_ffma_32x32x16_double_buffered, 0.452, 0.8, 16, 0.33e-6) \
  X(sm75_ffma_64x64x8_double_buffered, 0.6, 0.62, 18, 0.43e-6) \
  X(sm75_ffma_64x64x8_split_k, 0.563, 1.35, 12, 0.33e-6) \
  X(sm80_ffma_128x64x16_multistage, 0.833, 0.31, 16, 1.0e-6) \
  X(sm80_ffma_128x64x16_split_k, 0.785, 0.53, 16, 1.8e-6) \
  X(sm80_ffma_32x32x32_multistage, 0.439, 0.04, 4, 0.14e-6) \
  X(sm80_ffma_64x64x16_multistage, 0.731, 0.19, 14, 0.14e-6) \
  X(sm80_ffma_64x64x16_split_k, 0.7, 0.19, 9, 1.1e-6) \
  X(sm90_dmma_128x32x32_multistage, 0.88, 0.69, 44, 0.58e-6) \
  X(sm90_dmma_128x32x32_split_k, 0.74, 0.69, 24, 0.22e-6) \
  X(sm90_dmma_32x128x32_multistage, 0.88, 0.69, 44, 0.58e-6) \
  X(sm90_dmma_32x128x32_split_k, 0.74, 0.69, 24, 0.22e-6) \
  X(sm90_dmma_32x32x64_multistage, 0.716, 0.9, 49, 0.14e-6) \
  X(sm90_dmma_32x32x64_split_k, 0.65, 0.9, 36, 0.14e-6) \
  X(sm90_dmma_64x128x32_multistage, 0.886, 0.53, 32, 1.65e-6) \
  X(sm90_dmma_64x128x32_split_k, 0.811, 0.53, 12, 0.14e-6) \
  X(sm90_dmma_64x64x32_multistage, 0.91, 0.69, 32, 0.58e-6) \
  X(sm90_dmma_64x64x32_split_k, 0.791, 0.69, 24, 0.22e-6)

// X(row, measured / predicted).
#define LIBSGEMM_SHARES_SM90(X) \
  X(sm75_ffma_128x32x16_tall, 1.3) \
  X(sm75_ffma_128x64x16_thin, 1.13) \
  X(sm75_ffma_32x16x32_skinny, 1.36) \
  X(sm75_ffma_32x4x32_skinny, 1.0) \
  X(sm75_ffma_32x8x32_skinny, 1.0) \
  X(sm75_ffma_64x48x16_tall, 1.03) \
  X(sm75_ffma_64x48x32_thin, 1.1) \
  X(sm80_ffma_256x64x16_thin, 1.0) \
  X(stream_k, 1.06) \
  X(stream_k_in_slices, 0.97) \
  X(sliced_k, 1.07)
