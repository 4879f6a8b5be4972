#include "contract/backend.h"

#include "devices.h"
#include "gpu/device_model.h"
#include "gpu/kernels.h"
#include "runtime.h"

namespace libsgemm::gpu {
namespace {

libsgemm_status_t describe_device(int index, libsgemm_device_info_t *info, Error *) {
  const DeviceModel &d = model(index);
  std::snprintf(info->name, sizeof info->name, "%s", d.name);
  std::snprintf(info->arch, sizeof info->arch, "%s", d.arch_name);
  info->memory_bytes = d.memory_bytes;
  info->compute_units = d.compute_units;
  return LIBSGEMM_SUCCESS;
}

}  // namespace

Backend make_backend(const char *name) {
  Backend b = {};
  b.abi = kBackendAbi;
  b.is_gpu = true;
  b.name = name;
  b.kernels = kernels();
  b.kernel_count = kernel_count();
  b.device_count = device_count;
  b.describe_device = describe_device;
  b.locate = locate;
  b.context = context;
  b.stream_device = stream_device;
  b.capturing = capturing;
  b.graph = graph;
  b.allocate = allocate;
  b.release = release;
  b.memory = memory;
  b.allocate_pinned = allocate_pinned;
  b.release_pinned = release_pinned;
  b.create_stream = create_stream;
  b.destroy_stream = destroy_stream;
  b.create_event = create_event;
  b.destroy_event = destroy_event;
  b.record_event = record_event;
  b.stream_wait_event = stream_wait_event;
  b.query_event = query_event;
  b.abandon = abandon;
  b.synchronize = synchronize;
  b.copy = copy;
  b.scale = scale;
  b.checksum_bytes = checksum_bytes;
  b.checksum = checksum;
  return b;
}

}  // namespace libsgemm::gpu
