#include "placement.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "check.h"
#include "handle.h"
#include "process/gate.h"
#include "process/loader.h"

namespace libsgemm {
namespace {

// Collects the matrices, a batch's arrays, or, with `items`, the first pointers in these. Returns their number.
int pointers_of(const GemmDesc &d, bool items, const void **pointers) {
  int count = 0;
  const bool inputs = reads_inputs(d);
  if (d.batch == Batch::pointers) {
    pointers[count++] = items ? static_cast<const void *>(d.c_array[0]) : d.c_array;
    if (inputs) pointers[count++] = items ? d.a_array[0] : d.a_array;
    if (inputs) pointers[count++] = items ? d.b_array[0] : d.b_array;
    return count;
  }
  pointers[count++] = d.c;
  if (inputs) pointers[count++] = d.a;
  if (inputs && d.b != nullptr) pointers[count++] = d.b;
  return count;
}

bool on_device(const Location &l) { return l.space == Space::device || l.space == Space::managed; }

bool agree(const Location *locations, int count, Location *where) {
  *where = locations[0];
  for (int i = 1; i < count; ++i) {
    const Location &l = locations[i];
    if (on_device(l) != on_device(*where)) return false;
    if (!on_device(l)) continue;
    if (l.space == Space::device && where->space == Space::managed) {
      *where = l;  // managed memory follows the device that holds the others
    } else if (l.space == Space::device && l.device != where->device) {
      return false;
    }
  }
  return true;
}

// Returns bits of Pinned.
unsigned pinned_of(const Location *locations, int count) {
  constexpr unsigned bits[] = {kPinnedC, kPinnedA, kPinnedB};
  unsigned pinned = 0;
  for (int i = 0; i < 3 && i < count; ++i) pinned |= locations[i].space == Space::pinned ? bits[i] : 0;
  return pinned;
}

bool may_own_memory(const Settings &s, int index) {
  if (library().slots[index].state.load(std::memory_order_acquire) == Slot::ready) return true;
  int8_t order[kBackendCount];
  const int count = candidates(s, order);
  for (int i = 0; i < count; ++i) {
    if (order[i] == index) return load(index);
  }
  return false;
}

// Linux reads the signal set, 8 bytes, before it rejects the nonexistent request. Aligned, they are on one page.
bool is_readable(const void *pointer) {
  const uintptr_t aligned = reinterpret_cast<uintptr_t>(pointer) & ~uintptr_t{7};
  constexpr long kNoRequest = ~0L;
  const int saved = errno;
  const bool readable = syscall(SYS_rt_sigprocmask, kNoRequest, aligned, nullptr, 8L) == 0 || errno != EFAULT;
  errno = saved;
  return readable;
}

bool are_readable(const GemmDesc &desc, bool items) {
  const void *pointers[3];
  const int count = pointers_of(desc, items, pointers);
  for (int i = 0; i < count; ++i) {
    if (pointers[i] != nullptr && !is_readable(pointers[i])) return false;
  }
  return true;
}

// During exit the driver cannot be asked. Device memory is mapped without access, or not at all.
libsgemm_status_t find_operands_at_end(const GemmDesc &desc, ThreadInfo *info) {
  const bool readable = are_readable(desc, false) && (desc.batch != Batch::pointers || are_readable(desc, true));
  return readable ? LIBSGEMM_SUCCESS : info->fail(LIBSGEMM_UNAVAILABLE, kEndingText);
}

// The device of the handle's stream: only the stream orders the call with the program's work. Default streams: the
// operands' device, or for managed memory the thread's current one.
libsgemm_status_t find_device(const Backend &table, const libsgemm_handle *handle, Location *where, ThreadInfo *info) {
  const bool by_default = handle == nullptr || is_default_stream(handle->stream);
  const bool named = handle != nullptr && !(by_default && handle->follows_operands);
  if (!named && where->space == Space::device) return LIBSGEMM_SUCCESS;
  const int device = table.stream_device(named ? handle->stream : nullptr);
  if (named && device < 0) {
    return info->fail(LIBSGEMM_UNAVAILABLE,
                      "the handle's stream is of a device that the backend leaves out (LIBSGEMM_DEVICES)");
  }
  if (where->space == Space::managed && device >= 0) where->device = device;
  if (where->space == Space::managed || where->device == device) return LIBSGEMM_SUCCESS;
  Error error;
  set_error(&error, "A, B and C are in memory of device %d, and the handle's %sstream is of device %d%s", where->device,
            by_default ? "default " : "", device, by_default ? ", the current one" : "");
  return info->fail(LIBSGEMM_INVALID_ARGUMENT, error.text);
}

// For a program on its GPU's BLAS, the device reads page-locked memory when its work runs.
void take_pinned_as_managed(Location *locations, int count) {
  for (int i = 0; i < count; ++i) {
    if (locations[i].space == Space::pinned) locations[i] = {Space::managed, 0};
  }
}

}  // namespace

libsgemm_status_t find_operands(const GemmDesc &desc, const Settings &settings, const libsgemm_handle *handle,
                                bool device_only, Placement *placement, ThreadInfo *info) {
  if (info->late) return find_operands_at_end(desc, info);
  for (int index = 0; index < kFirstCpu && placement->owner < 0; ++index) {
    if (!may_own_memory(settings, index)) continue;
    const Backend &table = table_of(index);
    const void *pointers[3];
    Location locations[3], where;
    int pointer_count = pointers_of(desc, false, pointers);
    table.locate(pointers, pointer_count, locations);
    const bool arrays = desc.batch == Batch::pointers;
    if (arrays && device_only) take_pinned_as_managed(locations, pointer_count);
    bool one = agree(locations, pointer_count, &where);
    const bool arrays_on_device = arrays && on_device(where);
    // The vendor's BLAS would not read arrays of a device_only call on the CPU either.
    if (arrays && one && !arrays_on_device && !device_only) {
      pointer_count = pointers_of(desc, true, pointers);
      table.locate(pointers, pointer_count, locations);
      one = agree(locations, pointer_count, &where);
    }
    if (!one) {
      return info->fail(LIBSGEMM_INVALID_ARGUMENT,
                        "A, B and C are not all in host memory or all in memory of one device");
    }
    placement->pinned[index] = pinned_of(locations, pointer_count);
    if (!on_device(where)) continue;
    if (where.device < 0) {
      return info->fail(LIBSGEMM_UNAVAILABLE,
                        "A, B and C are in memory of a device that the backend leaves out (LIBSGEMM_DEVICES)");
    }
    const libsgemm_status_t status = lost_by_fork(index) ? LIBSGEMM_SUCCESS : find_device(table, handle, &where, info);
    if (status != LIBSGEMM_SUCCESS) return status;
    placement->owner = index;
    placement->where = where;
    placement->arrays_on_device = arrays_on_device;
  }
  return LIBSGEMM_SUCCESS;
}

}  // namespace libsgemm
