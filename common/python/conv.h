// conv2d and its gradients.
#pragma once

#include <nanobind/nanobind.h>

namespace libsgemm_python {

void bind_conv(nanobind::module_ &module);

}  // namespace libsgemm_python
