// Predicted seconds of a call on host memory.
#pragma once

namespace libsgemm {

struct Prediction {
  double cpu, gpu;
  double up, compute, down;  // parts of `gpu`
};

}  // namespace libsgemm
