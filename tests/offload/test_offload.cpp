// Host memory through a mock GPU (plugins/mock.cpp). LIBSGEMM_TEST_STRICT=1 sets LIBSGEMM_STRICT.
#include <algorithm>
#include <atomic>
#include <thread>

#include "plugins/host_product.h"

using namespace mock_test;

TEST_CASE("every shape, in as many parts as memory demands") {
  begin();
  const Shape shapes[] = {{1, 1, 1},     {5, 3, 2},     {100, 90, 80}, {1, 200, 30},
                          {200, 1, 300}, {33, 129, 65}, {64, 64, 300}};
  for (const size_t bytes : {size_t{0}, size_t{100} << 10, size_t{24} << 10, size_t{9} << 10}) {
    limit(bytes, bytes == 0 ? 0 : size_t{4} << 20);
    gpu().most_bytes = gpu().bytes.load();
    for (Shape shape : shapes) {
      for (int way = 0; way < 16; ++way) {
        shape.transa = (way & 1) != 0;
        shape.transb = (way & 2) != 0;
        shape.beta = (way & 4) != 0 ? 0.0f : 3.0f;
        shape.pinned = (way & 8) != 0;
        shape.pad = (way & 8) != 0 ? way & 1 : 1;
        HostProduct p(shape);
        GpuHandle h;
        INFO(shape.m << " " << shape.n << " " << shape.k << " way " << way << " limit " << bytes);
        REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
        REQUIRE(backend() == "cuda");
        REQUIRE(p.right());
      }
    }
    libsgemm_memory_t memory;
    REQUIRE(libsgemm_get_memory(&memory) == LIBSGEMM_SUCCESS);
    CHECK(memory.device_limit == bytes);
    CHECK(memory.device_bytes == static_cast<size_t>(gpu().bytes.load()));
    CHECK(memory.pinned_bytes == static_cast<size_t>(gpu().pinned_bytes.load()));
    CHECK(memory.pinned_bytes <= memory.pinned_limit);
    if (bytes != 0) CHECK(static_cast<size_t>(gpu().most_bytes.load()) <= 2 * bytes);  // limit for each device
  }
  limit(0, 0);
  CHECK(gpu().bytes == 0);
  CHECK(gpu().pinned_bytes == 0);
  CHECK(gpu().objects == 0);
}

namespace {

using sgemm_test::Args;
using sgemm_test::Routine;

struct Matrices {
  std::vector<float> a, b, c;
};

Matrices make_matrices(size_t count) {
  Matrices x;
  for (std::vector<float> *data : {&x.a, &x.b, &x.c}) {
    for (size_t i = 0; i < count; ++i) {
      const auto j = static_cast<int64_t>(i);
      data->push_back(value(j, j / 7 + static_cast<int64_t>(data - &x.a)) / 8);
    }
  }
  return x;
}

void compare(Routine routine, Args args, bool on_gpu) {
  Matrices gpu_side = make_matrices(20000), cpu_side = gpu_side;
  Handle gpu_handle, cpu_handle;
  REQUIRE(libsgemm_set_kernel(cpu_handle, "cpu_scalar_1x1x1_naive") == LIBSGEMM_SUCCESS);
  REQUIRE(libsgemm_set_backend(gpu_handle, on_gpu ? "cuda" : "ref") == LIBSGEMM_SUCCESS);
  for (const bool mock : {false, true}) {
    Matrices &x = mock ? gpu_side : cpu_side;
    args.a = x.a.data();
    args.b = x.b.data();
    args.c = x.c.data();
    REQUIRE(call(routine, mock ? gpu_handle : cpu_handle, args) == LIBSGEMM_SUCCESS);
    INFO(last_info().reason);
    REQUIRE(backend() == (mock ? "cuda" : "ref"));
  }
  CHECK(std::memcmp(gpu_side.c.data(), cpu_side.c.data(), cpu_side.c.size() * sizeof(float)) == 0);
}

}  // namespace

TEST_CASE("the other routines, of which some are cut") {
  begin();
  for (const size_t bytes : {size_t{0}, size_t{60} << 10}) {
    limit(bytes, 0);
    for (const Routine routine : sgemm_test::kSingleRoutines) {
      if (sgemm_test::element_of(routine) != sgemm_test::Element::kFloat) continue;
      if (routine == Routine::kSgemm || routine == Routine::kSsyrk) continue;
      for (int way = 0; way < 16; ++way) {
        Args args;
        const bool left = (way & 1) != 0;
        args.side = left ? LIBSGEMM_LEFT : LIBSGEMM_RIGHT;
        args.uplo = (way & 2) != 0 ? LIBSGEMM_UPPER : LIBSGEMM_LOWER;
        args.transa = (way & 4) != 0 ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
        args.transb = (way & 8) != 0 ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
        args.diag = LIBSGEMM_UNIT;
        args.m = left ? 40 : 120;
        args.n = left ? 120 : 40;
        args.k = 37;
        if (sgemm_test::writes_triangle(routine)) args.m = args.n = 50;
        args.alpha = 2;
        args.beta = (way & 1) != 0 ? 0.0f : 3.0f;
        args.lda = args.ldb = args.ldc = 125;
        INFO(sgemm_test::entry_name(routine) << " way " << way << " limit " << bytes);
        compare(routine, args, true);
      }
    }
  }
  limit(0, 0);
}

TEST_CASE("a triangle of C is cut into triangles and products") {
  begin();
  gpu().has_syrk = true;
  int most = 0;
  for (const size_t bytes : {size_t{0}, size_t{64} << 10, size_t{40} << 10, size_t{16} << 10}) {
    limit(bytes, 0);
    for (const Routine routine : sgemm_test::kSingleRoutines) {
      if (!sgemm_test::writes_triangle(routine)) continue;
      // The mock's kernel off the diagonal needs 2 MiB of workspace.
      if (bytes != 0 && sgemm_test::element_of(routine) != sgemm_test::Element::kFloat) continue;
      for (int way = 0; way < 16; ++way) {
        Args args;
        args.uplo = (way & 1) != 0 ? LIBSGEMM_UPPER : LIBSGEMM_LOWER;
        args.transa = (way & 2) != 0 ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
        args.transb = (way & 4) != 0 ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
        args.m = args.n = 119;
        args.k = (way & 8) != 0 ? 40 : 110;
        args.alpha = 2;
        args.beta = (way & 8) != 0 ? 0.0f : 3.0f;
        args.lda = args.ldb = args.ldc = 125;
        INFO(sgemm_test::entry_name(routine) << " way " << way << " limit " << bytes);
        const int before = gpu().launches[0];
        compare(routine, args, true);
        const int launches = gpu().launches[0] - before;
        most = std::max(most, launches);
        if (bytes != 0 && devices() == nullptr) CHECK(launches >= 3);
      }
    }
  }
  CHECK(most > 20);
  gpu().has_syrk = false;
  limit(0, 0);
}

TEST_CASE("batches, of small products together and of large ones tile by tile") {
  begin();
  for (const size_t bytes : {size_t{0}, size_t{300} << 10, size_t{16} << 10}) {
    limit(bytes, 0);
    for (const int64_t stride : {0, 33 * 35, 33 * 40}) {
      Args args;
      args.m = args.n = 33;
      args.k = 32;
      args.transb = stride == 0 ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
      args.alpha = -1;
      args.beta = stride == 0 ? 0.0f : 2.0f;
      args.lda = args.ldb = args.ldc = 35;
      args.stride_a = stride;
      args.stride_b = 33 * 36;
      args.stride_c = 33 * 35 + 1;
      args.batch_count = 15;
      INFO("stride " << stride << " limit " << bytes);
      compare(Routine::kSgemmStrided, args, true);
    }
  }
  limit(0, 0);
}

TEST_CASE("batches of the other routines") {
  begin();
  gpu().has_syrk = true;
  for (const size_t bytes : {size_t{0}, size_t{300} << 10, size_t{24} << 10}) {
    limit(bytes, 0);
    for (const Routine routine : {Routine::kSsyrkStrided, Routine::kShsyrkStrided, Routine::kSbsyrkStrided,
                                  Routine::kStrmmStrided, Routine::kStrsmStrided}) {
      for (int way = 0; way < 16; ++way) {
        Args args;
        args.side = (way & 1) != 0 ? LIBSGEMM_LEFT : LIBSGEMM_RIGHT;
        args.uplo = (way & 2) != 0 ? LIBSGEMM_UPPER : LIBSGEMM_LOWER;
        args.transa = (way & 4) != 0 ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
        args.diag = LIBSGEMM_UNIT;
        args.m = 33;
        args.n = 36;
        args.k = 32;
        args.alpha = 2;
        args.beta = (way & 1) != 0 ? 0.0f : 3.0f;
        args.lda = args.ldc = 37;
        args.stride_a = (way & 8) != 0 ? 0 : 36 * 37;
        args.stride_c = 36 * 37 + 1;
        args.batch_count = 15;
        INFO(sgemm_test::entry_name(routine) << " way " << way << " limit " << bytes);
        compare(routine, args, true);
      }
    }
  }
  gpu().has_syrk = false;
  limit(0, 0);
}

TEST_CASE("batches of pointers, with shared operands") {
  begin();
  const int64_t n = kSize, count = 5;
  std::vector<Product> products(static_cast<size_t>(count), Product(n));
  std::vector<const float *> as, bs;
  std::vector<float *> cs;
  for (Product &p : products) {
    as.push_back(products[0].a.data());
    bs.push_back(p.b.data());
    cs.push_back(p.c.data());
  }
  const libsgemm_op_t op = LIBSGEMM_NO_TRANS;
  const float alpha = products[0].alpha, beta = products[0].beta;
  for (const size_t bytes : {size_t{0}, size_t{20} << 10}) {
    limit(bytes, 0);
    for (Product &p : products) p.c = p.before;
    REQUIRE(libsgemm_sgemm_batch(LIBSGEMM_COL_MAJOR, &op, &op, &n, &n, &n, &alpha, as.data(), &n, bs.data(), &n, &beta,
                                 cs.data(), &n, 1, &count) == LIBSGEMM_SUCCESS);
    CHECK(backend() == "cuda");
    for (const Product &p : products) CHECK(p.right());
  }
  limit(0, 0);
}

TEST_CASE("a second device takes a part where it is asked for") {
  begin();
  gpu().launches[0] = gpu().launches[1] = 0;
  limit(size_t{64} << 10, 0);
  HostProduct p({200, 200, 60});
  GpuHandle h;
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  CHECK(p.right());
  CHECK(gpu().launches[0] > 0);
  CHECK((gpu().launches[1] > 0) == (devices() != nullptr));
  limit(0, 0);
}

TEST_CASE("many threads at once, within the limits") {
  begin();
  limit(size_t{200} << 10, size_t{8} << 20);
  gpu().most_bytes = gpu().bytes.load();
  std::vector<std::thread> threads;
  threads.reserve(8);
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t, &wrong] {
      for (int i = 0; i < 6; ++i) {
        HostProduct p({40 + 9 * t, 30 + i, 20 + 7 * t, t % 2 == 1, i % 2 == 1, i % 3 == 0 ? 0.0f : 3.0f, t % 3 == 0});
        libsgemm_handle_t h = nullptr;
        const bool ok = libsgemm_create(&h) == LIBSGEMM_SUCCESS &&
                        libsgemm_set_kernel(h, "cuda_mock_plain") == LIBSGEMM_SUCCESS && p.run(h) == LIBSGEMM_SUCCESS &&
                        p.right();
        wrong += ok ? 0 : 1;
        libsgemm_destroy(h);
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(gpu().most_bytes <= 2 * (int64_t{200} << 10));
  limit(0, 0);
  CHECK(gpu().bytes == 0);
}
