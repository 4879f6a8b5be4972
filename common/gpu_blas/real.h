// The program's own cuBLAS or rocBLAS, which the drop-in stands before.
#pragma once

#include <atomic>
#include <utility>

#include "gpu_blas/vendor.h"

namespace libsgemm {

// The function of that name in the one of the process; NULL if none is loaded, or it has no such function.
void *find_in_vendor(const char *name);

// One of its functions, of type F, looked for when it is first wanted.
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

  // Its status.
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
