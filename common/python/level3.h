// syrk, symm, trmm and trsm.
#pragma once

#include <nanobind/nanobind.h>

namespace libsgemm_python {

void bind_level3(nanobind::module_ &module);

}  // namespace libsgemm_python
