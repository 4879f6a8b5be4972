// An entry of the kernel table is a function `Kernel name()`.
#pragma once

#include <iterator>

#include "contract/backend.h"

namespace libsgemm::gpu {

// LIBSGEMM_KERNEL_TABLE defines both.
const Kernel *kernels();
int kernel_count();

// Each backend defines scale() and checksum() for its table.
libsgemm_status_t scale(const GemmDesc &desc, const Launch &launch, Error *error);

size_t checksum_bytes(const GemmDesc &desc, const Checksum &what, int device);
libsgemm_status_t checksum(const GemmDesc &desc, const Checksum &what, bool after, const Launch &launch, Error *error);

inline Kernel described(Kernel row, const char *purpose) {
  row.purpose = purpose;
  return row;
}

}  // namespace libsgemm::gpu

#define LIBSGEMM_DECLARE_ROW(name, purpose) ::libsgemm::Kernel name();
#define LIBSGEMM_COUNT_ROW(name, purpose) +1
#define LIBSGEMM_CALL_ROW(name, purpose) ::libsgemm::gpu::described(name(), purpose),

// ROWS(X) = X(name, purpose) X(name, purpose) ...
#define LIBSGEMM_KERNEL_TABLE(backend, ROWS)                                               \
  namespace libsgemm::backend {                                                            \
  ROWS(LIBSGEMM_DECLARE_ROW)                                                               \
  }                                                                                        \
  const libsgemm::Kernel *libsgemm::gpu::kernels() {                                       \
    using namespace libsgemm::backend;                                                     \
    static const Kernel rows[] = {ROWS(LIBSGEMM_CALL_ROW)};                                \
    static_assert(std::size(rows) == 0 ROWS(LIBSGEMM_COUNT_ROW), "one row for each name"); \
    return rows;                                                                           \
  }                                                                                        \
  int libsgemm::gpu::kernel_count() { return 0 ROWS(LIBSGEMM_COUNT_ROW); }
