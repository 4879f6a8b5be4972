// gemm and its batches.
#pragma once

#include "handles.h"
#include "operand.h"
#include "plan.h"

namespace libsgemm_python {

struct Size {
  int64_t m, n, k;
};
struct Ops {
  libsgemm_op_t a, b;
};

// ValueError: not two letters.
Ops ops_from(const char *trans);
// ValueError, TypeError: the arrays do not fit.
Size size_of(const Array &a, const Array &b, const Ops &ops);
void require_out_for(float beta, nb::handle out);

// C = alpha op(A) op(B) + beta C, after take(). Plans may be NULL. Throws if the arrays do not fit.
struct Product {
  const Array &a, &b, &c;
  Ops ops;
  float alpha, beta;
  const Plan *plan_a, *plan_b;
};
void multiply(const Product &product, const Place &place, const Settings &settings);

void bind_product(nb::module_ &module);
void bind_groups(nb::module_ &module);

}  // namespace libsgemm_python
