// Dispatch with a mock GPU. With LIBSGEMM_TEST_STRICT=1 it tests LIBSGEMM_STRICT.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "plugins/products.h"

using namespace mock_test;

TEST_CASE("the plugin is described with its devices") {
  gpu();
  libsgemm_backend_info_t info;
  REQUIRE(libsgemm_backend_describe(0, &info) == LIBSGEMM_SUCCESS);
  CHECK(std::string(info.name) == "cuda");
  CHECK(info.available == 1);
  CHECK(info.is_gpu == 1);
  CHECK(info.device_count == 2);
  CHECK(std::string(info.version) == "mock driver 1.0");
  CHECK(contains(info.path, "/gpu/libsgemm_cuda.so"));
  libsgemm_device_info_t device;
  REQUIRE(libsgemm_device_describe(0, 1, &device) == LIBSGEMM_SUCCESS);
  CHECK(std::string(device.name) == "mock device");
  CHECK(device.memory_free_bytes > 0);
  CHECK(libsgemm_device_describe(0, 2, &device) == LIBSGEMM_INVALID_ARGUMENT);
}

TEST_CASE("host data go to the GPU from the threshold on") {
  reset();
  Product small(8), large;
  REQUIRE(small.run() == LIBSGEMM_SUCCESS);
  CHECK(backend() == "openblas");
  CHECK(contains(reason(), "LIBSGEMM_OFFLOAD_THRESHOLD"));
  CHECK(small.right());
  REQUIRE(large.run() == LIBSGEMM_SUCCESS);
  CHECK(backend() == "cuda");
  CHECK(kernel() == "cuda_mock_splitk");
  CHECK(large.right());
}

TEST_CASE("host data of every shape survive the way to the GPU and back") {
  reset();
  Handle h;
  REQUIRE(libsgemm_set_kernel(h, "cuda_mock_plain") == LIBSGEMM_SUCCESS);
  for (const int64_t n : {1, 3, 8, 17}) {
    for (const float beta : {0.0f, -1.0f}) {
      Product p(n);
      p.beta = beta;
      if (beta == 0) p.c.assign(p.c.size(), std::nanf(""));
      REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
      CHECK(backend() == "cuda");
      CHECK(p.right());
    }
  }
  REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
  CHECK(gpu().bytes == 0);
}

TEST_CASE("where no kernel of the GPU sums as it is asked for, a CPU does, and device memory is refused by name") {
  reset();
  Handle h;
  REQUIRE(libsgemm_set_deterministic(h, LIBSGEMM_DETERMINISTIC_INVARIANT) == LIBSGEMM_SUCCESS);
  Product p;
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  CHECK((backend() == "cpu" || backend() == "ref"));
  CHECK(contains(kernel(), "_chain"));
  CHECK(contains(reason(), "cuda has no kernel for this call with the sums of LIBSGEMM_DETERMINISTIC=invariant"));
  CHECK(contains(reason(), "openblas has no kernel for this call with the sums of"));
  CHECK(last_info().fallbacks == 0);
  CHECK(p.right());
  CHECK(gpu().calls[mock::kLaunch] == 0);

  DeviceProduct on_device(0);
  CHECK(on_device.run(h) == LIBSGEMM_NOT_SUPPORTED);
  CHECK(contains(last_info().message, "LIBSGEMM_DETERMINISTIC=invariant"));
  REQUIRE(libsgemm_set_kernel(h, "cuda_mock_plain") == LIBSGEMM_SUCCESS);
  CHECK(on_device.run(h) == LIBSGEMM_NOT_SUPPORTED);
  CHECK(contains(last_info().message, "its forced kernel"));
  CHECK(gpu().calls[mock::kLaunch] == 0);
}

TEST_CASE("device data stay on their device, and a call without a handle waits") {
  reset();
  for (const int device : {0, 1}) {
    DeviceProduct p(device);
    REQUIRE(p.run() == LIBSGEMM_SUCCESS);
    CHECK(backend() == "cuda");
    CHECK(last_info().device == device);
    CHECK(p.right());
  }
}

TEST_CASE("a call with a handle does not wait for device data") {
  reset();
  Handle h;
  void *stream = gpu().stream(1);
  REQUIRE(libsgemm_set_stream(h, stream) == LIBSGEMM_SUCCESS);
  DeviceProduct p(1);
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  CHECK(gpu().pending(stream, 1) > 0);
  CHECK(gpu().calls[mock::kSynchronize] == 0);
  CHECK(p.untouched());
  REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
  CHECK(gpu().pending(stream, 1) == 0);
  CHECK(p.right());
}

TEST_CASE("the device of the stream computes on managed memory, and on that of no other device") {
  reset();
  DeviceProduct here(0), managed(0, kSize, true);
  const auto ran_on = [](DeviceProduct *p, libsgemm_handle_t h) {
    const int before[] = {gpu().launches[0], gpu().launches[1]};
    gpu().write(p->c, p->host.before.data(), p->host.before.size() * sizeof(float));
    REQUIRE((h != nullptr ? p->run(h) : p->run()) == LIBSGEMM_SUCCESS);
    const int device = gpu().launches[1] - before[1];
    CHECK(gpu().launches[0] - before[0] == 1 - device);
    CHECK(last_info().device == device);
    return device;
  };
  const auto refused = [&here](libsgemm_handle_t h, const char *why) {
    CHECK(here.run(h) == LIBSGEMM_INVALID_ARGUMENT);
    CHECK(contains(last_info().message, std::string("A, B and C are in memory of device 0, and the handle's ") + why));
    CHECK(here.untouched());
  };
  {
    Handle h;
    void *stream = gpu().stream(1);
    REQUIRE(libsgemm_set_stream(h, stream) == LIBSGEMM_SUCCESS);
    CHECK(ran_on(&managed, h) == 1);
    CHECK(gpu().pending(stream, 1) > 0);
    REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
    CHECK(managed.right());
    refused(h, "stream is of device 1");
    here.host.alpha = 0;  // the call only scales C
    refused(h, "stream is of device 1");
    here.host.alpha = 2;
  }
  for (const uintptr_t name : {0, 1, 2}) {
    for (const int device : {0, 1}) {
      Handle h;
      REQUIRE(libsgemm_set_stream(h, reinterpret_cast<void *>(name)) == LIBSGEMM_SUCCESS);
      gpu().use_device(device);
      CHECK(ran_on(&managed, h) == device);
      CHECK(gpu().pending(nullptr, device) > 0);
      CHECK(gpu().pending(nullptr, 1 - device) == 0);
      REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
      CHECK(managed.right());
      if (device == 1) refused(h, "default stream is of device 1, the current one");
    }
  }
  gpu().use_device(1);
  CHECK(ran_on(&managed, nullptr) == 1);
  CHECK(managed.right());
  CHECK(ran_on(&here, nullptr) == 0);
  CHECK(here.right());
}

TEST_CASE("a CPU waits for the stream's work on managed memory") {
  reset();
  Handle h;
  REQUIRE(libsgemm_set_stream(h, gpu().stream(1)) == LIBSGEMM_SUCCESS);
  DeviceProduct managed(0, kSize, true);
  REQUIRE(managed.run(h) == LIBSGEMM_SUCCESS);
  REQUIRE(libsgemm_set_backend(h, "ref") == LIBSGEMM_SUCCESS);
  REQUIRE(managed.run(h) == LIBSGEMM_SUCCESS);
  CHECK(backend() == "ref");
  CHECK(managed.untouched());  // the second call restores C: 2 A B - (2 A B - C)
}

TEST_CASE("operands in different memories are refused") {
  reset();
  DeviceProduct p(0), q(1);
  const std::vector<float> host = p.host.b;
  const int64_t n = p.host.n;
  const auto run = [&](const float *a, const float *b) {
    return libsgemm_sgemm(LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, n, n, n, 1, a, n, b, n, 0, p.c, n);
  };
  CHECK(run(p.a, host.data()) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(contains(last_info().message, "host memory"));
  CHECK(run(p.a, q.b) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(p.untouched());
}

TEST_CASE("a routine the GPU lacks goes to the CPU for host data, and is an error for device data") {
  reset();
  Product p;
  const auto syrk = [&](const float *a, float *c) {
    return libsgemm_ssyrk(LIBSGEMM_COL_MAJOR, LIBSGEMM_UPPER, LIBSGEMM_NO_TRANS, p.n, p.n, 1, a, p.n, 0, c, p.n);
  };
  REQUIRE(syrk(p.a.data(), p.c.data()) == LIBSGEMM_SUCCESS);
  CHECK(backend() == "openblas");
  CHECK(contains(reason(), "cuda has no kernel for this call"));
  DeviceProduct d(0);
  CHECK(syrk(d.a, d.c) == LIBSGEMM_NOT_SUPPORTED);
  CHECK(contains(last_info().message, "openblas cannot reach the memory"));
  CHECK(d.untouched());
}

TEST_CASE("the workspace is allocated once, bounded, and the caller's is used") {
  reset();
  REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
  {
    Handle h;
    DeviceProduct p(1);
    const int64_t before = gpu().bytes;
    REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
    CHECK(kernel() == "cuda_mock_splitk");
    CHECK(gpu().bytes - before == static_cast<int64_t>(LIBSGEMM_WORKSPACE_DEFAULT_BYTES));
    REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
    CHECK(gpu().calls[mock::kAllocate] == 1);

    REQUIRE(libsgemm_set_workspace(h, nullptr, 1000) == LIBSGEMM_SUCCESS);
    CHECK(gpu().bytes == before);
    REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
    CHECK(kernel() == "cuda_mock_plain");

    void *mine = gpu().allocate(1, size_t{2} << 20);
    REQUIRE(libsgemm_set_workspace(h, mine, size_t{2} << 20) == LIBSGEMM_SUCCESS);
    REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
    CHECK(kernel() == "cuda_mock_splitk");
    CHECK(gpu().calls[mock::kAllocate] == 1);
    REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_set_workspace(h, nullptr, 0) == LIBSGEMM_SUCCESS);
    gpu().release(1, mine);
  }
  CHECK(gpu().bytes <= 2 * static_cast<int64_t>(LIBSGEMM_WORKSPACE_DEFAULT_BYTES));  // workspaces without a handle
}

TEST_CASE("without memory for a workspace a smaller one is tried, then a kernel that needs none") {
  reset();
  Handle h;
  DeviceProduct p(0);
  gpu().fail_at[mock::kAllocate] = 1;
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  CHECK(kernel() == "cuda_mock_splitk");
  CHECK(gpu().calls[mock::kAllocate] == 2);
  Handle other;
  REQUIRE(libsgemm_set_workspace(other, nullptr, size_t{1} << 20) == LIBSGEMM_SUCCESS);
  gpu().fail_at[mock::kAllocate] = 1;
  REQUIRE(p.run(other) == LIBSGEMM_SUCCESS);
  CHECK(kernel() == "cuda_mock_plain");
}

TEST_CASE("a capturing stream is not waited for, and host memory goes elsewhere") {
  reset();
  Handle h;
  void *stream = gpu().stream(0);
  REQUIRE(libsgemm_set_stream(h, stream) == LIBSGEMM_SUCCESS);
  DeviceProduct p(0);
  gpu().set_capturing(stream, true);
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  CHECK(kernel() == "cuda_mock_splitk");
  CHECK(gpu().calls[mock::kSynchronize] == 0);
  CHECK(gpu().pending(stream, 0) > 0);
  Product host;
  REQUIRE(host.run(h) == LIBSGEMM_SUCCESS);
  CHECK(backend() == "openblas");
  CHECK(contains(reason(), "graph"));
  gpu().set_capturing(stream, false);
  REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
  CHECK(p.right());
}

TEST_CASE("forced kernels, math modes and backends") {
  reset();
  Handle h;
  DeviceProduct p(0);
  REQUIRE(libsgemm_set_math_mode(h, LIBSGEMM_MATH_TF32) == LIBSGEMM_SUCCESS);
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  CHECK(kernel() == "cuda_mock_tf32");
  CHECK(std::string(last_info().math_mode) == "tf32");
  REQUIRE(libsgemm_set_math_mode(h, LIBSGEMM_MATH_BF16) == LIBSGEMM_SUCCESS);
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  CHECK(std::string(last_info().math_mode) == "fp32");  // the GPU has no bf16 kernel
  CHECK(last_info().truncated == 0);
  REQUIRE(libsgemm_set_kernel(h, "cuda_mock_tf32") == LIBSGEMM_SUCCESS);
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  CHECK(std::string(last_info().math_mode) == "tf32");  // the forced kernel's own mode
  CHECK(last_info().truncated == 1);
  REQUIRE(libsgemm_set_kernel(h, "openblas_sgemm") == LIBSGEMM_SUCCESS);
  CHECK(p.run(h) != LIBSGEMM_SUCCESS);  // no CPU can access device memory
  Product host(8);
  REQUIRE(host.run(h) == LIBSGEMM_SUCCESS);
  CHECK(backend() == "openblas");
  REQUIRE(libsgemm_set_kernel(h, nullptr) == LIBSGEMM_SUCCESS);
  REQUIRE(libsgemm_set_backend(h, "cuda") == LIBSGEMM_SUCCESS);
  Product small(8);
  REQUIRE(small.run(h) == LIBSGEMM_SUCCESS);
  // The user's threshold holds, except for a strict choice of the GPU.
  CHECK(backend() == (strict() ? "cuda" : "openblas"));
  REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
}

TEST_CASE("the kernel that multiplied is named, with the pass before it") {
  reset();
  Handle h;
  DeviceProduct p(0);  // the bytes are read as 16-bit numbers
  const auto run = [&] {
    const auto *a = reinterpret_cast<const libsgemm_half_t *>(p.a), *b = reinterpret_cast<const libsgemm_half_t *>(p.b);
    const int64_t n = p.host.n;
    return libsgemm_shgemm_h(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, n, n, n, 1, a, n, b, n, 0,
                             p.c, n);
  };
  REQUIRE(run() == LIBSGEMM_SUCCESS);
  CHECK(kernel() == "cuda_mock_plain");
  CHECK(contains(reason(), ", after copy of A by cuda_mock_16_bits"));
  REQUIRE(libsgemm_set_kernel(h, "cuda_mock_16_bits") == LIBSGEMM_SUCCESS);
  REQUIRE(run() == LIBSGEMM_SUCCESS);
  CHECK(kernel() == "cuda_mock_16_bits");
  CHECK(contains(reason(), ", after copy of A, and left the product to cuda_mock_plain"));
  REQUIRE(libsgemm_set_kernel(h, nullptr) == LIBSGEMM_SUCCESS);
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  CHECK(!contains(reason(), "copy"));
  REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);

  std::vector<uint16_t> x(kSize * kSize);
  std::vector<float> c(kSize * kSize);
  REQUIRE(libsgemm_set_backend(h, "cuda") == LIBSGEMM_SUCCESS);
  REQUIRE(libsgemm_shgemm_h(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, kSize, kSize, kSize, 1,
                            x.data(), kSize, x.data(), kSize, 0, c.data(), kSize) == LIBSGEMM_SUCCESS);
  CHECK(kernel() == "cuda_mock_plain");
  CHECK(contains(reason(), ", after copy of A by cuda_mock_16_bits"));
}

TEST_CASE("batches and scaling in device memory") {
  reset();
  DeviceProduct p(0), q(0);
  std::vector<const float *> as = {p.a, q.a}, bs = {p.b, q.b};
  std::vector<float *> cs = {p.c, q.c};
  const int64_t n = kSize, count = 2;
  const libsgemm_op_t op = LIBSGEMM_NO_TRANS;
  const float alpha = p.host.alpha, beta = p.host.beta;
  SECTION("pointer arrays in host memory") {
    REQUIRE(libsgemm_sgemm_batch(LIBSGEMM_COL_MAJOR, &op, &op, &n, &n, &n, &alpha, as.data(), &n, bs.data(), &n, &beta,
                                 cs.data(), &n, 1, &count) == LIBSGEMM_SUCCESS);
  }
  SECTION("pointer arrays in device memory") {
    void *arrays = gpu().allocate(0, 6 * sizeof(void *));
    void **slots = static_cast<void **>(arrays);
    gpu().write(slots, as.data(), 2 * sizeof(void *));
    gpu().write(slots + 2, bs.data(), 2 * sizeof(void *));
    gpu().write(slots + 4, cs.data(), 2 * sizeof(void *));
    REQUIRE(libsgemm_sgemm_batch(LIBSGEMM_COL_MAJOR, &op, &op, &n, &n, &n, &alpha,
                                 reinterpret_cast<const float *const *>(slots), &n,
                                 reinterpret_cast<const float *const *>(slots + 2), &n, &beta,
                                 reinterpret_cast<float *const *>(slots + 4), &n, 1, &count) == LIBSGEMM_SUCCESS);
    gpu().release(0, arrays);
  }
  CHECK(backend() == "cuda");
  CHECK(p.right());
  CHECK(q.right());

  DeviceProduct scaled(1);
  scaled.host.alpha = 0;
  REQUIRE(scaled.run() == LIBSGEMM_SUCCESS);
  CHECK(kernel() == "scale");
  CHECK(backend() == "cuda");
  CHECK(gpu().calls[mock::kScale] == 1);
  CHECK(scaled.right());
}
