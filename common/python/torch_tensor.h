// PyTorch's tensors on a GPU by their attributes, which takes a third of the time of DLPack.
#pragma once

#include <nanobind/nanobind.h>

#include "array.h"

namespace libsgemm_python {

// Whether it is a torch.Tensor, and no subclass, on a GPU.
bool is_torch_on_gpu(nb::handle object);
Device device_of_torch(nb::handle tensor);
// What such a tensor holds. False: one that DLPack is to refuse, with the reason. TypeError, ValueError: it cannot be
// used.
bool describe_torch(Array *array);
void *current_torch_stream(const Device &device);
nb::object make_torch(nb::handle like, nb::handle shape, bool zero);

}  // namespace libsgemm_python
