// What the backend knows of its devices. Filled once, by enumerate(), constant after it.
#pragma once

#include "chips.h"
#include "gpu/device_model.h"

namespace libsgemm::hip {

using namespace gpu;

struct Device : DeviceModel {
  Family family;
  char code_name[32];  // the architecture of the code that runs on it: its own, or that of its family
};

// `index` counts the devices of the backend, after LIBSGEMM_DEVICES. Only after enumerate().
const Device &device(int index);

}  // namespace libsgemm::hip
