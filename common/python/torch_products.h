// PyTorch's products for libsgemm.torch.
#pragma once

#include <nanobind/nanobind.h>

namespace libsgemm_python {

void bind_torch_products(nanobind::module_ &module);

}  // namespace libsgemm_python
