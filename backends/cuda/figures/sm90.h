// Written by bench/model/fit.py, from times of random products with cold operands (docs/kernels/cost-model.md). FP32
// kernels: 710 products on an H200, seeds 8, 9, 11 and 12; the fit held them near earlier figures, from 530 other
// products. Kernels of 16-bit inputs: 640 products of shgemm on an H100, seeds 41 to 44 and 61 to 63. The sm80_mma
// kernels are fitted to the errors of predicted times alone, of 435 products.
#pragma once
// clang-format off

// X(kernel, peak_fraction, stall, steps, latency), of Figures in gpu/cost.h.
#define LIBSGEMM_FIGURES_SM90(X) \
  X(sm75_ffma_128x128x8_double_buffered, 0.7379, 1.911, 15.61, 1.391e-07) \
  X(sm75_ffma_32x32x16_double_buffered, 0.5004, 1.08, 21.85, 3.551e-07) \
  X(sm75_ffma_64x64x8_double_buffered, 0.6387, 0.7284, 18.18, 4.568e-07) \
  X(sm75_ffma_64x64x8_split_k, 0.5985, 1.78, 19.33, 4.011e-07) \
  X(sm75_wmma_128x128x32_staged, 0.2147, 0.8289, 10.68, 1.432e-06) \
  X(sm80_ffma_128x64x16_multistage, 0.8117, 0.2872, 10.14, 8.51e-07) \
  X(sm80_ffma_128x64x16_split_k, 0.7824, 0.4947, 15.28, 1.634e-06) \
  X(sm80_ffma_32x32x32_multistage, 0.3969, 0.04638, 5.158, 1.055e-07) \
  X(sm80_ffma_64x64x16_multistage, 0.7291, 0.1686, 9.455, 1.253e-07) \
  X(sm80_ffma_64x64x16_split_k, 0.7025, 0.1672, 10.08, 1.333e-06) \
  X(sm80_mma_128x128x32_multistage, 0.6034, 0.05869, 19.79, 1.942e-06) \
  X(sm80_mma_128x128x32_split_k, 0.5601, 0.04998, 15.67, 1.476e-06) \
  X(sm80_mma_128x64x64_multistage, 0.4603, 0.05035, 20.9, 7.733e-08) \
  X(sm80_mma_128x64x64_unaligned, 0.301, 0.05864, 14.56, 1.232e-07) \
  X(sm80_mma_256x128x64_multistage, 0.7306, 0.04998, 22.39, 1.462e-06) \
  X(sm80_mma_32x32x128_unaligned, 0.08606, 3.076, 7.124, 1.067e-08) \
  X(sm80_mma_32x32x128_unaligned_split_k, 0.05, 0.06126, 1.259, 1.686e-07) \
  X(sm80_mma_64x64x64_unaligned, 0.1568, 3.177, 7.84, 1.507e-08) \
  X(sm80_mma_64x64x64_unaligned_split_k, 0.1379, 1.218, 1.955, 1.209e-07) \
  X(sm80_wmma_256x128x32_multistage, 0.5856, 0.05, 22.11, 1.536e-06) \
  X(sm80_wmma_256x128x32_split_k, 0.5734, 0.04999, 16.54, 1.522e-06) \
  X(sm90_dmma_128x32x32_multistage, 0.8713, 0.806, 20.26, 4.228e-07) \
  X(sm90_dmma_128x32x32_split_k, 0.8106, 0.7883, 27.13, 2.242e-07) \
  X(sm90_dmma_32x128x32_multistage, 0.885, 0.7818, 17.97, 4.174e-07) \
  X(sm90_dmma_32x128x32_split_k, 0.8024, 0.9509, 31.35, 2.299e-07) \
  X(sm90_dmma_32x32x64_multistage, 0.72, 0.7012, 41.18, 1.107e-07) \
  X(sm90_dmma_32x32x64_split_k, 0.6958, 1.16, 75.75, 1.981e-07) \
  X(sm90_dmma_64x128x32_multistage, 0.8883, 0.5387, 18.68, 9.642e-07) \
  X(sm90_dmma_64x128x32_split_k, 0.7972, 0.6933, 15.24, 1.46e-07) \
  X(sm90_dmma_64x64x32_multistage, 0.9495, 1.195, 18.05, 3.807e-07) \
  X(sm90_dmma_64x64x32_split_k, 0.8348, 0.7598, 14.79, 1.711e-07) \
  X(sm90_wgmma_128x128x64_grouped, 0.6395, 0.05001, 2.856, 3.724e-07) \
  X(sm90_wgmma_256x128x32_packed, 0.37, 0.05, 13, 5e-07) \
  X(sm90_wgmma_256x128x64_grouped, 0.832, 0.05005, 16.64, 4.702e-07) \
  X(sm90_wgmma_64x128x32_packed, 0.23, 0.05, 10, 3e-07) \
  X(sm90_wgmma_64x128x64_grouped, 0.513, 0.05005, 12.53, 1.89e-07) \

// X(kernel, measured / predicted).
#define LIBSGEMM_SHARES_SM90(X) \
  X(sm75_ffma_128x32x16_tall, 1.249) \
  X(sm75_ffma_128x64x16_thin, 1.113) \
  X(sm75_ffma_32x16x32_skinny, 1.42) \
  X(sm75_ffma_32x4x32_skinny, 1) \
  X(sm75_ffma_32x8x32_skinny, 1) \
  X(sm75_ffma_64x48x16_tall, 1.019) \
  X(sm75_ffma_64x48x32_thin, 1.075) \
  X(sm80_ffma_256x64x16_thin, 1.029) \
  X(stream_k, 1.028) \
  X(stream_k_in_slices, 0.9725) \
  X(sliced_k, 1.057)
