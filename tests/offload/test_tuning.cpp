#include <libsgemm.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <map>
#include <thread>

#include "contract/kernel_table.h"
#include "decision/tuning.h"
#include "decision/tuning_file.h"
#include "process/stats.h"
#include "support/catch.h"
#include "support/process.h"

namespace {

using namespace libsgemm;
using sgemm_test::Contains;
using sgemm_test::Environment;
using sgemm_test::Outcome;
using sgemm_test::TemporaryDirectory;

GemmDesc product(int64_t m, int64_t n, int64_t k) {
  alignas(64) static float places[3][64];
  GemmDesc d = {};
  d.transa = d.transb = LIBSGEMM_NO_TRANS;
  d.side = LIBSGEMM_LEFT;
  d.uplo = LIBSGEMM_UPPER;
  d.diag = LIBSGEMM_NON_UNIT;
  d.m = m;
  d.n = n;
  d.k = k;
  d.alpha = 1;
  d.lda = d.ldc = m;
  d.ldb = k;
  d.a = places[0];
  d.b = places[1];
  d.c = places[2];
  d.batch_count = 1;
  return d;
}

std::vector<GemmDesc> many_calls() {
  std::vector<GemmDesc> calls;
  for (const RoutineTraits &t : kRoutines) {
    for (const Type type : {Type::f32, Type::f16, Type::bf16}) {
      for (const Batch batch : {Batch::none, Batch::strided, Batch::pointers}) {
        const bool has_form = batch == Batch::none || (batch == Batch::strided && t.strided != nullptr);
        if (!t.takes(type) || (t.routine != Routine::gemm && !has_form)) continue;
        for (int variant = 0; variant < 16; ++variant) {
          GemmDesc d = product(t.triangle_of_c ? 45 : 32, 45, 77);
          d.routine = t.routine;
          d.type = type;
          if ((variant & 1) != 0) d.transa = LIBSGEMM_TRANS, d.side = LIBSGEMM_RIGHT;
          if ((variant & 2) != 0) d.transb = LIBSGEMM_TRANS, d.uplo = LIBSGEMM_LOWER, d.diag = LIBSGEMM_UNIT;
          if (t.one_sided()) d.k = d.side == LIBSGEMM_LEFT ? d.m : d.n;
          d.alpha = (variant & 4) != 0 ? 0.5f : 1.0f;
          d.beta = t.routine == Routine::trsm ? 1.0f : (variant & 8) != 0 && !t.in_place() ? -3.0f : 0.0f;
          d.math_mode = static_cast<libsgemm_math_mode_t>(variant % 7);
          d.lda = stored_a(d).rows + variant;
          d.ldb = stored_b(d).rows + 2 * variant + 1;
          d.ldc = d.m + 4 * variant;
          d.batch = batch;
          if (batch != Batch::none) d.batch_count = 3 + variant;
          if (batch == Batch::strided) {
            d.stride_a = (variant & 1) != 0 ? 0 : 20000;
            d.stride_b = 20001;
            d.stride_c = 20002;
          }
          d.c += variant % 4;
          calls.push_back(d);
        }
      }
    }
  }
  return calls;
}

// ---- A GPU that chooses kernels, but computes nothing --------------------------------------------------------------
bool g_supported = true;
size_t g_workspace = 0;

constexpr size_t kWorkspace = 1000;

template <int kSeconds>
Kernel make_kernel(const char *name, libsgemm_math_mode_t mode) {
  return {name, mode, [](const GemmDesc &, int) { return planned(kSeconds); }, nullptr};
}

// Each case has a new backend, since its file and choices are cached.
const Backend &new_backend(bool is_gpu = true) {
  static std::deque<Backend> backends;
  static const std::vector<Kernel> kernels = [] {
    std::vector<Kernel> all = {make_kernel<1>("model", LIBSGEMM_MATH_FP32), make_kernel<2>("tuned", LIBSGEMM_MATH_FP32),
                               make_kernel<2>("tf32", LIBSGEMM_MATH_TF32), make_kernel<3>("fp64", LIBSGEMM_MATH_FP64)};
    all[1].prepare = [](const GemmDesc &, int) { return g_supported ? planned(2, g_workspace) : Plan(); };
    return all;
  }();
  Backend backend = {};
  backend.is_gpu = is_gpu;
  backend.name = "cuda";
  backend.kernels = kernels.data();
  backend.kernel_count = static_cast<int>(kernels.size());
  backend.version = [] { return "driver 1"; };
  backend.describe_device = [](int device, libsgemm_device_info_t *info, Error *) {
    std::snprintf(info->name, sizeof info->name, "%s", device == 0 ? "fast" : "other");
    return LIBSGEMM_SUCCESS;
  };
  return backends.emplace_back(backend);
}

const TuningKey &own_key() {
  static const TuningKey key = tuning_key("cuda", "driver 1", "fast");
  return key;
}

TunedCall tuned_call(const GemmDesc &desc, const std::string &kernel) {
  return {class_of(desc), kernel, 1e-5, "model", 1.25e-5};
}

void write(const std::string &path, const std::string &text) { std::ofstream(path) << text; }

Plan selected(const TuningFile &file, const GemmDesc &desc, int device = 0, size_t workspace = SIZE_MAX,
              const Backend &backend = new_backend()) {
  const TemporaryDirectory folder;
  write(folder.path() + "/tuning", tuning_to_text(file));
  use_tuning(folder.path() + "/tuning");
  const Plan plan = best_plan(backend, desc, device, workspace);
  use_tuning("off");
  return plan;
}

std::string name_of(const Plan &plan) { return std::string(plan.tuned ? "tuned " : "model ") + plan.kernel->name; }

}  // namespace

TEST_CASE("a class of calls is read as it was written, and describes a call of that class") {
  for (const GemmDesc &desc : many_calls()) {
    const CallClass call = class_of(desc);
    const std::string text = to_text(call);
    INFO(text);
    CallClass back;
    std::string problem;
    REQUIRE(class_from_text(text, &back, &problem));
    CHECK(back == call);
    CHECK(hash_of(back) == hash_of(call));
    GemmDesc described = describe(call);
    described.a = desc.a;
    described.b = desc.b;
    described.c = desc.c;
    CHECK(class_of(described) == call);
    CHECK(described.lda >= stored_a(described).rows);
    CHECK(described.ldb >= stored_b(described).rows);
    CHECK(described.ldc >= described.m);
  }
}

TEST_CASE("a class knows what kernels look at, and no more") {
  const GemmDesc d = product(64, 64, 64);
  const auto differs = [&](auto change) {
    GemmDesc other = d;
    change(other);
    return !(class_of(other) == class_of(d));
  };
  CHECK(differs([](GemmDesc &x) { x.m = 65; }));
  CHECK(differs([](GemmDesc &x) { x.transb = LIBSGEMM_TRANS; }));
  CHECK(differs([](GemmDesc &x) { x.lda = 66; }));
  CHECK(differs([](GemmDesc &x) { x.ldc = 65; }));
  CHECK(differs([](GemmDesc &x) { x.b = static_cast<const float *>(x.b) + 1; }));
  CHECK(differs([](GemmDesc &x) { x.beta = 1; }));
  CHECK(differs([](GemmDesc &x) { x.alpha = 2; }));
  CHECK(differs([](GemmDesc &x) { x.math_mode = LIBSGEMM_MATH_TF32; }));
  CHECK_FALSE(differs([](GemmDesc &x) { x.lda = 128; }));
  CHECK_FALSE(differs([](GemmDesc &x) { x.a = static_cast<const float *>(x.a) + 4; }));
  CHECK_FALSE(differs([](GemmDesc &x) { x.side = LIBSGEMM_RIGHT, x.uplo = LIBSGEMM_LOWER; }));  // not used by gemm
}

TEST_CASE("a text that is no call is refused with the reason") {
  struct Bad {
    const char *text, *why;
  };
  for (const Bad &bad :
       {Bad{"", "there is no routine"},
        Bad{"dgemm m=1 n=1 k=1", "there is no routine dgemm"},
        Bad{"ssyrk_batch m=1 n=1 k=1", "there is no routine ssyrk_batch"},
        Bad{"shsyrk_batch m=1 n=1 k=1", "there is no routine shsyrk_batch"},
        Bad{"shsyr2k m=1 n=1 k=1", "there is no routine shsyr2k"},
        Bad{"ssymm_batch_strided m=1 n=1", "there is no routine ssymm_batch_strided"},
        Bad{"ssyrk_batch_strided m=1 n=1 k=1 stride=4,4,4", "an alignment is not one of such elements"},
        Bad{"sgemm m=1 n=1", "m, n or k is missing"},
        Bad{"sgemm m=0 n=1 k=1", "m=0 is not valid"},
        Bad{"sgemm m=-3 n=1 k=1", "m=-3 is not valid"},
        Bad{"sgemm m=1 n=1 k=99999999999999999999", "k=99999999999999999999 is not valid"},
        Bad{"sgemm m=1 n=1 k=1 op=N", "op=N is not valid"},
        Bad{"sgemm m=1 n=1 k=1 op=NC", "op=NC is not valid"},
        Bad{"sgemm m=1 n=1 k=1 side=L", "side=L is not valid in a call of sgemm"},
        Bad{"sgemm m=1 n=1 k=1 ld=16,16", "ld=16,16 is not valid"},
        Bad{"sgemm m=1 n=1 k=1 ld=16,16,3", "ld=16,16,3 is not valid"},
        Bad{"sgemm m=1 n=1 k=1 ld=16,16,32", "ld=16,16,32 is not valid"},
        Bad{"sgemm m=1 n=1 k=1 ld=2,16,16", "an alignment is not one of such elements"},
        Bad{"sgemm m=1 n=1 k=1 at=16,0,16", "an alignment is not one of such elements"},
        Bad{"sgemm m=1 n=1 k=1 alpha=0", "alpha=0 is not valid"},
        Bad{"sgemm m=1 n=1 k=1 beta=2", "beta=2 is not valid"},
        Bad{"sgemm m=1 n=1 k=1 math=fp8", "math=fp8 is not valid"},
        Bad{"sgemm m=1 n=1 k=1 batch=2", "batch=2 is not valid"},
        Bad{"sgemm m=1 n=1 k=1 more", "more is not valid"},
        Bad{"ssyrk m=2 n=3 k=1", "m, n and k do not belong to such a routine"},
        Bad{"ssymm m=2 n=3 k=3", "m, n and k do not belong to such a routine"}}) {
    INFO(bad.text);
    CallClass call;
    std::string problem;
    CHECK_FALSE(class_from_text(bad.text, &call, &problem));
    CHECK_THAT(problem, Contains(bad.why));
  }
}

TEST_CASE("a tuning is read as it was written") {
  TuningFile file = {own_key(), {}};
  for (const GemmDesc &desc : many_calls()) file.calls.push_back(tuned_call(desc, "tuned"));
  const std::string text = tuning_to_text(file);
  TuningFile back;
  std::string problem;
  REQUIRE(tuning_from_text(text, &back, &problem));
  CHECK(tuning_to_text(back) == text);
  CHECK(back.key.device == "driver 1; fast");
  REQUIRE(back.calls.size() == file.calls.size());
  CHECK(back.calls[7].call == file.calls[7].call);
  CHECK(back.calls[7].model_seconds == 1.25e-5);
}

TEST_CASE("a file that is no tuning is refused with the line at fault") {
  const std::string good = tuning_to_text({own_key(), {tuned_call(product(8, 8, 8), "tuned")}});
  const auto problem_of = [](const std::string &text) {
    TuningFile file;
    std::string problem;
    CHECK_FALSE(tuning_from_text(text, &file, &problem));
    return problem;
  };
  const auto with = [&good](const std::string &part, const std::string &other) {
    std::string text = good;
    return text.replace(text.find(part), part.size(), other);
  };
  CHECK_THAT(problem_of(""), Contains("line 1: "));
  CHECK_THAT(problem_of(std::string(5000, '\xff')), Contains("line 1: "));
  CHECK_THAT(problem_of(with("tuning 1", "tuning 2")), Contains("line 1: "));
  CHECK_THAT(problem_of(with("device ", "devize ")), Contains("line 4: device is missing"));
  CHECK_THAT(problem_of(with("1e-05", "fast")), Contains("line 5: a line is not valid"));
  CHECK_THAT(problem_of(with("1e-05", "-1")), Contains("line 5: a line is not valid"));
  CHECK_THAT(problem_of(with("1e-05", "nan")), Contains("line 5: a line is not valid"));
  CHECK_THAT(problem_of(with("m=8", "m=x")), Contains("line 5: m=x is not valid"));
  CHECK_THAT(problem_of(good.substr(0, good.size() - 4)), Contains("its end is missing"));
  CHECK_THAT(problem_of(good.substr(0, good.size() - 1)), Contains("its end is missing"));
  CHECK_THAT(problem_of(good + "more\n"), Contains("there is text after its end"));
}

TEST_CASE("a tuned kernel goes before the model's, for its calls alone") {
  const GemmDesc desc = product(100, 200, 300);
  const TuningFile file = {own_key(), {tuned_call(product(1, 2, 3), "fp64"), tuned_call(desc, "tuned")}};
  CHECK(name_of(selected(file, desc)) == "tuned tuned");
  CHECK(name_of(selected(file, product(1, 2, 3))) == "tuned fp64");  // may replace FP32
  CHECK(name_of(selected(file, product(100, 200, 301))) == "model model");
  GemmDesc unaligned = desc;
  unaligned.ldb = 301;
  CHECK(name_of(selected(file, unaligned)) == "model model");
  CHECK(name_of(selected({own_key(), {}}, desc)) == "model model");
  CHECK(name_of(selected(file, desc, 1)) == "model model");
  CHECK(name_of(selected(file, desc, 0, SIZE_MAX, new_backend(false))) == "model model");
  use_tuning("off");
  CHECK(name_of(best_plan(new_backend(), desc, 0, SIZE_MAX)) == "model model");
}

TEST_CASE("a choice that was remembered is as good as the first one") {
  const Backend &backend = new_backend();
  const TemporaryDirectory folder;
  const GemmDesc desc = product(101, 200, 300);
  write(folder.path() + "/tuning", tuning_to_text({own_key(), {tuned_call(desc, "tuned")}}));
  use_tuning(folder.path() + "/tuning");
  for (int i = 0; i < 3; ++i) {
    CHECK(name_of(best_plan(backend, desc, 0, SIZE_MAX)) == "tuned tuned");
    CHECK(name_of(best_plan(backend, desc, 1, SIZE_MAX)) == "model model");
  }
  use_tuning("off");
}

TEST_CASE("a tuned kernel that may not serve the call is passed over") {
  const GemmDesc desc = product(100, 200, 300);
  const TuningFile file = {own_key(), {tuned_call(desc, "tuned")}};
  g_supported = false;
  CHECK(name_of(selected(file, desc)) == "model model");
  g_supported = true;
  g_workspace = kWorkspace;
  CHECK(name_of(selected(file, desc, 0, kWorkspace - 1)) == "model model");
  CHECK(name_of(selected(file, desc, 0, kWorkspace)) == "tuned tuned");
  g_workspace = 0;
  CHECK(name_of(selected({own_key(), {tuned_call(desc, "tf32")}}, desc)) == "model model");
  GemmDesc fast = desc;
  fast.math_mode = LIBSGEMM_MATH_TF32;
  CHECK(name_of(selected({own_key(), {tuned_call(fast, "fp64")}}, fast)) == "model tf32");
  CHECK(name_of(selected({own_key(), {tuned_call(fast, "tf32")}}, fast)) == "tuned tf32");
  GemmDesc planned = desc;
  planned.plan_a = &planned;
  CHECK(name_of(selected(file, planned)) == "model model");
  CHECK(name_of(selected({own_key(), {tuned_call(desc, "gone"), tuned_call(product(1, 1, 1), "tuned")}}, desc)) ==
        "model model");
}

namespace {

TuningKey key_of_mock() { return tuning_key("cuda", "mock driver 1.0", "mock device"); }

class Cache {
 public:
  Cache() {
    setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    tuning_ = tuning_path(key_of_mock());
    unsetenv("XDG_CACHE_HOME");
    REQUIRE(std::system(("mkdir " + folder_.path() + "/libsgemm").c_str()) == 0);
  }
  std::string folder() const { return folder_.path(); }
  const std::string &tuning() const { return tuning_; }

  // `setting`: LIBSGEMM_TUNING; empty: not set.
  Outcome probe(const std::string &setting) const {
    Environment environment = {{"LIBSGEMM_BACKEND_PATH", MOCK_FOLDER "/gpu"},
                               {"LIBSGEMM_OFFLOAD", "always"},
                               {"LIBSGEMM_VERBOSE", "1"},
                               {"XDG_CACHE_HOME", folder()}};
    if (!setting.empty()) environment["LIBSGEMM_TUNING"] = setting;
    Outcome outcome = sgemm_test::run_probe(PROBE, {"--size", "64"}, environment);
    INFO(outcome.description());
    CHECK(outcome.exit_status == 0);
    CHECK(outcome.report["correct"] == "1");
    CHECK(outcome.report["backend"] == "cuda");
    return outcome;
  }

 private:
  const TemporaryDirectory folder_;
  std::string tuning_;
};

bool is_of_the_model(Outcome outcome) {
  return outcome.report["kernel"] == "cuda_mock_splitk" && outcome.report["tuned"] == "0" &&
         outcome.report["reason"].find("tuning") == std::string::npos;
}

// Names the plain kernel for all 24 classes of a product of 64 x 64 x 64.
TuningFile tuning_to_plain() {
  TuningFile file = {key_of_mock(), {}};
  for (const char beta : {'0', '1', 'x'}) {
    for (const char *op : {"NN", "NT", "TN", "TT"}) {
      CallClass call;
      std::string problem;
      const std::string text = std::string("sgemm op=") + op + " m=64 n=64 k=64 beta=" + beta;
      for (const char *alpha : {" alpha=1", " alpha=x"}) {
        REQUIRE(class_from_text(text + alpha, &call, &problem));
        file.calls.push_back({call, "cuda_mock_plain", 1e-5, "cuda_mock_splitk", 2e-5});
      }
    }
  }
  return file;
}

}  // namespace

TEST_CASE("with the library: a tuning is found in the cache, reported, and may be switched off") {
  const Cache cache;
  const Outcome none = cache.probe("");
  CHECK(is_of_the_model(none));
  CHECK(none.err.find("tuning") == std::string::npos);

  write(cache.tuning(), tuning_to_text(tuning_to_plain()));
  Outcome tuned = cache.probe("");
  INFO(tuned.description());
  CHECK(tuned.report["kernel"] == "cuda_mock_plain");
  CHECK(tuned.report["tuned"] == "1");
  CHECK_THAT(tuned.report["reason"], Contains(", its kernel by tuning"));
  CHECK_THAT(tuned.err, Contains(cache.tuning() + " has kernels for 24 calls"));
  CHECK(is_of_the_model(cache.probe("off")));
}

TEST_CASE("with the library: a damaged, foreign or missing tuning is ignored with a message") {
  const Cache cache;
  TuningFile file = tuning_to_plain();
  const std::string text = tuning_to_text(file);
  const std::string other = cache.folder() + "/other";
  file.key.device = "mock driver 2.0; mock device";
  struct Ignored {
    std::string text, why;
  };
  for (const Ignored &ignored :
       {Ignored{text.substr(0, text.size() / 2), "is not used: line "},
        Ignored{tuning_to_text(file), "is not used: it is for another device: mock driver 2.0"}}) {
    write(other, ignored.text);
    const Outcome outcome = cache.probe(other);
    INFO(outcome.description());
    CHECK(is_of_the_model(outcome));
    CHECK_THAT(outcome.err, Contains(other + " " + ignored.why));
    write(cache.tuning(), ignored.text);
    CHECK(is_of_the_model(cache.probe("")));
  }
  const Outcome missing = cache.probe(cache.folder() + "/none");
  CHECK(is_of_the_model(missing));
  CHECK_THAT(missing.err, Contains("/none is not used: No such file"));
}

TEST_CASE("calls of many threads are counted by their class without loss") {
  constexpr int kThreads = 4, kClasses = 5000, kCalls = 3, kSame = 100000;
  const TemporaryDirectory folder;
  stats_open(folder.path());
  stats_count_shape(product(1, 1, 1));
  stats_count_shapes(true);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < kCalls * kClasses; ++i) stats_count_shape(product(1 + (i + t * 1000) % kClasses, 7, 9));
      for (int i = 0; i < kSame; ++i) stats_count_shape(product(kClasses + 1, 7, 9));
    });
  }
  for (std::thread &thread : threads) thread.join();

  std::map<int64_t, uint64_t> counts;
  size_t places = 0;
  std::string name;
  std::ifstream list;
  REQUIRE(std::system(("ls " + folder.path() + " > " + folder.path() + "/list").c_str()) == 0);
  list.open(folder.path() + "/list");
  while (std::getline(list, name) && name.find(".stats") == std::string::npos) {
  }
  const std::string bytes = sgemm_test::read_text(folder.path() + "/" + name);
  REQUIRE(bytes.size() >= sizeof(StatsFile));
  for (int part = 0; part < kStatsParts && stats_part_place(part) < bytes.size(); ++part) {
    REQUIRE(stats_part_place(part) + stats_part_bytes(part) <= bytes.size());
    for (size_t i = 0; i < stats_part_count(part); ++i) {
      alignas(StatsShape) unsigned char copy[sizeof(StatsShape)];
      std::memcpy(copy, bytes.data() + stats_part_place(part) + i * sizeof copy, sizeof copy);
      const auto &shape = *reinterpret_cast<const StatsShape *>(copy);
      if (shape.state != StatsRecord::kReady) continue;
      counts[shape.call.m] += shape.calls;
      ++places;
    }
  }
  REQUIRE(counts.size() == kClasses + 1);
  CHECK(places < 2 * kClasses);  // two threads may add a class at once
  CHECK(counts[kClasses + 1] == kThreads * kSame);
  counts.erase(kClasses + 1);
  for (const auto &[m, count] : counts) {
    if (count != kThreads * kCalls) FAIL("m=" << m << " was counted " << count << " times");
  }
}
