#pragma once

#include <memory>

#include "peers.h"

namespace command {

// SGEMM's math modes. The first two are FP32; kPedantic also disables algorithmic optimisations. All compute 16-bit
// inputs alike.
enum class CublasMath { kDefault, kPedantic, kTf32 };

// Both throw Error.
std::unique_ptr<Peer> open_cublas(CublasMath math);
std::unique_ptr<Peer> open_cublaslt();

// Returns the library, and the name that loaded it. Throws Error.
void *cublas_library(std::string *file);

}  // namespace command
