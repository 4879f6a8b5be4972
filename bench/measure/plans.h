// Operands of timed calls that are kept as plans, so that their split is not part of the time.
#pragma once

#include <string>
#include <vector>

#include "inputs/routines.h"

namespace command {

class Plans {
 public:
  // `operands`: "a", "b" or "ab"; empty: none. `h` outlives this object.
  Plans(libsgemm_handle_t h, const std::string &operands);
  ~Plans();
  Plans(const Plans &) = delete;
  Plans &operator=(const Plans &) = delete;

  // Makes plans of the operands of each set in `calls` that has none yet. Throws Error or std::bad_alloc.
  void keep(const std::vector<Call> &calls);
  // Makes the call on a set, with its plans.
  libsgemm_status_t call(const std::vector<Call> &calls, size_t set) const;

 private:
  struct Pair {
    libsgemm_plan_t a, b;
  };

  libsgemm_handle_t handle_;
  bool a_, b_;
  std::vector<Pair> pairs_;  // one for each set
};

}  // namespace command
