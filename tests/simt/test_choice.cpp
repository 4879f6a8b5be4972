// Draws all kinds of calls for all kinds of GPUs. A kernel outside of the ladder that is never chosen is useless, or
// its cost is wrong.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "contract/kernel_table.h"
#include "devices.h"
#include "gpu/cost.h"
#include "gpu/device_model.h"
#include "gpu/kernels.h"
#include "support/catch.h"

namespace {

using namespace libsgemm;

constexpr int kCalls = 20000;          // for each device
constexpr double kLeastMargin = 5e-3;  // relative lead over the next kernel for a win to count

// Kernels that do not win.
struct Exception {
  const char *kernel, *reason;
};
constexpr Exception kExceptions[] = {
    {"sm80_ffma_128x128x16_multistage", "sm75_ffma_128x128x8_double_buffered and split-K are always predicted faster"},
    {"sm80_wmma_256x128x32_multistage", "a kernel of mma.sync is always predicted faster"},
    {"sm80_wmma_256x128x32_split_k",
     "wins only calls for which the split-K kernel of mma.sync is predicted the same time"},
};

class Draw {
 public:
  GemmDesc call() {
    GemmDesc d = {};
    const int kind = integer(0, 99);
    d.routine = kind < 70 ? Routine::gemm : static_cast<Routine>(integer(1, 6));
    const bool gemm = d.routine == Routine::gemm;
    const int type = integer(0, 9);
    d.type = !traits_of(d).takes(Type::f16) || type < 6 ? Type::f32 : type < 8 ? Type::f16 : Type::bf16;
    const bool modes = gemm && d.type == Type::f32 && integer(0, 2) == 0;
    d.math_mode = modes ? static_cast<libsgemm_math_mode_t>(integer(1, 6)) : LIBSGEMM_MATH_FP32;
    // Separate generators (fast_, others_, other_batches_) leave what random_ draws unchanged.
    if (d.math_mode == LIBSGEMM_MATH_FP16X3 && fast_() % 2 == 0) d.math_mode = LIBSGEMM_MATH_FP32_FAST;
    if (!gemm && d.type == Type::f32 && others_() % 8 == 0) d.math_mode = LIBSGEMM_MATH_FP64;
    d.transa = op(), d.transb = op();
    d.side = integer(0, 1) == 0 ? LIBSGEMM_LEFT : LIBSGEMM_RIGHT;
    d.uplo = integer(0, 1) == 0 ? LIBSGEMM_UPPER : LIBSGEMM_LOWER;
    d.diag = LIBSGEMM_NON_UNIT;
    d.batch_count = 1;
    set_sizes(&d);
    d.alpha = 1;
    d.beta = traits_of(d).in_place() ? (d.routine == Routine::trsm ? 1.0f : 0.0f) : static_cast<float>(integer(0, 1));
    place(&d);
    if (gemm ? integer(0, 4) == 0 : traits_of(d).strided != nullptr && other_batches_() % 5 == 0) make_batch(&d);
    return d;
  }

 private:
  int integer(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
  libsgemm_op_t op() { return integer(0, 1) == 0 ? LIBSGEMM_NO_TRANS : LIBSGEMM_TRANS; }

  int64_t size(double least, double most) {
    const double log = std::uniform_real_distribution<double>(std::log(least), std::log(most))(random_);
    const auto x = static_cast<int64_t>(std::exp(log));
    const int64_t to = int64_t{1} << integer(0, 8);  // half of the sizes are round
    return integer(0, 1) == 0 || x < to ? x : x / to * to;
  }

  void set_sizes(GemmDesc *d) {
    switch (integer(0, 4)) {
      case 0:  // square
        d->m = d->n = d->k = size(1, 16384);
        break;
      case 1:  // one short size
        d->m = size(1, 20000), d->n = size(1, 20000), d->k = size(1, 20000);
        (integer(0, 2) == 0 ? d->k : integer(0, 1) == 0 ? d->m : d->n) = size(1, 100);
        break;
      case 2:  // deep
        d->m = size(1, 1000), d->n = size(1, 1000), d->k = size(1000, 1000000);
        break;
      case 3:  // medium, narrow
        d->m = size(256, 8192), d->n = size(32, 512), d->k = size(256, 8192);
        if (integer(0, 1) == 0) std::swap(d->m, d->n);
        break;
      default:
        d->m = size(1, 20000), d->n = size(1, 20000), d->k = size(1, 20000);
    }
    conform(d);
  }

  void conform(GemmDesc *d) {
    const RoutineTraits &r = traits_of(*d);
    if (r.triangle_of_c) d->m = d->n;
    if (r.one_sided()) d->k = d->side == LIBSGEMM_LEFT ? d->m : d->n;
    if (r.row_major == RoutineTraits::trans_flips) d->transb = d->transa;
  }

  // Fictitious addresses: kernels check alignment only.
  void place(GemmDesc *d) {
    const int how = integer(0, 3);
    const auto ld = [&](int64_t rows) {
      return how == 0 ? rows : how == 1 ? rows + integer(0, 3) : (rows + 31) / 32 * 32;
    };
    d->lda = ld(stored_a(*d).rows), d->ldb = std::max<int64_t>(1, ld(stored_b(*d).rows)), d->ldc = ld(d->m);
    const uintptr_t size = size_of(d->type);
    const auto address = [&](uintptr_t element) {
      return 4096 + (how == 1 ? element * static_cast<uintptr_t>(integer(0, 3)) : 0);
    };
    d->a = reinterpret_cast<const void *>(address(size));
    d->b = traits_of(*d).has_b() ? reinterpret_cast<const void *>(address(size)) : nullptr;
    d->c = reinterpret_cast<float *>(address(sizeof(float)));
  }

  void make_batch(GemmDesc *d) {
    const int64_t products = size(2, 10000);
    for (int64_t *x : {&d->m, &d->n, &d->k}) *x = std::min(*x, size(1, 512));
    conform(d);
    place(d);
    d->batch = Batch::strided;
    d->batch_count = products;
    d->stride_a = d->lda * stored_a(*d).cols, d->stride_b = d->ldb * stored_b(*d).cols, d->stride_c = d->ldc * d->n;
  }

  std::mt19937 random_{2026}, other_batches_{7}, fast_{5}, others_{11};
};

struct Record {
  int wins = 0;
  int ties = 0;       // wins in an exact tie with a later kernel
  int clear = 0;      // wins by at least kLeastMargin
  double margin = 0;  // largest relative lead, if there is another kernel
};

double next_best(const GemmDesc &d, int device, size_t workspace, const Kernel *chosen) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < gpu::kernel_count(); ++i) {
    const Kernel &kernel = gpu::kernels()[i];
    if (&kernel == chosen || kernel.math_mode != chosen->math_mode) continue;
    best = std::min(best, prepare(kernel, d, device, workspace).seconds);
  }
  return best;
}

struct Sweep {
  std::map<std::string, Record> records;
  // "A100 sm80": a GPU and the prefix of an FP64 kernel chosen there, in mode fp64 and in others.
  std::set<std::string> fp64, fp64_for_fp32;
};

Sweep sweep() {
  Sweep found;
  for (int i = 0; i < gpu::kernel_count(); ++i) found.records[gpu::kernels()[i].name];
  Backend backend = {};
  backend.kernels = gpu::kernels();
  backend.kernel_count = gpu::kernel_count();
  Draw draw;
  for (int device = 1; device < simt::device_count(); ++device) {
    for (int i = 0; i < kCalls; ++i) {
      const GemmDesc d = draw.call();
      const bool splits = d.math_mode == LIBSGEMM_MATH_BF16X6 || d.math_mode == LIBSGEMM_MATH_FP16X3 ||
                          d.math_mode == LIBSGEMM_MATH_FP32_FAST;
      const size_t workspace = LIBSGEMM_WORKSPACE_DEFAULT_BYTES * (splits ? 8 : 1);
      const Kernel *kernel = best_plan(backend, d, device, workspace).kernel;
      INFO(gpu::model(device).name << ": " << to_string(d));
      REQUIRE(kernel != nullptr);
      if (kernel->math_mode == LIBSGEMM_MATH_FP64 && d.routine == Routine::gemm) {
        std::set<std::string> &of_mode = d.math_mode == LIBSGEMM_MATH_FP64 ? found.fp64 : found.fp64_for_fp32;
        of_mode.insert(gpu::model(device).name + (" " + std::string(kernel->name, std::strcspn(kernel->name, "_"))));
      }
      Record &r = found.records[kernel->name];
      const double cost = prepare(*kernel, d, device).seconds,
                   margin = next_best(d, device, workspace, kernel) / cost - 1;
      ++r.wins;
      r.ties += margin == 0 ? 1 : 0;
      r.clear += margin >= kLeastMargin ? 1 : 0;
      if (std::isfinite(margin)) r.margin = std::max(r.margin, margin);
    }
  }
  return found;
}

GemmDesc product(int64_t n, int64_t k) {
  GemmDesc d = {};
  d.m = d.n = d.lda = d.ldc = n;
  d.k = d.ldb = k;
  d.batch_count = 1;
  d.transa = d.transb = LIBSGEMM_NO_TRANS;
  d.a = d.b = reinterpret_cast<const void *>(uintptr_t{4096});
  d.c = reinterpret_cast<float *>(uintptr_t{4096});
  return d;
}

// True if the kernel runs by force only: a step of the ladder, or a kernel for groups.
bool of_the_ladder(const Kernel &kernel) {
  GemmDesc d = product(512, 512);
  if (kernel.math_mode == LIBSGEMM_MATH_FP64) d.math_mode = LIBSGEMM_MATH_FP64;
  for (const Type type : {Type::f32, Type::f16}) {
    d.type = type;
    for (int device = 0; device < simt::device_count(); ++device) {
      const Plan plan = prepare(kernel, d, device);
      if (plan.kernel != nullptr) return plan.seconds >= gpu::kForcedOnly;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("every kernel but the ladder's wins somewhere", "[.choice]") {
  const Sweep found = sweep();
  const std::map<std::string, Record> &records = found.records;
  std::printf("%-42s %7s %7s %7s  %s\n", "kernel", "wins", "ties", "clear", "largest margin");
  for (int i = 0; i < gpu::kernel_count(); ++i) {
    const Kernel &kernel = gpu::kernels()[i];
    if (kernel.conv != nullptr) continue;  // only products are drawn
    const Record &r = records.at(kernel.name);
    std::printf("%-42s %7d %7d %7d  %.3f%s\n", kernel.name, r.wins, r.ties, r.clear, r.margin,
                of_the_ladder(kernel) ? "  ladder" : "");
    const auto known = std::find_if(std::begin(kExceptions), std::end(kExceptions),
                                    [&](const Exception &e) { return e.kernel == std::string(kernel.name); });
    INFO((known == std::end(kExceptions) ? "" : known->reason));
    INFO(kernel.name << ": " << r.wins << " wins, " << r.clear << " of them clear");
    if (of_the_ladder(kernel)) {
      CHECK(r.wins == 0);
    } else if (known == std::end(kExceptions)) {
      CHECK(r.clear > 0);
    } else {
      INFO("it is among the known exceptions, which is no longer true");
      CHECK(r.clear == 0);
    }
  }
  if (records.count("sm75_ffma_1x1x1_naive") == 0) return;  // the rest is about NVIDIA's kernels
  for (const Exception &e : kExceptions) {
    INFO(e.kernel << " is among the known exceptions, and no kernel of the table");
    CHECK(records.count(e.kernel) == 1);
  }
  // FP64 replaces FP32 at sufficient rates. (For triangles with few tiles and large k only FP64 kernels split k, which
  // may pay off at any rate.)
  CHECK(found.fp64_for_fp32 ==
        std::set<std::string>{"A100 sm80", "A30 sm80", "H100 sm90", "H100 PCIe sm90", "H200 sm90"});
  CHECK(found.fp64 == std::set<std::string>{"A100 sm80", "A30 sm80", "RTX 3090 sm80", "RTX 3050 sm80", "Orin sm80",
                                            "RTX 4090 sm80", "RTX 4060 sm80", "L4 sm80", "H100 sm90", "H100 PCIe sm90",
                                            "H20 sm90", "H200 sm90", "B200 sm90", "RTX 5090 sm90", "RTX 5060 sm90"});
}

TEST_CASE("fp32_fast is predicted to be worth it for large products, not for small ones or few steps of k",
          "[.choice]") {
  int pairs = 0;
  for (const auto &[chip, name] :
       {std::pair("H100", "sm90_dmma_64x64x32_multistage"), std::pair("MI300X", "gfx90a_dmfma_128x128x8_ping_pong")}) {
    const int device = simt::device_called(chip);
    for (int i = 0; i < gpu::kernel_count(); ++i) {
      const Kernel &fp64 = gpu::kernels()[i];
      if (device < 0 || std::string(fp64.name) != name) continue;
      for (int j = 0; j < gpu::kernel_count(); ++j) {
        const Kernel &fast = gpu::kernels()[j];
        if (fast.math_mode != LIBSGEMM_MATH_FP32_FAST || fast.conv != nullptr) continue;
        const auto gains = [&](int64_t n, int64_t k) {
          return prepare(fast, product(n, k), device).seconds < prepare(fp64, product(n, k), device).seconds;
        };
        INFO(chip << ": " << fast.name);
        CHECK(gains(4096, 4096));
        CHECK(gains(8192, 8192));
        CHECK_FALSE(gains(256, 256));
        CHECK_FALSE(gains(8192, 255));
        ++pairs;
      }
    }
  }
  CHECK(pairs > 0);
}

TEST_CASE("where sums are to be invariant every call but those of the solver finds a kernel that is marked",
          "[.choice]") {
  Backend backend = {};
  backend.kernels = gpu::kernels();
  backend.kernel_count = gpu::kernel_count();
  bool cuda = false;
  for (int i = 0; i < gpu::kernel_count(); ++i) {
    const Kernel &kernel = gpu::kernels()[i];
    const std::string name = kernel.name;
    cuda = cuda || name == "sm75_ffma_1x1x1_naive";
    INFO(name);
    if (!kernel.invariant) continue;
    CHECK_FALSE(kernel.truncates);
    if (kernel.math_mode == LIBSGEMM_MATH_FP64) continue;
    // An invariant FP32 kernel does not split k, by its name.
    CHECK(kernel.math_mode == LIBSGEMM_MATH_FP32);
    CHECK((name.find("_ffma_") != std::string::npos || name.rfind("gfx_fma_", 0) == 0));
    const std::string kind = name.substr(name.rfind('_'));
    for (const char *other : {"_k", "_vector", "_skinny", "_tall", "_thin", "_trsm"}) {
      CHECK((kind != other || name == "sm90_ffma_256x128x16_stream_k"));
    }
    CHECK(name.find("blocked_trmm") == std::string::npos);
  }
  Draw draw;
  std::set<std::string> chosen;
  for (int device = 1; device < simt::device_count(); ++device) {
    for (int i = 0; i < kCalls / 10; ++i) {
      GemmDesc d = draw.call();
      d.deterministic = LIBSGEMM_DETERMINISTIC_INVARIANT;
      d.math_mode = LIBSGEMM_MATH_FP32;
      const Kernel *kernel = best_plan(backend, d, device, LIBSGEMM_WORKSPACE_DEFAULT_BYTES).kernel;
      INFO(gpu::model(device).name << ": " << to_string(d));
      REQUIRE((kernel == nullptr) == (d.routine == Routine::trsm));
      if (kernel == nullptr) continue;
      REQUIRE(kernel->invariant);
      chosen.insert(kernel->name);
    }
  }
  CHECK(chosen.size() > (cuda ? 10 : 3));
}
