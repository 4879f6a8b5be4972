// Groups of products of different sizes in one launch: the rows that can, on the CPU.
#include <limits>
#include <memory>

#include "catch.h"
#include "gpu/kernels.h"
#include "job.h"
#include "simt.h"

using namespace sgemm_test;
using libsgemm::Error;
using libsgemm::Launch;

namespace {

std::vector<Kernel> rows() {
  std::vector<Kernel> found;
  for (int i = 0; i < libsgemm::gpu::kernel_count(); ++i) {
    if (libsgemm::gpu::kernels()[i].groups != nullptr) found.push_back(libsgemm::gpu::kernels()[i]);
  }
  return found;
}

Case case_of_group(int64_t m, int64_t n, int64_t k, int turn) {
  Case test = case_of(Routine::kSgemm, m, n, k);
  if ((turn & 1) != 0) test.transa = LIBSGEMM_TRANS;
  if ((turn & 2) != 0) test.transb = LIBSGEMM_TRANS;
  test.alpha = static_cast<float>(turn % 3 + 1);
  test.beta = static_cast<float>(turn % 4 - 1);  // 0 leaves NaN in C, which must not be read
  test.padding = {turn % 5, turn % 2 * 3, turn % 7};
  test.offset = turn % 4;
  if (turn % 8 >= 4) test.padding = {}, test.offset = 0;
  return test;
}

// The descriptions of jobs in one launch; returns the first fault.
std::string run_groups(const Kernel &row, std::vector<std::unique_ptr<Job>> *jobs) {
  std::vector<GemmDesc> groups;
  for (const auto &job : *jobs) groups.push_back(job->desc());
  const auto count = static_cast<int64_t>(groups.size());
  const double cost = row.groups->cost(groups.data(), count, 0);
  if (!(cost > 0 && std::isfinite(cost))) return "costs " + std::to_string(cost) + " s";
  Error error = {};
  bool begun = false;
  if (row.groups->launch(groups.data(), count, Launch{}, &begun, &error) != LIBSGEMM_SUCCESS) return error.text;
  if (!begun) return "says that it has not begun";
  for (size_t i = 0; i < jobs->size(); ++i) {
    const std::string fault = (*jobs)[i]->check({row.math_mode, row.truncates});
    if (!fault.empty()) return "group " + std::to_string(i) + ": " + fault;
  }
  return "";
}

}  // namespace

TEST_CASE("ragged groups in all transpositions, aligned and not, with scalars of their own") {
  const int64_t sizes[] = {1, 5, 31, 33, 64, 70, 131};
  for (const Kernel &row : rows()) {
    std::vector<std::unique_ptr<Job>> jobs;
    for (int turn = 0; turn < 32; ++turn) {
      const Case test = case_of_group(sizes[turn % 7], sizes[turn / 2 % 6], sizes[turn / 3 % 7] + turn, turn);
      const Form form = turn % 3 == 0 ? Form::kHostArrays : Form::kSingle;
      jobs.push_back(std::make_unique<Job>(test, form, turn % 5 == 0, form == Form::kSingle ? 1 : 3));
    }
    INFO(row.name);
    CHECK(run_groups(row, &jobs) == "");
  }
}

TEST_CASE("more products than one launch holds, and of groups that are larger than that") {
  for (const Kernel &row : rows()) {
    std::vector<std::unique_ptr<Job>> jobs;
    for (const int count : {1, 700, 2, 400}) {
      jobs.push_back(std::make_unique<Job>(case_of_group(3, 4, 5 + count % 7, 0), Form::kHostArrays, false, count));
    }
    INFO(row.name);
    CHECK(run_groups(row, &jobs) == "");
  }
}

TEST_CASE("a rehearsal of groups writes nothing, and what does not fit the table is refused") {
  for (const Kernel &row : rows()) {
    Job job(case_of_group(40, 40, 40, 3), Form::kSingle, false, 1);
    GemmDesc desc = job.desc();
    Launch launch = {};
    launch.rehearsal = true;
    Error error = {};
    bool begun = true;
    REQUIRE(row.groups->launch(&desc, 1, launch, &begun, &error) == LIBSGEMM_SUCCESS);
    CHECK_FALSE(begun);
    CHECK(job.check({row.math_mode, row.truncates}) != "");
    const double infinite = std::numeric_limits<double>::infinity();
    for (int64_t GemmDesc::*extent : {&GemmDesc::m, &GemmDesc::n, &GemmDesc::k, &GemmDesc::ldc}) {
      GemmDesc large = desc;
      large.*extent = int64_t{1} << 31;
      CHECK(row.groups->cost(&large, 1, 0) == infinite);
    }
  }
}

// Of GPUs that are only asked: none but Hopper's with its FP64 rate computes groups so, and what is predicted grows.
TEST_CASE("the predicted time of groups") {
  for (const Kernel &row : rows()) {
    Job job(case_of_group(130, 130, 200, 0), Form::kSingle, false, 1);
    const std::vector<GemmDesc> groups(64, job.desc());
    const double one = row.groups->cost(groups.data(), 1, 0), all = row.groups->cost(groups.data(), 64, 0);
    CHECK(all > one);
    CHECK(all < 64 * one);
  }
}
