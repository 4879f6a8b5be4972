#include "host_copy.h"

#include <algorithm>
#include <new>

namespace libsgemm {
namespace {

size_t bytes_of(const Stored &x) { return static_cast<size_t>(x.rows) * static_cast<size_t>(x.cols) * x.size; }

libsgemm_status_t fetch(const DeviceMemory &memory, const Stored &x, const void *target, Error *error) {
  if (bytes_of(x) == 0) return LIBSGEMM_SUCCESS;
  const size_t column = static_cast<size_t>(x.rows) * x.size;
  const Copy copy = {
      Copy::to_host, const_cast<void *>(target), x.base, column, static_cast<size_t>(x.ld) * x.size, column, x.cols};
  return memory.table.copy(memory.device, copy, memory.stream, error);
}

}  // namespace

libsgemm_status_t wait_after(const DeviceMemory &memory, libsgemm_status_t status, Error *error) {
  Error after_failure = {};
  const libsgemm_status_t waited =
      memory.table.synchronize(memory.device, memory.stream, status == LIBSGEMM_SUCCESS ? error : &after_failure);
  return status == LIBSGEMM_SUCCESS ? waited : status;
}

libsgemm_status_t copy_part(const DeviceMemory &memory, const GemmDesc &device, Copy::Direction direction,
                            const void *dense, Error *error) {
  const Stored c = stored_c(device);
  const size_t pitch = static_cast<size_t>(c.ld) * c.size, column = static_cast<size_t>(c.rows) * c.size;
  // Column by column for a triangle: the rest must not be written.
  const int64_t step = c.part == Stored::all ? c.cols : 1;
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  for (int64_t j = 0; j < c.cols && status == LIBSGEMM_SUCCESS; j += step) {
    const size_t first = c.part == Stored::lower ? static_cast<size_t>(j) * c.size : 0;
    const size_t end = c.part == Stored::upper ? static_cast<size_t>(j + 1) * c.size : column;
    const auto at = static_cast<size_t>(j);
    void *target = const_cast<char *>(c.base) + at * pitch + first;
    const Copy copy = {direction,   target, static_cast<const char *>(dense) + at * column + first, pitch, column,
                       end - first, step};
    status = memory.table.copy(memory.device, copy, memory.stream, error);
  }
  return status;
}

libsgemm_status_t HostCopy::fetch_arrays(const DeviceMemory &memory, Error *error) {
  if (device_.batch != Batch::pointers) return LIBSGEMM_SUCCESS;
  const auto count = static_cast<size_t>(device_.batch_count);
  there_.a.resize(count);
  there_.b.resize(count);
  there_.c.resize(count);
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  const auto get = [&](const void *array, void *target) {
    if (array == nullptr || status != LIBSGEMM_SUCCESS) return;
    const size_t bytes = count * sizeof(void *);
    if (!memory.arrays_on_device) {
      std::copy_n(static_cast<const char *>(array), bytes, static_cast<char *>(target));
      return;
    }
    status =
        memory.table.copy(memory.device, {Copy::to_host, target, array, bytes, bytes, bytes, 1}, memory.stream, error);
  };
  get(device_.a_array, there_.a.data());
  get(device_.b_array, there_.b.data());
  get(device_.c_array, there_.c.data());
  if (memory.arrays_on_device) status = wait_after(memory, status, error);
  if (device_.a_array != nullptr) device_.a_array = there_.a.data();
  if (device_.b_array != nullptr) device_.b_array = there_.b.data();
  device_.c_array = there_.c.data();
  return status;
}

// An A or B that consecutive products share is copied once.
bool HostCopy::allocate() {
  size_t total = 0;
  bool fits = true;
  std::vector<size_t> a, b, c;
  const auto place = [&](const void *now, const void *before, const Stored &x, std::vector<size_t> *offsets) {
    if (now == before && !offsets->empty()) {
      offsets->push_back(offsets->back());
      return;
    }
    offsets->push_back(total);
    fits = fits && !__builtin_add_overflow(total, (bytes_of(x) + 63) / 64 * 64, &total);
  };
  GemmDesc before = {};
  for (int64_t i = 0; i < device_.batch_count; ++i) {
    const GemmDesc d = batch_item(device_, i);
    place(d.a, before.a, stored_a(d), &a);
    place(d.b, before.b, stored_b(d), &b);
    place(d.c, nullptr, stored_c(d), &c);
    before = d;
  }
  if (fits) data_.reset(new (std::nothrow) char[std::max<size_t>(total, 1)]);
  if (data_ == nullptr) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    here_.a.push_back(data_.get() + a[i]);
    here_.b.push_back(data_.get() + b[i]);
    here_.c.push_back(reinterpret_cast<float *>(data_.get() + c[i]));
  }
  return true;
}

libsgemm_status_t HostCopy::take(const DeviceMemory &memory, const GemmDesc &device, Error *error) {
  device_ = device;
  libsgemm_status_t status = fetch_arrays(memory, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  if (!allocate()) {
    set_error(error, "no host memory for copies of the operands");
    return LIBSGEMM_OUT_OF_MEMORY;
  }
  desc_ = device_;
  desc_.plan_a = desc_.plan_b = nullptr;  // these are in device memory
  const GemmDesc first = batch_item(device_, 0);
  desc_.lda = std::max<int64_t>(1, stored_a(first).rows);
  desc_.ldb = std::max<int64_t>(1, stored_b(first).rows);
  desc_.ldc = stored_c(first).rows;
  const bool has_b = stored_b(first).rows > 0;
  if (device_.batch == Batch::none) {
    desc_.a = here_.a[0];
    desc_.b = has_b ? here_.b[0] : nullptr;
    desc_.c = here_.c[0];
  } else {
    desc_.batch = Batch::pointers;
    desc_.a_array = here_.a.data();
    desc_.b_array = has_b ? here_.b.data() : nullptr;
    desc_.c_array = here_.c.data();
  }
  for (size_t i = 0; i < here_.a.size() && status == LIBSGEMM_SUCCESS; ++i) {
    const GemmDesc d = batch_item(device_, static_cast<int64_t>(i));
    if (i == 0 || here_.a[i] != here_.a[i - 1]) status = fetch(memory, stored_a(d), here_.a[i], error);
    const bool new_b = has_b && (i == 0 || here_.b[i] != here_.b[i - 1]);
    if (status == LIBSGEMM_SUCCESS && new_b) status = fetch(memory, stored_b(d), here_.b[i], error);
  }
  return status == LIBSGEMM_SUCCESS ? fetch_c(memory, error) : wait_after(memory, status, error);
}

libsgemm_status_t HostCopy::fetch_c(const DeviceMemory &memory, Error *error) {
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  for (size_t i = 0; i < here_.c.size() && status == LIBSGEMM_SUCCESS; ++i) {
    status = fetch(memory, stored_c(batch_item(device_, static_cast<int64_t>(i))), here_.c[i], error);
  }
  return wait_after(memory, status, error);
}

libsgemm_status_t HostCopy::return_c(const DeviceMemory &memory, Error *error) {
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  for (size_t i = 0; i < here_.c.size() && status == LIBSGEMM_SUCCESS; ++i) {
    status = copy_part(memory, batch_item(device_, static_cast<int64_t>(i)), Copy::to_device, here_.c[i], error);
  }
  return wait_after(memory, status, error);
}

}  // namespace libsgemm
