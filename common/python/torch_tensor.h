// PyTorch's tensors through the C functions that it has for extensions (DLPack's exchange API, in PyTorch from 2.10
// on), which take a tenth of the time of DLPack's Python side.
#pragma once

#include "array.h"

namespace libsgemm_python {

// True for a torch.Tensor or Parameter, and no subclass, of a PyTorch that has these functions.
bool is_torch(nb::handle object);
// Also true for subclasses. Only for code that knows the argument to be plain memory, as below PyTorch's dispatcher.
bool is_any_torch(nb::handle object);

// Describes a tensor. Returns false, without an exception, if DLPack cannot describe it (sparse, on no device, inside
// of vmap).
bool view_torch(nb::handle tensor, nb::dlpack::dltensor *view);
// Describes a tensor as view_torch() does, but returns false if it requires grad or is a negated view.
bool view_plain_torch(nb::handle tensor, nb::dlpack::dltensor *view);

void *current_torch_stream(const Device &device);

// Makes a new float32 tensor of the framework of `like` on `device`.
nb::object make_torch(nb::handle like, const Device &device, const int64_t *shape, int ndim, bool zero);

}  // namespace libsgemm_python
