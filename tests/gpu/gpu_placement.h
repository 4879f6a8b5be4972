// A Placement (check.h) whose matrices the device has: its guarded memory, byte for byte, in device memory of the same
// alignment, so that the checks of the host's hold for the device's.
#pragma once

#include "gpu_driver.h"
#include "support/check.h"

namespace sgemm_test::gpu {

class DevicePlacement {
 public:
  // `problems` as given to `host`, with the same strides.
  DevicePlacement(Placement *host, const std::vector<const Problem *> &problems, const Strides &strides = {},
                  Memory::Kind kind = Memory::device);
  DevicePlacement(Placement *host, const Problem &problem, Memory::Kind kind = Memory::device)
      : DevicePlacement(host, std::vector<const Problem *>{&problem}, {}, kind) {}

  // The call, with pointers to the device's memory.
  const Args &args() const { return args_; }

  // Another host side: a placement of the same case and layout, whose memory is laid out alike.
  void attach(Placement *host);

  void upload();    // what the host's placement holds, to the device
  void download();  // and back, waiting for the default stream

  // Placement's, for the device's memory.
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
