// Host side of the kernels built on stream_k.cuh.
#pragma once

#include "contract/backend.h"
#include "gpu/kernels.h"
#include "stream_k.h"

namespace libsgemm::cuda {

struct StreamKPlan {
  bool swapped;  // the kernel's rows run along n
  bool along_k;  // the operand with the rows takes Route::along_k
  int blocks;
  size_t workspace;  // bytes
  double seconds;
  StreamKProblem problem;  // without its pointers
};

// Requires a supported product.
StreamKPlan stream_k_plan(const GemmDesc &desc, Sharing sharing, int device);

// The largest workspace that any product needs with Sharing::stream.
size_t stream_k_most_workspace(int device);

inline int tiles_along(int64_t size, int tile) { return static_cast<int>((size - 1) / tile + 1); }

// True if the call meets what all kernels with TMA require.
bool tma_supports(const GemmDesc &desc, int device);

bool stream_k_supports(const GemmDesc &desc, Sharing sharing, int device);

struct StreamKKernel {
  using Function = void (*)(StreamKOperands, StreamKProblem);
  Function instances[2][2];  // [along_k][swapped]
};

const StreamKKernel &stream_k_kernel();

libsgemm_status_t launch_stream_k(const GemmDesc &desc, const StreamKPlan &plan, const StreamKKernel &kernel,
                                  const Launch &launch, Error *error);

StreamKProblem stream_k_problem(const GemmDesc &desc, const StreamKPlan &plan, const Launch &launch);

template <Sharing kSharing>
Kernel stream_k_entry(const char *name, libsgemm_status_t (*launch)(const GemmDesc &, const Launch &, Error *)) {
  return {name, LIBSGEMM_MATH_FP32,
          [](const GemmDesc &desc, int device) -> Plan {
            if (!stream_k_supports(desc, kSharing, device)) return {};
            const StreamKPlan plan = stream_k_plan(desc, kSharing, device);
            return planned(plan.seconds, plan.workspace);
          },
          launch};
}

}  // namespace libsgemm::cuda
