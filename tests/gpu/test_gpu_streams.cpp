#include <cstring>
#include <thread>

#include "gpu_products.h"
#include "support/catch.h"

using namespace sgemm_test;
using gpu::Barrier;
using gpu::capture;
using gpu::driver;
using gpu::exact_problem;
using gpu::Memory;
using gpu::message;
using gpu::OnDevice;
using gpu::require;
using gpu::Stream;

std::string sgemm_test::skip_reason() { return gpu::missing(); }

namespace {

// So large that kernels split k and need workspace.
constexpr int64_t kDeep = 6000;

std::vector<std::string> rows_and_choice() {
  std::vector<std::string> kernels = subject().kernels;
  kernels.emplace_back("");
  return kernels;
}

class Executable {
 public:
  explicit Executable(gpu::Handle graph) {
    require(driver().instantiate(&handle_, graph, 0), "instantiate");
    require(driver().destroy_graph(graph), "destroy_graph");
  }
  ~Executable() { driver().destroy_executable(handle_); }
  Executable(const Executable &) = delete;
  Executable &operator=(const Executable &) = delete;
  void launch(gpu::Handle stream) { require(driver().launch_graph(handle_, stream), "launch_graph"); }

 private:
  gpu::Handle handle_ = nullptr;
};

size_t free_memory() {
  size_t bytes = 0, total = 0;
  require(driver().memory_info(&bytes, &total), "memory_info");
  return bytes;
}

}  // namespace

TEST_CASE("products of one handle on several streams at a time, in every kernel") {
  constexpr size_t kStreams = 3;
  Stream streams[kStreams];
  std::vector<std::unique_ptr<OnDevice>> products;
  for (uint64_t i = 0; i < 4 * kStreams; ++i) {
    products.push_back(std::make_unique<OnDevice>(exact_problem(130 + 3 * static_cast<int64_t>(i), 150, kDeep, i + 1)));
  }
  for (const std::string &kernel : rows_and_choice()) {
    INFO("kernel " << kernel);
    Handle handle;
    REQUIRE(libsgemm_set_kernel(handle, kernel.c_str()) == LIBSGEMM_SUCCESS);
    bool runs = true;
    for (const auto &p : products) p->device.restore();
    for (size_t i = 0; i < products.size() && runs; ++i) {
      REQUIRE(libsgemm_set_stream(handle, streams[i % kStreams]) == LIBSGEMM_SUCCESS);
      const libsgemm_status_t status = products[i]->run(handle);
      runs = status != LIBSGEMM_NOT_SUPPORTED;
      INFO(message());
      if (runs) REQUIRE(status == LIBSGEMM_SUCCESS);
    }
    for (const Stream &stream : streams) require(driver().synchronize(stream), "synchronize");
    for (const auto &p : products) {
      if (runs) CHECK(p->device.check() == "");
    }
  }
}

TEST_CASE("a stream that is destroyed with work under way, and another one") {
  Handle handle;
  OnDevice one(exact_problem(140, 150, kDeep, 1)), two(exact_problem(141, 150, kDeep, 2));
  for (int i = 0; i < 20; ++i) {
    one.device.restore();
    two.device.restore();
    {
      Stream stream;
      REQUIRE(libsgemm_set_stream(handle, stream) == LIBSGEMM_SUCCESS);
      REQUIRE(one.run(handle) == LIBSGEMM_SUCCESS);
    }
    Stream stream;
    REQUIRE(libsgemm_set_stream(handle, stream) == LIBSGEMM_SUCCESS);
    REQUIRE(two.run(handle) == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_synchronize(handle) == LIBSGEMM_SUCCESS);
    CHECK(two.device.check() == "");
    CHECK(one.device.check() == "");
  }
}

TEST_CASE("two graphs of one handle and its direct calls run at a time, in every kernel") {
  Stream streams[3];
  OnDevice one(exact_problem(140, 150, kDeep, 1)), two(exact_problem(141, 150, kDeep, 2)),
      three(exact_problem(142, 150, kDeep, 3));
  for (const std::string &kernel : rows_and_choice()) {
    INFO("kernel " << kernel);
    Handle handle;
    REQUIRE(libsgemm_set_kernel(handle, kernel.c_str()) == LIBSGEMM_SUCCESS);
    libsgemm_status_t status = LIBSGEMM_SUCCESS;
    const auto record = [&](gpu::Handle stream, OnDevice *product) {
      REQUIRE(libsgemm_set_stream(handle, stream) == LIBSGEMM_SUCCESS);
      return capture(stream, [&] { status = product->run(handle); });
    };
    Executable first(record(streams[0], &one)), second(record(streams[1], &two));
    if (status == LIBSGEMM_NOT_SUPPORTED) continue;
    INFO(message());
    REQUIRE(status == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_set_stream(handle, streams[2]) == LIBSGEMM_SUCCESS);
    for (OnDevice *p : {&one, &two, &three}) p->device.restore();
    Barrier barrier(streams[0]);
    first.launch(streams[0]);
    second.launch(streams[1]);
    REQUIRE(three.run(handle) == LIBSGEMM_SUCCESS);
    barrier.open();
    for (const Stream &stream : streams) require(driver().synchronize(stream), "synchronize");
    for (OnDevice *p : {&one, &two, &three}) CHECK(p->device.check() == "");
  }
}

TEST_CASE("a graph runs when its handle is gone, and its workspace goes with it") {
  if (gpu::backend() != "cuda") {
    WARN("SKIPPED: HIP does not tell when a graph is gone, so its workspace goes with the handle");
    return;
  }
  Stream stream;
  OnDevice product(exact_problem(64, 64, 60000));
  OnDevice other(exact_problem(64, 64, 60000, 2));
  REQUIRE(other.run() == LIBSGEMM_SUCCESS);  // loads the kernels
  REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
  const size_t before = free_memory();
  {
    gpu::Handle graph = nullptr;
    {
      Handle handle;
      REQUIRE(libsgemm_set_stream(handle, stream) == LIBSGEMM_SUCCESS);
      libsgemm_status_t status = LIBSGEMM_SUCCESS;
      graph = capture(stream, [&] { status = product.run(handle); });
      INFO(message());
      REQUIRE(status == LIBSGEMM_SUCCESS);
      CHECK(product.device.check_untouched() == "");
      REQUIRE(libsgemm_set_workspace(handle, nullptr, 1000) == LIBSGEMM_SUCCESS);
    }
    Executable executable(graph);
    // If the graph's memory were free, it would be allocated and modified here.
    Memory others(size_t{256} << 20);
    require(driver().fill(others.address(), 0x7fdb7fdb, others.bytes() / 4), "fill");
    for (int i = 0; i < 3; ++i) {
      product.device.restore();
      executable.launch(stream);
      require(driver().fill(others.address(), 0x7fdb7fdb, others.bytes() / 4), "fill");
      require(driver().synchronize(stream), "synchronize");
      CHECK(product.device.check() == "");
    }
    CHECK(before - free_memory() >= LIBSGEMM_WORKSPACE_DEFAULT_BYTES);
  }
  // The driver frees a graph's memory some time after its end.
  bool gone = false;
  for (int i = 0; i < 200 && !gone; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
    gone = free_memory() + (size_t{8} << 20) >= before;
  }
  CHECK(gone);
}

TEST_CASE("another thread's launch with less shared memory does not take this one's away, in every kernel") {
  const auto run = [](const std::string &kernel, libsgemm_op_t transa, int64_t m, int64_t n, int64_t k) -> std::string {
    Case test;
    test.routine = Routine::kSgemm;
    test.transa = transa;
    test.m = m, test.n = n, test.k = k;
    OnDevice product(make_problem(test));
    Handle handle;
    if (libsgemm_set_kernel(handle, kernel.c_str()) != LIBSGEMM_SUCCESS) return message();
    const libsgemm_status_t status = product.run(handle);
    if (status == LIBSGEMM_NOT_SUPPORTED) return "";
    if (status != LIBSGEMM_SUCCESS || libsgemm_synchronize(handle) != LIBSGEMM_SUCCESS) return message();
    return product.device.check();
  };
  for (const std::string &kernel : rows_and_choice()) {
    for (const libsgemm_op_t transa : {LIBSGEMM_NO_TRANS, LIBSGEMM_TRANS}) {
      INFO("kernel " << kernel << ", op " << transa);
      CHECK(run(kernel, transa, 1000, 8, 200) == "");
      std::string fault = "not run";
      std::thread([&] {
        gpu::use_device(0);
        fault = run(kernel, transa, 128, 8, 200);
      }).join();
      CHECK(fault == "");
      CHECK(run(kernel, transa, 1000, 8, 200) == "");
    }
  }
}

TEST_CASE("no kernel breaks a graph that another stream records, whatever the default stream is called") {
  Stream stream(Stream::blocking);
  OnDevice product(exact_problem(150, 140, kDeep));
  REQUIRE(product.run() == LIBSGEMM_SUCCESS);
  for (const uintptr_t name : {0, 1}) {
    for (const std::string &kernel : rows_and_choice()) {
      INFO("kernel " << kernel << ", stream " << name);
      Handle handle;
      REQUIRE(libsgemm_set_kernel(handle, kernel.c_str()) == LIBSGEMM_SUCCESS);
      REQUIRE(libsgemm_set_stream(handle, reinterpret_cast<void *>(name)) == LIBSGEMM_SUCCESS);
      product.device.restore();
      libsgemm_status_t here = LIBSGEMM_SUCCESS, elsewhere = LIBSGEMM_SUCCESS;
      const gpu::Handle graph = capture(stream, [&] {
        here = product.run(handle);
        // This thread has no current context.
        std::thread([&] { elsewhere = product.run(handle); }).join();
      });
      CHECK(graph != nullptr);
      CHECK(here != LIBSGEMM_SUCCESS);
      CHECK(elsewhere != LIBSGEMM_SUCCESS);
      CHECK(product.device.check_untouched() == "");
      require(driver().destroy_graph(graph), "destroy_graph");
    }
  }
}

TEST_CASE("a wait for a default stream under its own name waits for the device that has the work") {
  for (int device = gpu::device_count() - 1; device >= 0; --device) {
    for (const uintptr_t name : {1, 2}) {
      gpu::use_device(device);
      OnDevice product(exact_problem(700, 600, kDeep));
      Handle handle;
      REQUIRE(libsgemm_set_stream(handle, reinterpret_cast<void *>(name)) == LIBSGEMM_SUCCESS);
      REQUIRE(product.run(handle) == LIBSGEMM_SUCCESS);
      gpu::use_device(0);
      REQUIRE(libsgemm_synchronize(handle) == LIBSGEMM_SUCCESS);
      gpu::use_device(device);
      CHECK(product.device.check() == "");
    }
  }
  gpu::use_device(0);
}

TEST_CASE("the device of the stream computes on managed memory, and on that of no other device") {
  if (gpu::device_count() < 2) {
    WARN("SKIPPED: one GPU");
    return;
  }
  gpu::use_device(0);
  OnDevice managed(exact_problem(150, 140, 160), Memory::managed), other(exact_problem(150, 140, 160));
  gpu::use_device(1);
  Stream made;
  for (void *stream : {static_cast<void *>(nullptr), static_cast<void *>(made)}) {
    for (const int current : {0, 1}) {
      const int computes = stream == nullptr ? current : 1;
      Handle handle;
      REQUIRE(libsgemm_set_stream(handle, stream) == LIBSGEMM_SUCCESS);
      gpu::use_device(current);
      managed.device.restore();
      REQUIRE(managed.run(handle) == LIBSGEMM_SUCCESS);
      CHECK(last_info().device == computes);
      REQUIRE(libsgemm_synchronize(handle) == LIBSGEMM_SUCCESS);
      CHECK(managed.device.check() == "");
      if (computes == 1) CHECK(other.run(handle) == LIBSGEMM_INVALID_ARGUMENT);
    }
  }
  gpu::use_device(0);
  CHECK(other.device.check_untouched() == "");
}

TEST_CASE("a page-locked operand that the handle's stream is still filling is waited for") {
  const Problem first = exact_problem(200, 210, 220, 1), second = exact_problem(200, 210, 220, 2);
  Placement host(first, LIBSGEMM_COL_MAJOR), late(second, LIBSGEMM_COL_MAJOR);
  Stream stream;
  Handle handle;
  REQUIRE(libsgemm_set_stream(handle, stream) == LIBSGEMM_SUCCESS);
  const auto elements = static_cast<size_t>(extent_of(LIBSGEMM_COL_MAJOR, host.args().lda, 200, 220));
  Memory pinned(elements * sizeof(float), Memory::pinned), there(elements * sizeof(float));
  std::memcpy(pinned.as<void>(), late.args().a, elements * sizeof(float));
  gpu::upload(there.address(), host.args().a, elements * sizeof(float));
  Barrier barrier(stream);
  require(driver().to_host_async(pinned.as<void>(), there.address(), elements * sizeof(float), stream),
          "to_host_async");
  Args args = host.args();
  args.a = pinned.as<void>();
  std::thread later([&barrier] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    barrier.open();
  });
  const libsgemm_status_t status = call(Routine::kSgemm, handle, args);
  later.join();
  REQUIRE(status == LIBSGEMM_SUCCESS);
  CHECK(host.check() == "");
}
