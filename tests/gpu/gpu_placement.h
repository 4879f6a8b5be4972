// An exact copy of a Placement (check.h) in device memory, so that the host placement's checks apply.
#pragma once

#include "gpu_driver.h"
#include "support/check.h"

namespace sgemm_test::gpu {

class DevicePlacement {
 public:
  DevicePlacement(Placement *host, const std::vector<const Problem *> &problems, const Strides &strides = {},
                  Memory::Kind kind = Memory::device);
  DevicePlacement(Placement *host, const Problem &problem, Memory::Kind kind = Memory::device)
      : DevicePlacement(host, std::vector<const Problem *>{&problem}, {}, kind) {}

  const Args &args() const { return args_; }

  // `host` must have the same case, layout and memory layout as before.
  void attach(Placement *host);

  void upload();
  void download();

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
