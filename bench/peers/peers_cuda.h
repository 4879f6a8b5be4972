// NVIDIA's libraries as peers, loaded at run time.
#pragma once

#include <memory>

#include "peers.h"

namespace command {

// SGEMM's math modes. The first two are FP32; kPedantic also forbids a reordered algorithm. Products of 16-bit inputs
// are the same in all.
enum class CublasMath { kDefault, kPedantic, kTf32 };

// Throw Error: why the peer is missing.
std::unique_ptr<Peer> open_cublas(CublasMath math);
// The fastest algorithm of cublasLt's heuristic, by timing.
std::unique_ptr<Peer> open_cublaslt();

// The library of these peers, and the name that loaded it. Throws Error.
void *cublas_library(std::string *file);

}  // namespace command
