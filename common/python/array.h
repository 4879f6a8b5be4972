// The caller's arrays: NumPy's by its C API, others by DLPack; never copied.
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

// DLPack's numbers; kHost covers all memory that the CPU can reach.
struct Device {
  static constexpr int kHost = 1, kCuda = 2, kRocm = 10, kCudaManaged = 13;
  int kind = kHost, index = 0;
  bool is_host() const { return kind == kHost; }
  bool operator==(const Device &other) const { return kind == other.kind && index == other.index; }
};
std::string words(const Device &device);

struct Place {
  Device device;
  void *stream = nullptr;  // current stream of the first array's framework; NULL: the device's default stream
  bool wait = false;       // the frameworks do not know that stream: the call ends before it returns
};

enum class Use {
  input,
  output,  // the caller's, writable
  made     // made by this module, for a result
};

// Two or three dimensions; a tensor has four.
class Array {
 public:
  // TypeError, ValueError: no array, or not usable without a copy. `name`: the argument's. Before take(), only the
  // device of an array that needs DLPack is known.
  Array(nb::handle object, const char *name, Use use, bool tensor = false);
  // A PyTorch tensor that the caller keeps alive. TypeError, ValueError: wrong type or number of dimensions.
  Array(const nb::dlpack::dltensor &view, const char *name);
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;

  int64_t rows() const { return shape[ndim - 2]; }
  int64_t cols() const { return shape[ndim - 1]; }
  int64_t count() const { return ndim == 3 ? shape[0] : 1; }
  bool is_empty() const;
  std::string shape_in_words() const;

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
  bool of_torch = false;  // torch_tensor.h handles its type
  Device device;
  Type type = Type::fp32;
  void *data = nullptr;
  int ndim = 0;
  int64_t shape[4] = {}, stride[4] = {};  // elements

 private:
  nb::ndarray<nb::ro> tensor_;  // keeps the memory alive
};

std::string dtype_in_words(nb::handle object);
[[noreturn]] void refuse_type(const Array &array);

// Gets memory by DLPack, and the call's stream. ValueError: the arrays are not all on one device.
Place take(Array *const *arrays, size_t count);
inline Place take(std::initializer_list<Array *> arrays) { return take(arrays.begin(), arrays.size()); }

// Keeps the array's layout, framework and device. ValueError: it requires grad.
nb::object copy_of(nb::handle array, const char *name);

// float32, on the device of `like` and of its framework.
nb::object make(const Array &like, std::initializer_list<int64_t> shape, bool zero);

}  // namespace libsgemm_python
