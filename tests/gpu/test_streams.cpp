#include <string>
#include <thread>
#include <vector>

#include "plugins/products.h"

using namespace mock_test;

namespace {

constexpr auto kDefault = static_cast<int64_t>(LIBSGEMM_WORKSPACE_DEFAULT_BYTES);

void record(libsgemm_handle_t h, void *stream, DeviceProduct *p) {
  REQUIRE(libsgemm_set_stream(h, stream) == LIBSGEMM_SUCCESS);
  gpu().set_capturing(stream, true);
  REQUIRE(p->run(h) == LIBSGEMM_SUCCESS);
  gpu().set_capturing(stream, false);
}

}  // namespace

TEST_CASE("a handle that changes its stream does not share its workspace with work under way") {
  reset();
  Handle h;
  std::vector<void *> streams = {gpu().stream(0), gpu().stream(0), nullptr, gpu().stream(0)};
  for (int round = 0; round < 8; ++round) {
    std::vector<std::unique_ptr<DeviceProduct>> products;
    for (int i = 0; i < 12; ++i) {
      products.push_back(std::make_unique<DeviceProduct>(0));
      REQUIRE(libsgemm_set_stream(h, streams[static_cast<size_t>(i * (round + 1)) % streams.size()]) ==
              LIBSGEMM_SUCCESS);
      REQUIRE(products.back()->run(h) == LIBSGEMM_SUCCESS);
      REQUIRE(kernel() == "cuda_mock_splitk");
    }
    for (void *stream : streams) {
      REQUIRE(libsgemm_set_stream(h, stream) == LIBSGEMM_SUCCESS);
      REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
    }
    for (const auto &p : products) CHECK(p->right());
  }
}

TEST_CASE("a stream of the same address may be another stream") {
  reset();
  Handle h;
  void *stream = gpu().stream(0);
  DeviceProduct p(0), q(0);
  REQUIRE(libsgemm_set_stream(h, stream) == LIBSGEMM_SUCCESS);
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  const int before = gpu().pending(stream, 0);
  REQUIRE(q.run(h) == LIBSGEMM_SUCCESS);
  const int alone = gpu().pending(stream, 0) - before;
  REQUIRE(libsgemm_set_stream(h, stream) == LIBSGEMM_SUCCESS);
  REQUIRE(q.run(h) == LIBSGEMM_SUCCESS);
  CHECK(gpu().pending(stream, 0) - before == 2 * alone + 1);  // one more: the wait for the earlier work
  REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
}

TEST_CASE("a handle is destroyed, or given another workspace, when work on another stream has ended") {
  reset();
  DeviceProduct p(0), q(0);
  for (const bool destroy : {true, false}) {
    libsgemm_handle_t h;
    REQUIRE(libsgemm_create(&h) == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_set_stream(h, gpu().stream(0)) == LIBSGEMM_SUCCESS);
    gpu().write(p.c, p.host.before.data(), p.host.before.size() * sizeof(float));
    REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
    void *second = gpu().stream(0);
    REQUIRE(libsgemm_set_stream(h, second) == LIBSGEMM_SUCCESS);
    if (!destroy) REQUIRE(libsgemm_set_workspace(h, nullptr, 1000) == LIBSGEMM_SUCCESS);
    gpu().destroy_stream(second);  // a program may destroy its streams first
    REQUIRE(libsgemm_destroy(h) == LIBSGEMM_SUCCESS);
    CHECK(p.right());
  }
}

TEST_CASE("every graph has a workspace of its own, as long as there is the graph") {
  reset();
  Handle h;
  void *one = gpu().stream(0), *two = gpu().stream(0);
  DeviceProduct p(0), q(0), r(0);
  const int64_t before = gpu().bytes;
  record(h, one, &p);
  REQUIRE(kernel() == "cuda_mock_splitk");
  CHECK(gpu().bytes - before == kDefault);
  record(h, two, &q);
  CHECK(gpu().bytes - before == 2 * kDefault);
  REQUIRE(libsgemm_set_stream(h, nullptr) == LIBSGEMM_SUCCESS);
  REQUIRE(r.run(h) == LIBSGEMM_SUCCESS);
  CHECK(gpu().bytes - before == 3 * kDefault);
  for (void *stream : {one, two, static_cast<void *>(nullptr)}) {
    REQUIRE(libsgemm_set_stream(h, stream) == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
  }
  CHECK(p.right());
  CHECK(q.right());
  CHECK(r.right());
  REQUIRE(libsgemm_set_workspace(h, nullptr, 0) == LIBSGEMM_SUCCESS);
  CHECK(gpu().bytes - before == 2 * kDefault);
  gpu().destroy_graphs();
  record(h, one, &p);
  CHECK(gpu().bytes - before == 2 * kDefault);
  gpu().destroy_graphs();
  REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
  CHECK(gpu().bytes == before);
}

TEST_CASE("calls recorded into one graph share its workspace on one stream, and do not on two") {
  reset();
  Handle h;
  void *one = gpu().stream(0), *two = gpu().stream(0);
  DeviceProduct p(0), q(0);
  const int64_t before = gpu().bytes;
  gpu().set_capturing(one, true);
  gpu().join_capture(two, one);
  REQUIRE(libsgemm_set_stream(h, one) == LIBSGEMM_SUCCESS);
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  CHECK(gpu().bytes - before == kDefault);
  REQUIRE(libsgemm_set_stream(h, two) == LIBSGEMM_SUCCESS);
  REQUIRE(q.run(h) == LIBSGEMM_SUCCESS);
  CHECK(gpu().bytes - before == 2 * kDefault);
  gpu().set_capturing(one, false);
  gpu().set_capturing(two, false);
  gpu().destroy_graphs();
  REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
  CHECK(gpu().bytes == before);
}

TEST_CASE("the default streams of two threads do not share a graph's workspace") {
  reset();
  const auto own = reinterpret_cast<void *>(uintptr_t{2});  // cudaStreamPerThread
  Handle h, other;
  DeviceProduct p(0), q(0);
  REQUIRE(libsgemm_set_stream(h, own) == LIBSGEMM_SUCCESS);
  REQUIRE(libsgemm_set_stream(other, own) == LIBSGEMM_SUCCESS);
  const int64_t before = gpu().bytes;
  gpu().set_default_capturing(0, true);
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  CHECK(gpu().bytes - before == kDefault);
  libsgemm_status_t status = LIBSGEMM_EXECUTION_FAILED;
  std::thread([&] { status = q.run(other); }).join();
  CHECK(status == LIBSGEMM_SUCCESS);
  CHECK(gpu().bytes - before == 2 * kDefault);
  gpu().set_default_capturing(0, false);
  REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
  gpu().destroy_graphs();
  REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
  CHECK(gpu().bytes == before);
}

TEST_CASE("the user's workspace is recorded as it is") {
  reset();
  Handle h;
  void *memory = gpu().allocate(0, size_t{2} << 20), *stream = gpu().stream(0);
  REQUIRE(libsgemm_set_workspace(h, memory, size_t{2} << 20) == LIBSGEMM_SUCCESS);
  DeviceProduct p(0);
  record(h, stream, &p);
  CHECK(kernel() == "cuda_mock_splitk");
  CHECK(gpu().calls[mock::kAllocate] == 0);
  REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
  CHECK(p.right());
  REQUIRE(libsgemm_set_workspace(h, nullptr, 0) == LIBSGEMM_SUCCESS);
  gpu().release(0, memory);
}

// Runs by name, with LIBSGEMM_TEST_DETERMINISTIC=1.
TEST_CASE("with DETERMINISTIC a workspace is whole or there is none", "[.deterministic]") {
  reset();
  Handle h;
  DeviceProduct p(0);
  gpu().fail_at[mock::kAllocate] = 1;
  CHECK(p.run(h) == LIBSGEMM_OUT_OF_MEMORY);
  CHECK(p.untouched());
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  CHECK(kernel() == "cuda_mock_splitk");
  REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
}

TEST_CASE("a wait keeps what last_info knows of the call, and adds what it found") {
  reset();
  Handle h;
  REQUIRE(libsgemm_set_stream(h, gpu().stream(0)) == LIBSGEMM_SUCCESS);
  DeviceProduct p(0);
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  const libsgemm_info_t called = last_info();
  REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
  libsgemm_info_t now = last_info();
  CHECK(std::string(now.entry) == "libsgemm_sgemm_h");
  CHECK(std::string(now.kernel) == called.kernel);
  CHECK(std::string(now.backend) == "cuda");
  CHECK(now.status == LIBSGEMM_SUCCESS);

  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  gpu().fail_at[mock::kSynchronize] = 1;
  CHECK(libsgemm_synchronize(h) == LIBSGEMM_EXECUTION_FAILED);
  now = last_info();
  CHECK(std::string(now.entry) == "libsgemm_sgemm_h");
  CHECK(std::string(now.kernel) == called.kernel);
  CHECK(now.status == LIBSGEMM_EXECUTION_FAILED);
  CHECK(contains(now.message, "libsgemm_synchronize: the mock device was lost"));
  gpu().repair();
  CHECK(libsgemm_synchronize(nullptr) == LIBSGEMM_INVALID_HANDLE);
  CHECK(std::string(last_info().entry) == "libsgemm_synchronize");
}

TEST_CASE("default streams under their own names are waited for on every device") {
  reset();
  Handle h;
  for (const uintptr_t name : {0, 1, 2}) {
    for (const int device : {0, 1}) {
      REQUIRE(libsgemm_set_stream(h, reinterpret_cast<void *>(name)) == LIBSGEMM_SUCCESS);
      DeviceProduct p(device);
      REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
      REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
      CHECK(gpu().pending(nullptr, device) == 0);
      CHECK(p.right());
    }
  }
}

TEST_CASE("the default stream is not used while that would break a graph") {
  reset();
  DeviceProduct p(1);
  Handle h;
  gpu().set_default_capturing(1, true);
  CHECK(p.run(h) == LIBSGEMM_EXECUTION_FAILED);
  CHECK(contains(last_info().message, "records a graph"));
  CHECK(p.run() == LIBSGEMM_EXECUTION_FAILED);
  p.host.alpha = 0;
  CHECK(p.run(h) == LIBSGEMM_EXECUTION_FAILED);
  CHECK(gpu().pending(nullptr, 1) == 0);
  CHECK(gpu().calls[mock::kAllocate] == 0);
  gpu().set_default_capturing(1, false);
  CHECK(p.untouched());
}

TEST_CASE("page-locked operands that the handle's stream still fills are waited for") {
  reset();
  Handle h;
  void *stream = gpu().stream(0);
  REQUIRE(libsgemm_set_stream(h, stream) == LIBSGEMM_SUCCESS);
  for (const char *backends : {"auto", "openblas"}) {
    REQUIRE(libsgemm_set_backend(h, backends) == LIBSGEMM_SUCCESS);
    Product p;
    const size_t bytes = p.a.size() * sizeof(float);
    auto *pinned = static_cast<float *>(gpu().allocate_pinned(bytes));
    std::fill_n(pinned, p.a.size(), 100.0f);
    void *there = gpu().allocate(0, bytes);
    gpu().write(there, p.a.data(), bytes);
    gpu().enqueue_copy(stream, pinned, there, bytes);
    REQUIRE(libsgemm_sgemm_h(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, p.n, p.n, p.n, p.alpha,
                             pinned, p.n, p.b.data(), p.n, p.beta, p.c.data(), p.n) == LIBSGEMM_SUCCESS);
    CHECK(p.right());
    gpu().release(0, there);
    gpu().release_pinned(pinned);
  }
}

TEST_CASE("after a reset of the device nothing made before is touched, and calls go on") {
  reset();
  Handle h;
  libsgemm_handle_t old;
  REQUIRE(libsgemm_create(&old) == LIBSGEMM_SUCCESS);
  {
    DeviceProduct p(0);
    Product q;
    REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
    REQUIRE(p.run(old) == LIBSGEMM_SUCCESS);
    REQUIRE(p.run() == LIBSGEMM_SUCCESS);
    REQUIRE(q.run() == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
  }
  gpu().reset(0);
  for (int round = 0; round < 2; ++round) {
    DeviceProduct p(0), r(0);
    Product q;
    REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
    CHECK(kernel() == "cuda_mock_splitk");
    REQUIRE(r.run() == LIBSGEMM_SUCCESS);
    REQUIRE(q.run() == LIBSGEMM_SUCCESS);
    CHECK(backend() == "cuda");
    REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
    CHECK(p.right());
    CHECK(r.right());
    CHECK(q.right());
  }
  CHECK(libsgemm_destroy(old) == LIBSGEMM_SUCCESS);
  CHECK(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
}

TEST_CASE("a launch in steps whose later kernel cannot be loaded leaves C alone") {
  reset();
  Handle h;
  DeviceProduct p(0), fresh(0, 56);
  const auto symm = [&h](DeviceProduct *q) {
    const int64_t n = q->host.n;
    return libsgemm_ssymm_h(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_LEFT, LIBSGEMM_UPPER, n, n, 2, q->a, n, q->b, n, -1, q->c,
                            n);
  };
  REQUIRE(symm(&p) == LIBSGEMM_SUCCESS);
  CHECK(kernel() == "cuda_mock_level3");
  REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
  gpu().unload();
  gpu().fail_at[mock::kLoad] = 1;
  CHECK(symm(&fresh) == LIBSGEMM_EXECUTION_FAILED);
  REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
  CHECK(fresh.untouched());
  CHECK(symm(&fresh) == LIBSGEMM_SUCCESS);
  REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
}
