// Behaviour besides results on which CUDA or HIP programs rely.
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
using gpu::replay;
using gpu::require;
using gpu::Stream;

std::string sgemm_test::skip_reason() { return gpu::missing(); }

TEST_CASE("a call is ordered on its stream and returns before the work is done") {
  const Stream::Kind kind = GENERATE(Stream::blocking, Stream::non_blocking);
  const Problem first = exact_problem(200, 210, 220, 1), second = exact_problem(200, 210, 220, 2);
  OnDevice product(first);
  OnDevice late(second);
  Stream stream(kind);
  Handle handle;
  REQUIRE(libsgemm_set_stream(handle, stream) == LIBSGEMM_SUCCESS);
  REQUIRE(product.run(handle) == LIBSGEMM_SUCCESS);  // loads the kernel, which may wait for the device
  REQUIRE(libsgemm_synchronize(handle) == LIBSGEMM_SUCCESS);

  // The barrier delays A's copy on the stream. The product must wait for it, the call must return.
  const auto elements = static_cast<size_t>(extent_of(LIBSGEMM_COL_MAJOR, product.device.args().lda, 200, 220));
  Memory pinned(elements * sizeof(float), Memory::pinned);
  std::memcpy(pinned.as<void>(), late.host.args().a, elements * sizeof(float));
  product.problem.a = second.a;
  solve(&product.problem);
  product.device.restore();
  Barrier barrier(stream);
  const auto a = reinterpret_cast<gpu::Pointer>(product.device.args().a);
  require(driver().to_device_async(a, pinned.as<void>(), elements * sizeof(float), stream), "to_device_async");
  REQUIRE(product.run(handle) == LIBSGEMM_SUCCESS);
  CHECK(driver().query(stream) == gpu::kNotReady);
  barrier.open();
  REQUIRE(libsgemm_synchronize(handle) == LIBSGEMM_SUCCESS);
  // Compares C only: the host has the old A.
  product.device.download();
  std::vector<float> wrong;
  for (int64_t j = 0; j < 210; ++j) {
    for (int64_t i = 0; i < 200; ++i) {
      const float value = product.host.c()[product.host.index_in_c(i, j)];
      if (value != static_cast<float>(product.problem.value[static_cast<size_t>(i * 210 + j)])) wrong.push_back(value);
    }
  }
  CHECK(wrong.empty());
}

TEST_CASE("a graph is recorded and replayed with other inputs, in every kernel") {
  constexpr size_t kWorkspace = size_t{64} << 20;
  Memory workspace(kWorkspace);
  Stream stream;
  int recorded = 0;
  std::vector<std::string> kernels = subject().kernels;
  kernels.emplace_back("");
  for (const std::string &kernel : kernels) {
    INFO("kernel " << kernel);
    Handle handle;
    REQUIRE(libsgemm_set_stream(handle, stream) == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_set_kernel(handle, kernel.c_str()) == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_set_workspace(handle, workspace.as<void>(), kWorkspace) == LIBSGEMM_SUCCESS);
    OnDevice product(exact_problem(150, 140, 900));
    libsgemm_status_t status = LIBSGEMM_SUCCESS;
    const gpu::Handle graph = capture(stream, [&] { status = product.run(handle); });
    if (status == LIBSGEMM_NOT_SUPPORTED) {
      require(driver().destroy_graph(graph), "destroy_graph");
      continue;
    }
    INFO(message());
    REQUIRE(status == LIBSGEMM_SUCCESS);
    ++recorded;
    CHECK(product.device.check_untouched() == "");
    for (const uint64_t seed : {2, 3, 4}) {
      OnDevice other(exact_problem(150, 140, 900, seed));
      std::memcpy(
          const_cast<void *>(product.host.args().a), other.host.args().a,
          sizeof(float) * static_cast<size_t>(extent_of(LIBSGEMM_COL_MAJOR, product.host.args().lda, 150, 900)));
      product.device.upload();
      product.problem.a = other.problem.a;
      solve(&product.problem);
      replay(graph, stream);
      product.device.download();
      int64_t wrong = 0;
      for (int64_t j = 0; j < 140; ++j) {
        for (int64_t i = 0; i < 150; ++i) {
          const auto value = static_cast<float>(product.problem.value[static_cast<size_t>(i * 140 + j)]);
          wrong += product.host.c()[product.host.index_in_c(i, j)] == value ? 0 : 1;
        }
      }
      CHECK(wrong == 0);
      product.host.restore();
    }
    require(driver().destroy_graph(graph), "destroy_graph");
  }
  CHECK(recorded > 1);
}

TEST_CASE("host pointers on a stream that records go to the CPU, visibly") {
  Stream stream;
  Handle handle;
  REQUIRE(libsgemm_set_stream(handle, stream) == LIBSGEMM_SUCCESS);
  const Problem problem = exact_problem(40, 41, 42);
  Placement host(problem, LIBSGEMM_COL_MAJOR);
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  const gpu::Handle graph = capture(stream, [&] { status = call(Routine::kSgemm, handle, host.args()); });
  CHECK(status == LIBSGEMM_SUCCESS);
  CHECK(last_info().backend != subject().backend);
  CHECK_THAT(last_info().reason, Contains("graph"));
  CHECK(host.check() == "");
  require(driver().destroy_graph(graph), "destroy_graph");
}

TEST_CASE("calls without a handle do not break a graph that another stream records") {
  OnDevice product(exact_problem(40, 41, 42));
  REQUIRE(product.run() == LIBSGEMM_SUCCESS);
  product.device.restore();
  const Problem problem = exact_problem(30, 31, 32);
  Placement host(problem, LIBSGEMM_COL_MAJOR);
  Stream stream(Stream::blocking);
  libsgemm_status_t on_device = LIBSGEMM_SUCCESS, on_host = LIBSGEMM_SUCCESS;
  std::string refusal;
  const gpu::Handle graph = capture(stream, [&] {
    on_device = product.run();
    refusal = message();
    on_host = call(Routine::kSgemm, host.args());
  });
  CHECK(graph != nullptr);
  CHECK(on_device == LIBSGEMM_EXECUTION_FAILED);
  CHECK_THAT(refusal, Contains("records a graph"));
  CHECK(product.device.check_untouched() == "");
  CHECK(on_host == LIBSGEMM_SUCCESS);
  CHECK(host.check() == "");
  require(driver().destroy_graph(graph), "destroy_graph");
  CHECK(product.run() == LIBSGEMM_SUCCESS);
  CHECK(product.device.check() == "");
}

TEST_CASE("the caller's workspace: no kernel writes beyond it, and the least that a kernel needs is enough") {
  constexpr size_t kMost = size_t{64} << 20, kGuard = 4096;
  constexpr unsigned kMark = 0x7fdb7fdb;
  Memory memory(kGuard + kMost + kGuard);
  const auto runs = [&](Handle *handle, OnDevice *product, size_t bytes) {
    REQUIRE(libsgemm_set_workspace(*handle, bytes == 0 ? nullptr : memory.as<void>(kGuard), bytes == 0 ? 256 : bytes) ==
            LIBSGEMM_SUCCESS);
    return product->run(*handle);
  };
  for (const std::string &kernel : subject().kernels) {
    INFO("kernel " << kernel);
    Handle handle;
    REQUIRE(libsgemm_set_kernel(handle, kernel.c_str()) == LIBSGEMM_SUCCESS);
    OnDevice product(exact_problem(190, 170, 3000));
    if (runs(&handle, &product, kMost) == LIBSGEMM_NOT_SUPPORTED) continue;
    size_t enough = kMost, too_little = 0;
    product.device.restore();
    if (runs(&handle, &product, 0) == LIBSGEMM_SUCCESS) {
      enough = 0;
    } else {
      while (enough - too_little > 1) {
        const size_t middle = (enough + too_little) / 2;
        (runs(&handle, &product, middle) == LIBSGEMM_NOT_SUPPORTED ? too_little : enough) = middle;
      }
    }
    require(driver().fill(memory.address(), kMark, memory.bytes() / 4), "fill");
    product.device.restore();
    REQUIRE(runs(&handle, &product, enough) == LIBSGEMM_SUCCESS);
    REQUIRE(std::string(last_info().kernel) == kernel);
    CHECK(product.device.check() == "");
    std::vector<unsigned> before(kGuard / 4), after(kGuard / 4);
    require(driver().to_host(before.data(), memory.address(), kGuard), "to_host");
    require(driver().to_host(after.data(), memory.address() + kGuard + (enough + 3) / 4 * 4, kGuard), "to_host");
    INFO("with " << enough << " bytes");
    CHECK(before == std::vector<unsigned>(kGuard / 4, kMark));
    CHECK(after == std::vector<unsigned>(kGuard / 4, kMark));
  }
}

TEST_CASE("with too little workspace another kernel is chosen") {
  Memory memory(4096);
  Handle handle;
  OnDevice product(exact_problem(64, 64, 60000));
  REQUIRE(product.run(handle) == LIBSGEMM_SUCCESS);
  CHECK(product.device.check() == "");
  for (const bool own : {true, false}) {
    product.device.restore();
    REQUIRE(libsgemm_set_workspace(handle, own ? nullptr : memory.as<void>(), 256) == LIBSGEMM_SUCCESS);
    REQUIRE(product.run(handle) == LIBSGEMM_SUCCESS);
    CHECK(product.device.check() == "");
  }
}

TEST_CASE("several handles on several threads") {
  constexpr int kThreads = 8, kCalls = 60;
  std::vector<std::string> faults(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([t, &faults] {
      try {
        gpu::use_device(0);
        Stream stream;
        Handle handle;
        libsgemm_set_stream(handle, stream);
        OnDevice small(exact_problem(20 + t, 30, 40, 1)), large(exact_problem(150, 160 + t, 700, 2));
        for (int i = 0; i < kCalls && faults[static_cast<size_t>(t)].empty(); ++i) {
          OnDevice &product = i % 3 == 0 ? large : small;
          product.device.restore();
          // restore() waits for its copy on the default stream, unlike the handle's own stream.
          const bool without = i % 4 == 3;
          const libsgemm_status_t status = without ? product.run() : product.run(handle);
          std::string fault = status == LIBSGEMM_SUCCESS ? "" : message();
          if (fault.empty() && !without && libsgemm_synchronize(handle) != LIBSGEMM_SUCCESS) fault = message();
          faults[static_cast<size_t>(t)] = fault.empty() ? product.device.check() : fault;
        }
      } catch (const std::exception &e) {
        faults[static_cast<size_t>(t)] = e.what();
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
  for (const std::string &fault : faults) CHECK(fault == "");
}

TEST_CASE("the caller's context or device stays current, also in a thread that has none") {
  OnDevice product(exact_problem(50, 51, 52));
  const gpu::Handle mine = gpu::current();
  REQUIRE(product.run() == LIBSGEMM_SUCCESS);
  CHECK(gpu::current() == mine);
  CHECK(product.device.check() == "");
  product.device.restore();
  libsgemm_status_t status = LIBSGEMM_UNAVAILABLE;
  std::string text;
  gpu::Handle before = &status, after = &status;
  std::thread([&] {
    before = gpu::current();
    status = product.run();
    text = std::string(last_info().backend) + " " + message();
    after = gpu::current();
  }).join();
  INFO(text);
  CHECK(before == nullptr);  // no context, or the first device
  CHECK(status == LIBSGEMM_SUCCESS);
  CHECK(after == nullptr);
  CHECK(product.device.check() == "");
}

TEST_CASE("managed and page-locked memory") {
  for (const Memory::Kind kind : {Memory::managed, Memory::pinned}) {
    OnDevice product(exact_problem(130, 120, 110), kind);
    REQUIRE(product.run() == LIBSGEMM_SUCCESS);
    CHECK(last_info().backend == subject().backend);
    CHECK(product.device.check() == "");
    Handle handle;
    product.device.restore();
    REQUIRE(product.run(handle) == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_synchronize(handle) == LIBSGEMM_SUCCESS);
    CHECK(product.device.check() == "");
  }
}

TEST_CASE("a mixture of host and device pointers is refused, and C is as it was") {
  OnDevice product(exact_problem(30, 31, 32));
  const Args host = product.host.args();
  for (int which = 0; which < 3; ++which) {
    Args mixed = product.device.args();
    if (which == 0) mixed.a = host.a;
    if (which == 1) mixed.b = host.b;
    if (which == 2) mixed.c = host.c;
    CHECK(call(Routine::kSgemm, mixed) == LIBSGEMM_INVALID_ARGUMENT);
    CHECK_THAT(message(), Contains("not all in host memory or all in memory of one device"));
  }
  CHECK(product.device.check_untouched() == "");
}

TEST_CASE("the device that owns the pointers computes") {
  if (gpu::device_count() < 2) {
    WARN("SKIPPED: one GPU");
    return;
  }
  std::vector<std::unique_ptr<OnDevice>> products;
  for (int device = 0; device < 2; ++device) {
    gpu::use_device(device);
    products.push_back(std::make_unique<OnDevice>(exact_problem(70, 71, 72)));
  }
  for (int device = 1; device >= 0; --device) {
    OnDevice &product = *products[static_cast<size_t>(device)];
    REQUIRE(product.run() == LIBSGEMM_SUCCESS);
    CHECK(last_info().device == device);
    gpu::use_device(device);
    CHECK(product.device.check() == "");
  }
  Args mixed = products[0]->device.args();
  mixed.b = products[1]->device.args().b;
  CHECK(call(Routine::kSgemm, mixed) == LIBSGEMM_INVALID_ARGUMENT);
  gpu::use_device(0);
}
