#pragma once

#include <cstdint>

#include "contract/desc.h"

namespace libsgemm::cuda {

// True if every column (and product) starts at a multiple of 16 bytes.
inline bool chunks_fit(const void *base, int64_t ld, int64_t stride, size_t size) {
  return (reinterpret_cast<uintptr_t>(base) % 16 | static_cast<uint64_t>(ld | stride) * size % 16) == 0;
}
// Arrays of pointers may be in device memory, so their alignment is unknown.
inline bool chunks_fit_a(const GemmDesc &desc) {
  const int64_t stride = desc.batch == Batch::strided ? desc.stride_a : 0;
  return desc.batch != Batch::pointers && chunks_fit(desc.a, desc.lda, stride, size_of(desc.type));
}
inline bool chunks_fit_b(const GemmDesc &desc) {
  const int64_t stride = desc.batch == Batch::strided ? desc.stride_b : 0;
  return desc.batch != Batch::pointers && chunks_fit(desc.b, desc.ldb, stride, size_of(desc.type));
}
inline bool chunks_fit(const GemmDesc &desc) { return chunks_fit_a(desc) && chunks_fit_b(desc); }

inline bool along_k_a(const GemmDesc &desc) { return desc.transa != LIBSGEMM_NO_TRANS; }
inline bool along_k_b(const GemmDesc &desc) { return desc.transb == LIBSGEMM_NO_TRANS; }

}  // namespace libsgemm::cuda
