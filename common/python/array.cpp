#include "array.h"

#include <nanobind/stl/string.h>

#include <algorithm>

#include "numpy_array.h"
#include "torch_tensor.h"

namespace libsgemm_python {
namespace {

nb::object frameworks(const char *name) { return nb::module_::import_("libsgemm._frameworks").attr(name); }

// The CPU reads page-locked memory, too.
Device device_from(int kind, int index) {
  constexpr int kCudaHost = 3, kRocmHost = 11;
  if (kind == Device::kHost || kind == kCudaHost || kind == kRocmHost) return {};
  return {kind, index};
}

Device device_of(nb::handle object, const char *name) {
  nb::object answer;
  try {
    answer = object.attr("__dlpack_device__")();
  } catch (nb::python_error &error) {
    if (!error.matches(PyExc_AttributeError)) throw;  // an array, but on a device without DLPack
    throw nb::type_error((std::string(name) + " is no array: it is not NumPy's and has no DLPack").c_str());
  }
  return device_from(nb::cast<int>(nb::object(answer[0])), nb::cast<int>(nb::object(answer[1])));
}

Type type_of(const Array &x, const nb::dlpack::dtype &dtype) {
  using Code = nb::dlpack::dtype_code;
  const auto code = static_cast<Code>(dtype.code);
  if (dtype.lanes == 1) {
    if (code == Code::Float && dtype.bits == 32) return Type::fp32;
    if (code == Code::Float && dtype.bits == 16) return Type::fp16;
    if (code == Code::Bfloat && dtype.bits == 16) return Type::bf16;
  }
  refuse_type(x);
}

}  // namespace

std::string dtype_in_words(nb::handle object) {
  const nb::object dtype = nb::getattr(object, "dtype", nb::none());
  return dtype.is_none() ? "" : nb::cast<std::string>(nb::str(nb::handle(dtype)));
}

void refuse_type(const Array &x) {
  const std::string dtype = dtype_in_words(x.object);
  const char *const wanted = x.use == Use::input ? "float32, float16 or bfloat16" : "float32";
  throw nb::type_error((std::string(x.name) + " has dtype " + dtype + "; it must be " + wanted).c_str());
}

std::string words(const Device &device) {
  if (device.is_host()) return "host memory";
  const std::string index = ":" + std::to_string(device.index);
  if (device.kind == Device::kCuda || device.kind == Device::kCudaManaged) return "cuda" + index;
  return device.kind == Device::kRocm ? "rocm" + index : "a device of DLPack's kind " + std::to_string(device.kind);
}

Array::Array(nb::handle source, const char *argument, Use of, bool tensor)
    : name(argument), object(nb::borrow(source)), use(of), is_tensor(tensor) {
  if (is_numpy(source)) {
    describe_numpy(this);
    taken = true;
    return;
  }
  nb::dlpack::dltensor view;
  of_torch = is_torch(source) && view_plain_torch(source, &view);
  if (of_torch) {
    describe(view);
  } else {
    device = device_of(source, name);
  }
}

Array::Array(const nb::dlpack::dltensor &view, const char *argument) : name(argument), use(Use::input), of_torch(true) {
  describe(view);
}

bool Array::is_empty() const { return std::find(shape, shape + ndim, 0) != shape + ndim; }

std::string Array::shape_in_words() const {
  std::string text;
  for (int i = 0; i < ndim; ++i) text += (i > 0 ? " x " : "") + std::to_string(shape[i]);
  return text;
}

void Array::set_type(Type of) {
  type = of;
  if (use != Use::input && type != Type::fp32) refuse_type(*this);
}

void Array::set_dimensions(int dimensions) {
  if (is_tensor ? dimensions != 4 : dimensions != 2 && dimensions != 3) {
    throw nb::value_error((std::string(name) + " has " + std::to_string(dimensions) + " dimension(s); it must have " +
                           (is_tensor ? "4" : "2, or 3 as a batch of matrices"))
                              .c_str());
  }
  ndim = dimensions;
}

void Array::check_writable(bool writable) const {
  if (!writable && use == Use::output) throw nb::value_error((std::string(name) + " is read-only").c_str());
}

void Array::describe(const nb::dlpack::dltensor &view) {
  device = device_from(view.device.device_type, view.device.device_id);
  taken = device.is_host();  // on a device the stream must be known, too
  set_type(type_of(*this, view.dtype));
  set_dimensions(view.ndim);
  std::copy(view.shape, view.shape + ndim, shape);
  std::copy(view.strides, view.strides + ndim, stride);
  data = static_cast<char *>(view.data) + view.byte_offset;
}

void Array::take_capsule(nb::handle capsule) {
  // nanobind gives a read-only tensor only for a read-only request.
  nb::ndarray<> writable;
  if (nb::try_cast(capsule, writable, false)) {
    tensor_ = nb::ndarray<nb::ro>(writable);
  } else if (nb::try_cast(capsule, tensor_, false)) {
    check_writable(false);
  } else {
    throw nb::type_error((std::string(name) + ": DLPack gave something that is no tensor").c_str());
  }
  set_type(type_of(*this, tensor_.dtype()));
  set_dimensions(static_cast<int>(tensor_.ndim()));
  for (int i = 0; i < ndim; ++i) {
    shape[i] = static_cast<int64_t>(tensor_.shape(static_cast<size_t>(i)));
    stride[i] = tensor_.stride(static_cast<size_t>(i));
  }
  data = const_cast<void *>(static_cast<const void *>(tensor_.data()));
  taken = true;
}

Place take(Array *const *arrays, size_t count) {
  Place place;
  place.device = arrays[0]->device;
  bool all_taken = true, all_torch = true;
  for (size_t i = 0; i < count; ++i) {
    const Array &x = *arrays[i];
    if (!(x.device == place.device)) {
      throw nb::value_error((std::string(x.name) + " is in " + words(x.device) + " and " + arrays[0]->name + " in " +
                             words(place.device) + "; the arrays of a call must all be in one place")
                                .c_str());
    }
    all_taken = all_taken && x.taken;
    all_torch = all_torch && x.of_torch;
  }
  if (all_taken) return place;
  if (all_torch) {
    for (size_t i = 0; i < count; ++i) arrays[i]->taken = true;
    place.stream = current_torch_stream(place.device);
    return place;
  }
  nb::list wanted, beside;
  for (size_t i = 0; i < count; ++i) {
    const Array &x = *arrays[i];
    x.taken ? beside.append(x.object) : wanted.append(nb::make_tuple(x.object, x.name, x.use == Use::output));
  }
  const nb::object answer = frameworks("export")(wanted, beside, place.device.kind, place.device.index);
  place.stream = reinterpret_cast<void *>(nb::cast<uintptr_t>(nb::object(answer[0])));
  place.wait = nb::cast<bool>(nb::object(answer[1]));
  size_t next = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!arrays[i]->taken) arrays[i]->take_capsule(nb::object(answer[2][next++]));
  }
  return place;
}

nb::object copy_of(nb::handle array, const char *name) { return frameworks("copy")(array, name); }

nb::object make(const Array &like, std::initializer_list<int64_t> shape, bool zero) {
  if (is_numpy(like.object)) return make_numpy(shape, zero);
  if (like.of_torch) return make_torch(like.object, like.device, shape.begin(), static_cast<int>(shape.size()), zero);
  nb::list sizes;
  for (const int64_t size : shape) sizes.append(size);
  return frameworks("make")(like.object, nb::tuple(sizes), zero, like.device.is_host());
}

}  // namespace libsgemm_python
