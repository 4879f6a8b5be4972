// The properties of GPUs that kernels depend on; constant after enumerate() (gpu/runtime/devices.h).
#pragma once

#include "chips.h"
#include "gpu/device_model.h"

namespace libsgemm::hip {

using namespace gpu;

struct Device : DeviceModel {
  Family family;
  char code_name[32];  // architecture or family of the code that runs on it
};

const Device &device(int index);

}  // namespace libsgemm::hip
