// Every entry point of both libraries while memory runs out: each allocation fails in turn, alone or with all behind
// it. The call then succeeds, or returns with a status of want of memory and C as it was; the next call works; nothing
// ends the process. In child processes, so that what does is seen, and so that each can make its first call.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "failing_memory.h"
#include "plugins/products.h"
#include "support/call.h"
#include "support/catch.h"
#include "support/faults.h"
#include "support/part.h"
#include "support/process.h"

extern "C" {
void cblas_sgemm(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
void cblas_strsm(int, int, int, int, int, int, int, float, const float *, int, float *, int);
void cblas_sgemm_batch(int, const int *, const int *, const int *, const int *, const int *, const float *,
                       const float *const *, const int *, const float *const *, const int *, const float *,
                       float *const *, const int *, int, const int *);
void cblas_sgemm_batch_strided(int, int, int, int, int, int, float, const float *, int, int, const float *, int, int,
                               float, float *, int, int, int);
void sgemm_(const char *, const char *, const int *, const int *, const int *, const float *, const float *,
            const int *, const float *, const int *, const float *, float *, const int *);
void ssyrk_(const char *, const char *, const int *, const int *, const float *, const float *, const int *,
            const float *, float *, const int *);
}

using namespace sgemm_test;

namespace {

constexpr int64_t kN = 40, kCount = kN * kN;  // more than the threshold from which the mock computes
constexpr int kVoid = -1;                     // "status" of what returns none

// The operands, in host memory or in that of the mock GPU.
struct Data {
  explicit Data(bool on_gpu) : gpu(on_gpu) {
    for (int64_t i = 0; i < kCount; ++i) {
      a[i] = static_cast<float>(i * 5 % 7) - 3;
      c[i] = static_cast<float>(i % 3);
    }
    for (int64_t i = 0; i < kN; ++i) a[i + i * kN] = 1;  // for trsm
    if (!gpu) return;
    mock_test::gpu().has_syrk = true;
    device_a = static_cast<float *>(mock_test::gpu().allocate(0, sizeof a));
    device_c = static_cast<float *>(mock_test::gpu().allocate(0, sizeof c));
    mock_test::gpu().write(device_a, a, sizeof a);
  }

  const float *A() const { return gpu ? device_a : a; }
  float *C() { return gpu ? device_c : out; }
  void reset() {
    std::memcpy(out, c, sizeof c);
    if (gpu) mock_test::gpu().write(device_c, c, sizeof c);
  }
  std::vector<float> result() {
    if (gpu) mock_test::gpu().read(device_c, out, sizeof c);
    return {out, out + kCount};
  }

  bool gpu;
  float a[kCount], c[kCount], out[kCount];
  float *device_a = nullptr, *device_c = nullptr;
};

// What is tried, made anew in each child. `expected`: its status when there is memory.
struct Entry {
  std::string name;
  int expected;
  std::function<int(Data *, libsgemm_handle_t)> run;
  bool wants_handle = false;
  bool in_parts = false;  // of which some may be done and others not
};
using Entries = std::vector<Entry>;

Args legal(Routine routine, Data *x) {
  Args args;
  args.m = args.n = args.k = kN;
  args.a = args.b = x->A();
  args.c = x->C();
  args.lda = args.ldb = args.ldc = kN;
  args.beta = 1;
  if (single_of(routine) != routine) {
    args.m = args.n = args.k = args.lda = args.ldb = args.ldc = kN / 2;
    args.stride_c = kN / 2 * args.ldc;
    args.batch_count = 2;
  }
  return args;
}

void add_routines(Entries *entries) {
  std::vector<Routine> routines = kSingleRoutines;
  routines.insert(routines.end(), kStridedRoutines.begin(), kStridedRoutines.end());
  for (const Routine routine : routines) {
    const std::string name = entry_name(routine);
    entries->push_back(
        {name, LIBSGEMM_SUCCESS, [=](Data *x, libsgemm_handle_t) { return call(routine, legal(routine, x)); }});
    entries->push_back({name + "_h", LIBSGEMM_SUCCESS,
                        [=](Data *x, libsgemm_handle_t h) { return call(routine, h, legal(routine, x)); }, true});
    static Data none(false);  // never touched
    const std::vector<Fault> faults = faults_of(routine, legal(routine, &none), {});
    for (size_t i = 0; i < faults.size(); i += 5) {
      const Args args = faults[i].args;
      entries->push_back({name + ", " + faults[i].parameter + " " + faults[i].label, LIBSGEMM_INVALID_ARGUMENT,
                          [=](Data *, libsgemm_handle_t) { return call(routine, args); }});
    }
  }
}

int batch(Data *x, libsgemm_handle_t h, int64_t m, bool through_cblas) {
  static const float *a[2];  // work on a stream may read them later
  static float *c[2];
  a[0] = a[1] = x->A();
  c[0] = x->C();
  c[1] = x->C() + kCount / 2;
  if (through_cblas) {
    const int op = 111, size = static_cast<int>(m), twenty = 20, ld = kN, count = 2;
    const float one = 1;
    cblas_sgemm_batch(102, &op, &op, &size, &twenty, &twenty, &one, a, &ld, a, &ld, &one, c, &ld, 1, &count);
    return kVoid;
  }
  const libsgemm_op_t op = LIBSGEMM_NO_TRANS;
  const int64_t twenty = 20, ld = kN, count = 2;
  const float one = 1;
  BatchArgs args;
  args.transa = args.transb = &op;
  args.m = &m, args.n = args.k = &twenty;
  args.alpha = args.beta = &one;
  args.a = args.b = reinterpret_cast<const void *const *>(a);
  args.c = c;
  args.lda = args.ldb = args.ldc = &ld;
  args.group_count = 1;
  args.group_size = &count;
  return h != nullptr ? call_batch(Element::kFloat, h, args) : call_batch(Element::kFloat, args);
}

void add_batches(Entries *entries) {
  entries->push_back(
      {"batch", LIBSGEMM_SUCCESS, [](Data *x, libsgemm_handle_t) { return batch(x, nullptr, 20, false); }});
  entries->push_back(
      {"batch_h", LIBSGEMM_SUCCESS, [](Data *x, libsgemm_handle_t h) { return batch(x, h, 20, false); }, true});
  entries->push_back({"batch, m -1", LIBSGEMM_INVALID_ARGUMENT,
                      [](Data *x, libsgemm_handle_t) { return batch(x, nullptr, -1, false); }});
}

void add_functions(Entries *entries) {
  const auto add = [entries](const char *name, int expected, int (*run)(Data *, libsgemm_handle_t),
                             bool handle = true) {
    entries->push_back({name, expected, run, handle});
  };
  constexpr int ok = LIBSGEMM_SUCCESS, bad = LIBSGEMM_INVALID_ARGUMENT;
  add(
      "create", ok,
      [](Data *, libsgemm_handle_t) -> int {
        libsgemm_handle_t h = nullptr;
        const libsgemm_status_t status = libsgemm_create(&h);
        if (status != LIBSGEMM_SUCCESS) return status;
        return libsgemm_destroy(h);
      },
      false);
  add("set_stream", ok, [](Data *, libsgemm_handle_t h) -> int { return libsgemm_set_stream(h, nullptr); });
  add(
      "set_stream NULL", LIBSGEMM_INVALID_HANDLE,
      [](Data *, libsgemm_handle_t) -> int { return libsgemm_set_stream(nullptr, nullptr); }, false);
  add("set_workspace", ok, [](Data *, libsgemm_handle_t h) -> int { return libsgemm_set_workspace(h, nullptr, 0); });
  add("set_workspace, bad", bad, [](Data *x, libsgemm_handle_t h) -> int {
    return libsgemm_set_workspace(h, reinterpret_cast<char *>(x) + 1, 1);
  });
  add("set_math_mode", ok,
      [](Data *, libsgemm_handle_t h) -> int { return libsgemm_set_math_mode(h, LIBSGEMM_MATH_FP32); });
  add("set_math_mode, bad", bad, [](Data *, libsgemm_handle_t h) -> int {
    return libsgemm_set_math_mode(h, static_cast<libsgemm_math_mode_t>(8));
  });
  add("set_backend", ok, [](Data *, libsgemm_handle_t h) -> int { return libsgemm_set_backend(h, "cuda,ref"); });
  add("set_backend, NULL", ok, [](Data *, libsgemm_handle_t h) -> int { return libsgemm_set_backend(h, nullptr); });
  add("set_backend, bad", bad,
      [](Data *, libsgemm_handle_t h) -> int { return libsgemm_set_backend(h, "a backend with a long name"); });
  add("set_kernel", ok, [](Data *, libsgemm_handle_t h) -> int { return libsgemm_set_kernel(h, ""); });
  add("set_kernel, bad", bad,
      [](Data *, libsgemm_handle_t h) -> int { return libsgemm_set_kernel(h, "a kernel with a long name"); });
  add("set_verify", ok, [](Data *, libsgemm_handle_t h) -> int {
    return libsgemm_set_verify(h, LIBSGEMM_VERIFY_OFF, LIBSGEMM_VERIFY_WARN);
  });
  add("set_verify, bad", bad, [](Data *, libsgemm_handle_t h) -> int {
    return libsgemm_set_verify(h, static_cast<libsgemm_verify_t>(3), LIBSGEMM_VERIFY_WARN);
  });
  add("synchronize", ok, [](Data *, libsgemm_handle_t h) -> int { return libsgemm_synchronize(h); });
  add("plan", ok, [](Data *x, libsgemm_handle_t h) -> int {
    libsgemm_set_math_mode(h, LIBSGEMM_MATH_BF16X6);
    libsgemm_plan_t plan = nullptr;
    const libsgemm_status_t status =
        libsgemm_plan_create(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_LEFT, LIBSGEMM_NO_TRANS, kN, kN, x->A(), kN, &plan);
    return status != LIBSGEMM_SUCCESS ? status : libsgemm_plan_destroy(plan);
  });
  add("plan, bad", bad, [](Data *x, libsgemm_handle_t h) -> int {
    libsgemm_plan_t plan = nullptr;
    return libsgemm_plan_create(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_LEFT, LIBSGEMM_NO_TRANS, -1, kN, x->A(), kN, &plan);
  });
  add("plan_destroy, bad", bad,
      [](Data *x, libsgemm_handle_t) -> int { return libsgemm_plan_destroy(reinterpret_cast<libsgemm_plan_t>(x)); });
  add(
      "get_memory", ok,
      [](Data *, libsgemm_handle_t) -> int {
        libsgemm_memory_t memory;
        return libsgemm_get_memory(&memory);
      },
      false);
  add(
      "set_memory_limits", ok, [](Data *, libsgemm_handle_t) -> int { return libsgemm_set_memory_limits(0, 0); },
      false);
  add(
      "release_memory", ok, [](Data *, libsgemm_handle_t) -> int { return libsgemm_release_memory(); }, false);
  add(
      "backend_describe", ok,
      [](Data *, libsgemm_handle_t) -> int {
        libsgemm_status_t status = LIBSGEMM_SUCCESS;
        libsgemm_backend_info_t info;
        for (int i = 0; i < libsgemm_backend_count() && status == LIBSGEMM_SUCCESS; ++i)
          status = libsgemm_backend_describe(i, &info);
        return status;
      },
      false);
  add(
      "device_describe", ok,
      [](Data *, libsgemm_handle_t) -> int {
        libsgemm_device_info_t info;
        return libsgemm_device_describe(libsgemm_backend_count() - 1, 0, &info);
      },
      false);
  add(
      "kernel_name", kVoid,
      [](Data *, libsgemm_handle_t) -> int {
        for (int i = 0; i < libsgemm_backend_count(); ++i) libsgemm_kernel_name(i, 0);
        return kVoid;
      },
      false);
  add(
      "last_info", kVoid,
      [](Data *x, libsgemm_handle_t) -> int {
        call(Routine::kSgemm, legal(Routine::kSgemm, x));
        libsgemm_info_t info;
        libsgemm_last_info(&info);
        return kVoid;
      },
      false);
}

void add_drop_in(Entries *entries) {
  const auto add = [entries](const char *name, void (*run)(Data *), bool in_parts = false) {
    entries->push_back({name, kVoid,
                        [run](Data *x, libsgemm_handle_t) {
                          run(x);
                          return kVoid;
                        },
                        false, in_parts});
  };
  add("cblas_sgemm", [](Data *x) { cblas_sgemm(102, 111, 111, kN, kN, kN, 1, x->A(), kN, x->A(), kN, 1, x->C(), kN); });
  add("cblas_sgemm, m -1",
      [](Data *x) { cblas_sgemm(102, 111, 111, -1, kN, kN, 1, x->A(), kN, x->A(), kN, 1, x->C(), kN); });
  add("cblas_strsm", [](Data *x) { cblas_strsm(102, 141, 121, 111, 131, kN, kN, 1, x->A(), kN, x->C(), kN); });
  add("cblas_strsm, uplo 0", [](Data *x) { cblas_strsm(102, 141, 0, 111, 131, kN, kN, 1, x->A(), kN, x->C(), kN); });
  add("cblas_sgemm_batch", [](Data *x) { batch(x, nullptr, 20, true); });
  // The first only scales, for which it needs no memory.
  add(
      "cblas_sgemm_batch, two groups",
      [](Data *x) {
        const int op[2] = {111, 111}, twenty[2] = {20, 20}, depth[2] = {0, 20}, ld[2] = {kN, kN}, one[2] = {1, 1};
        const float alpha[2] = {1, 1}, beta[2] = {2, 1};
        const float *a[2] = {x->A(), x->A()};
        float *c[2] = {x->C(), x->C() + kCount / 2};
        cblas_sgemm_batch(102, op, op, twenty, twenty, depth, alpha, a, ld, a, ld, beta, c, ld, 2, one);
      },
      true);
  add("cblas_sgemm_batch, m -1", [](Data *x) { batch(x, nullptr, -1, true); });
  add("cblas_sgemm_batch_strided", [](Data *x) {
    cblas_sgemm_batch_strided(102, 111, 111, 20, 20, 20, 1, x->A(), kN, 0, x->A(), kN, 0, 1, x->C(), kN, kCount / 2, 2);
  });
  const auto fortran = [](Data *x, int n) {
    const float one = 1;
    const int k = kN;
    sgemm_("N", "t", &n, &k, &k, &one, x->A(), &k, x->A(), &k, &one, x->C(), &k);
  };
  entries->push_back({"sgemm_", kVoid, [=](Data *x, libsgemm_handle_t) {
                        fortran(x, kN);
                        return kVoid;
                      }});
  entries->push_back({"sgemm_, m -1", kVoid, [=](Data *x, libsgemm_handle_t) {
                        fortran(x, -1);
                        return kVoid;
                      }});
  add("ssyrk_", [](Data *x) {
    const float one = 1;
    const int k = kN;
    ssyrk_("U", "N", &k, &k, &one, x->A(), &k, &one, x->C(), &k);
  });
}

Entries all_entries() {
  Entries entries;
  add_routines(&entries);
  add_batches(&entries);
  add_functions(&entries);
  add_drop_in(&entries);
  return entries;
}

// What a child tells its parent.
struct Report {
  bool met;
  int injected;
  char fault[600];
};

void complain(Report *report, const Entry &entry, int nth, const std::string &text) {
  std::snprintf(report->fault, sizeof report->fault, "%s, allocation %d: %s", entry.name.c_str(), nth, text.c_str());
}

// One call whose nth allocation fails, and one that has memory.
void try_entry(const Entry &entry, Data *data, int nth, bool all, Report *report) {
  libsgemm_handle_t h = nullptr;
  if (entry.wants_handle && libsgemm_create(&h) != LIBSGEMM_SUCCESS) return complain(report, entry, nth, "no handle");
  data->reset();
  const std::vector<float> before = data->result();
  complain(report, entry, nth, "the process ended");
  fail_allocation(nth, all);
  const int status = entry.run(data, h);
  report->met = allocation_failed();
  report->injected += report->met ? 1 : 0;
  const libsgemm_info_t info = last_info();
  if (h != nullptr) libsgemm_synchronize(h);
  const std::vector<float> with_failure = data->result();
  data->reset();
  const int again = entry.run(data, h);
  const libsgemm_info_t info_again = last_info();
  if (h != nullptr) libsgemm_synchronize(h);
  const std::vector<float> right = data->result();
  const std::string words =
      std::to_string(status) + " " + info.message + ", then " + std::to_string(again) + " " + info_again.message;
  report->fault[0] = '\0';
  if (again != entry.expected) complain(report, entry, nth, "the next call fails: " + words);
  const bool failed = status != entry.expected;
  if (failed && !report->met) complain(report, entry, nth, "fails with memory: " + words);
  if (failed && status != LIBSGEMM_OUT_OF_MEMORY && status != LIBSGEMM_UNAVAILABLE)
    complain(report, entry, nth, "status " + words);
  const bool done = with_failure == right;
  bool untouched = with_failure == before;
  if (entry.in_parts) {
    untouched = true;
    for (size_t i = 0; i < before.size(); ++i) {
      untouched = untouched && (with_failure[i] == before[i] || with_failure[i] == right[i]);
    }
  }
  if (failed ? !untouched : !(done || (status == kVoid && report->met && untouched))) {
    complain(report, entry, nth, "C is wrong: " + words);
  }
  if (h != nullptr && libsgemm_destroy(h) != LIBSGEMM_SUCCESS)
    complain(report, entry, nth, "the handle cannot be destroyed");
}

class Child {
 public:
  Child()
      : report_(static_cast<Report *>(
            mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~Child() { munmap(report_, sizeof(Report)); }
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;

  const Report &run(const std::function<void(Report *)> &work) {
    *report_ = {};
    const pid_t pid = fork();
    if (pid == 0) {
      alarm(60);
      // Illegal arguments and warnings are told there.
      if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
      try {
        work(report_);
      } catch (const std::exception &e) {
        std::strncat(report_->fault, e.what(), 100);
        _exit(2);
      }
      _exit(0);
    }
    int status = 0;
    if (waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0) return *report_;
    const std::string before = report_->fault;
    std::snprintf(report_->fault, sizeof report_->fault, "%.500s (status %d)", before.c_str(), status);
    return *report_;
  }

 private:
  Report *report_;
};

int next(int nth) { return nth + one_in() + nth / 20; }

using Variables = std::vector<std::pair<const char *, const char *>>;

// Only plugins of mocks are found, and no OpenBLAS, whose own ways without memory are not the library's.
void set(const Variables &variables) {
  setenv("LIBSGEMM_BACKEND_PATH", MOCK_FOLDER "/gpu:" MOCK_FOLDER "/second_gpu", 1);
  setenv("LIBSGEMM_CPU_BLAS", "/no/openblas", 1);
  for (const auto &[name, value] : variables) setenv(name, value, 1);
}

// Of all entries after their first calls.
void check_warm(const Variables &variables, bool on_gpu) {
  Child child;
  int injected = 0;
  for (const Entry &entry : all_entries()) {
    const bool of_drop_in = entry.expected == kVoid && on_gpu;
    if (of_drop_in) continue;  // a BLAS's callers have host memory
    for (const bool all : {false, true}) {
      const Report &report = child.run([&](Report *r) {
        set(variables);
        Data data(on_gpu);
        Report first = {};
        try_entry(entry, &data, 0, false, &first);
        if (first.fault[0] != '\0') {
          *r = first;
          return;
        }
        r->met = true;
        for (int nth = 1; r->met && r->fault[0] == '\0'; nth = next(nth)) try_entry(entry, &data, nth, all, r);
      });
      INFO((all ? "all behind, " : "") << entry.name);
      CHECK(std::string(report.fault) == "");
      injected += report.injected;
    }
  }
  CHECK(injected > 20);
}

// Of entries that may be a process's first.
void check_first(const Variables &variables) {
  Child child;
  int injected = 0;
  for (const Entry &entry : all_entries()) {
    const bool is_first = entry.name == "libsgemm_sgemm" || entry.name == "libsgemm_sgemm, m -1" ||
                          entry.name == "batch" || entry.expected == kVoid || entry.name == "create" ||
                          entry.name.find("describe") != std::string::npos || entry.name == "last_info";
    if (!is_first) continue;
    for (const bool all : {false, true}) {
      bool met = true;
      for (int nth = 1; met; nth = next(nth)) {
        const Report &report = child.run([&](Report *r) {
          set(variables);
          Data data(false);
          try_entry(entry, &data, nth, all, r);
        });
        INFO((all ? "all behind, " : "") << entry.name);
        CHECK(std::string(report.fault) == "");
        met = report.met && report.fault[0] == '\0';
        injected += report.injected;
      }
    }
  }
  CHECK(injected > 20);
}

const Variables kRef = {{"LIBSGEMM_BACKEND", "ref"}};
const Variables kTalkative = {{"LIBSGEMM_BACKEND", "ref"},
                              {"LIBSGEMM_VERBOSE", "3"},
                              {"LIBSGEMM_LOG_PATH", "/dev/null"},
                              {"LIBSGEMM_DETERMINISTIC", "1"},
                              {"LIBSGEMM_VERIFY", "full"}};
const Variables kForced = {{"LIBSGEMM_KERNEL", "cpu_sse2_8x4x256_packed"}};
const Variables kGpu = {{"LIBSGEMM_BACKEND", "cuda,ref"}, {"LIBSGEMM_OFFLOAD", "never"}};

}  // namespace

TEST_CASE("whatever allocation of a call fails, it fails alone") {
  check_warm(kRef, false);
  check_warm(kTalkative, false);
}

TEST_CASE("whatever allocation of a call on device memory fails, it fails alone") {
  mock_test::gpu();
  check_warm(kGpu, true);
}

TEST_CASE("whatever allocation of a process's first call fails, the next one works") {
  check_first(kRef);
  check_first(kTalkative);
  check_first(kForced);
  check_first(kGpu);
}

TEST_CASE("a deterministic call of the drop-in for which the GPU has no memory is the CPU's, which is told each time") {
  const TemporaryDirectory folder;
  for (const std::string strict : {"0", "1"}) {
    const std::string log = folder.path() + "/log" + strict;
    Child child;
    const Report &report = child.run([&](Report *r) {
      set({{"LIBSGEMM_DETERMINISTIC", "1"}, {"LIBSGEMM_STRICT", strict.c_str()}, {"LIBSGEMM_LOG_PATH", log.c_str()}});
      mock_test::gpu().capacity = 1;
      Data data(false);
      for (int call = 0; call < 2; ++call) {
        data.reset();
        cblas_sgemm(102, 111, 111, kN, kN, kN, 1, data.A(), kN, data.A(), kN, 1, data.C(), kN);
        r->injected += std::memcmp(data.out, data.c, sizeof data.c) != 0 ? 1 : 0;
      }
    });
    CHECK(std::string(report.fault) == "");
    CHECK(report.injected == (strict == "1" ? 0 : 2));
    const std::string text = read_text(log),
                      what = strict == "1" ? ": not computed, as" : ": computed on the CPU instead";
    int told = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++told;
    INFO(text);
    CHECK(told == 2);
    CHECK_THAT(text, Contains("LIBSGEMM_DETERMINISTIC=1"));
  }
}
