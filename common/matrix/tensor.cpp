#include "tensor.h"

namespace libsgemm {
namespace {

int64_t extent(const Runs &runs) {
  int64_t last = 0;
  for (int d = 0; d < runs.rank; ++d) last += (runs.size[d] - 1) * runs.step[d];
  return last;
}

// Orders dimensions with more than one element by their steps; returns their number.
int order_of(const Tensor &t, int order[4]) {
  int rank = 0;
  for (int d = 3; d >= 0; --d) {
    if (t.size[d] > 1) order[rank++] = d;
  }
  std::stable_sort(order, order + rank, [&](int a, int b) { return t.step[a] < t.step[b]; });
  return rank;
}

}  // namespace

Runs runs_of(const Tensor &t) {
  int order[4];
  const int rank = order_of(t, order);
  Runs runs = {};
  for (int i = 0; i < rank; ++i) {
    const int64_t size = t.size[order[i]], step = t.step[order[i]];
    const int last = runs.rank - 1;
    if (last >= 0 && step == runs.size[last] * runs.step[last]) {
      runs.size[last] *= size;
    } else {
      runs.size[runs.rank] = size;
      runs.step[runs.rank++] = step;
    }
  }
  return runs;
}

Tensor dense_like(const Tensor &t, const float *data) {
  Tensor dense = t;
  dense.data = data;
  int order[4];
  const int rank = order_of(t, order);
  int64_t step = 1;
  for (int64_t &s : dense.step) s = 0;
  for (int i = 0; i < rank; ++i) {
    if (t.step[order[i]] == 0) continue;
    dense.step[order[i]] = step;
    step *= t.size[order[i]];
  }
  return dense;
}

int64_t dense_count(const Tensor &dense) {
  int64_t count = 1;
  for (int d = 0; d < 4; ++d) count *= dense.size[d] > 1 && dense.step[d] == 0 ? 1 : dense.size[d];
  return count;
}

void copy_tensor(const Tensor &from, const Tensor &to, float *data) {
  int order[4] = {};
  const int rank = order_of(to, order);
  // Innermost first.
  int64_t size[4] = {1, 1, 1, 1}, in[4] = {}, out[4] = {};
  for (int i = 0; i < rank; ++i) {
    size[i] = to.size[order[i]];
    in[i] = from.step[order[i]];
    out[i] = to.step[order[i]];
  }
  for (int64_t a = 0; a < size[3]; ++a) {
    for (int64_t b = 0; b < size[2]; ++b) {
      for (int64_t c = 0; c < size[1]; ++c) {
        const float *x = from.data + a * in[3] + b * in[2] + c * in[1];
        float *y = data + a * out[3] + b * out[2] + c * out[1];
        if (in[0] == 1 && out[0] == 1) {
          std::copy_n(x, size[0], y);
        } else {
          for (int64_t i = 0; i < size[0]; ++i) y[i * out[0]] = x[i * in[0]];
        }
      }
    }
  }
}

void scale_tensor(const Tensor &t, float beta, float *data) {
  const Runs runs = runs_of(t);
  const int64_t length = runs.length(), stride = runs.stride();
  for_each_run(runs, 1, [&](int64_t offset) {
    for (int64_t i = 0; i < length; ++i) {
      float &x = data[offset + i * stride];
      x = beta == 0.0f ? 0.0f : beta * x;
    }
  });
}

bool apart(const Tensor &t) {
  const Runs runs = runs_of(t);
  int64_t inside = 0;  // largest offset in the dimensions so far
  for (int d = 0; d < runs.rank; ++d) {
    if (runs.step[d] <= inside) return false;
    inside += (runs.size[d] - 1) * runs.step[d];
  }
  return true;
}

bool overlap(const Tensor &x, const Tensor &y) {
  const Runs in_x = runs_of(x), in_y = runs_of(y);
  // Integers: addresses may belong to different objects.
  const auto address = [](const Tensor &t) { return static_cast<int64_t>(reinterpret_cast<uintptr_t>(t.data)); };
  const int64_t bytes = address(y) - address(x), size = sizeof(float);
  if (bytes >= (extent(in_x) + 1) * size || bytes + (extent(in_y) + 1) * size <= 0) return false;
  // An element of y may overlap two of x: they need not be aligned to each other.
  const int64_t first = bytes >= 0 ? bytes / size : -((-bytes + size - 1) / size);
  const bool aligned = bytes - first * size == 0;
  const auto belongs = [&](int64_t element) {
    if (element < 0) return false;
    for (int d = in_x.rank - 1; d >= 0; --d)
      element -= std::min(element / in_x.step[d], in_x.size[d] - 1) * in_x.step[d];
    return element == 0;
  };
  bool shared = false;
  const int64_t length = in_y.length(), stride = in_y.stride();
  for_each_run(in_y, 1, [&](int64_t offset) {
    for (int64_t i = 0; i < length && !shared; ++i) {
      const int64_t element = first + offset + i * stride;
      shared = belongs(element) || (!aligned && belongs(element + 1));
    }
  });
  return shared;
}

}  // namespace libsgemm
