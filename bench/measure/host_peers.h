// Other ways to compute products of host memory on a GPU, and page-locked memory for their operands.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "peers/gpu_memory.h"
#include "peers/peers.h"

namespace command {

class HostPeer {
 public:
  virtual ~HostPeer() = default;
  virtual std::string version() const = 0;
  virtual void run(const Call &call) = 0;  // SGEMM with its copies, synchronously
};

// "cublasxt": the vendor's own library for host memory. "copy": copies the operands to the device, calls the vendor's
// SGEMM there and copies the result back, one after another. Throws Error.
std::unique_ptr<HostPeer> open_host_peer(const std::string &name);
std::vector<std::string> split_peers(const std::string &list);

// Memory of the GPU that is available: NVIDIA's, or else AMD's. Throws Error.
GpuMemory &cuda_or_hip_memory();
Memory &pinned_memory();

}  // namespace command
