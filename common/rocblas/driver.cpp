// Events of HIP's runtime survive a device's reset: the device's number identifies the context.
#include "gpu_blas/driver.h"

#include <new>
#include <string>

#include "blas/objects.h"

namespace libsgemm {
namespace {

int (*g_get_device)(int *) = nullptr;
int (*g_set_device)(int) = nullptr;

bool context(unsigned long long *id, int *device) {
  if (g_get_device(device) != 0) return false;
  *id = static_cast<unsigned long long>(*device);
  return true;
}

bool enter(unsigned long long, int device) { return g_set_device(device) == 0; }
void leave(int) {}

void *find_runtime() {
  try {
    for (const std::string &object : object_names()) {
      const std::string file = object.substr(object.rfind('/') + 1);
      if (file.compare(0, 11, "libamdhip64") == 0) return dlopen(object.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    }
  } catch (const std::bad_alloc &) {
  }
  return nullptr;
}

}  // namespace

Driver find_driver() {
  void *const hip = find_runtime();
  Driver d;
  d.find(hip, "hipGetDevice", &g_get_device);
  d.find(hip, "hipSetDevice", &g_set_device);
  d.find(hip, "hipStreamIsCapturing", &d.is_capturing);
  d.find(hip, "hipThreadExchangeStreamCaptureMode", &d.exchange_mode);
  d.find(hip, "hipEventCreateWithFlags", &d.create);
  d.find(hip, "hipEventRecord", &d.record);
  d.find(hip, "hipEventQuery", &d.query);
  d.find(hip, "hipEventSynchronize", &d.synchronize);
  d.find(hip, "hipEventElapsedTime", &d.elapsed);
  d.context = context;
  d.enter = enter;
  d.leave = leave;
  return d;
}

}  // namespace libsgemm
