#include "devices.h"

#include <atomic>
#include <mutex>
#include <vector>

namespace libsgemm::gpu {
namespace {

struct Devices {
  int count = 0;
  std::vector<int> index;  // -1: left out
  Error left_out = {};
  Error error = {};
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  std::atomic<bool> done{false};
};

const Host *g_host = nullptr;

// Never destroyed, since exit handlers may still use it.
Devices &devices() {
  static Devices *instance = new Devices;
  return *instance;
}

void add(int ordinal, Devices *all) {
  int &index = all->index[static_cast<size_t>(ordinal)];
  if (index < 0 && take_device(ordinal, &all->left_out)) index = all->count++;
}

libsgemm_status_t enumerate_once(Devices *all) {
  int count = 0;
  const libsgemm_status_t status = count_devices(&count, &all->error);
  if (status != LIBSGEMM_SUCCESS) return status;
  all->index.assign(static_cast<size_t>(count), -1);
  if (g_host->devices == nullptr) {
    for (int ordinal = 0; ordinal < count; ++ordinal) add(ordinal, all);
  }
  for (int i = 0; g_host->devices != nullptr && i < g_host->device_count; ++i) {
    const int ordinal = g_host->devices[i];
    if (ordinal >= count) {
      set_error(&all->error, "LIBSGEMM_DEVICES names device %d, and there are %d, counted from 0", ordinal, count);
      return LIBSGEMM_UNAVAILABLE;
    }
    add(ordinal, all);
  }
  if (all->count > 0) return LIBSGEMM_SUCCESS;
  all->error = all->left_out;
  return LIBSGEMM_UNAVAILABLE;
}

}  // namespace

void set_host(const Host &host) { g_host = &host; }

libsgemm_status_t enumerate(Error *error) {
  Devices &all = devices();
  if (!all.done.load(std::memory_order_acquire)) {  // avoids the lock: calls run this for every pointer
    static std::mutex *mutex = new std::mutex;
    const std::lock_guard<std::mutex> lock(*mutex);
    if (!all.done) all.status = enumerate_once(&all);
    all.done.store(true, std::memory_order_release);
  }
  if (all.status != LIBSGEMM_SUCCESS) *error = all.error;
  return all.status;
}

int device_count() { return devices().count; }

int index_of(int ordinal) {
  const Devices &all = devices();
  return ordinal >= 0 && static_cast<size_t>(ordinal) < all.index.size() ? all.index[static_cast<size_t>(ordinal)] : -1;
}

const char *left_out() { return devices().left_out.text; }

}  // namespace libsgemm::gpu
