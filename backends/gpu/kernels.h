// The kernel table: the kernels of each entry of a backend's device_code.h.
#pragma once

#include <utility>
#include <vector>

#include "contract/backend.h"

namespace libsgemm {

// Kernels that share device code and differ, for example, in the tile, in slices of k or in the math mode.
struct KernelList : std::vector<Kernel> {
  KernelList(const Kernel &kernel) : std::vector<Kernel>{kernel} {}
  KernelList(std::initializer_list<Kernel> kernels) : std::vector<Kernel>(kernels) {}
};

namespace gpu {

// Kernel::purpose of all that divide k.
constexpr const char *kSplitPurpose = "few tiles of C, deep k";

// LIBSGEMM_KERNEL_TABLE defines both.
const Kernel *kernels();
int kernel_count();

// Each backend defines scale() and checksum() for its table.
libsgemm_status_t scale(const GemmDesc &desc, const Launch &launch, Error *error);

size_t checksum_bytes(const GemmDesc &desc, const Checksum &what, int device);
libsgemm_status_t checksum(const GemmDesc &desc, const Checksum &what, bool after, const Launch &launch, Error *error);

// `purpose` is the first kernel's.
inline void append(KernelList list, const char *code, const char *purpose, std::vector<Kernel> *table) {
  list.front().purpose = purpose;
  for (Kernel &kernel : list) {
    kernel.code = code;
    table->push_back(kernel);
  }
}

}  // namespace gpu
}  // namespace libsgemm

#define LIBSGEMM_DECLARE_CODE(name, purpose) ::libsgemm::KernelList name();
#define LIBSGEMM_APPEND_CODE(name, purpose) ::libsgemm::gpu::append(name(), #name, purpose, &table);

// DEVICE_CODE(X) = X(name, purpose) X(name, purpose) ...
// The table is never destroyed: calls may come from exit handlers. Its first use may throw std::bad_alloc.
#define LIBSGEMM_KERNEL_TABLE(backend, DEVICE_CODE)                                                     \
  namespace libsgemm::backend {                                                                         \
  DEVICE_CODE(LIBSGEMM_DECLARE_CODE)                                                                    \
  static const std::vector<Kernel> &kernel_table() {                                                    \
    static const std::vector<Kernel> *const all = [] {                                                  \
      std::vector<Kernel> table;                                                                        \
      DEVICE_CODE(LIBSGEMM_APPEND_CODE)                                                                 \
      return new std::vector<Kernel>(std::move(table));                                                 \
    }();                                                                                                \
    return *all;                                                                                        \
  }                                                                                                     \
  }                                                                                                     \
  const libsgemm::Kernel *libsgemm::gpu::kernels() { return libsgemm::backend::kernel_table().data(); } \
  int libsgemm::gpu::kernel_count() { return static_cast<int>(libsgemm::backend::kernel_table().size()); }
