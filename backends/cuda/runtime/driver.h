// Functions that the runtime lacks, or executes only after it has made a context, from libcuda.so.1, opened at run
// time.
#pragma once

#include <cuda.h>

#include "contract/backend.h"

namespace libsgemm::cuda {

struct Driver {
  decltype(&::cuDriverGetVersion) get_version;
  decltype(&::cuGetErrorString) error_string;
  decltype(&::cuInit) init;
  decltype(&::cuDeviceGetCount) device_count;
  decltype(&::cuDeviceGet) device;
  decltype(&::cuDeviceGetName) device_name;
  decltype(&::cuDeviceTotalMem) device_memory;
  decltype(&::cuDeviceGetAttribute) device_attribute;
  decltype(&::cuDevicePrimaryCtxRetain) retain_primary;
  decltype(&::cuDevicePrimaryCtxGetState) primary_state;
  decltype(&::cuCtxGetId) context_id;
  decltype(&::cuCtxGetCurrent) current_context;
  decltype(&::cuCtxSetCurrent) set_context;
  decltype(&::cuCtxGetDevice) context_device;
  decltype(&::cuStreamGetCtx) stream_context;
  decltype(&::cuStreamIsCapturing) is_capturing;
  decltype(&::cuPointerGetAttributes) pointer_attributes;
  decltype(&::cuTensorMapEncodeTiled) encode_tiled;
  decltype(&::cuTensorMapEncodeIm2col) encode_im2col;
};

// Does not call cuInit, which before a fork would take the GPUs from the child.
libsgemm_status_t open_driver(Error *error);

const Driver &driver();

const char *words(CUresult code);

}  // namespace libsgemm::cuda
