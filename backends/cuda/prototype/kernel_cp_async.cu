#include <cuda_runtime.h>
#include <cstdint>
#ifndef BK
#define BK 16
#endif
#ifndef ORDER
#define ORDER 0
#endif
#ifndef STAGES
#define STAGES (BK == 16 ? 6 : BK == 8 ? 12 : 4)
#endif
constexpr int BM = 256, BN = 128;
constexpr int P = BM + BN + 4;
constexpr int LDA_S = P, LDB_S = P;
constexpr int STAGE_FLOATS = BK * P;
#ifndef UN
#define UN 4
#endif
constexpr int STAGE_BYTES = STAGE_FLOATS * 4;
extern "C" __device__ int k_config[8] = {BM, BN, STAGES * STAGE_BYTES, 384, 1};
struct Operand { const float *p; int64_t ld; int mode; };  // 0 nat16 1 nat4 2 trans4
struct Args { int m, n, k; float alpha, beta; Operand a, b; float *c; int64_t ldc; int tiles_m, tiles_n; int cvec; };

__device__ __forceinline__ uint32_t sptr(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void mb_init(uint32_t b, int n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(n)); }
__device__ __forceinline__ bool mb_try(uint32_t b, int phase) {
  uint32_t ok;
  asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(ok) : "r"(b), "r"(phase) : "memory");
  return ok;
}
__device__ __forceinline__ void mb_wait(uint32_t b, int phase) { while (!mb_try(b, phase)) {} }
__device__ __forceinline__ void mb_arrive(uint32_t b) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b) : "memory"); }
__device__ __forceinline__ void mb_arrive_cpasync(uint32_t b) { asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(b) : "memory"); }
__device__ __forceinline__ void cp16(uint32_t d, const void *s, int n) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(d), "l"(s), "r"(n)); }
__device__ __forceinline__ void cp4(uint32_t d, const void *s, int n) { asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(d), "l"(s), "r"(n)); }
__device__ __forceinline__ float4 lds128(uint32_t a) {
  float4 v;
  asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(a));
  return v;
}

// producer state for one operand of EXT elements extent
template <int EXT, int LDS_>
struct Loader {
  const char *p; int64_t step; int valid; int m_left;
  __device__ void begin(const Operand &o, int64_t m0, int64_t mtotal, int64_t k0, int t) {
    if (o.mode == 0) {
      int c = t % (EXT / 4), r = t / (EXT / 4);
      int64_t left = mtotal - m0 - c * 4;
      valid = left >= 4 ? 16 : left > 0 ? (int)left * 4 : 0;
      p = (const char *)(o.p + (valid ? m0 + c * 4 : 0) + (k0 + r) * o.ld);
      step = (128 / (EXT / 4)) * o.ld * 4;
    } else if (o.mode == 1) {
      m_left = (int)min((int64_t)EXT, mtotal - m0) - t;
      p = (const char *)(o.p + m0 + (m_left > 0 ? t : 0) + k0 * o.ld);
      step = o.ld * 4;
    } else {
      int kk = t % 8, mm = t / 8;
      m_left = (int)min((int64_t)EXT, mtotal - m0) - mm;
      p = (const char *)(o.p + (m0 + (m_left > 0 ? mm : 0)) * o.ld + k0 + kk);
      step = 16 * o.ld * 4;
    }
  }
  // kleft: rows of k still valid in this k tile
  __device__ void load(const Operand &o, uint32_t dst, int kleft, int t) {
    if (o.mode == 0) {
      constexpr int R = 128 / (EXT / 4);
      int c = t % (EXT / 4), r = t / (EXT / 4);
      dst += (r * LDS_ + c * 4) * 4;
      if (kleft >= BK) {
#pragma unroll
        for (int i = 0; i < BK / R; ++i) { cp16(dst + i * R * LDS_ * 4, p, valid); p += step; }
      } else {
#pragma unroll
        for (int i = 0; i < BK / R; ++i) { bool ok = r + i * R < kleft; cp16(dst + i * R * LDS_ * 4, ok ? p : (const char*)o.p, ok ? valid : 0); p += step; }
      }
    } else if (o.mode == 1) {
      dst += t * 4;
      if (kleft >= BK) {
#pragma unroll
        for (int i = 0; i < BK; ++i) {
#pragma unroll
          for (int j = 0; j < EXT / 128; ++j) cp4(dst + (i * LDS_ + 128 * j) * 4, m_left > 128 * j ? p + 512 * j : p, m_left > 128 * j ? 4 : 0);
          p += step;
        }
      } else {
#pragma unroll
        for (int i = 0; i < BK; ++i) {
#pragma unroll
          for (int j = 0; j < EXT / 128; ++j) { bool ok = i < kleft && m_left > 128 * j; cp4(dst + (i * LDS_ + 128 * j) * 4, ok ? p + 512 * j : (const char*)o.p, ok ? 4 : 0); }
          p += step;
        }
      }
    } else {
      int kk = t % 8, mm = t / 8;
      dst += (kk * LDS_ + mm) * 4;
      const char *q = p;
      if (kleft >= BK && m_left > EXT - 16) {
#pragma unroll
        for (int i = 0; i < EXT / 16; ++i) {
#pragma unroll
          for (int h = 0; h < BK / 8; ++h) cp4(dst + (h * 8 * LDS_ + i * 16) * 4, q + h * 32, 4);
          q += step;
        }
      } else {
#pragma unroll
        for (int i = 0; i < EXT / 16; ++i) {
#pragma unroll
          for (int h = 0; h < BK / 8; ++h) { bool ok = kk + 8 * h < kleft && m_left > i * 16; cp4(dst + (h * 8 * LDS_ + i * 16) * 4, ok ? q + h * 32 : (const char*)o.p, ok ? 4 : 0); }
          q += step;
        }
      }
      p += BK * 4;
    }
  }
};

__device__ __forceinline__ void tile_of(const Args &g, int t, int &tm, int &tn) {
  constexpr int GROUP = 8;
  int per = GROUP * g.tiles_n;
  int gr = t / per, r = t % per;
  int first = gr * GROUP, h = min(g.tiles_m - first, GROUP);
  tm = first + r % h; tn = r / h;
}

extern "C" __global__ void __launch_bounds__(384, 1) k1(const __grid_constant__ Args g) {
  extern __shared__ __align__(128) float smem[];
  __shared__ __align__(8) uint64_t bars[2 * STAGES];
  const uint32_t full = sptr(bars), empty = full + 8 * STAGES, s0 = sptr(smem);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; ++i) { mb_init(full + 8 * i, 128); mb_init(empty + 8 * i, 8); }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  const int ktiles = (g.k + BK - 1) / BK, tiles = g.tiles_m * g.tiles_n;
  if (warp >= 8) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    const int t = threadIdx.x - 256;
    int stage = 0, phase = 1;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      int tm, tn; tile_of(g, tile, tm, tn);
      Loader<BM, LDA_S> la; Loader<BN, LDB_S> lb;
      la.begin(g.a, (int64_t)tm * BM, g.m, 0, t);
      lb.begin(g.b, (int64_t)tn * BN, g.n, 0, t);
#pragma unroll 1
      for (int kt = 0; kt < ktiles; ++kt) {
        mb_wait(empty + 8 * stage, stage == STAGES - 1 ? phase ^ 1 : phase);
        uint32_t d = s0 + stage * STAGE_BYTES;
#ifndef NOLOAD
        la.load(g.a, d, g.k - kt * BK, t);
        lb.load(g.b, d + BM * 4, g.k - kt * BK, t);
#endif
        mb_arrive_cpasync(full + 8 * stage);
        if (++stage == STAGES) { stage = 0; phase ^= 1; }
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int wm = warp % 4, wn = warp / 4;
    const int r = lane / 2 % 4, cc = 2 * (lane / 8) + lane % 2;
    const uint32_t aoff = (wm * 64 + r * 4) * 4, boff = (BM + wn * 64 + cc * 4) * 4;
    uint32_t abase = s0 + aoff, bbase = s0 + boff;
#ifdef OPAQUE
    asm volatile("mov.b32 %0, %0;" : "+r"(abase));
    asm volatile("mov.b32 %0, %0;" : "+r"(bbase));
    uint32_t fullr = full, emptyr = empty; 
    asm volatile("mov.b32 %0, %0;" : "+r"(fullr));
#else
    const uint32_t fullr = full, emptyr = empty;
#endif
    int stage = 0, phase = 0;
    float af[2][16], bf[2][8];
    auto loada = [&](int set, uint32_t base, int kk) {
#pragma unroll
      for (int q = 0; q < 4; ++q) *(float4 *)&af[set][4 * q] = lds128(base + abase + (kk * LDA_S + 16 * q) * 4);
    };
    auto loadb = [&](int set, uint32_t base, int kk) {
#pragma unroll
      for (int q = 0; q < 2; ++q) *(float4 *)&bf[set][4 * q] = lds128(base + bbase + (kk * LDB_S + 32 * q) * 4);
    };
    // group: UN k-steps. cur: offset of this group in shared memory, next: of the next one
    uint32_t cur = 0;
    int left = 0;  // stages still to be entered
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) left += ktiles;
    if (left) mb_wait(fullr, 0);
    loadb(0, 0, 0); loada(0, 0, 0);
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      float acc[16][8];
#pragma unroll
      for (int i = 0; i < 16; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) acc[i][j] = 0.f;
      int groups = ktiles * (BK / UN);
#pragma unroll 1
      do {
        --groups;
        uint32_t next = cur + UN * P * 4;
        if (groups % (BK / UN) == 0) {
          // last group of the stage: the one before it in the ring is no longer read by this warp
          if (lane == 0) mb_arrive(fullr + 8 * STAGES + 8 * (stage == 0 ? STAGES - 1 : stage - 1));
          ++stage; next = stage * STAGE_BYTES;
          if (stage == STAGES) { stage = 0; phase ^= 1; next = 0; }
          --left;
          if (left) mb_wait(fullr + 8 * stage, phase);
        }
#pragma unroll
        for (int kk = 0; kk < UN; ++kk) {
          const int s = kk & 1;
          if (kk == UN - 1) { loadb(s ^ 1, next, 0); loada(s ^ 1, next, 0); }
          else { loadb(s ^ 1, cur, kk + 1); loada(s ^ 1, cur, kk + 1); }
#pragma unroll
          for (int i = 0; i < 16; ++i)
#pragma unroll
            for (int jj = 0; jj < 8; ++jj) {
#if ORDER == 0
              int j = (i & 1) ? 7 - jj : jj; int i2 = i;
#else
              int q = i * 8 + jj; int j = q / 16; int i2 = (j & 1) ? 15 - q % 16 : q % 16;
#endif
              acc[i2][j] = fmaf(af[s][i2], bf[s][j], acc[i2][j]);
            }
        }
        cur = next;
      } while (groups);
#ifdef STEER
#pragma unroll
      for (int i = 0; i < STEER; ++i) asm volatile("pmevent 1;");
#endif
#pragma unroll
      for (int i = 0; i < 16; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) asm volatile("mul.rn.f32 %0, %0, %1;" : "+f"(acc[i][j]) : "f"(g.alpha));
      int tm, tn; tile_of(g, tile, tm, tn);
      const int64_t m0 = (int64_t)tm * BM + wm * 64 + r * 4, n0 = (int64_t)tn * BN + wn * 64 + cc * 4;
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        int64_t col = n0 + j % 4 + (j / 4) * 32;
        if (col >= g.n) continue;
        float *c = g.c + col * g.ldc;
#pragma unroll
        for (int q = 0; q < 4; ++q) {
          int64_t row = m0 + 16 * q;
          if (g.cvec && row + 3 < g.m) {
            float4 v = make_float4(acc[4 * q][j], acc[4 * q + 1][j], acc[4 * q + 2][j], acc[4 * q + 3][j]);
            if (g.beta != 0.f) { float4 o = *(float4 *)(c + row); v.x += g.beta * o.x; v.y += g.beta * o.y; v.z += g.beta * o.z; v.w += g.beta * o.w; }
            *(float4 *)(c + row) = v;
          } else {
#pragma unroll
            for (int e = 0; e < 4; ++e)
              if (row + e < g.m) {
                float v = acc[4 * q + e][j];
                if (g.beta != 0.f) v += g.beta * c[row + e];
                c[row + e] = v;
              }
          }
        }
      }
    }
  }
}
