// last_info() and info().
#pragma once

#include <nanobind/nanobind.h>

namespace libsgemm_python {

void bind_info(nanobind::module_ &module);

}  // namespace libsgemm_python
