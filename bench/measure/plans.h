// Operands of timed calls kept as plans: their split is not timed.
#pragma once

#include <string>
#include <vector>

#include "inputs/routines.h"

namespace command {

class Plans {
 public:
  // `h` outlives this object.
  Plans(libsgemm_handle_t h, const std::string &operands);
  ~Plans();
  Plans(const Plans &) = delete;
  Plans &operator=(const Plans &) = delete;

  // Makes the missing plans for each set. Throws Error or std::bad_alloc.
  void keep(const std::vector<Call> &calls);
  libsgemm_status_t call(const std::vector<Call> &calls, size_t set) const;

 private:
  struct Pair {
    libsgemm_plan_t a, b;
  };

  libsgemm_handle_t handle_;
  bool a_, b_;
  std::vector<Pair> pairs_;
};

}  // namespace command
