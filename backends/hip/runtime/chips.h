// Compute units of each family of AMD's chips, from AMD's documents.
#pragma once

namespace libsgemm::hip {

enum class Family {
  unknown,  // newer than this table: vector instructions only
  gcn,      // gfx900 to gfx906
  cdna1,    // gfx908: MFMA
  cdna2,    // gfx90a: MFMA and packed FP32
  cdna3,    // gfx940 to gfx950
  rdna2,    // gfx101x and gfx103x
  rdna3,    // gfx11xx: WMMA
  rdna4,    // gfx120x: WMMA with other layouts
  foreign,  // no AMD GPU: tests/hip_on_cuda
};

struct Chips {
  const char *prefix;  // prefix of architectures' names
  Family family;
  int fma_per_clock;  // FP32 FMAs of a compute unit, packed and dual ones included
  int schedulers;     // SIMDs
  int wave;           // threads
  // Bits of a memory pin per cycle of the reported clock: HBM2 2, HBM3 4, GDDR6 16.
  double bits_per_cycle;
};

const Chips &chips_of(const char *arch);

}  // namespace libsgemm::hip
