// What a compute unit of each family of AMD's chips does, by its documents.
#pragma once

namespace libsgemm::hip {

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

struct Chips {
  const char *prefix;  // of the names of their architectures
  Family family;
  int fma_per_clock;      // FP32 fused multiply-adds of a compute unit, packed and dual ones too
  int schedulers;         // SIMDs of a compute unit
  int wave;               // threads
  double bits_per_cycle;  // of a pin of the memory, in the clock that the runtime reports: HBM2 2, HBM3 4, GDDR6 16
};

// By the name of an architecture, "gfx90a".
const Chips &chips_of(const char *arch);

}  // namespace libsgemm::hip
