#include "devices.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <list>
#include <mutex>
#include <string>

#include "contract/kernel_table.h"
#include "process/immortal.h"
#include "process/loader.h"
#include "process/log.h"

namespace libsgemm {
namespace {

// From MPI launchers' environment; -1: no launcher.
int local_rank() {
  for (const char *name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                           "PALS_LOCAL_RANKID", "FLUX_TASK_LOCAL_ID", "SLURM_LOCALID"}) {
    const char *value = secure_getenv(name);
    if (value == nullptr || value[0] < '0' || value[0] > '9') continue;
    return static_cast<int>(std::strtol(value, nullptr, 10) & 0x7fffffff);
  }
  return -1;
}

bool same_description(const Backend &b, int x, int y) {
  libsgemm_device_info_t dx = {}, dy = {};
  Error ignored = {};
  return b.describe_device(x, &dx, &ignored) == LIBSGEMM_SUCCESS &&
         b.describe_device(y, &dy, &ignored) == LIBSGEMM_SUCCESS && std::strcmp(dx.name, dy.name) == 0 &&
         std::strcmp(dx.arch, dy.arch) == 0 && dx.compute_units == dy.compute_units &&
         dx.memory_bytes == dy.memory_bytes;
}

// True if on both devices each kernel has the same plan for the product. Its seconds also show clocks, which a
// description lacks.
bool same_kernels(const Backend &b, GemmDesc d, int x, int y) {
  for (int i = 0; i < b.kernel_count; ++i) {
    const Kernel &kernel = b.kernels[i];
    const Plan on_x = prepare(kernel, d, x), on_y = prepare(kernel, d, y);
    if (on_x.kernel != on_y.kernel || on_x.seconds != on_y.seconds || on_x.workspace != on_y.workspace) return false;
    if (!(on_x.config == on_y.config)) return false;
  }
  return true;
}

bool equal_devices(const Backend &b, int x, int y) {
  if (!same_description(b, x, y)) return false;
  alignas(256) static float place;
  GemmDesc d = {};
  d.transa = d.transb = LIBSGEMM_NO_TRANS;
  d.alpha = 1;
  d.batch_count = 1;
  d.a = d.b = d.c = &place;
  // Bound by arithmetic, by memory bandwidth, by launch time.
  const int64_t shapes[][3] = {{4096, 4096, 4096}, {4096, 8, 4096}, {256, 256, 256}, {64, 64, 16384}};
  for (const auto &shape : shapes) {
    d.m = d.lda = d.ldc = shape[0];
    d.n = shape[1];
    d.k = d.ldb = shape[2];
    if (!same_kernels(b, d, x, y)) return false;
  }
  return true;
}

std::vector<int> find_devices(const Backend &backend) {
  const int rank = local_rank(), there = backend.device_count(), wanted = library().env.offload_devices;
  const int first = rank >= 0 ? rank % there : 0;
  const int count = wanted != 0 ? std::min(wanted, there) : rank >= 0 ? 1 : there;
  std::vector<int> all = {first};
  for (int i = 1; i < there && static_cast<int>(all.size()) < count; ++i) {
    const int device = (first + i) % there;
    if (equal_devices(backend, first, device)) all.push_back(device);
  }
  return all;
}

struct Found {
  const Backend *backend;
  std::vector<int> devices;
};

struct Cache {
  std::mutex mutex;
  std::list<Found> found;
};

// A bit per device; those from 63 on share one.
using Bits = std::atomic<uint64_t>;
Bits g_abandoned[kBackendCount], g_told[kBackendCount];

int index_of(const Backend &backend) {
  for (int i = 0; i < kBackendCount; ++i) {
    if (library().slots[i].table == &backend) return i;
  }
  return 0;
}

uint64_t bit_of(int device) { return uint64_t{1} << std::min(device, 63); }

}  // namespace

std::vector<int> offload_devices(const Backend &backend) {
  Cache &cache = immortal<Cache>();
  const std::lock_guard<std::mutex> lock(cache.mutex);
  for (const Found &f : cache.found) {
    if (f.backend == &backend) return f.devices;
  }
  cache.found.push_back({&backend, find_devices(backend)});
  return cache.found.back().devices;
}

void abandon_device(const Backend &backend, int device) {
  g_abandoned[index_of(backend)] |= bit_of(device);  // before the backend refuses any call
  backend.abandon(device);
}

bool is_abandoned(const Backend &backend, int device) { return (g_abandoned[index_of(backend)] & bit_of(device)) != 0; }

void tell_of_failure(const Backend &backend, int device, const Error &error) {
  const bool first = (g_told[index_of(backend)].fetch_or(bit_of(device)) & bit_of(device)) == 0;
  log_message(first ? 0 : 2, [&] {
    return std::string(backend.name) + " device " + std::to_string(device) + " failed (" + error.text +
           "): other devices compute its part";
  });
}

}  // namespace libsgemm
