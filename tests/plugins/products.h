// Exact products in host or device memory of the mock GPU, and the connection to the plugin.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "plugins/mock.h"
#include "support/call.h"
#include "support/catch.h"

namespace mock_test {

using sgemm_test::Handle;
using sgemm_test::last_info;

constexpr int64_t kSize = 48;  // above kThreshold; 8 is below
constexpr const char *kThreshold = "32";

inline bool strict() { return std::getenv("LIBSGEMM_TEST_STRICT") != nullptr; }

// Sets the environment before the library reads it; connects to the plugin.
inline mock::Control &gpu() {
  static mock::Control *control = [] {
    const char *other = std::getenv("LIBSGEMM_TEST_MOCK");  // the folder of another mock
    const std::string folder = std::string(MOCK_FOLDER "/") + (other != nullptr ? other : "gpu");
    setenv("LIBSGEMM_BACKEND_PATH", folder.c_str(), 1);
    setenv("LIBSGEMM_OFFLOAD_THRESHOLD", kThreshold, 1);
    setenv("LIBSGEMM_OFFLOAD_DEVICES", "1", 0);  // a second device would compute what the first failed to
    if (strict()) setenv("LIBSGEMM_STRICT", "1", 1);
    if (std::getenv("LIBSGEMM_TEST_DETERMINISTIC") != nullptr) setenv("LIBSGEMM_DETERMINISTIC", "1", 1);
    void *plugin = dlopen((folder + "/libsgemm_cuda.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE(plugin != nullptr);
    const auto entry = reinterpret_cast<mock::ControlEntry>(dlsym(plugin, mock::kControlSymbol));
    REQUIRE(entry != nullptr);
    return entry();
  }();
  return *control;
}

inline void reset() {
  for (auto &count : gpu().calls) count = 0;
  for (auto &fault : gpu().fail_at) fault = 0;
  gpu().fails_behind = false;
  gpu().flip_bit = 0;
  gpu().fail_device = 0;
}

inline float value(int64_t i, int64_t j) { return static_cast<float>((i * 5 + j * 3) % 7 - 3); }

// Column-major and square, of integers; C has an extra column.
struct Product {
  int64_t n;
  std::vector<float> a, b, c, before;
  float alpha = 2, beta = -1;

  explicit Product(int64_t size = kSize) : n(size) {
    const size_t count = static_cast<size_t>(n * n);
    a.resize(count);
    b.resize(count);
    c.resize(count);
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t i = 0; i < n; ++i) {
        const size_t at = static_cast<size_t>(i + j * n);
        a[at] = value(i, j);
        b[at] = value(j, 2 * i);
        c[at] = value(3 * i, j + 1);
      }
    }
    before = c;
  }

  float wanted(int64_t i, int64_t j) const {
    float sum = 0;
    for (int64_t l = 0; l < n; ++l) sum += a[static_cast<size_t>(i + l * n)] * b[static_cast<size_t>(l + j * n)];
    return alpha * sum + (beta == 0 ? 0 : beta * before[static_cast<size_t>(i + j * n)]);
  }

  bool right() const {
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t i = 0; i < n; ++i) {
        if (!(c[static_cast<size_t>(i + j * n)] == wanted(i, j))) return false;
      }
    }
    return true;
  }

  bool untouched() const { return std::memcmp(c.data(), before.data(), c.size() * sizeof(float)) == 0; }

  libsgemm_status_t run() {
    return libsgemm_sgemm(LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, n, n, n, alpha, a.data(), n,
                          b.data(), n, beta, c.data(), n);
  }
  libsgemm_status_t run(libsgemm_handle_t h) {
    return libsgemm_sgemm_h(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, n, n, n, alpha, a.data(), n,
                            b.data(), n, beta, c.data(), n);
  }
};

struct DeviceProduct {
  Product host;
  int device;
  float *a, *b, *c;

  explicit DeviceProduct(int on = 1, int64_t size = kSize, bool managed = false) : host(size), device(on) {
    a = upload(host.a, managed);
    b = upload(host.b, managed);
    c = upload(host.c, managed);
  }
  ~DeviceProduct() {
    for (float *memory : {a, b, c}) gpu().release(device, memory);
  }
  DeviceProduct(const DeviceProduct &) = delete;
  DeviceProduct &operator=(const DeviceProduct &) = delete;

  float *upload(const std::vector<float> &data, bool managed) const {
    void *memory = (managed ? gpu().allocate_managed : gpu().allocate)(device, data.size() * sizeof(float));
    gpu().write(memory, data.data(), data.size() * sizeof(float));
    return static_cast<float *>(memory);
  }

  bool right() {
    gpu().read(c, host.c.data(), host.c.size() * sizeof(float));
    return host.right();
  }
  bool untouched() {
    gpu().read(c, host.c.data(), host.c.size() * sizeof(float));
    return host.untouched();
  }

  libsgemm_status_t run() {
    return libsgemm_sgemm(LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, host.n, host.n, host.n, host.alpha,
                          a, host.n, b, host.n, host.beta, c, host.n);
  }
  libsgemm_status_t run(libsgemm_handle_t h) {
    return libsgemm_sgemm_h(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, host.n, host.n, host.n,
                            host.alpha, a, host.n, b, host.n, host.beta, c, host.n);
  }
};

inline std::string backend() { return last_info().backend; }
inline std::string kernel() { return last_info().kernel; }
inline std::string reason() { return last_info().reason; }

inline bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

}  // namespace mock_test
