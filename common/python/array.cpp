#include "array.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>

namespace libsgemm_python {
namespace {

// Looked up once and never given back: at exit the interpreter goes first.
nb::handle kept(const char *module, const char *name) {
  return nb::object(nb::module_::import_(module).attr(name)).release();
}

nb::handle frameworks(const char *name) { return nb::module_::import_("libsgemm._frameworks").attr(name).inc_ref(); }

// Memory that the CPU reads, page-locked or not.
Device device_of(nb::handle object, const char *name) {
  nb::object answer;
  try {
    answer = object.attr("__dlpack_device__")();
  } catch (nb::python_error &) {
    throw nb::type_error((std::string(name) + " is no array: it has neither the buffer protocol nor DLPack").c_str());
  }
  constexpr int kCudaHost = 3, kRocmHost = 11;
  const int kind = nb::cast<int>(nb::object(answer[0])), index = nb::cast<int>(nb::object(answer[1]));
  if (kind == Device::kHost || kind == kCudaHost || kind == kRocmHost) return {};
  return {kind, index};
}

[[noreturn]] void refuse_type(const char *name, const std::string &type, Use use) {
  const char *const wanted = use == Use::input ? "float32, float16 or bfloat16" : "float32";
  throw nb::type_error((std::string(name) + " has dtype " + type + "; it must be " + wanted).c_str());
}

bool is_bfloat16(nb::handle object) {
  return nb::hasattr(object, "dtype") && nb::hasattr(object.attr("dtype"), "name") &&
         nb::cast<std::string>(nb::str(object.attr("dtype").attr("name"))) == "bfloat16";
}

std::string dtype_in_words(nb::handle object, const std::string &format) {
  return nb::hasattr(object, "dtype") ? nb::str(object.attr("dtype")).c_str() : "'" + format + "'";
}

}  // namespace

std::string words(const Device &device) {
  constexpr int kCuda = 2, kRocm = 10, kManaged = 13;
  if (device.is_host()) return "host memory";
  const std::string index = ":" + std::to_string(device.index);
  if (device.kind == kCuda || device.kind == kManaged) return "cuda" + index;
  return device.kind == kRocm ? "rocm" + index : "a device that DLPack numbers " + std::to_string(device.kind);
}

Array::Array(nb::handle source, const char *argument, Use of) : name(argument), object(nb::borrow(source)), use(of) {
  taken = take_buffer();
  if (!taken) device = device_of(source, name);
}

Array::Array(void *memory, const char *argument, std::vector<int64_t> sizes, std::vector<int64_t> steps)
    : name(argument), use(Use::input), taken(true), data(memory), ndim(static_cast<int>(sizes.size())) {
  std::copy(sizes.begin(), sizes.end(), shape);
  std::copy(steps.begin(), steps.end(), stride);
}

Array::~Array() {
  if (buffer_.obj != nullptr) PyBuffer_Release(&buffer_);
}

bool Array::is_empty() const { return std::find(shape, shape + ndim, 0) != shape + ndim; }

std::string Array::shape_in_words() const {
  std::string text;
  for (int i = 0; i < ndim; ++i) text += (i > 0 ? " x " : "") + std::to_string(shape[i]);
  return text;
}

void Array::set_shape(int dimensions) {
  if (dimensions != 2 && dimensions != 3) {
    throw nb::value_error((std::string(name) + " has " + std::to_string(dimensions) +
                           " dimension(s); it must have 2, or 3 as a batch of matrices")
                              .c_str());
  }
  ndim = dimensions;
}

void Array::check_writable(bool writable) const {
  if (!writable && use == Use::output) throw nb::value_error((std::string(name) + " is read-only").c_str());
}

// False if the object has no buffer, as of arrays in device memory.
bool Array::take_buffer() {
  PyObject *const source = object.ptr();
  if (PyObject_CheckBuffer(source) == 0) return false;
  bool bf16 = false;
  if (PyObject_GetBuffer(source, &buffer_, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    // NumPy exports no buffer of a type that is not its own.
    bf16 = is_bfloat16(object);
    if (!bf16) {
      if (nb::hasattr(object, "__dlpack_device__") &&
          !nb::isinstance(object, nb::module_::import_("numpy").attr("ndarray")))
        return false;
      refuse_type(name, dtype_in_words(object, "?"), use);
    }
    const nb::object bits = object.attr("view")("uint16");
    if (PyObject_GetBuffer(bits.ptr(), &buffer_, PyBUF_STRIDES | PyBUF_FORMAT) != 0) nb::raise_python_error();
  }
  const char *format = buffer_.format != nullptr ? buffer_.format : "B";
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  if (bf16) {
    type = Type::bf16;
  } else if (std::strcmp(format, "f") == 0) {
    type = Type::fp32;
  } else if (std::strcmp(format, "e") == 0) {
    type = Type::fp16;
  } else {
    refuse_type(name, dtype_in_words(object, buffer_.format), use);
  }
  if (use != Use::input && type != Type::fp32) refuse_type(name, dtype_in_words(object, format), use);
  check_writable(buffer_.readonly == 0);
  set_shape(buffer_.ndim);
  for (int i = 0; i < ndim; ++i) {
    shape[i] = buffer_.shape[i];
    if (buffer_.strides[i] % buffer_.itemsize != 0 && shape[i] > 1) {
      throw nb::value_error((std::string(name) + " has elements between which there are parts of elements").c_str());
    }
    stride[i] = buffer_.strides[i] / buffer_.itemsize;
  }
  data = buffer_.buf;
  if (reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(buffer_.itemsize) != 0) {
    throw nb::value_error((std::string(name) + " is not aligned to its elements").c_str());
  }
  return true;
}

void Array::take_capsule(nb::handle capsule) {
  // A capsule that may be written serves any use; only where it may not is the other kind tried.
  nb::ndarray<> writable;
  if (nb::try_cast(capsule, writable, false)) {
    tensor_ = nb::ndarray<nb::ro>(writable);
  } else if (nb::try_cast(capsule, tensor_, false)) {
    check_writable(false);
  } else {
    throw nb::type_error((std::string(name) + ": DLPack gave something that is no tensor").c_str());
  }
  using Code = nb::dlpack::dtype_code;
  const nb::dlpack::dtype of = tensor_.dtype();
  const auto code = static_cast<Code>(of.code);
  if (code == Code::Float && of.bits == 32 && of.lanes == 1) {
    type = Type::fp32;
  } else if (code == Code::Float && of.bits == 16 && of.lanes == 1 && use == Use::input) {
    type = Type::fp16;
  } else if (code == Code::Bfloat && of.bits == 16 && of.lanes == 1 && use == Use::input) {
    type = Type::bf16;
  } else {
    refuse_type(name, dtype_in_words(object, std::to_string(of.bits) + " bits"), use);
  }
  set_shape(static_cast<int>(tensor_.ndim()));
  for (int i = 0; i < ndim; ++i) {
    shape[i] = static_cast<int64_t>(tensor_.shape(static_cast<size_t>(i)));
    stride[i] = tensor_.stride(static_cast<size_t>(i));
  }
  data = const_cast<void *>(static_cast<const void *>(tensor_.data()));
  taken = true;
}

Place take(const std::vector<Array *> &arrays) {
  Place place;
  place.device = arrays[0]->device;
  bool all_taken = true;
  for (const Array *array : arrays) {
    if (!(array->device == place.device)) {
      throw nb::value_error((std::string(array->name) + " is in " + words(array->device) + " and " + arrays[0]->name +
                             " in " + words(place.device) + "; the arrays of a call must all be in one place")
                                .c_str());
    }
    all_taken = all_taken && array->taken;
  }
  if (all_taken) return place;
  nb::list wanted;
  for (const Array *array : arrays) {
    if (!array->taken) wanted.append(nb::make_tuple(array->object, array->name, array->use == Use::output));
  }
  const nb::tuple answer =
      nb::cast<nb::tuple>(nb::steal(frameworks("export"))(wanted, place.device.kind, place.device.index));
  place.stream = reinterpret_cast<void *>(nb::cast<uintptr_t>(answer[0]));
  place.wait = nb::cast<bool>(answer[1]);
  size_t next = 0;
  for (Array *array : arrays) {
    if (!array->taken) array->take_capsule(nb::object(answer[2][next++]));
  }
  return place;
}

nb::object copy_of(nb::handle array) { return nb::steal(frameworks("copy"))(array); }

nb::object make(const Array &like, std::initializer_list<int64_t> shape, bool zero) {
  static const nb::handle empty = kept("numpy", "empty"), zeros = kept("numpy", "zeros"),
                          float32 = kept("numpy", "float32"), ndarray = kept("numpy", "ndarray");
  nb::object sizes = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
  Py_ssize_t i = 0;
  for (const int64_t size : shape) PyTuple_SET_ITEM(sizes.ptr(), i++, PyLong_FromLongLong(size));
  if (like.object.type().is(ndarray)) return zero ? zeros(sizes, float32) : empty(sizes, float32);
  return nb::steal(frameworks("make"))(like.object, sizes, zero, like.device.is_host());
}

}  // namespace libsgemm_python
