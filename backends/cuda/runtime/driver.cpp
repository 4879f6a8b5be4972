#include "driver.h"

#include <dlfcn.h>

namespace libsgemm::cuda {
namespace {

Driver g_driver;

// In cuda.h a function's name may be a macro for a later version (cuDeviceTotalMem_v2); that version is looked up.
#define LIBSGEMM_TEXT_OF(name) #name
#define LIBSGEMM_TEXT(name) LIBSGEMM_TEXT_OF(name)

template <typename Function>
bool find(void *library, const char *name, Function *function, Error *error) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  if (*function == nullptr) set_error(error, "the NVIDIA driver is too old: libcuda.so.1 lacks %s", name);
  return *function != nullptr;
}

}  // namespace

libsgemm_status_t open_driver(Error *error) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    set_error(error, "there is no NVIDIA driver: %s", dlerror());
    return LIBSGEMM_UNAVAILABLE;
  }
  Driver &d = g_driver;
  const bool complete = find(library, LIBSGEMM_TEXT(cuDriverGetVersion), &d.get_version, error) &&
                        find(library, LIBSGEMM_TEXT(cuGetErrorString), &d.error_string, error) &&
                        find(library, LIBSGEMM_TEXT(cuInit), &d.init, error) &&
                        find(library, LIBSGEMM_TEXT(cuDeviceGetCount), &d.device_count, error) &&
                        find(library, LIBSGEMM_TEXT(cuDeviceGet), &d.device, error) &&
                        find(library, LIBSGEMM_TEXT(cuDeviceGetName), &d.device_name, error) &&
                        find(library, LIBSGEMM_TEXT(cuDeviceTotalMem), &d.device_memory, error) &&
                        find(library, LIBSGEMM_TEXT(cuDeviceGetAttribute), &d.device_attribute, error) &&
                        find(library, LIBSGEMM_TEXT(cuDevicePrimaryCtxRetain), &d.retain_primary, error) &&
                        find(library, LIBSGEMM_TEXT(cuDevicePrimaryCtxGetState), &d.primary_state, error) &&
                        find(library, LIBSGEMM_TEXT(cuCtxGetId), &d.context_id, error) &&
                        find(library, LIBSGEMM_TEXT(cuCtxGetCurrent), &d.current_context, error) &&
                        find(library, LIBSGEMM_TEXT(cuCtxSetCurrent), &d.set_context, error) &&
                        find(library, LIBSGEMM_TEXT(cuCtxGetDevice), &d.context_device, error) &&
                        find(library, LIBSGEMM_TEXT(cuStreamGetCtx), &d.stream_context, error) &&
                        find(library, LIBSGEMM_TEXT(cuStreamIsCapturing), &d.is_capturing, error) &&
                        find(library, LIBSGEMM_TEXT(cuPointerGetAttributes), &d.pointer_attributes, error) &&
                        find(library, LIBSGEMM_TEXT(cuTensorMapEncodeTiled), &d.encode_tiled, error) &&
                        find(library, LIBSGEMM_TEXT(cuTensorMapEncodeIm2col), &d.encode_im2col, error);
  return complete ? LIBSGEMM_SUCCESS : LIBSGEMM_UNAVAILABLE;
}

const Driver &driver() { return g_driver; }

const char *words(CUresult code) {
  const char *text = nullptr;
  g_driver.error_string(code, &text);
  return text != nullptr ? text : "unknown error";
}

}  // namespace libsgemm::cuda
