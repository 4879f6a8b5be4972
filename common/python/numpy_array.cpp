#include "numpy_array.h"

#include <algorithm>

// Built with NumPy 2, the module also works with NumPy 1.
#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#define NPY_TARGET_VERSION NPY_1_22_API_VERSION
#include <numpy/arrayobject.h>

namespace libsgemm_python {
namespace {

Type type_of(const Array &x, PyArrayObject *array) {
  const int number = PyArray_TYPE(array);
  if (PyArray_ISNOTSWAPPED(array)) {
    if (number == NPY_FLOAT32) return Type::fp32;
    if (number == NPY_FLOAT16) return Type::fp16;
    if (number >= NPY_USERDEF && dtype_in_words(x.object) == "bfloat16") return Type::bf16;
  }
  refuse_type(x);
}

// Elements under a mask have no meaning.
void refuse_masked(const Array &x) {
  if (PyArray_CheckExact(x.object.ptr())) return;
  const nb::object masked = nb::module_::import_("numpy.ma").attr("MaskedArray");
  if (!nb::isinstance(x.object, masked)) return;
  throw nb::value_error((std::string(x.name) + " is a masked array, and libsgemm does not support masks: pass " +
                         x.name + ".filled(0), or " + x.name + ".data, which has what is under the mask")
                            .c_str());
}

}  // namespace

void import_numpy() {
  if (_import_array() < 0) nb::raise_python_error();
}

bool is_numpy(nb::handle object) { return PyArray_Check(object.ptr()); }

void describe_numpy(Array *x) {
  refuse_masked(*x);
  const auto array = reinterpret_cast<PyArrayObject *>(x->object.ptr());
  x->set_type(type_of(*x, array));
  x->check_writable(PyArray_ISWRITEABLE(array));
  x->set_dimensions(PyArray_NDIM(array));
  const int64_t size = x->type == Type::fp32 ? 4 : 2;
  for (int i = 0; i < x->ndim; ++i) {
    x->shape[i] = PyArray_DIM(array, i);
    x->stride[i] = PyArray_STRIDE(array, i) / size;
    if (x->shape[i] > 1 && PyArray_STRIDE(array, i) % size != 0) {
      throw nb::value_error((std::string(x->name) + " has strides that are no multiples of an element").c_str());
    }
  }
  x->data = PyArray_DATA(array);
  if (reinterpret_cast<uintptr_t>(x->data) % static_cast<uintptr_t>(size) != 0) {
    throw nb::value_error((std::string(x->name) + " is not aligned to its elements").c_str());
  }
}

nb::object make_numpy(std::initializer_list<int64_t> shape, bool zero) {
  npy_intp sizes[4];
  std::copy(shape.begin(), shape.end(), sizes);
  const int count = static_cast<int>(shape.size());
  PyObject *const made =
      zero ? PyArray_ZEROS(count, sizes, NPY_FLOAT32, 0) : PyArray_EMPTY(count, sizes, NPY_FLOAT32, 0);
  if (made == nullptr) nb::raise_python_error();
  return nb::steal(made);
}

}  // namespace libsgemm_python
