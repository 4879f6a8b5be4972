// Matrices split once for many products.
#pragma once

#include <memory>

#include "handles.h"
#include "operand.h"

namespace libsgemm_python {

class Plan {
 public:
  Plan(nb::handle x, const char *side, const char *trans, nb::handle mode, nb::handle backend);
  ~Plan();
  Plan(const Plan &) = delete;
  Plan &operator=(const Plan &) = delete;

  // Waits for the device, whose work may read the plan, and frees the plan, even if waiting raises.
  void close();
  // ValueError: closed, or for the other side or transposition.
  void require_use(libsgemm_side_t as, libsgemm_op_t op) const;

  // Plans are row-major, and so are products with them.
  static constexpr libsgemm_layout_t kLayout = LIBSGEMM_ROW_MAJOR;
  libsgemm_plan_t plan() const { return plan_.get(); }
  Array &array() { return array_; }
  const Settings &settings() const { return settings_; }
  bool keeps_something() const { return keeps_; }

 private:
  struct Destroy {
    void operator()(libsgemm_plan_t plan) const { libsgemm_plan_destroy(plan); }
  };

  Array array_;
  Settings settings_;
  libsgemm_side_t side_;
  libsgemm_op_t op_;
  std::unique_ptr<libsgemm_plan, Destroy> plan_;  // NULL: closed
  bool keeps_ = false;
};

// NULL: an array.
Plan *plan_from(nb::handle argument);

void bind_plan(nb::module_ &module);

}  // namespace libsgemm_python
