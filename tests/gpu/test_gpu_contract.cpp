// Dispatch with a GPU, on one that is not there (plugins/mock.cpp): where calls go, what is waited for, what is
// allocated, what happens when a device fails, and after fork. LIBSGEMM_TEST_STRICT=1 runs the part that needs
// LIBSGEMM_STRICT.
#include <sys/wait.h>
#include <unistd.h>

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

TEST_CASE("where no row of the GPU sums as it is asked for, ref does, and device memory is refused by name") {
  reset();
  Handle h;
  REQUIRE(libsgemm_set_deterministic(h, LIBSGEMM_DETERMINISTIC_INVARIANT) == LIBSGEMM_SUCCESS);
  Product p;
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  CHECK(backend() == "ref");
  CHECK(contains(kernel(), "_chain"));
  CHECK(contains(reason(), "cuda has no kernel for this call with sums as LIBSGEMM_DETERMINISTIC=invariant has them"));
  CHECK(contains(reason(), "openblas has no kernel for this call with sums as"));
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
    here.host.alpha = 0;  // which only scales
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
  // Without a stream of the program's.
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
  CHECK(managed.untouched());  // 2 A B - (2 A B - C)
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
  CHECK(gpu().bytes <= 2 * static_cast<int64_t>(LIBSGEMM_WORKSPACE_DEFAULT_BYTES));  // of calls without a handle
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
  CHECK(std::string(last_info().math_mode) == "fp32");  // the GPU has no bf16 row
  CHECK(last_info().truncated == 0);
  REQUIRE(libsgemm_set_kernel(h, "cuda_mock_tf32") == LIBSGEMM_SUCCESS);
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  CHECK(std::string(last_info().math_mode) == "tf32");  // a forced row computes as it does
  CHECK(last_info().truncated == 1);
  REQUIRE(libsgemm_set_kernel(h, "openblas_sgemm") == LIBSGEMM_SUCCESS);
  CHECK(p.run(h) != LIBSGEMM_SUCCESS);  // device data are out of its reach
  Product host(8);
  REQUIRE(host.run(h) == LIBSGEMM_SUCCESS);
  CHECK(backend() == "openblas");
  REQUIRE(libsgemm_set_kernel(h, nullptr) == LIBSGEMM_SUCCESS);
  REQUIRE(libsgemm_set_backend(h, "cuda") == LIBSGEMM_SUCCESS);
  Product small(8);
  REQUIRE(small.run(h) == LIBSGEMM_SUCCESS);
  // The threshold was set by the user, so it holds; a strict choice of the GPU goes above it.
  CHECK(backend() == (strict() ? "cuda" : "openblas"));
  REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
}

TEST_CASE("the row that multiplied is named, with the pass before it") {
  reset();
  Handle h;
  DeviceProduct p(0);  // its bytes are taken for 16-bit numbers
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
  CHECK(kernel() == "cuda_mock_16_bits");  // which was asked for
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
  CHECK(kernel() == "cuda_mock_plain");  // of host memory, too
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

// Groups of one product each, of different sizes and scalars; group 1 is empty, and group 3 only scales.
struct RaggedGroups {
  static constexpr int64_t kCount = 5;
  std::vector<std::unique_ptr<DeviceProduct>> products;
  std::vector<libsgemm_op_t> ops = std::vector<libsgemm_op_t>(kCount, LIBSGEMM_NO_TRANS);
  std::vector<int64_t> n, sizes = {1, 0, 1, 1, 1};
  std::vector<float> alpha, beta;
  std::vector<const float *> a, b;
  std::vector<float *> c;

  explicit RaggedGroups(float all_beta = -1) {
    for (const int64_t size : {48, 9, 1, 20, 33}) {
      products.push_back(std::make_unique<DeviceProduct>(0, size));
      Product &p = products.back()->host;
      p.alpha = size == 20 ? 0.0f : static_cast<float>(size % 5);
      p.beta = size == 48 ? 0.0f : all_beta;
      n.push_back(size);
      alpha.push_back(p.alpha);
      beta.push_back(p.beta);
      if (size == 9) continue;
      a.push_back(products.back()->a);
      b.push_back(products.back()->b);
      c.push_back(products.back()->c);
    }
  }

  libsgemm_status_t run(libsgemm_handle_t h = nullptr) {
    const auto invoke = [&](auto... first) {
      return std::make_tuple(first..., LIBSGEMM_COL_MAJOR, ops.data(), ops.data(), n.data(), n.data(), n.data(),
                             alpha.data(), a.data(), n.data(), b.data(), n.data(), beta.data(), c.data(), n.data(),
                             kCount, sizes.data());
    };
    return h == nullptr ? std::apply(libsgemm_sgemm_batch, invoke()) : std::apply(libsgemm_sgemm_batch_h, invoke(h));
  }
  bool right() {
    bool all = products[1]->untouched();
    for (const int i : {0, 2, 3, 4}) all = all && products[static_cast<size_t>(i)]->right();
    return all;
  }
};

// While it lives the mock has a row for groups.
struct HasGroups {
  HasGroups() { gpu().groups_seconds = 1.5; }
  ~HasGroups() { gpu().groups_seconds = 0; }
};

// Of which only the way is looked at, not the numbers.
TEST_CASE("groups of 16-bit inputs run in one launch, too, in every mode") {
  reset();
  const HasGroups has;
  RaggedGroups groups;
  for (const libsgemm_math_mode_t mode : {LIBSGEMM_MATH_FP32, LIBSGEMM_MATH_TF32, LIBSGEMM_MATH_FP16X3}) {
    Handle h;
    REQUIRE(libsgemm_set_math_mode(h, mode) == LIBSGEMM_SUCCESS);
    const auto run = [&](auto function, auto element) {
      using Inputs = const decltype(element) *const *;
      const int launches = gpu().launches[0];
      REQUIRE(function(h, LIBSGEMM_COL_MAJOR, groups.ops.data(), groups.ops.data(), groups.n.data(), groups.n.data(),
                       groups.n.data(), groups.alpha.data(), reinterpret_cast<Inputs>(groups.a.data()), groups.n.data(),
                       reinterpret_cast<Inputs>(groups.b.data()), groups.n.data(), groups.beta.data(), groups.c.data(),
                       groups.n.data(), RaggedGroups::kCount, groups.sizes.data()) == LIBSGEMM_SUCCESS);
      REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
      CHECK(gpu().launches[0] - launches == 1);
      CHECK(kernel() == "cuda_mock_grouped");
    };
    run(libsgemm_shgemm_batch_h, libsgemm_half_t());
    run(libsgemm_sbgemm_batch_h, libsgemm_bfloat16_t());
  }
}

TEST_CASE("groups of different sizes run in one launch where that is predicted to be faster") {
  reset();
  const HasGroups has;
  RaggedGroups groups;
  int launches = gpu().launches[0];
  REQUIRE(groups.run() == LIBSGEMM_SUCCESS);
  CHECK(gpu().launches[0] - launches == 1);
  CHECK(gpu().calls[mock::kScale] == 1);
  CHECK(groups.right());
  CHECK(kernel() == "cuda_mock_grouped");
  CHECK(std::string(last_info().math_mode) == "fp64");
  CHECK(last_info().devices == 1);
  CHECK(last_info().fallbacks == 0);

  // With a handle they are enqueued, and arrays of pointers are the caller's again.
  RaggedGroups enqueued;
  {
    Handle h;
    REQUIRE(enqueued.run(h) == LIBSGEMM_SUCCESS);
    std::fill(enqueued.c.begin(), enqueued.c.end(), nullptr);
    REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
    CHECK(enqueued.right());
  }
  // One after the other: a single group, groups that it cannot do, sums in one order, verification.
  const auto one_by_one = [&](RaggedGroups *these, libsgemm_handle_t h, int wanted) {
    launches = gpu().launches[0];
    REQUIRE(these->run(h) == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
    CHECK(gpu().launches[0] - launches == wanted);
    CHECK(kernel() != "cuda_mock_grouped");
    CHECK(these->right());
  };
  {
    RaggedGroups single;
    for (const size_t i : {2, 4}) single.alpha[i] = single.products[i]->host.alpha = 0;
    Handle h;
    one_by_one(&single, h, 1);
  }
  {
    RaggedGroups large;
    large.products[4] = std::make_unique<DeviceProduct>(0, 101);
    large.n[4] = 101;
    large.a[3] = large.products[4]->a, large.b[3] = large.products[4]->b, large.c[3] = large.products[4]->c;
    large.products[4]->host.alpha = large.alpha[4], large.products[4]->host.beta = large.beta[4];
    Handle h;
    one_by_one(&large, h, 3);
  }
  {
    RaggedGroups verified;
    Handle h;
    REQUIRE(libsgemm_set_verify(h, LIBSGEMM_VERIFY_FULL, LIBSGEMM_VERIFY_ERROR) == LIBSGEMM_SUCCESS);
    one_by_one(&verified, h, 3);
  }
  for (const double seconds : {3.5, 0.0}) {  // dearer than the three, or not there
    RaggedGroups dear;
    gpu().groups_seconds = seconds;
    Handle h;
    one_by_one(&dear, h, 3);
  }
}

TEST_CASE("an illegal group leaves those before it alone") {
  reset();
  const HasGroups has;
  RaggedGroups groups;
  groups.c[3] = nullptr;
  CHECK(groups.run() == LIBSGEMM_INVALID_ARGUMENT);
  for (const auto &product : groups.products) CHECK(product->untouched());
}

TEST_CASE("a row for groups can be forced, and a failure before it has written leads to one group after the other") {
  reset();
  const HasGroups has;
  {
    RaggedGroups groups;
    Handle h;
    REQUIRE(libsgemm_set_kernel(h, "cuda_mock_grouped") == LIBSGEMM_SUCCESS);
    REQUIRE(groups.run(h) == LIBSGEMM_SUCCESS);
    CHECK(contains(reason(), "its kernel was forced"));
    REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
    CHECK(groups.right());
  }
  {
    RaggedGroups groups;
    gpu().fail_at[mock::kLaunch] = 1;
    const libsgemm_status_t status = groups.run();
    if (strict()) {
      CHECK(status == LIBSGEMM_EXECUTION_FAILED);
      for (const auto &product : groups.products) CHECK(product->untouched());
    } else {
      REQUIRE(status == LIBSGEMM_SUCCESS);
      CHECK(last_info().fallbacks == 1);
      CHECK(contains(reason(), "failed: a mock launch failed"));
      CHECK(kernel() != "cuda_mock_grouped");
      CHECK(groups.right());
    }
  }
  for (const float beta : {-1.0f, 0.0f}) {  // some of C is written: where it is read, it cannot be computed again
    reset();
    RaggedGroups groups(beta);
    gpu().fail_at[mock::kLaunch] = 2;
    const libsgemm_status_t status = groups.run();
    CHECK(status == (beta != 0 || strict() ? LIBSGEMM_EXECUTION_FAILED : LIBSGEMM_SUCCESS));
    CHECK(last_info().fallbacks == (status == LIBSGEMM_SUCCESS ? 1 : 0));
    if (status == LIBSGEMM_SUCCESS) CHECK(groups.right());
  }
}

TEST_CASE("every failing runtime call leads to the CPU with C as it was") {
  for (const mock::Site site : {mock::kCopy, mock::kLaunch}) {
    for (const float beta : {0.0f, 3.0f}) {
      reset();
      REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
      Product clean;
      clean.beta = beta;
      REQUIRE(clean.run() == LIBSGEMM_SUCCESS);
      REQUIRE(backend() == "cuda");
      const int calls = gpu().calls[site];
      REQUIRE(calls > 0);
      for (int nth = 1; nth <= calls; ++nth) {
        reset();
        REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
        const int64_t memory = gpu().bytes;
        gpu().fail_at[site] = nth;
        Product p;
        p.beta = beta;
        const libsgemm_status_t status = p.run();
        INFO("site " << site << " call " << nth << " beta " << beta << ": " << last_info().message);
        CHECK(gpu().bytes == memory);
        if (strict()) {
          CHECK(status == LIBSGEMM_EXECUTION_FAILED);
          CHECK(p.untouched());
          continue;
        }
        CHECK(status == LIBSGEMM_SUCCESS);
        CHECK(backend() == "openblas");
        CHECK(last_info().fallbacks == 1);
        CHECK(contains(reason(), "cuda failed: "));
        CHECK(p.right());
      }
    }
  }
}

TEST_CASE("a failure with device data is an error with C as it was") {
  for (const mock::Site site : {mock::kLaunch, mock::kSynchronize}) {
    reset();
    DeviceProduct p(0);
    gpu().fail_at[site] = 1;
    CHECK(p.run() == LIBSGEMM_EXECUTION_FAILED);
    CHECK(contains(last_info().message, "mock"));
    CHECK(p.untouched());
  }
}

// In memory that the CPU reaches, too.
TEST_CASE("after a failure the CPU computes what a GPU cannot have written, or what does not read it") {
  for (const bool behind : {false, true}) {  // its work, or before it
    for (const float beta : {0.0f, 3.0f}) {
      INFO((behind ? "wait" : "launch") << " beta " << beta);
      reset();
      DeviceProduct p(0, kSize, true);
      p.host.beta = beta;
      gpu().fails_behind = behind;
      gpu().fail_at[behind ? mock::kSynchronize : mock::kLaunch] = 1;
      const libsgemm_status_t status = p.run();
      if (strict() || (behind && beta != 0)) {
        CHECK(status == LIBSGEMM_EXECUTION_FAILED);
        CHECK(last_info().fallbacks == 0);
        CHECK((behind ? p.right() : p.untouched()));
      } else {
        CHECK(status == LIBSGEMM_SUCCESS);
        CHECK(backend() == "openblas");
        CHECK(p.right());
      }
    }
  }
}

TEST_CASE("what several launches have begun is not computed again, nor what only scales") {
  reset();
  DeviceProduct p(0, kSize, true);
  const auto trmm = [&] {
    return libsgemm_strmm(LIBSGEMM_COL_MAJOR, LIBSGEMM_LEFT, LIBSGEMM_UPPER, LIBSGEMM_NO_TRANS, LIBSGEMM_NON_UNIT,
                          kSize, kSize, 1, p.a, kSize, p.c, kSize);
  };
  REQUIRE(trmm() == LIBSGEMM_SUCCESS);
  REQUIRE(kernel() == "cuda_mock_level3");
  gpu().fail_at[mock::kLaunch] = 1;  // the second one of the row
  CHECK(trmm() == LIBSGEMM_EXECUTION_FAILED);
  CHECK(last_info().fallbacks == 0);

  reset();
  DeviceProduct scaled(0, kSize, true);
  scaled.host.alpha = 0;
  gpu().fails_behind = true;
  gpu().fail_at[mock::kSynchronize] = 1;
  CHECK(scaled.run() == LIBSGEMM_EXECUTION_FAILED);
  CHECK(scaled.right());
}

TEST_CASE("verification finds a flipped bit and does as it was told") {
  const libsgemm_verify_t mode = GENERATE(LIBSGEMM_VERIFY_SAMPLE, LIBSGEMM_VERIFY_FULL);
  // A sample checks up to eight columns completely; the threshold keeps such small calls from the GPU, its kernel does
  // not.
  const int64_t n = mode == LIBSGEMM_VERIFY_SAMPLE ? 8 : kSize;
  Handle h;
  reset();
  const auto attempt = [&](libsgemm_verify_action_t action, Product *p, int flip) {
    REQUIRE(libsgemm_set_verify(h, mode, action) == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_set_kernel(h, n == 8 ? "cuda_mock_plain" : nullptr) == LIBSGEMM_SUCCESS);
    gpu().flip_bit = flip;
    return p->run(h);
  };
  Product clean(n);
  REQUIRE(attempt(LIBSGEMM_VERIFY_ERROR, &clean, 0) == LIBSGEMM_SUCCESS);
  CHECK(backend() == "cuda");
  CHECK(last_info().verify_ratio >= 0);
  CHECK(last_info().verify_ratio <= 1);

  Product error(n);
  CHECK(attempt(LIBSGEMM_VERIFY_ERROR, &error, 30) == LIBSGEMM_VERIFICATION_FAILED);
  CHECK(last_info().verify_ratio > 1);
  CHECK(error.untouched());

  Product warned(n);
  CHECK(attempt(LIBSGEMM_VERIFY_WARN, &warned, 30) == LIBSGEMM_SUCCESS);
  CHECK(last_info().verify_ratio > 1);
  CHECK_FALSE(warned.right());

  Product retried(n);
  const libsgemm_status_t status = attempt(LIBSGEMM_VERIFY_RETRY, &retried, 30);
  if (strict() || n == 8) {  // under a forced kernel there is no other to retry with
    CHECK(status == LIBSGEMM_VERIFICATION_FAILED);
    CHECK(retried.untouched());
  } else {
    CHECK(status == LIBSGEMM_SUCCESS);
    CHECK(backend() == "openblas");
    CHECK(last_info().verify_ratio <= 1);
    CHECK(contains(reason(), "cuda gave a wrong result"));
    CHECK(retried.right());
  }
}

namespace {

// Whether the last call failed with this status, since other backends could give other bits.
bool stopped(libsgemm_status_t status, const std::string &why) {
  const libsgemm_info_t info = last_info();
  return info.status == status && info.fallbacks == 0 && contains(info.message, why) &&
         contains(info.message, "LIBSGEMM_DETERMINISTIC=1");
}

}  // namespace

TEST_CASE("where results are deterministic nobody takes over what fails at the moment") {
  Handle h;
  REQUIRE(libsgemm_set_deterministic(h, LIBSGEMM_DETERMINISTIC_ON) == LIBSGEMM_SUCCESS);
  for (const mock::Site site : {mock::kCopy, mock::kLaunch, mock::kAllocate}) {
    for (const float beta : {0.0f, 3.0f}) {
      reset();
      REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
      Product p;
      p.beta = beta;
      gpu().fail_at[site] = 1;
      gpu().fails_on = true;
      const libsgemm_status_t status = p.run(h);
      gpu().fails_on = false;
      INFO("site " << site << " beta " << beta << ": " << last_info().message);
      CHECK(stopped(status, ""));
      CHECK(status == (site == mock::kAllocate ? LIBSGEMM_OUT_OF_MEMORY : LIBSGEMM_EXECUTION_FAILED));
      CHECK(p.untouched());
    }
  }
  reset();
  DeviceProduct managed(0, kSize, true);
  gpu().fail_at[mock::kLaunch] = 1;
  CHECK(managed.run(h) == LIBSGEMM_EXECUTION_FAILED);
  CHECK(stopped(LIBSGEMM_EXECUTION_FAILED, "mock launch"));
  CHECK(managed.untouched());
  // A wrong result.
  reset();
  Product wrong;
  REQUIRE(libsgemm_set_verify(h, LIBSGEMM_VERIFY_FULL, LIBSGEMM_VERIFY_RETRY) == LIBSGEMM_SUCCESS);
  gpu().flip_bit = 30;
  CHECK(wrong.run(h) == LIBSGEMM_VERIFICATION_FAILED);
  CHECK(stopped(LIBSGEMM_VERIFICATION_FAILED, "the result is wrong"));
  CHECK(wrong.untouched());
  REQUIRE(libsgemm_set_verify(h, LIBSGEMM_VERIFY_OFF, LIBSGEMM_VERIFY_WARN) == LIBSGEMM_SUCCESS);
  // While the handle's stream records a graph. What is too small for the GPU is the CPU's at any time.
  void *stream = gpu().stream(0);
  REQUIRE(libsgemm_set_stream(h, stream) == LIBSGEMM_SUCCESS);
  gpu().set_capturing(stream, true);
  Product host, small(8);
  CHECK(host.run(h) == LIBSGEMM_NOT_SUPPORTED);
  CHECK(stopped(LIBSGEMM_NOT_SUPPORTED, "graph"));
  CHECK(small.run(h) == LIBSGEMM_SUCCESS);
  gpu().set_capturing(stream, false);
  // What the settings leave no way for on the GPU is the CPU's, too.
  REQUIRE(libsgemm_set_memory_limits(256, 0) == LIBSGEMM_SUCCESS);
  CHECK(host.run(h) == LIBSGEMM_SUCCESS);
  CHECK(backend() == "openblas");
  REQUIRE(libsgemm_set_memory_limits(0, 0) == LIBSGEMM_SUCCESS);
}

TEST_CASE("after fork the child computes on the CPU, and device data are an error") {
  reset();
  Product parent;
  REQUIRE(parent.run() == LIBSGEMM_SUCCESS);
  REQUIRE(backend() == "cuda");
  DeviceProduct device(0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    Product p, other;
    const bool cpu = p.run() == LIBSGEMM_SUCCESS && backend() == "openblas" && p.right() &&
                     reason().find("forked process") != std::string::npos;
    const bool refused = device.run() == LIBSGEMM_UNAVAILABLE &&
                         std::string(last_info().message).find("forked process") != std::string::npos;
    Handle h;
    libsgemm_set_deterministic(h, LIBSGEMM_DETERMINISTIC_ON);
    const bool stops = other.run(h) == LIBSGEMM_UNAVAILABLE && stopped(LIBSGEMM_UNAVAILABLE, "forked process");
    _exit(cpu && refused && stops ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  Product again;
  REQUIRE(again.run() == LIBSGEMM_SUCCESS);
  CHECK(backend() == "cuda");
}
