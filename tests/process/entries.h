// Entry points of both libraries with operands, for calls that run out of memory.
#pragma once

#include <libsgemm.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "plugins/products.h"

extern "C" void cblas_sgemm(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *,
                            int);

namespace sgemm_test {

constexpr int64_t kN = 40, kCount = kN * kN;  // above the mock GPU's threshold
constexpr int kVoid = -1;                     // "status" of void functions

struct Data {
  explicit Data(bool on_gpu) : gpu(on_gpu) {
    for (int64_t i = 0; i < kCount; ++i) {
      a[i] = static_cast<float>(i * 5 % 7) - 3;
      c[i] = static_cast<float>(i % 3);
    }
    for (int64_t i = 0; i < kN; ++i) a[i + i * kN] = 1;  // for trsm
    if (!gpu) return;
    mock_test::gpu().has_syrk = true;
    device_a = static_cast<float *>(mock_test::gpu().allocate(0, sizeof a));
    device_c = static_cast<float *>(mock_test::gpu().allocate(0, sizeof c));
    mock_test::gpu().write(device_a, a, sizeof a);
  }

  const float *A() const { return gpu ? device_a : a; }
  float *C() { return gpu ? device_c : out; }
  void reset() {
    std::memcpy(out, c, sizeof c);
    if (gpu) mock_test::gpu().write(device_c, c, sizeof c);
  }
  std::vector<float> result() {
    if (gpu) mock_test::gpu().read(device_c, out, sizeof c);
    return {out, out + kCount};
  }

  bool gpu;
  float a[kCount], c[kCount], out[kCount];
  float *device_a = nullptr, *device_c = nullptr;
};

// Each child rebuilds the call. `expected`: status with enough memory.
struct Entry {
  std::string name;
  int expected;
  std::function<int(Data *, libsgemm_handle_t)> run;
  bool wants_handle = false;
  bool in_parts = false;  // some parts of C may be computed
};
using Entries = std::vector<Entry>;

Entries all_entries();

}  // namespace sgemm_test
