// Written by bench/fit.py, of 530 random products with cold operands on an H200 (docs/decision.md): seeds 1, 2, 5, and
// 7 with sizes from 16 to 400. Of seeds 2 and 5, measured before, the rows without split of sm90_dmma with k below 500
// are left out.
#pragma once
// clang-format off

// X(row, peak_fraction, stall, steps, latency), of Figures in gpu/cost.h.
#define LIBSGEMM_FIGURES_SM90(X) \
  X(sm75_ffma_128x128x8_double_buffered, 0.7302, 2.143, 15.71, 1.412e-07) \
  X(sm75_ffma_32x32x16_double_buffered, 0.4333, 1.011, 20.42, 3.889e-07) \
  X(sm75_ffma_64x64x8_double_buffered, 0.5797, 0.7316, 18.4, 4.679e-07) \
  X(sm75_ffma_64x64x8_split_k, 0.5018, 1.484, 14.44, 3.569e-07) \
  X(sm80_ffma_128x64x16_multistage, 0.8228, 0.3225, 10.73, 8.731e-07) \
  X(sm80_ffma_128x64x16_split_k, 0.735, 0.525, 15.9, 1.772e-06) \
  X(sm80_ffma_32x32x32_multistage, 0.397, 0.04265, 4.945, 1.413e-07) \
  X(sm80_ffma_64x64x16_multistage, 0.7296, 0.1853, 13.06, 1.328e-07) \
  X(sm80_ffma_64x64x16_split_k, 0.6753, 0.1748, 9.036, 9.72e-07) \
  X(sm90_dmma_128x32x32_multistage, 0.8611, 0.7299, 36.99, 5.626e-07) \
  X(sm90_dmma_128x32x32_split_k, 0.7995, 0.7323, 24.57, 2.213e-07) \
  X(sm90_dmma_32x128x32_multistage, 0.8949, 0.6769, 36.95, 5.583e-07) \
  X(sm90_dmma_32x128x32_split_k, 0.7465, 0.7435, 23.76, 2.209e-07) \
  X(sm90_dmma_32x32x64_multistage, 0.7543, 0.9419, 40.33, 1.272e-07) \
  X(sm90_dmma_32x32x64_split_k, 0.6834, 0.9215, 35.06, 1.383e-07) \
  X(sm90_dmma_64x128x32_multistage, 0.888, 0.5359, 29.69, 1.557e-06) \
  X(sm90_dmma_64x128x32_split_k, 0.7797, 0.6064, 13.11, 1.426e-07) \
  X(sm90_dmma_64x64x32_multistage, 0.9355, 0.7784, 20.04, 4.497e-07) \
  X(sm90_dmma_64x64x32_split_k, 0.8637, 0.7313, 23.64, 2.208e-07)

// X(row, measured / predicted).
#define LIBSGEMM_SHARES_SM90(X) \
  X(sm75_ffma_128x32x16_tall, 1.236) \
  X(sm75_ffma_128x64x16_thin, 1.134) \
  X(sm75_ffma_32x16x32_skinny, 1.66) \
  X(sm75_ffma_32x4x32_skinny, 1) \
  X(sm75_ffma_32x8x32_skinny, 1) \
  X(sm75_ffma_64x48x16_tall, 1.057) \
  X(sm75_ffma_64x48x32_thin, 1.159) \
  X(sm80_ffma_256x64x16_thin, 1.036) \
  X(stream_k, 1.059) \
  X(stream_k_in_slices, 1.012) \
  X(sliced_k, 1.172)
