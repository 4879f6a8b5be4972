#include <cxxabi.h>

#include <cstring>
#include <string>

#include "contract/kernel_describe.h"
#include "decision/tuning.h"
#include "graph_workspace.h"
#include "offload/memory/memory.h"
#include "offload/offload.h"
#include "offload/undo.h"
#include "process/gate.h"
#include "process/loader.h"
#include "program_blas.h"

using libsgemm::kBackendCount;
using libsgemm::kBackendNames;
using libsgemm::Slot;

namespace {

bool usable(int index) { return libsgemm::load(index) && libsgemm::probe(index); }

template <size_t N>
void copy(char (&target)[N], const std::string &text) {
  std::snprintf(target, N, "%s", text.c_str());
}

void describe(int index, libsgemm_backend_info_t *info) {
  *info = {};
  copy(info->name, kBackendNames[index]);
  info->is_gpu = index < libsgemm::kFirstCpu ? 1 : 0;
  info->available = usable(index) ? 1 : 0;
  const Slot &slot = libsgemm::library().slots[index];
  copy(info->path, slot.path);
  if (slot.state != Slot::ready) {
    copy(info->reason, slot.reason);
    return;
  }
  copy(info->version, slot.table->version());
  if (info->available == 0) {
    copy(info->reason, slot.probe_reason);
    return;
  }
  info->device_count = slot.table->device_count();
  info->kernel_count = slot.table->kernel_count;
}

}  // namespace

const libsgemm::LayersAbove libsgemm::kLayersAbove = {
    [](const Environment &environment) { use_tuning(environment.tuning); }, stop_offload_threads, program_blas};

int libsgemm_version(void) { return LIBSGEMM_VERSION; }

const char *libsgemm_status_string(libsgemm_status_t status) {
  switch (status) {
    case LIBSGEMM_SUCCESS:
      return "success";
    case LIBSGEMM_INVALID_ARGUMENT:
      return "an argument is not valid";
    case LIBSGEMM_INVALID_ENVIRONMENT:
      return "an environment variable has a value that is not valid";
    case LIBSGEMM_INVALID_HANDLE:
      return "the handle is NULL, destroyed, or not made by libsgemm_create";
    case LIBSGEMM_UNAVAILABLE:
      return "the backend asked for cannot be used here";
    case LIBSGEMM_NOT_SUPPORTED:
      return "no permitted backend or kernel can do this call";
    case LIBSGEMM_OUT_OF_MEMORY:
      return "out of memory";
    case LIBSGEMM_EXECUTION_FAILED:
      return "a copy, a launch or a device failed";
    case LIBSGEMM_VERIFICATION_FAILED:
      return "verification found the result wrong";
  }
  return "no libsgemm status";
}

int libsgemm_backend_count(void) { return kBackendCount; }

const char *libsgemm_backend_name(int index) {
  return index >= 0 && index < kBackendCount ? kBackendNames[index] : nullptr;
}

namespace {

// Runs `work`, which may allocate, while no fork can happen. During exit it fails if `work` needs a plugin.
template <typename Work>
libsgemm_status_t guarded(bool needs_plugin, const Work &work) {
  const libsgemm::InGate gate;
  if (gate.ending() && needs_plugin) return LIBSGEMM_UNAVAILABLE;
  try {
    return work();
  } catch (const abi::__forced_unwind &) {  // see protect()
    throw;
  } catch (...) {
    return LIBSGEMM_OUT_OF_MEMORY;
  }
}

}  // namespace

libsgemm_status_t libsgemm_backend_describe(int index, libsgemm_backend_info_t *info) {
  if (index < 0 || index >= kBackendCount || info == nullptr) return LIBSGEMM_INVALID_ARGUMENT;
  return guarded(index != libsgemm::kRef, [=] {
    describe(index, info);
    return LIBSGEMM_SUCCESS;
  });
}

libsgemm_status_t libsgemm_device_describe(int index, int device, libsgemm_device_info_t *info) {
  if (index < 0 || index >= kBackendCount || info == nullptr) return LIBSGEMM_INVALID_ARGUMENT;
  return guarded(index != libsgemm::kRef, [=] {
    if (!usable(index)) return LIBSGEMM_UNAVAILABLE;
    const libsgemm::Backend &table = libsgemm::table_of(index);
    if (device < 0 || device >= table.device_count()) return LIBSGEMM_INVALID_ARGUMENT;
    *info = {};
    libsgemm::Error error = {};
    const libsgemm_status_t status = table.describe_device(device, info, &error);
    // memory() fails if another process uses the device exclusively; the rest is known.
    size_t free_bytes = 0, total_bytes = 0;
    if (status == LIBSGEMM_SUCCESS && table.is_gpu &&
        table.memory(device, &free_bytes, &total_bytes, &error) == LIBSGEMM_SUCCESS) {
      info->memory_free_bytes = free_bytes;
    }
    return status;
  });
}

const char *libsgemm_kernel_name(int index, int kernel) {
  if (index < 0 || index >= kBackendCount) return nullptr;
  const char *name = nullptr;
  guarded(false, [&] {
    if (!libsgemm::load(index)) return LIBSGEMM_UNAVAILABLE;
    const libsgemm::Backend &table = libsgemm::table_of(index);
    if (kernel >= 0 && kernel < table.kernel_count) name = table.kernels[kernel].name;
    return LIBSGEMM_SUCCESS;
  });
  return name;
}

libsgemm_status_t libsgemm_kernel_describe(int index, int kernel, libsgemm_kernel_info_t *info) {
  if (index < 0 || index >= kBackendCount || info == nullptr) return LIBSGEMM_INVALID_ARGUMENT;
  return guarded(index != libsgemm::kRef, [=] {
    if (!usable(index)) return LIBSGEMM_UNAVAILABLE;
    const libsgemm::Backend &table = libsgemm::table_of(index);
    if (kernel < 0 || kernel >= table.kernel_count) return LIBSGEMM_INVALID_ARGUMENT;
    libsgemm::describe_kernel(table, table.kernels[kernel], info);
    return LIBSGEMM_SUCCESS;
  });
}

libsgemm_status_t libsgemm_get_memory(libsgemm_memory_t *memory) {
  if (memory == nullptr) return LIBSGEMM_INVALID_ARGUMENT;
  return guarded(true, [memory] {
    const libsgemm::MemoryState state = libsgemm::memory_state();
    *memory = {state.device_limit, state.device_bytes, state.pinned_limit, state.pinned_bytes};
    return LIBSGEMM_SUCCESS;
  });
}

libsgemm_status_t libsgemm_set_memory_limits(size_t device_bytes, size_t pinned_bytes) {
  return guarded(true, [=] {
    libsgemm::set_memory_limits(device_bytes, pinned_bytes);
    return LIBSGEMM_SUCCESS;
  });
}

libsgemm_status_t libsgemm_release_memory(void) {
  return guarded(true, [] {
    libsgemm::release_idle_memory();
    libsgemm::release_undo_memory();
    libsgemm::release_graph_workspaces(nullptr);
    return LIBSGEMM_SUCCESS;
  });
}
