#include "stream_k.cuh"
#include <cuda.h>
#ifndef UN
#define UN 8
#endif
#ifndef MR
#define MR 192
#endif
#ifndef STG
#define STG 8
#endif
namespace libsgemm::cuda {
struct Config {
  static constexpr int tile_m = 256, tile_n = 128, tile_k = 16, stages = STG, unroll = UN, multipliers = 256;
  static constexpr int boxes_m = 2, boxes_n = 1; static constexpr int multiplier_registers = MR, copier_registers = 40;
  static constexpr unsigned box_bytes = 128 * 16 * 4, stage_bytes = 3 * box_bytes;
};
}
using namespace libsgemm::cuda;
extern "C" __device__ int k_config[8] = {256, 128, Config::stages * Config::stage_bytes, 384, 1, 1};
extern "C" __global__ void __launch_bounds__(384, 1) k1(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const __grid_constant__ StreamKProblem p) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  stream_k<Config>(p, &a, &b);
#endif
}
