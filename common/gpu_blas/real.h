// The program's own cuBLAS or rocBLAS.
#pragma once

#include <atomic>
#include <utility>

#include "gpu_blas/vendor.h"

namespace libsgemm {

// NULL: it is not loaded, or lacks the function.
void *find_in_vendor(const char *name);

template <typename F>
class Real {
 public:
  constexpr explicit Real(const char *name) : name_(name) {}

  F *get() {
    void *found = found_.load(std::memory_order_acquire);
    if (found == nullptr) {
      found = find_in_vendor(name_);
      found_.store(found, std::memory_order_release);
    }
    return reinterpret_cast<F *>(found);
  }

  template <typename... Arguments>
  int operator()(Arguments... arguments) {
    F *const function = get();
    return function != nullptr ? function(arguments...) : kVendorLacks;
  }

 private:
  const char *const name_;
  std::atomic<void *> found_{nullptr};
};

}  // namespace libsgemm
