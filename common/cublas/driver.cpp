// NVIDIA's events belong to a context; after a device's reset they must not be queried.
#include "gpu_blas/driver.h"

namespace libsgemm {
namespace {

struct Contexts {
  int (*current)(void **) = nullptr;
  int (*set_current)(void *) = nullptr;
  int (*id)(void *, unsigned long long *) = nullptr;  // from CUDA 12 on
  int (*device)(int *) = nullptr;
  int (*primary_state)(int, unsigned *, int *) = nullptr;
  int (*primary_retain)(void **, int) = nullptr;
  int (*primary_release)(int) = nullptr;
};
Contexts g_contexts;

bool context(unsigned long long *id, int *device) {
  void *handle = nullptr;
  return g_contexts.current(&handle) == 0 && g_contexts.id(handle, id) == 0 && g_contexts.device(device) == 0;
}

bool enter(unsigned long long id, int device) {
  unsigned flags = 0;
  int active = 0;
  void *primary = nullptr;
  unsigned long long id_now = 0;
  if (g_contexts.primary_state(device, &flags, &active) != 0 || active == 0) return false;
  if (g_contexts.primary_retain(&primary, device) != 0) return false;
  const bool same = g_contexts.id(primary, &id_now) == 0 && id_now == id;
  if (same && g_contexts.set_current(primary) == 0) return true;
  g_contexts.primary_release(device);
  return false;
}

void leave(int device) { g_contexts.primary_release(device); }

}  // namespace

Driver find_driver() {
  void *const cuda = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  Driver d;
  d.find(cuda, "cuCtxGetCurrent", &g_contexts.current);
  d.find(cuda, "cuCtxSetCurrent", &g_contexts.set_current);
  d.find(cuda, "cuCtxGetId", &g_contexts.id);
  d.find(cuda, "cuCtxGetDevice", &g_contexts.device);
  d.find(cuda, "cuDevicePrimaryCtxGetState", &g_contexts.primary_state);
  d.find(cuda, "cuDevicePrimaryCtxRetain", &g_contexts.primary_retain);
  d.find(cuda, "cuDevicePrimaryCtxRelease_v2", &g_contexts.primary_release);
  d.find(cuda, "cuStreamIsCapturing", &d.is_capturing);
  d.find(cuda, "cuThreadExchangeStreamCaptureMode", &d.exchange_mode);
  d.find(cuda, "cuEventCreate", &d.create);
  d.find(cuda, "cuEventRecord", &d.record);
  d.find(cuda, "cuEventQuery", &d.query);
  d.find(cuda, "cuEventSynchronize", &d.synchronize);
  d.find(cuda, "cuEventElapsedTime", &d.elapsed);
  d.context = context;
  d.enter = enter;
  d.leave = leave;
  return d;
}

}  // namespace libsgemm
