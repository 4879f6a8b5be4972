#include "gpu/runtime/code.h"
#include "gpu/runtime/devices.h"
#include "gpu/runtime/runtime.h"
#include "in_use.h"

namespace libsgemm::gpu {
namespace {

enum class Kind { host, pinned, device, managed };

// HIP 5 has no type for unregistered memory, and its late versions report managed memory as device or unified memory.
Kind kind_of(const hipPointerAttribute_t &attributes) {
  if (attributes.isManaged != 0) return Kind::managed;
#if HIP_VERSION_MAJOR >= 6
  const hipMemoryType type = attributes.type;
  if (type == hipMemoryTypeUnregistered) return Kind::host;
  if (type == hipMemoryTypeManaged) return Kind::managed;
#else
  const hipMemoryType type = attributes.memoryType;
#endif
  if (type == hipMemoryTypeHost) return Kind::pinned;
  return type == hipMemoryTypeUnified ? Kind::managed : Kind::device;
}

Location locate_one(const void *pointer) {
  constexpr Location kHost = {Space::host, 0};
  if (pointer == nullptr) return kHost;
  hipPointerAttribute_t attributes = {};
  if (!succeeds(hipPointerGetAttributes(&attributes, pointer))) return kHost;
  const Kind kind = kind_of(attributes);
  if (kind == Kind::host) return kHost;
  if (kind == Kind::pinned) return {Space::pinned, 0};
  Error ignored;
  if (enumerate(&ignored) != LIBSGEMM_SUCCESS) return {Space::device, -1};
  const int index = index_of(attributes.device);
  if (kind == Kind::managed) return {Space::managed, index >= 0 ? index : 0};  // any device can reach it
  return {Space::device, index};
}

}  // namespace

void locate(const void *const *pointers, int count, Location *locations) {
  const bool possible = hip::runtime_in_use();  // a call would initialise HIP
  for (int i = 0; i < count; ++i) locations[i] = possible ? locate_one(pointers[i]) : Location{Space::host, 0};
}

}  // namespace libsgemm::gpu
