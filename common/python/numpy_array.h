// NumPy's C API takes a tenth of the time of the buffer protocol.
#pragma once

#include <nanobind/nanobind.h>

#include "array.h"

namespace libsgemm_python {

// Call it before the others.
void import_numpy();

bool is_numpy(nb::handle object);
// TypeError, ValueError: the array cannot be used.
void describe_numpy(Array *array);
nb::object make_numpy(std::initializer_list<int64_t> shape, bool zero);

}  // namespace libsgemm_python
