// Peers of `bench --host`, and page-locked memory for their operands.
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
  virtual void run(const Call &call) = 0;  // synchronous SGEMM with its copies
};

// "cublasxt": the vendor's library for host memory. "copy": the vendor's SGEMM between copies to and from the device.
// Throws Error.
std::unique_ptr<HostPeer> open_host_peer(const std::string &name);
std::vector<std::string> split_peers(const std::string &list);

// Throws Error.
GpuMemory &cuda_or_hip_memory();
Memory &pinned_memory();

}  // namespace command
