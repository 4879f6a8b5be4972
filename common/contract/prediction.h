// The predicted times of a call on host memory.
#pragma once

namespace libsgemm {

struct Prediction {
  double cpu, gpu;           // seconds of the whole call
  double up, compute, down;  // of which on the GPU
};

}  // namespace libsgemm
