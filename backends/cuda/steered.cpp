// Kernels whose machine code the build has changed. Each file of machine code is embedded; an empty one stands for
// kernels that could not be steered.
#include "steered.h"

#include <cuda_runtime.h>

#include "context.h"

#if defined(LIBSGEMM_CUDA_STEERED)
#define LIBSGEMM_EMBED(row)                                                                                   \
  asm(".pushsection .rodata\n"                                                                                \
      ".balign 16\n"                                                                                          \
      "libsgemm_cuda_" #row                                                                                   \
      ":\n"                                                                                                   \
      ".incbin \"" LIBSGEMM_CUDA_STEERED "/" #row                                                             \
      ".cubin\"\n"                                                                                            \
      "libsgemm_cuda_" #row                                                                                   \
      "_end:\n"                                                                                               \
      ".byte 0\n"                                                                                             \
      ".popsection");                                                                                         \
  extern "C" {                                                                                                \
  __attribute__((visibility("hidden"))) extern const char libsgemm_cuda_##row[], libsgemm_cuda_##row##_end[]; \
  }
LIBSGEMM_EMBED(sm90_ffma_256x128x16_stream_k)
LIBSGEMM_EMBED(sm90_ffma_256x128x16_cluster)
LIBSGEMM_EMBED(sm90_ffma_256x128x16_slices)
#endif

namespace libsgemm::cuda {

#if defined(LIBSGEMM_CUDA_STEERED)

bool has_steered_kernels() { return true; }

const void *steered_kernel(const char *name, const void *plain) {
#define LIBSGEMM_CODE(row) \
  { libsgemm_cuda_##row, libsgemm_cuda_##row##_end }
  static const struct {
    const char *begin, *end;
  } kFiles[] = {LIBSGEMM_CODE(sm90_ffma_256x128x16_stream_k), LIBSGEMM_CODE(sm90_ffma_256x128x16_cluster),
                LIBSGEMM_CODE(sm90_ffma_256x128x16_slices)};
  static constexpr int kCount = sizeof kFiles / sizeof *kFiles;
  // Never unloaded: work may be under way when the process ends.
  static const cudaLibrary_t *const libraries = [] {
    static cudaLibrary_t loaded[kCount] = {};
    const RelaxedCapture relaxed;
    for (int i = 0; i < kCount; ++i) {
      if (kFiles[i].begin == kFiles[i].end) continue;
      const cudaError_t code =
          cudaLibraryLoadData(&loaded[i], kFiles[i].begin, nullptr, nullptr, 0, nullptr, nullptr, 0);
      if (code != cudaSuccess) loaded[i] = nullptr;
    }
    return loaded;
  }();
  const void *found = plain;
  for (int i = 0; i < kCount; ++i) {
    cudaKernel_t kernel = nullptr;
    if (libraries[i] != nullptr && cudaLibraryGetKernel(&kernel, libraries[i], name) == cudaSuccess) found = kernel;
  }
  static_cast<void>(cudaGetLastError());
  return found;
}

#else

bool has_steered_kernels() { return false; }
const void *steered_kernel(const char *, const void *plain) { return plain; }

#endif

}  // namespace libsgemm::cuda
