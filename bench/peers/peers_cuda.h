// NVIDIA's libraries as peers, loaded at run time.
#pragma once

#include <memory>

#include "peers.h"

namespace command {

// Math modes of SGEMM. The first two are FP32; kPedantic also forbids the library to reorder what an algorithm is.
// Products of 16-bit inputs are the same with all three.
enum class CublasMath { kDefault, kPedantic, kTf32 };

// Throw Error with the reason why the peer is not available.
std::unique_ptr<Peer> open_cublas(CublasMath math);
// The fastest of the algorithms that cublasLt's heuristic names for a call, found by timing them.
std::unique_ptr<Peer> open_cublaslt();

// The library that the peers above use, and the name it was loaded by. Throws Error.
void *cublas_library(std::string *file);

}  // namespace command
