// Each allocation in turn fails, alone or with all after it. The call succeeds, or returns a lack of memory with C
// unchanged; the next call works.
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

#include "entries.h"
#include "failing_memory.h"
#include "support/catch.h"
#include "support/part.h"
#include "support/process.h"

using namespace sgemm_test;

namespace {

struct Report {
  bool met;
  int injected;
  char fault[600];
};

void complain(Report *report, const Entry &entry, int nth, const std::string &text) {
  std::snprintf(report->fault, sizeof report->fault, "%s, allocation %d: %s", entry.name.c_str(), nth, text.c_str());
}

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

// OpenBLAS is left out: its behaviour without memory is not the library's.
void set(const Variables &variables) {
  setenv("LIBSGEMM_BACKEND_PATH", MOCK_FOLDER "/gpu:" MOCK_FOLDER "/second_gpu", 1);
  setenv("LIBSGEMM_CPU_BLAS", "/no/openblas", 1);
  for (const auto &[name, value] : variables) setenv(name, value, 1);
}

void check_warm(const Variables &variables, bool on_gpu) {
  Child child;
  int injected = 0;
  for (const Entry &entry : all_entries()) {
    const bool of_drop_in = entry.expected == kVoid && on_gpu;
    if (of_drop_in) continue;  // a BLAS gets host memory only
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
