// What the backend knows of its devices. Filled once, by enumerate(), constant after it.
#pragma once

#include "gpu/device_model.h"

namespace libsgemm::hip {

using namespace gpu;

// What the rows tell chips apart by: the arithmetic units, and the layout of their operands.
enum class Family {
  unknown,  // a chip newer than this table: vector instructions only
  gcn,      // gfx900 to gfx906
  cdna1,    // gfx908: MFMA
  cdna2,    // gfx90a: and packed FP32
  cdna3,    // gfx940 to gfx950
  rdna2,    // gfx101x and gfx103x
  rdna3,    // gfx11xx: WMMA
  rdna4,    // gfx120x: WMMA with other layouts
  foreign,  // no AMD GPU: tests/hip_on_cuda
};

struct Device : DeviceModel {
  Family family;
  char code_name[32];  // the architecture of the code that runs on it: its own, or that of its family
};

// `index` counts the devices of the backend, after LIBSGEMM_DEVICES. Only after enumerate().
const Device &device(int index);

}  // namespace libsgemm::hip
