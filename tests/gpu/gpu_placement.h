// A Placement (check.h) in device memory: a copy of its guarded memory, byte for byte, with the same alignment. The
// checks of the host's placement then apply to the device's memory.
#pragma once

#include "gpu_driver.h"
#include "support/check.h"

namespace sgemm_test::gpu {

class DevicePlacement {
 public:
  // `problems` and `strides` are those of `host`.
  DevicePlacement(Placement *host, const std::vector<const Problem *> &problems, const Strides &strides = {},
                  Memory::Kind kind = Memory::device);
  DevicePlacement(Placement *host, const Problem &problem, Memory::Kind kind = Memory::device)
      : DevicePlacement(host, std::vector<const Problem *>{&problem}, {}, kind) {}

  // Arguments of the call, with pointers to device memory.
  const Args &args() const { return args_; }

  // Replaces the host's placement by another one of the same case and layout, with the same memory layout.
  void attach(Placement *host);

  void upload();    // copies the host's placement to the device
  void download();  // copies back, and waits for the default stream

  // Like Placement's, for device memory.
  void restore();
  std::string check(const Arithmetic &how = {});
  std::string check_untouched();

 private:
  struct Region {
    unsigned char *host;
    size_t offset, bytes;
  };
  Region add(const void *data, size_t bytes);

  Placement *host_;
  Args args_;
  size_t end_ = 0;
  std::vector<Region> regions_;
  std::vector<unsigned char> staging_;
  std::unique_ptr<Memory> memory_;
};

}  // namespace sgemm_test::gpu
