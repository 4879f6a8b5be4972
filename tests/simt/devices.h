// Devices of the CPU emulation: 0 is an artificial GPU, which runs kernels, the others are real GPUs, only queried.
#pragma once

#include <string>

#include "gpu/device_model.h"

namespace simt {

int device_count();

inline int device_called(const std::string &name) {
  for (int i = 0; i < device_count(); ++i) {
    if (libsgemm::gpu::model(i).name == name) return i;
  }
  return -1;
}

}  // namespace simt
