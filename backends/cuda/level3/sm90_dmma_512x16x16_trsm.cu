// Triangular systems, with FP64 sums on the FP64 tensor cores of an H100 or H200. A block solves a triangle of order
// 512 at most (solve_panel.cuh). Larger triangles are halved (gpu/level3/blocked.h), with gemms in FP64 mode between
// the halves. Why, and figures: docs/kernels/level3.md.
//
// Requires: trsm; sm_90. With less than 142208 bytes of shared memory a block solves orders up to 256.
#include <algorithm>
#include <cmath>

#include "fp64/dmma.cuh"
#include "gpu/aligned.h"
#include "gpu/level3/blocked.h"
#include "runtime/device.h"
#include "solve_panel.cuh"

namespace libsgemm::cuda {
namespace {

using namespace level3;

using Small = SolveConfig<8, 2>;
using Large = SolveConfig<16, 1>;

template <class Config, bool AlongDepth, bool Vectors>
__global__ void __launch_bounds__(Config::kThreads, resident_blocks(Config::kResident))
    sm90_dmma_512x16x16_trsm_kernel(const __grid_constant__ StridedOperands operands,
                                    const __grid_constant__ PanelProblem problem) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  // Arrays of pointers are not used, so the compiler knows that these point to global memory.
  const char *t = operands.a_base + blockIdx.y * operands.a_bytes;
  float *x = operands.c_base + blockIdx.y * operands.c_elements;
  PanelSolver<Config, AlongDepth, Vectors>(reinterpret_cast<const float *>(t), x, problem).solve();
#endif
}

using SolveKernel = void (*)(StridedOperands, PanelProblem);

template <class Config>
SolveKernel kernel_for(bool along_depth, bool vectors) {
  if (along_depth) {
    return vectors ? sm90_dmma_512x16x16_trsm_kernel<Config, true, true>
                   : sm90_dmma_512x16x16_trsm_kernel<Config, true, false>;
  }
  return vectors ? sm90_dmma_512x16x16_trsm_kernel<Config, false, true>
                 : sm90_dmma_512x16x16_trsm_kernel<Config, false, false>;
}

constexpr int64_t kMostItems = 65535;  // products in a launch: gridDim.y
constexpr size_t kLargeBytes = solve_bytes(Large::kMostOrder / kSolveRows, Large::kWarps);

// The order that one launch solves. With many columns gemms use the tensor cores better, so it is smaller.
int64_t leaf_order(int64_t count, const Device &device) {
  return count <= 2048 && device.shared_memory_per_block >= kLargeBytes ? Large::kMostOrder : Small::kMostOrder;
}

libsgemm_status_t launch_leaf(const GemmDesc &desc, const Launch &launch, Error *error) {
  const PanelProblem problem = panel_problem(desc);
  const bool small = problem.order <= Small::kMostOrder;
  const bool along_depth = problem.t.depth == 1;
  const bool vectors = columns_aligned(desc.a, desc.lda) && (desc.batch == Batch::none || desc.stride_a % 4 == 0);
  const SolveKernel kernel = small ? kernel_for<Small>(along_depth, vectors) : kernel_for<Large>(along_depth, vectors);
  const int threads = small ? Small::kThreads : Large::kThreads;
  const int turns = static_cast<int>(ceil_div(problem.order, kSolveRows));
  const int64_t blocks = ceil_div(problem.count, kSolveColumns);
  return for_strided_chunks(desc, kMostItems, [&](const StridedOperands &operands, int64_t count) {
    return launch_kernel(kernel, dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(count)),
                         dim3(static_cast<unsigned>(threads)), static_cast<size_t>(solve_bytes(turns, threads / 32)),
                         launch, error, operands, problem);
  });
}

// H100, orders 256 and 512: clocks until the first X; from one turn's X to the next, with four instructions; of an
// instruction on a scheduler's tensor core.
constexpr double kStartClocks = 600, kTurnClocks = 1650, kInstructionClocks = 64;

double leaf_seconds(const GemmDesc &desc, int index) {
  const Device &device = cuda::device(index);
  const PanelProblem p = panel_problem(desc);
  const bool small = p.order <= Small::kMostOrder;
  const double turns = static_cast<double>(ceil_div(p.order, kSolveRows));
  const double batch = static_cast<double>(desc.batch_count), units = device.compute_units;
  const double blocks = static_cast<double>(ceil_div(p.count, kSolveColumns)) * batch;
  const double instruction = kInstructionClocks * 128 / device.fp64_tensor_per_clock;
  const double turn = kTurnClocks + 4 * (instruction - kInstructionClocks);
  // Clocks of a block: its sequence of turns, its tensor cores.
  const double chain = turns * turn, busy = turns * (turns + 1) * instruction / device.schedulers;
  const double resident = small ? Small::kResident : Large::kResident;
  const double waves = std::floor(blocks / (units * resident));
  const double last = std::ceil((blocks - waves * units * resident) / units);  // blocks of the busiest multiprocessor
  double clocks = waves * (kStartClocks + std::max(chain, resident * busy));
  if (last > 0) clocks += kStartClocks + std::max(chain, last * busy);
  const double order = static_cast<double>(p.order), count = static_cast<double>(p.count);
  const double bytes = 4 * batch * (0.5 * order * order + 2 * order * count);
  return kLaunchSeconds + overlapped(clocks / device.clock, memory_seconds(device, bytes));
}

Leaf leaf_of(const GemmDesc &desc, int index) {
  const int64_t count = panel_problem(desc).count * desc.batch_count;
  const Device &d = device(index);
  const double peak = static_cast<double>(d.fp64_tensor_per_clock) / d.fma_per_clock;
  return {leaf_order(count, d), LIBSGEMM_MATH_FP64, peak, launch_leaf, leaf_seconds};
}

bool supports(const GemmDesc &desc, int index) {
  return desc.routine == Routine::trsm && desc.batch != Batch::pointers &&
         device(index).code_arch >= M16n8k16::min_arch;
}

double cost(const GemmDesc &desc, int index) { return recursive_seconds(desc, index, leaf_of(desc, index)); }

libsgemm_status_t enqueue(const GemmDesc &desc, const Launch &launch, Error *error) {
  return launch_recursively(desc, launch, error, enqueue, leaf_of(desc, launch.device));
}

}  // namespace

KernelList sm90_dmma_512x16x16_trsm() {
  Kernel kernel = {"sm90_dmma_512x16x16_trsm", LIBSGEMM_MATH_FP64, prepare_fixed<supports, cost>, enqueue};
  kernel.in_steps = true;
  return kernel;
}

}  // namespace libsgemm::cuda
