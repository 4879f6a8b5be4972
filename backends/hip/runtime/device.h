// Constant after enumerate().
#pragma once

#include "chips.h"
#include "gpu/device_model.h"

namespace libsgemm::hip {

using namespace gpu;

struct Device : DeviceModel {
  Family family;
  char code_name[32];  // of the code that runs on it: its own, or its family's
};

const Device &device(int index);

}  // namespace libsgemm::hip
