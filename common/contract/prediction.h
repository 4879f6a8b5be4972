// Predicted times of a call on host memory.
#pragma once

namespace libsgemm {

struct Prediction {
  double cpu, gpu;           // seconds of the call
  double up, compute, down;  // seconds of the parts of `gpu`
};

}  // namespace libsgemm
