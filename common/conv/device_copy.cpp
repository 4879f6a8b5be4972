#include "conv/device_copy.h"

#include <cstdint>
#include <new>

namespace libsgemm {
namespace {

constexpr size_t kAlignment = 256;

// Visits pieces in the order of memory. Dimensions of step 0 are copied once.
template <typename Enqueue>
libsgemm_status_t in_pieces(const Tensor &t, const Enqueue &enqueue) {
  Tensor once = t;
  for (int d = 0; d < 4; ++d) once.size[d] = t.step[d] == 0 ? 1 : t.size[d];
  const Runs runs = runs_of(once);
  constexpr size_t kElement = sizeof(float);
  const bool dense = runs.stride() == 1;
  const size_t bytes = dense ? static_cast<size_t>(runs.length()) * kElement : kElement;
  int inner = dense ? 1 : 0;
  int64_t columns = 1;
  size_t pitch = bytes;
  // The columns of a copy must not overlap.
  if (inner < runs.rank && static_cast<size_t>(runs.step[inner]) * kElement >= bytes) {
    columns = runs.size[inner];
    pitch = static_cast<size_t>(runs.step[inner++]) * kElement;
  }
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  int64_t done = 0;
  for_each_run(runs, std::min(inner, runs.rank), [&](int64_t offset) {
    if (status != LIBSGEMM_SUCCESS) return;
    status = enqueue(offset, done, bytes, pitch, columns);
    done += static_cast<int64_t>(bytes / kElement) * columns;
  });
  return status;
}

size_t place_of(const Tensor &dense, size_t *total) {
  const size_t at = *total;
  *total += (static_cast<size_t>(dense_count(dense)) * sizeof(float) + kAlignment - 1) / kAlignment * kAlignment;
  return at;
}

Steps steps(const Tensor &t) { return {t.step[0], t.step[1], t.step[2], t.step[3]}; }

}  // namespace

libsgemm_status_t gather(const DeviceMemory &memory, const Tensor &strided, float *dense, Copy::Direction direction,
                         Error *error) {
  return in_pieces(strided, [&](int64_t from, int64_t to, size_t bytes, size_t pitch, int64_t columns) {
    const Copy copy = {direction, dense + to, strided.data + from, bytes, pitch, bytes, columns};
    return memory.table.copy(memory.device, copy, memory.stream, error);
  });
}

libsgemm_status_t scatter(const DeviceMemory &memory, const float *dense, const Tensor &strided, float *data,
                          Copy::Direction direction, Error *error) {
  return in_pieces(strided, [&](int64_t to, int64_t from, size_t bytes, size_t pitch, int64_t columns) {
    const Copy copy = {direction, data + to, dense + from, pitch, bytes, bytes, columns};
    return memory.table.copy(memory.device, copy, memory.stream, error);
  });
}

DenseConv dense_conv(const ConvDesc &desc) {
  DenseConv dense = {};
  dense.desc = desc;
  const Tensor x = dense_like(tensor_x(desc), nullptr), f = dense_like(tensor_f(desc), nullptr),
               y = dense_like(tensor_y(desc), nullptr);
  dense.desc.x_steps = steps(x);
  dense.desc.f_steps = steps(f);
  dense.desc.y_steps = steps(y);
  dense.x_ = place_of(x, &dense.bytes);
  dense.f_ = place_of(f, &dense.bytes);
  dense.y_ = place_of(y, &dense.bytes);
  return dense;
}

void DenseConv::place(void *memory) {
  const auto at = [&](size_t offset) { return reinterpret_cast<float *>(static_cast<char *>(memory) + offset); };
  desc.x = at(x_);
  desc.f = at(f_);
  desc.y = at(y_);
  desc.out = at(desc.direction == Conv::forward ? y_ : desc.direction == Conv::data_gradient ? x_ : f_);
}

libsgemm_status_t ConvHostCopy::take(const DeviceMemory &memory, const ConvDesc &device, Error *error) {
  device_ = device;
  dense_ = dense_conv(device);
  data_.reset(new (std::nothrow) char[dense_.bytes]);
  if (data_ == nullptr) {
    set_error(error, "no host memory for copies of the tensors");
    return LIBSGEMM_OUT_OF_MEMORY;
  }
  dense_.place(data_.get());
  const Tensor from[] = {tensor_x(device), tensor_f(device), tensor_y(device)};
  const float *const to[] = {dense_.desc.x, dense_.desc.f, dense_.desc.y};
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  for (int i = 0; i < 3 && status == LIBSGEMM_SUCCESS; ++i) {
    status = gather(memory, from[i], const_cast<float *>(to[i]), Copy::to_host, error);
  }
  return wait_after(memory, status, error);
}

libsgemm_status_t ConvHostCopy::fetch_output(const DeviceMemory &memory, Error *error) {
  return wait_after(memory, gather(memory, output_of(device_), dense_.desc.out, Copy::to_host, error), error);
}

libsgemm_status_t ConvHostCopy::return_output(const DeviceMemory &memory, Error *error) {
  return wait_after(memory, scatter(memory, dense_.desc.out, output_of(device_), device_.out, Copy::to_device, error),
                    error);
}

}  // namespace libsgemm
