// NVIDIA driver functions that `libsgemm probe` needs beyond gpu_api.h: an assembler for PTX, and graphs.
#pragma once

#include <functional>
#include <string>

#include "peers/gpu_api.h"

namespace command {

class ProbeDriver {
 public:
  // All functions throw Error.
  ProbeDriver();

  std::string assemble(const std::string &ptx) const;

  // The graph is never destroyed.
  void *capture(GpuStream stream, const std::function<void()> &work) const;
  void launch_graph(void *graph, GpuStream stream) const;

 private:
  using Linker = void *;
  int (*create_)(unsigned, int *, void **, Linker *) = nullptr;
  int (*add_)(Linker, int, void *, size_t, const char *, unsigned, int *, void **) = nullptr;
  int (*complete_)(Linker, void **, size_t *) = nullptr;
  int (*destroy_)(Linker) = nullptr;
  int (*begin_)(GpuStream, int) = nullptr;
  int (*end_)(GpuStream, void **) = nullptr;
  int (*instantiate_)(void **, void *, unsigned long long) = nullptr;
  int (*launch_)(void *, GpuStream) = nullptr;
};

}  // namespace command
