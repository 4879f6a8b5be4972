#include "torch_tensor.h"

#include <cstring>

namespace libsgemm_python {
namespace {

// What is asked of PyTorch time and again; kept for the life of the process, as the module is.
struct Torch {
  nb::object tensor, strided, float32, float16, bfloat16, current_stream;
  int kind;

  Torch() {
    const nb::module_ torch = nb::module_::import_("torch");
    tensor = torch.attr("Tensor");
    strided = torch.attr("strided");
    float32 = torch.attr("float32");
    float16 = torch.attr("float16");
    bfloat16 = torch.attr("bfloat16");
    current_stream = nb::module_::import_("libsgemm._frameworks").attr("current_torch_stream");
    kind = nb::object(torch.attr("version").attr("hip")).is_none() ? Device::kCuda : Device::kRocm;
  }
};
const Torch &torch() {
  static const Torch *const known = new Torch;
  return *known;
}

bool is_true(nb::handle object, const char *attribute) { return nb::object(object.attr(attribute)).ptr() == Py_True; }

}  // namespace

bool is_torch_on_gpu(nb::handle object) {
  // Asked of every array that is not NumPy's: nothing is imported for those of others.
  PyTypeObject *const type = Py_TYPE(object.ptr());
  if (std::strcmp(type->tp_name, "Tensor") != 0) return false;
  const nb::object module = nb::getattr(nb::handle(reinterpret_cast<PyObject *>(type)), "__module__", nb::none());
  if (!nb::isinstance<nb::str>(module) || std::strcmp(nb::borrow<nb::str>(module).c_str(), "torch") != 0) return false;
  return torch().tensor.ptr() == reinterpret_cast<PyObject *>(type) && is_true(object, "is_cuda");
}

Device device_of_torch(nb::handle tensor) {
  return {torch().kind, nb::cast<int>(nb::object(tensor.attr("get_device")()))};
}

bool describe_torch(Array *x) {
  const nb::object &tensor = x->object;
  const Torch &known = torch();
  const nb::object layout = tensor.attr("layout");
  if (is_true(tensor, "requires_grad") || layout.ptr() != known.strided.ptr()) return false;
  if (nb::object(tensor.attr("is_neg")()).ptr() == Py_True) return false;
  const nb::object dtype = tensor.attr("dtype");
  if (dtype.ptr() == known.float32.ptr()) {
    x->set_type(Type::fp32);
  } else if (dtype.ptr() == known.float16.ptr()) {
    x->set_type(Type::fp16);
  } else if (dtype.ptr() == known.bfloat16.ptr()) {
    x->set_type(Type::bf16);
  } else {
    refuse_type(*x);
  }
  const auto shape = nb::cast<nb::tuple>(nb::object(tensor.attr("shape")));
  const auto stride = nb::cast<nb::tuple>(nb::object(tensor.attr("stride")()));
  x->set_dimensions(static_cast<int>(shape.size()));
  for (int i = 0; i < x->ndim; ++i) {
    x->shape[i] = nb::cast<int64_t>(nb::object(shape[static_cast<size_t>(i)]));
    x->stride[i] = nb::cast<int64_t>(nb::object(stride[static_cast<size_t>(i)]));
  }
  x->data = reinterpret_cast<void *>(nb::cast<uintptr_t>(nb::object(tensor.attr("data_ptr")())));
  x->taken = true;
  return true;
}

void *current_torch_stream(const Device &device) {
  return reinterpret_cast<void *>(nb::cast<uintptr_t>(nb::object(torch().current_stream(device.index))));
}

nb::object make_torch(nb::handle like, nb::handle shape, bool zero) {
  const nb::object make = like.attr(zero ? "new_zeros" : "new_empty");
  if (nb::object(like.attr("dtype")).ptr() == torch().float32.ptr()) return make(shape);  // quicker
  return make(shape, nb::arg("dtype") = torch().float32);
}

}  // namespace libsgemm_python
