// Properties of the devices. enumerate() fills them in once; they do not change afterwards.
#pragma once

#include "chips.h"
#include "gpu/device_model.h"

namespace libsgemm::hip {

using namespace gpu;

struct Device : DeviceModel {
  Family family;
  char code_name[32];  // architecture of the code that runs on it: its own, or its family's
};

// A device by its index among the backend's devices, which LIBSGEMM_DEVICES may restrict. Requires enumerate().
const Device &device(int index);

}  // namespace libsgemm::hip
