// Assumed model parameters. bench/model/fit.py writes such a file for a measured chip (docs/kernels/cost-model.md).
#pragma once

// X(kernel, peak_fraction, stall, steps, latency): see Figures in gpu/cost.h. peak_fraction: share of what LDS and the
// compute unit's cache leave (share_of_peak()).
#define LIBSGEMM_FIGURES_ASSUMED(X)                         \
  X(gfx_fma_128x128x8_ping_pong, 0.9, 0.8, 16, 1.5e-6)      \
  X(gfx_fma_256x128x8_ping_pong, 0.9, 0.8, 16, 1.5e-6)      \
  X(gfx_fma_64x64x8_ping_pong, 0.9, 0.8, 16, 1.5e-6)        \
  X(gfx_fma_128x128x8_widened, 0.9, 0.8, 16, 1.5e-6)        \
  X(gfx908_mfma_128x128x16_ping_pong, 0.9, 0.1, 16, 1.5e-6) \
  X(gfx908_mfma_128x128x32_widened, 0.85, 0.1, 16, 1.5e-6)  \
  X(gfx942_mfma_256x256x32_widened, 0.85, 0.1, 16, 1.5e-6)  \
  X(gfx11_wmma_128x128x32_widened, 0.65, 0.1, 16, 1.5e-6)   \
  X(gfx942_mfma_128x128x16_xf32, 0.85, 0.1, 16, 1.5e-6)     \
  X(gfx942_mfma_256x128x8_xf32, 0.85, 0.1, 16, 1.5e-6)      \
  X(gfx90a_dmfma_128x128x8_ping_pong, 0.85, 0.1, 16, 1.5e-6)
