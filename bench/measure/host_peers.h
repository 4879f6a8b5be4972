// Other ways to compute products of host memory on a GPU, and page-locked memory to do it from.
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
  virtual void run(const Call &call) = 0;  // of SGEMM; all of it, synchronously
};

// "cublasxt": the vendor's own library for host memory. "copy": operands to the device, the vendor's SGEMM there, the
// result back, one after the other. Throws Error.
std::unique_ptr<HostPeer> open_host_peer(const std::string &name);
std::vector<std::string> split_peers(const std::string &list);

// Of the GPU there is: NVIDIA's, or else AMD's. Throws Error.
GpuMemory &cuda_or_hip_memory();
Memory &pinned_memory();

}  // namespace command
