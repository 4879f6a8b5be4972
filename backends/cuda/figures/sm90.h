// Written by bench/fit.py, of 710 random products with cold operands on an H200 (docs/decision.md): seeds 8, 9, 11 and
// 12; from figures fitted to 530 others before, which it stays near.
#pragma once
// clang-format off

// X(row, peak_fraction, stall, steps, latency), of Figures in gpu/cost.h.
#define LIBSGEMM_FIGURES_SM90(X) \
  X(sm75_ffma_128x128x8_double_buffered, 0.6913, 1.997, 15.9, 1.399e-07) \
  X(sm75_ffma_32x32x16_double_buffered, 0.4719, 1.058, 21.82, 3.805e-07) \
  X(sm75_ffma_64x64x8_double_buffered, 0.6044, 0.7289, 18.63, 4.69e-07) \
  X(sm75_ffma_64x64x8_split_k, 0.5577, 1.673, 17.42, 3.858e-07) \
  X(sm80_ffma_128x64x16_multistage, 0.8134, 0.3027, 10.38, 8.596e-07) \
  X(sm80_ffma_128x64x16_split_k, 0.784, 0.5069, 15.49, 1.683e-06) \
  X(sm80_ffma_32x32x32_multistage, 0.3969, 0.04441, 5.056, 1.206e-07) \
  X(sm80_ffma_64x64x16_multistage, 0.7377, 0.1752, 10.23, 1.281e-07) \
  X(sm80_ffma_64x64x16_split_k, 0.6982, 0.1719, 9.652, 1.187e-06) \
  X(sm90_dmma_128x32x32_multistage, 0.8767, 0.7587, 22.63, 4.644e-07) \
  X(sm90_dmma_128x32x32_split_k, 0.8081, 0.7558, 25.61, 2.219e-07) \
  X(sm90_dmma_32x128x32_multistage, 0.8923, 0.7239, 20.47, 4.564e-07) \
  X(sm90_dmma_32x128x32_split_k, 0.7967, 0.8658, 28.05, 2.267e-07) \
  X(sm90_dmma_32x32x64_multistage, 0.7257, 0.748, 41.42, 1.172e-07) \
  X(sm90_dmma_32x32x64_split_k, 0.6743, 1.152, 58.37, 1.717e-07) \
  X(sm90_dmma_64x128x32_multistage, 0.8972, 0.5306, 20.69, 1.14e-06) \
  X(sm90_dmma_64x128x32_split_k, 0.7952, 0.6531, 14.22, 1.445e-07) \
  X(sm90_dmma_64x64x32_multistage, 0.9492, 1.049, 18.49, 4.113e-07) \
  X(sm90_dmma_64x64x32_split_k, 0.841, 0.7169, 17.99, 1.931e-07)

// X(row, measured / predicted).
#define LIBSGEMM_SHARES_SM90(X) \
  X(sm75_ffma_128x32x16_tall, 1.248) \
  X(sm75_ffma_128x64x16_thin, 1.114) \
  X(sm75_ffma_32x16x32_skinny, 1.422) \
  X(sm75_ffma_32x4x32_skinny, 1) \
  X(sm75_ffma_32x8x32_skinny, 1) \
  X(sm75_ffma_64x48x16_tall, 1.023) \
  X(sm75_ffma_64x48x32_thin, 1.075) \
  X(sm80_ffma_256x64x16_thin, 1.032) \
  X(stream_k, 1.026) \
  X(stream_k_in_slices, 0.971) \
  X(sliced_k, 1.056)
