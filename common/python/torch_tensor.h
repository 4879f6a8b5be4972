// PyTorch's tensors by the C functions that it has for extensions (DLPack's exchange API, in PyTorch from 2.10 on): a
// tenth of the time of Python's side of DLPack.
#pragma once

#include "array.h"

namespace libsgemm_python {

// Whether it is a torch.Tensor or Parameter, and no subclass, of a PyTorch that has these functions.
bool is_torch(nb::handle object);
// Likewise with subclasses. Only for code that knows the argument to be plain memory, as below PyTorch's dispatcher.
bool is_any_torch(nb::handle object);

// What a tensor holds. False, and no exception: nothing that can be named so (sparse, on no device, inside of vmap).
bool view_torch(nb::handle tensor, nb::dlpack::dltensor *view);
// view_torch() of a tensor that may be used as it is; one that requires grad or is a negated view may not.
bool view_plain_torch(nb::handle tensor, nb::dlpack::dltensor *view);

void *current_torch_stream(const Device &device);

// A new tensor of float32 on the device of `like`.
nb::object make_torch(nb::handle like, const Device &device, const int64_t *shape, int ndim, bool zero);

}  // namespace libsgemm_python
