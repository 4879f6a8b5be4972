// Reads and makes PyTorch tensors by its C functions (DLPack's exchange API, from 2.10 on), in a tenth of the time of
// DLPack's Python side.
#pragma once

#include "array.h"

namespace libsgemm_python {

// True for torch.Tensor and Parameter themselves, if PyTorch has these functions.
bool is_torch(nb::handle object);
// True also for subclasses; only for use below PyTorch's dispatcher, as plain memory.
bool is_any_torch(nb::handle object);

// False, without an exception: DLPack cannot describe the tensor (sparse, on no device, inside of vmap).
bool view_torch(nb::handle tensor, nb::dlpack::dltensor *view);
// Also false if the tensor requires grad or is a negated view.
bool view_plain_torch(nb::handle tensor, nb::dlpack::dltensor *view);

void *current_torch_stream(const Device &device);

nb::object make_torch(nb::handle like, const Device &device, const int64_t *shape, int ndim, bool zero);

}  // namespace libsgemm_python
