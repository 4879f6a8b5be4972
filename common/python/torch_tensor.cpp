#include "torch_tensor.h"

#include <algorithm>
#include <cstring>

namespace libsgemm_python {
namespace {

// torch.Tensor.__dlpack_c_exchange_api__, as in DLPack 1.3. Functions return 0, or -1 with Python's exception set.
struct ExchangeTable {
  uint32_t major, minor;
  const ExchangeTable *older;
  void *allocate, *export_owned, *import_owned;  // not used
  int (*view)(void *object, nb::dlpack::dltensor *out);
  int (*current_stream)(int32_t device_kind, int32_t index, void **stream);
};
constexpr uint32_t kMajor = 1;  // other versions may lay out the table differently

nb::object interned(const char *text) { return nb::steal(PyUnicode_InternFromString(text)); }

nb::object get(nb::handle object, nb::handle name) {
  PyObject *const value = PyObject_GetAttr(object.ptr(), name.ptr());
  if (value == nullptr) nb::raise_python_error();
  return nb::steal(value);
}

bool is_true(const nb::object &answer) { return answer.ptr() == Py_True; }

// Kept for the life of the process, like the module.
struct Torch {
  explicit Torch(const nb::module_ &torch)
      : requires_grad(interned("requires_grad")), is_neg(interned("is_neg")), dtype(interned("dtype")) {
    float32 = torch.attr("float32");
    const nb::object core = torch.attr("_C");
    current_gpu = nb::getattr(core, "_cuda_getDevice", nb::none());
    const nb::object quick = nb::getattr(nb::getattr(core, "_dynamo", nb::none()), "guards", nb::none());
    empty_on_gpu = nb::getattr(quick, "_empty_strided_cuda", nb::none());
    empty_on_host = nb::getattr(quick, "_empty_strided_cpu", nb::none());
  }
  nb::object requires_grad, is_neg, dtype, float32;
  // PyTorch's functions for compiled code, in a third of the time of the public ones. None: missing.
  nb::object empty_on_gpu, empty_on_host, current_gpu;
};

// Found with the first tensor, under Python's lock. A static initialiser could deadlock: an import may let another
// thread run, which waits for the initialiser with Python's lock.
PyTypeObject *g_tensor = nullptr, *g_parameter = nullptr;
const ExchangeTable *g_exchange = nullptr;
const Torch *g_torch = nullptr;

const ExchangeTable *exchange_of(nb::handle tensor_type) {
  const nb::object capsule = nb::getattr(tensor_type, "__dlpack_c_exchange_api__", nb::none());
  if (!PyCapsule_CheckExact(capsule.ptr())) return nullptr;
  const void *const found = PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api");
  if (found == nullptr) PyErr_Clear();
  const auto *table = static_cast<const ExchangeTable *>(found);
  while (table != nullptr && table->major != kMajor) table = table->older;
  return table != nullptr && table->view != nullptr ? table : nullptr;
}

// Called for every array that is not NumPy's. Imports nothing: the array may be of another framework.
bool is_named_torch_tensor(PyTypeObject *type) {
  if (std::strcmp(type->tp_name, "Tensor") != 0) return false;
  const nb::object module = nb::getattr(nb::handle(reinterpret_cast<PyObject *>(type)), "__module__", nb::none());
  return nb::isinstance<nb::str>(module) && std::strcmp(nb::borrow<nb::str>(module).c_str(), "torch") == 0;
}

void find_torch(PyTypeObject *type) {
  const nb::module_ torch = nb::module_::import_("torch");
  if (torch.attr("Tensor").ptr() != reinterpret_cast<PyObject *>(type)) return;
  const auto *const known = new Torch(torch);
  if (g_tensor != nullptr) {  // another thread was faster
    delete known;
    return;
  }
  g_torch = known;
  const nb::object nn = nb::getattr(torch, "nn", nb::none());
  g_parameter = reinterpret_cast<PyTypeObject *>(nb::getattr(nn, "Parameter", nb::none()).ptr());
  g_exchange = exchange_of(nb::handle(reinterpret_cast<PyObject *>(type)));
  g_tensor = type;
}

nb::object integers(const int64_t *values, int count) {
  nb::object tuple = nb::steal(PyTuple_New(count));
  for (int i = 0; i < count; ++i) PyTuple_SET_ITEM(tuple.ptr(), i, PyLong_FromLongLong(values[i]));
  return tuple;
}

// None: use a public function.
nb::handle quick_empty(const Device &device) {
  if (device.is_host()) return g_torch->empty_on_host;
  const bool is_gpu = device.kind == Device::kCuda || device.kind == Device::kRocm;
  const bool is_current =
      is_gpu && !g_torch->current_gpu.is_none() && nb::cast<int>(g_torch->current_gpu()) == device.index;
  return is_current ? nb::handle(g_torch->empty_on_gpu) : nb::handle(Py_None);
}

}  // namespace

bool is_torch(nb::handle object) {
  PyTypeObject *const type = Py_TYPE(object.ptr());
  if (g_tensor == nullptr && is_named_torch_tensor(type)) find_torch(type);
  return (type == g_tensor || type == g_parameter) && g_exchange != nullptr;
}

bool is_any_torch(nb::handle object) {
  if (is_torch(object)) return true;
  return g_exchange != nullptr && PyType_IsSubtype(Py_TYPE(object.ptr()), g_tensor) != 0;
}

bool view_torch(nb::handle tensor, nb::dlpack::dltensor *view) {
  if (g_exchange->view(tensor.ptr(), view) == 0) return true;
  PyErr_Clear();
  return false;
}

bool view_plain_torch(nb::handle tensor, nb::dlpack::dltensor *view) {
  if (is_true(get(tensor, g_torch->requires_grad))) return false;
  PyObject *const negated = PyObject_CallMethodNoArgs(tensor.ptr(), g_torch->is_neg.ptr());
  if (negated == nullptr) nb::raise_python_error();
  return !is_true(nb::steal(negated)) && view_torch(tensor, view);
}

void *current_torch_stream(const Device &device) {
  if (device.kind == Device::kRocm) {  // PyTorch's C function may have been compiled to return no stream
    const nb::object current = nb::module_::import_("torch").attr("cuda").attr("current_stream")(device.index);
    return reinterpret_cast<void *>(nb::cast<uintptr_t>(nb::object(current.attr("cuda_stream"))));
  }
  void *stream = nullptr;
  if (g_exchange->current_stream(device.kind, device.index, &stream) != 0) nb::raise_python_error();
  return stream;
}

nb::object make_torch(nb::handle like, const Device &device, const int64_t *shape, int ndim, bool zero) {
  const nb::object sizes = integers(shape, ndim);
  const nb::handle quick = zero ? nb::handle(Py_None) : quick_empty(device);
  if (!quick.is_none()) {
    int64_t strides[4], step = 1;
    for (int i = ndim - 1; i >= 0; --i) {
      strides[i] = step;
      step *= std::max<int64_t>(1, shape[i]);
    }
    return quick(sizes, integers(strides, ndim), g_torch->float32);
  }
  const nb::object make = like.attr(zero ? "new_zeros" : "new_empty");
  return make(sizes, nb::arg("dtype") = g_torch->float32);
}

}  // namespace libsgemm_python
