// Arrays of the caller: NumPy's, and all others by DLPack. Nothing is copied.
#pragma once

#include <libsgemm.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace libsgemm_python {

namespace nb = nanobind;

enum class Type { fp32, fp16, bf16 };

// Where an array lives: a kind as DLPack numbers them, all that the CPU can reach being kHost.
struct Device {
  static constexpr int kHost = 1, kCuda = 2, kRocm = 10, kCudaManaged = 13;
  int kind = kHost, index = 0;
  bool is_host() const { return kind == kHost; }
  bool operator==(const Device &other) const { return kind == other.kind && index == other.index; }
};
std::string words(const Device &device);

// What a call is ordered on.
struct Place {
  Device device;
  void *stream = nullptr;  // of the framework that the first array is of; NULL: the default one of the device
  bool wait = false;       // the frameworks cannot know of that stream: the call has to end before they go on
};

enum class Use {
  input,
  output,  // the caller's, so it must be writable
  made     // by us, for a result
};

// An array of two dimensions, or of three; or a tensor, of four.
class Array {
 public:
  // TypeError, ValueError: `object` is no array, or none that can be used as it is; `name` is the argument's. Of an
  // array that is taken by DLPack only the device is known before take().
  Array(nb::handle object, const char *name, Use use, bool tensor = false);
  // A tensor of PyTorch that somebody else keeps. TypeError, ValueError: it has a wrong type or number of dimensions.
  Array(const nb::dlpack::dltensor &view, const char *name);
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;

  int64_t rows() const { return shape[ndim - 2]; }
  int64_t cols() const { return shape[ndim - 1]; }
  int64_t count() const { return ndim == 3 ? shape[0] : 1; }
  bool is_empty() const;
  std::string shape_in_words() const;

  // Of an array that is being taken. TypeError, ValueError: such a one cannot be used.
  void describe(const nb::dlpack::dltensor &view);
  void set_type(Type of);
  void set_dimensions(int dimensions);
  void check_writable(bool writable) const;
  void take_capsule(nb::handle capsule);

  const char *name;
  nb::object object;
  Use use;
  bool is_tensor = false;
  bool taken = false;
  bool of_torch = false;  // known by torch_tensor.h
  Device device;
  Type type = Type::fp32;
  void *data = nullptr;
  int ndim = 0;
  int64_t shape[4] = {}, stride[4] = {};  // in elements

 private:
  nb::ndarray<nb::ro> tensor_;  // keeps the memory
};

// str(object.dtype); "" if it has none.
std::string dtype_in_words(nb::handle object);
[[noreturn]] void refuse_type(const Array &array);

// Takes the memory of those arrays for which DLPack is asked. ValueError: they are not all on one device.
Place take(Array *const *arrays, size_t count);
inline Place take(std::initializer_list<Array *> arrays) { return take(arrays.begin(), arrays.size()); }

// A copy, stored as the array is, of its framework and on its device. ValueError: it requires grad; `name` is the
// argument's.
nb::object copy_of(nb::handle array, const char *name);

// A new array of float32 beside `like` and of its framework.
nb::object make(const Array &like, std::initializer_list<int64_t> shape, bool zero);

}  // namespace libsgemm_python
