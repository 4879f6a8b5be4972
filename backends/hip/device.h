// What the backend knows of its devices. Filled once, by enumerate(), constant after it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend.h"
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
  int ordinal;    // HIP's number of the device
  char arch[32];  // "gfx90a", without its features
  Family family;
  size_t memory_bytes;
  char name[96];
};

// `index` counts the devices of the backend, after LIBSGEMM_DEVICES. Only after enumerate().
const Device &device(int index);
int device_count();

// The index of HIP's device `ordinal`; -1 if LIBSGEMM_DEVICES or the lack of code for it leaves it out.
int index_of(int ordinal);

// Takes the devices of the backend from those that the runtime shows and `host` permits. Initialises the runtime.
// Once; later calls repeat the answer.
libsgemm_status_t enumerate(Error *error);

// What enumerate() is to consider. Before all others.
void set_host(const Host &host);

// What enumerate() left out and why; empty if nothing.
const char *left_out();

}  // namespace libsgemm::hip
