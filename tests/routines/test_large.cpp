// 32-bit arithmetic fails at these sizes.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "support/catch.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/numbers.h"
#include "support/subject.h"

using namespace sgemm_test;

namespace {

constexpr int64_t kTwo31 = int64_t{1} << 31;
constexpr int64_t kSide = 46500;  // squared above 2^31
constexpr int64_t kLdc = kSide + 3;

int64_t available_kib() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  int64_t value = 0;
  for (std::string line; file >> key >> value; std::getline(file, line)) {
    if (key == "MemAvailable:") return value;
  }
  return 0;
}

// Sparse mapping: elements not written are zero and take no memory.
class Sparse {
 public:
  explicit Sparse(int64_t elements) : bytes_(static_cast<size_t>(elements) * sizeof(float)) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(memory_ != MAP_FAILED);
    madvise(memory_, bytes_, MADV_HUGEPAGE);  // for speed
  }
  ~Sparse() { munmap(memory_, bytes_); }
  Sparse(const Sparse &) = delete;
  Sparse &operator=(const Sparse &) = delete;
  float *data() { return static_cast<float *>(memory_); }
  float &operator[](int64_t i) { return data()[i]; }

 private:
  size_t bytes_;
  void *memory_;
};

float small_integer(int64_t i, int64_t modulus) { return static_cast<float>(i * 7 % modulus - modulus / 2); }

enum class Decline { kNo, kVisibly };

// A BLAS with 32-bit integers cannot take a size beyond 2^31: with kVisibly another backend may compute, if
// libsgemm_last_info says so.
void require_success(libsgemm_status_t status, Decline decline = Decline::kNo) {
  const libsgemm_info_t info = last_info();
  INFO(info.backend << ": " << info.reason << " " << info.message);
  REQUIRE(status == LIBSGEMM_SUCCESS);
  if (info.backend == subject().backend) return;
  REQUIRE(decline == Decline::kVisibly);
  REQUIRE(has_word(info.reason, subject().backend));
}

// Tries a smallest product with such an lda. Otherwise the backend leaves these sizes to another one, which has its own
// tests.
bool takes_sizes_beyond_2_31() {
  const float a = 2, b = 3;
  float c = 5;
  require_success(libsgemm_sgemm(LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, 1, 1, 1, 1, &a, kTwo31 + 17,
                                 &b, 1, 1, &c, 1),
                  Decline::kVisibly);
  CHECK(c == 11);
  return last_info().backend == subject().backend;
}

}  // namespace

// The largest test needs 8.7 GB.
std::string sgemm_test::skip_reason() {
  constexpr int64_t kNeeded = int64_t{10} << 20;
  const int64_t available = available_kib();
  return available >= kNeeded ? ""
                              : "needs 10 GiB of memory, " + std::to_string(available >> 20) + " GiB are available";
}

TEST_CASE("m * n beyond 2^31") {
  // Row-major calls become column-major with exchanged operands. Both layouts are fast only on a GPU.
  const libsgemm_layout_t layout = GENERATE(LIBSGEMM_COL_MAJOR, LIBSGEMM_ROW_MAJOR);
  if (layout == LIBSGEMM_COL_MAJOR && !subject().is_gpu) return;
  std::vector<float> a(kSide * 2), b(kSide * 2);
  for (int64_t i = 0; i < kSide * 2; ++i) {
    a[static_cast<size_t>(i)] = small_integer(i, 31);
    b[static_cast<size_t>(i)] = small_integer(i, 37);
  }
  Sparse c(kLdc * kSide);
  const float poison = float_of_bits(0x7fdb7fdbu);
  for (int64_t j = 0; j < kSide; ++j) {
    for (int64_t i = kSide; i < kLdc; ++i) c[i + j * kLdc] = poison;
  }
  // op(A) is kSide x 2, op(B) 2 x kSide, with adjacent pairs in memory.
  const bool columns = layout == LIBSGEMM_COL_MAJOR;
  require_success(libsgemm_sgemm(layout, columns ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS,
                                 columns ? LIBSGEMM_NO_TRANS : LIBSGEMM_TRANS, kSide, kSide, 2, -1, a.data(), 2,
                                 b.data(), 2, 1, c.data(), kLdc));
  int64_t wrong = 0;
  for (int64_t outer = 0; outer < kSide; ++outer) {
    for (int64_t inner = 0; inner < kSide; ++inner) {
      const auto i = static_cast<size_t>(2 * (columns ? inner : outer));
      const auto j = static_cast<size_t>(2 * (columns ? outer : inner));
      if (c[inner + outer * kLdc] != -(a[i] * b[j] + a[i + 1] * b[j + 1])) ++wrong;
    }
    for (int64_t inner = kSide; inner < kLdc; ++inner) {
      if (bits_of(c[inner + outer * kLdc]) != bits_of(poison)) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("m beyond 2^31") {
  if (!takes_sizes_beyond_2_31()) return;
  constexpr int64_t m = kTwo31 + 17;
  Sparse a(m), c(m);
  const int64_t places[] = {0, 1, 12345, kTwo31 - 1, kTwo31, kTwo31 + 1, m - 1};
  for (size_t i = 0; i < 7; ++i) a[places[i]] = static_cast<float>(i + 1);
  const float b = 3;
  require_success(libsgemm_sgemm(LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, m, 1, 1, 2, a.data(), m, &b,
                                 1, 1, c.data(), m),
                  Decline::kVisibly);
  for (size_t i = 0; i < 7; ++i) CHECK(c[places[i]] == static_cast<float>(6 * (i + 1)));
  double sum = 0;
  for (int64_t i = 0; i < m; ++i) sum += static_cast<double>(c[i]);
  CHECK(sum == 6.0 * (1 + 2 + 3 + 4 + 5 + 6 + 7));
}

TEST_CASE("k beyond 2^31") {
  if (!takes_sizes_beyond_2_31()) return;
  constexpr int64_t k = kTwo31 + 17;
  Sparse a(k), b(k);
  float sum = 0;
  int value = 0;
  for (const int64_t place : {int64_t{0}, int64_t{1000}, kTwo31 - 1, kTwo31, kTwo31 + 5, k - 1}) {
    a[place] = static_cast<float>(++value);
    b[place] = static_cast<float>(value % 3 + 1);
    sum += a[place] * b[place];
  }
  float c = 5;
  require_success(libsgemm_sgemm(LIBSGEMM_COL_MAJOR, LIBSGEMM_TRANS, LIBSGEMM_NO_TRANS, 1, 1, k, 1, a.data(), k,
                                 b.data(), k, 1, &c, 1),
                  Decline::kVisibly);
  CHECK(c == sum + 5);
}

TEST_CASE("ld * columns beyond 2^31 for every operand of every routine") {
  constexpr int64_t kLd = 70000000;  // 33 columns exceed 2^31 elements
  constexpr int64_t kOrder = 33;
  for (const Routine routine : kSingleRoutines) {
    for (const libsgemm_layout_t layout : {LIBSGEMM_COL_MAJOR, LIBSGEMM_ROW_MAJOR}) {
      Case test;
      test.routine = routine;
      test.m = test.n = test.k = kOrder;
      test.beta = routine == Routine::kStrmm || routine == Routine::kStrsm ? 0.0f : 1.0f;
      const Problem problem = make_problem(test);
      Placement near(problem, layout);  // packs 16-bit values
      Sparse a(kLd * kOrder), b(kLd * kOrder), c(kLd * kOrder);
      const size_t size = element_of(routine) == Element::kFloat ? 4 : 2;
      const auto spread = [&](const void *from, int64_t from_ld, const Matrix &x, size_t bytes, Sparse *to) {
        const int64_t outer = layout == LIBSGEMM_COL_MAJOR ? x.columns : x.rows;
        const int64_t inner = layout == LIBSGEMM_COL_MAJOR ? x.rows : x.columns;
        for (int64_t j = 0; j < outer; ++j) {
          std::memcpy(reinterpret_cast<char *>(to->data()) + static_cast<size_t>(j * kLd) * bytes,
                      static_cast<const char *>(from) + static_cast<size_t>(j * from_ld) * bytes,
                      static_cast<size_t>(inner) * bytes);
        }
      };
      Args args = near.args();
      spread(args.a, args.lda, problem.a, size, &a);
      spread(args.b, args.ldb, problem.b, size, &b);
      spread(args.c, args.ldc, problem.c, 4, &c);
      args.a = a.data();
      args.b = b.data();
      args.c = c.data();
      args.lda = args.ldb = args.ldc = kLd;
      INFO(entry_name(routine) << " layout " << layout);
      require_success(call(routine, args));
      Matrix result = problem.c;
      for (int64_t i = 0; i < kOrder; ++i) {
        for (int64_t j = 0; j < kOrder; ++j) result.at(i, j) = c[index_of(layout, kLd, i, j)];
      }
      CHECK(compare(result, problem.value, problem.limit) == "");
    }
  }
}
