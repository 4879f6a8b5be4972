// The tensors of a ConvPlacement in device memory, byte for byte: the host's checks apply.
#pragma once

#include <memory>

#include "conv_problem.h"

namespace sgemm_test {

// Memory(bytes) has address(), upload(host) and download(host), which copy all bytes and wait.
template <typename Memory>
class DeviceConv {
 public:
  explicit DeviceConv(ConvPlacement *host) : host_(*host) {
    for (int i = 0; i < 3; ++i) {
      Buffer &buffer = host_.tensor(i).buffer();
      memory_[i] = std::make_unique<Memory>(static_cast<size_t>(host_.tensor(i).elements()) * sizeof(float));
      memory_[i]->upload(buffer.data());
    }
  }

  libsgemm_status_t run(libsgemm_handle_t handle) {
    return host_.run(handle, at(host_.index_of_a()), at(host_.index_of_b()), at(host_.index_of_output()));
  }

  std::string check(const ConvArithmetic &how = {}) {
    download();
    return host_.check(how);
  }
  std::string check_untouched() {
    download();
    return host_.check_untouched();
  }

 private:
  float *at(int i) { return static_cast<float *>(memory_[i]->address()); }
  void download() {
    for (int i = 0; i < 3; ++i) memory_[i]->download(host_.tensor(i).buffer().data());
  }

  ConvPlacement &host_;
  std::unique_ptr<Memory> memory_[3];
};

}  // namespace sgemm_test
