// Stubs of launch functions, for programs that query kernels only.
#include "gpu/launch.h"

namespace libsgemm::gpu {

libsgemm_status_t launch_raw(const void *, dim3, dim3, size_t, const Launch &, void **, Error *) {
  return LIBSGEMM_UNAVAILABLE;
}
libsgemm_status_t clear(void *, size_t, const Launch &, Error *) { return LIBSGEMM_UNAVAILABLE; }
void *page_locked(int, void *, size_t) { return nullptr; }

}  // namespace libsgemm::gpu
