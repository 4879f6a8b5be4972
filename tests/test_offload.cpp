// Host memory through a GPU that is not there (plugins/mock.cpp): every shape in tiles and blocks of k, page-locked
// memory, two devices, limits, and a failure of each call. LIBSGEMM_TEST_STRICT=1 runs it under LIBSGEMM_STRICT,
// LIBSGEMM_TEST_VERBOSE=1 with all messages.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <new>
#include <thread>

#include "plugins/products.h"

using namespace mock_test;

namespace {

// The library's allocation that fails, counted down to 0; those of the mock do not count, nor those of the test.
std::atomic<int> failing_allocation{0};

bool fails(const void *caller) {
  if (failing_allocation.load(std::memory_order_relaxed) <= 0) return false;
  Dl_info info;
  if (dladdr(caller, &info) == 0) return false;
  const bool ours = std::strstr(info.dli_fname, "/libsgemm.so") != nullptr ||
                    std::strstr(info.dli_fname, "/libstdc++.so") != nullptr;  // of a string
  return ours && failing_allocation.fetch_sub(1) == 1;
}

void *obtain(size_t bytes, const void *caller) {
  return fails(caller) ? nullptr : std::malloc(std::max<size_t>(bytes, 1));
}

}  // namespace

// Not inlined: GCC would warn of free() for memory from new.
[[gnu::noinline]] void *operator new(size_t bytes, const std::nothrow_t &) noexcept {
  return obtain(bytes, __builtin_return_address(0));
}
[[gnu::noinline]] void *operator new(size_t bytes) {
  void *memory = obtain(bytes, __builtin_return_address(0));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void *memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void *memory, size_t) noexcept { std::free(memory); }

namespace {

// LIBSGEMM_TEST_DEVICES: how many share each call, however small; otherwise one, since none is large.
const char *devices() { return std::getenv("LIBSGEMM_TEST_DEVICES"); }

void begin() {
  static const bool first = [] {
    setenv("LIBSGEMM_TIMEOUT", "2", 1);
    if (devices() != nullptr) setenv("LIBSGEMM_OFFLOAD_DEVICES", devices(), 1);
    if (std::getenv("LIBSGEMM_TEST_VERBOSE") != nullptr) {
      setenv("LIBSGEMM_VERBOSE", "3", 1);
      setenv("LIBSGEMM_LOG_PATH", "/dev/null", 1);
    }
    return true;
  }();
  static_cast<void>(first);
  reset();
}

// A product of any shape with padded columns, in ordinary or in page-locked memory. Integers, so that it is exact.
struct Shape {  // NOLINT(clang-analyzer-optin.performance.Padding): in the order in which shapes are written
  int64_t m, n, k;
  bool transa = false, transb = false;
  float beta = -1;
  bool pinned = false;
  int64_t pad = 1;
};

class HostProduct {
 public:
  explicit HostProduct(const Shape &shape)
      : s(shape),
        lda_((s.transa ? s.k : s.m) + s.pad),
        ldb_((s.transb ? s.n : s.k) + 2 * s.pad),
        ldc_(s.m + 3 * s.pad),
        a_(lda_ * (s.transa ? s.m : s.k), s.pinned),
        b_(ldb_ * (s.transb ? s.k : s.n), s.pinned),
        c_(ldc_ * s.n, s.pinned) {
    for (int64_t i = 0; i < a_.count; ++i) a_.data[i] = value(i, 7 * i + 1);
    for (int64_t i = 0; i < b_.count; ++i) b_.data[i] = value(i / 3, i);
    for (int64_t i = 0; i < c_.count; ++i) c_.data[i] = s.beta == 0 ? std::nanf("") : value(i, i / 5);
    before_.assign(c_.data, c_.data + c_.count);
  }

  libsgemm_status_t run(libsgemm_handle_t h) {
    return libsgemm_sgemm_h(h, LIBSGEMM_COL_MAJOR, s.transa ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS,
                            s.transb ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS, s.m, s.n, s.k, 2, a_.data, lda_, b_.data,
                            ldb_, s.beta, c_.data, ldc_);
  }

  bool untouched() const { return std::memcmp(c_.data, before_.data(), before_.size() * sizeof(float)) == 0; }

  // Every element, and the padding.
  bool right() const {
    for (int64_t j = 0; j < s.n; ++j) {
      for (int64_t i = 0; i < ldc_; ++i) {
        const int64_t at = i + j * ldc_;
        const float was = before_[static_cast<size_t>(at)];
        if (i >= s.m) {
          if (bits(c_.data[at]) != bits(was)) return false;
          continue;
        }
        float sum = 0;
        for (int64_t l = 0; l < s.k; ++l) sum += a(i, l) * b(l, j);
        if (!(c_.data[at] == 2 * sum + (s.beta == 0 ? 0 : s.beta * was))) return false;
      }
    }
    return true;
  }

 private:
  struct Memory {
    Memory(int64_t elements, bool locked) : count(elements), pinned(locked) {
      data = static_cast<float *>(pinned ? gpu().allocate_pinned(bytes()) : ::operator new(bytes()));
    }
    ~Memory() { pinned ? gpu().release_pinned(data) : ::operator delete(data); }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
    size_t bytes() const { return static_cast<size_t>(count) * sizeof(float); }
    int64_t count;
    bool pinned;
    float *data;
  };

  static uint32_t bits(float x) {
    uint32_t all;
    std::memcpy(&all, &x, sizeof all);
    return all;
  }
  float a(int64_t i, int64_t l) const { return a_.data[s.transa ? l + i * lda_ : i + l * lda_]; }
  float b(int64_t l, int64_t j) const { return b_.data[s.transb ? j + l * ldb_ : l + j * ldb_]; }

  Shape s;
  int64_t lda_, ldb_, ldc_;
  Memory a_, b_, c_;
  std::vector<float> before_;
};

void force_kernel(libsgemm_handle_t h) { REQUIRE(libsgemm_set_kernel(h, "cuda_mock_plain") == LIBSGEMM_SUCCESS); }

struct GpuHandle : Handle {
  GpuHandle() { force_kernel(*this); }
};

void limit(size_t device, size_t pinned) {
  REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
  REQUIRE(libsgemm_set_memory_limits(device, pinned) == LIBSGEMM_SUCCESS);
}

}  // namespace

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
    if (bytes != 0) CHECK(static_cast<size_t>(gpu().most_bytes.load()) <= 2 * bytes);  // of each device
  }
  limit(0, 0);
  CHECK(gpu().bytes == 0);
  CHECK(gpu().pinned_bytes == 0);
  CHECK(gpu().objects == 0);
}

// ---- Other routines and batches, against the same loops on the CPU: bit for bit, padding and all.

namespace {

using sgemm_test::Args;
using sgemm_test::Routine;

struct Matrices {
  std::vector<float> a, b, c;
};

// Small integers; what is divided by is one.
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
    REQUIRE(backend() == (mock ? "cuda" : "ref"));
  }
  CHECK(std::memcmp(gpu_side.c.data(), cpu_side.c.data(), cpu_side.c.size() * sizeof(float)) == 0);
}

}  // namespace

TEST_CASE("the other routines, of which some are cut") {
  begin();
  for (const size_t bytes : {size_t{0}, size_t{60} << 10}) {
    limit(bytes, 0);
    for (const Routine routine :
         {Routine::kSsymm, Routine::kSsyr2k, Routine::kStrmm, Routine::kStrsm, Routine::kSgemmtr}) {
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
        if (routine == Routine::kSsyr2k || routine == Routine::kSgemmtr) args.m = args.n = 50;
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
    for (const Routine routine : {Routine::kSsyrk, Routine::kSsyr2k, Routine::kSgemmtr}) {
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

// ---- Devices and failures

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

namespace {

enum class Manner { plain, verified, forced };  // forced: by a kernel that is named, and that nothing replaces

// A product in several tiles and blocks of k, with the n-th call, or operation, at a site failing. False if there was
// none so late.
bool fail_once(mock::Site site, int nth, bool pinned, float beta, Manner manner) {
  begin();
  REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
  const int64_t bytes = gpu().bytes, locked = gpu().pinned_bytes, objects = gpu().objects;
  {
    HostProduct p({70, 60, 90, false, true, beta, pinned});
    const int64_t own = gpu().pinned_bytes;
    gpu().fail_at[site] = nth;
    Handle h;
    if (manner == Manner::verified) {
      REQUIRE(libsgemm_set_verify(h, LIBSGEMM_VERIFY_SAMPLE, LIBSGEMM_VERIFY_ERROR) == LIBSGEMM_SUCCESS);
    } else if (manner == Manner::forced) {
      force_kernel(h);
    }
    const libsgemm_status_t status = p.run(h);
    INFO("site " << site << ", call " << nth << ": " << last_info().message << " " << reason());
    const bool met = gpu().fail_at[site] == 0;
    gpu().fail_at[site] = 0;
    const bool replaced = status == LIBSGEMM_SUCCESS && last_info().fallbacks == 1;
    if (status == LIBSGEMM_SUCCESS) {
      CHECK(p.right());
      CHECK((backend() != "cuda") == replaced);
      CHECK((met || !replaced));
    } else {
      CHECK((strict() || manner == Manner::forced));
      CHECK(met);
      CHECK(p.untouched());
    }
    if (site == mock::kWork) gpu().repair();
    REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
    CHECK(gpu().bytes == bytes);
    CHECK(gpu().objects == objects);
    CHECK(gpu().pinned_bytes == own);
    if (!met) return false;
  }
  CHECK(gpu().pinned_bytes == locked);
  return true;
}

}  // namespace

TEST_CASE("whatever call of the runtime fails, the result is right or C as it was, and nothing is lost") {
  limit(size_t{24} << 10, 0);
  const bool pinned = GENERATE(false, true);
  const Manner manner = GENERATE(Manner::plain, Manner::verified, Manner::forced);
  const float beta = GENERATE(0.0f, 3.0f);
  for (const mock::Site site : {mock::kAny, mock::kWork, mock::kPinned, mock::kMemory, mock::kAllocate}) {
    int nth = 1;
    while (fail_once(site, nth, pinned, beta, manner)) nth += nth < 50 ? 1 : nth / 10;
    CHECK(nth > (site == mock::kMemory || (pinned && site == mock::kPinned) ? 0 : 1));
  }
  limit(0, 0);
}

TEST_CASE("whatever allocation fails, alone or behind a call of the runtime, the result is right or C as it was") {
  const float beta = GENERATE(0.0f, 3.0f);
  begin();
  limit(size_t{24} << 10, 0);
  const auto run = [&](int call, int allocation) {
    begin();
    REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
    HostProduct p({70, 60, 90, false, true, beta});
    Handle h;
    gpu().fail_at[mock::kAny] = call;
    failing_allocation = allocation;
    const libsgemm_status_t status = p.run(h);
    const bool met = failing_allocation.exchange(0) <= 0;
    const bool failed = call > 0 && gpu().fail_at[mock::kAny] == 0;
    gpu().fail_at[mock::kAny] = 0;
    INFO("call " << call << ", allocation " << allocation << ": " << last_info().message << " " << reason());
    CHECK((status == LIBSGEMM_SUCCESS ? p.right() : p.untouched()));
    CHECK((met || failed || status == LIBSGEMM_SUCCESS));
    return std::pair(failed, met);
  };
  run(0, 1 << 20);  // loads what there is: libraries of drivers do not survive a failure in their constructors
  int injected = 0;
  while (run(0, injected + 1).second) ++injected;
  bool failed = true;
  for (int call = 1; failed; call += 1 + call / 4) {
    for (int allocation = 1; run(call, allocation).second; allocation += 1 + allocation / 8) ++injected;
    failed = run(call, 1 << 20).first;
  }
  CHECK(injected > 100);
  limit(0, 0);
}

namespace {

// By how many bytes the process grew in a call, which keeps for the next one what C was saved in.
size_t growth(const Shape &shape) {
  const auto size = [] {
    size_t pages = 0;
    REQUIRE(std::ifstream("/proc/self/statm") >> pages);
    return pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  };
  HostProduct p(shape);
  Handle h;
  REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
  const size_t before = size();
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  const size_t after = size();
  CHECK(backend() == "cuda");
  CHECK(p.right());
  return after - std::min(before, after);
}

}  // namespace

TEST_CASE("C is saved only if a failure could lose it") {
  begin();
  limit(size_t{1} << 20, 0);
  constexpr int64_t kRows = 2048, kCols = 4096;
  constexpr size_t kBytes = sizeof(float) * kRows * kCols;
  const auto shape = [](float beta) { return Shape{kRows, kCols, 1, false, false, beta, true, 0}; };
  growth(shape(0));  // whatever else the first call obtains
  if (strict()) {
    CHECK(growth(shape(0)) >= kBytes);  // nobody would compute it again
  } else {
    CHECK(growth(shape(0)) < kBytes);
  }
  CHECK(growth(shape(3)) >= kBytes);
  limit(0, 0);
}

TEST_CASE("where memory is short, less of it does") {
  begin();
  limit(0, 0);
  gpu().capacity = gpu().bytes + (int64_t{20} << 20);
  HostProduct p({90, 100, 80});
  Handle h;
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  CHECK(backend() == "cuda");
  CHECK(p.right());
  gpu().capacity = gpu().bytes + 100;
  REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
  gpu().capacity = 100;
  HostProduct q({90, 100, 80});
  const libsgemm_status_t status = q.run(h);
  CHECK(status == (strict() ? LIBSGEMM_OUT_OF_MEMORY : LIBSGEMM_SUCCESS));
  CHECK((strict() ? q.untouched() : q.right()));
  gpu().capacity = 0;
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

// The last one: what the device holds stays with it.
TEST_CASE("a device that does not answer is given up") {
  begin();
  limit(0, 0);
  gpu().hangs = true;
  HostProduct p({90, 100, 80});
  Handle h;
  const libsgemm_status_t status = p.run(h);
  gpu().repair();
  CHECK(gpu().abandoned >= 1);
  CHECK(status == (strict() ? LIBSGEMM_EXECUTION_FAILED : LIBSGEMM_SUCCESS));
  CHECK((strict() ? p.untouched() : p.right()));
  CHECK(contains(strict() ? last_info().message : reason(), "LIBSGEMM_TIMEOUT"));
}
