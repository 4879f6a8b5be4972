// NumPy's arrays through its C API, which takes a tenth of the time of the buffer protocol.
#pragma once

#include <nanobind/nanobind.h>

#include "array.h"

namespace libsgemm_python {

// Must be called before the other functions.
void import_numpy();

bool is_numpy(nb::handle object);
// Sets the members of `array` from its NumPy array. TypeError, ValueError: it cannot be used.
void describe_numpy(Array *array);
nb::object make_numpy(std::initializer_list<int64_t> shape, bool zero);

}  // namespace libsgemm_python
