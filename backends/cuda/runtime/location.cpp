// Asks the driver, which answers without a context; the runtime would make one.
#include "driver.h"
#include "gpu/runtime/devices.h"
#include "gpu/runtime/runtime.h"

namespace libsgemm::gpu {

using namespace cuda;

namespace {

Location locate_one(const void *pointer) {
  constexpr Location kHost = {Space::host, 0};
  if (pointer == nullptr) return kHost;
  unsigned type = 0, managed = 0;
  int ordinal = -1;
  CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                 CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void *values[] = {&type, &managed, &ordinal};
  // Fails before the driver is initialised, when there is no device memory. `type` stays 0 for unknown memory.
  const CUresult code = driver().pointer_attributes(3, which, values, reinterpret_cast<CUdeviceptr>(pointer));
  if (code != CUDA_SUCCESS || type == 0) return kHost;
  if (managed == 0 && type == CU_MEMORYTYPE_HOST) return {Space::pinned, 0};
  Error ignored;
  if (enumerate(&ignored) != LIBSGEMM_SUCCESS) return {Space::device, -1};
  const int index = index_of(ordinal);
  if (managed != 0) return {Space::managed, index >= 0 ? index : 0};  // any device can reach it
  return {Space::device, index};
}

}  // namespace

void locate(const void *const *pointers, int count, Location *locations) {
  for (int i = 0; i < count; ++i) locations[i] = locate_one(pointers[i]);
}

}  // namespace libsgemm::gpu
