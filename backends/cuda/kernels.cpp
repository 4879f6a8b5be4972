// The kernel table, from rows.h.
#include "kernels.h"

#include <iterator>

#include "rows.h"

namespace libsgemm::cuda {

#define LIBSGEMM_DECLARE(name) Kernel name();
LIBSGEMM_CUDA_ROWS(LIBSGEMM_DECLARE)

namespace {

#define LIBSGEMM_COUNT(name) +1
constexpr int kCount = 0 LIBSGEMM_CUDA_ROWS(LIBSGEMM_COUNT);

}  // namespace

const Kernel *kernels() {
#define LIBSGEMM_ROW(name) name(),
  static const Kernel rows[] = {LIBSGEMM_CUDA_ROWS(LIBSGEMM_ROW)};
  static_assert(std::size(rows) == kCount);
  return rows;
}

int kernel_count() { return kCount; }

}  // namespace libsgemm::cuda
