#include <algorithm>
#include <limits>
#include <memory>

#include "gpu/kernels.h"
#include "simt/fibers/job.h"
#include "simt/fibers/simt.h"
#include "support/catch.h"
#include "support/part.h"

using namespace sgemm_test;
using libsgemm::Error;
using libsgemm::Launch;

namespace {

struct Way {
  Kernel kernel;
  Routine routine;
  bool aligned;
};

std::vector<Way> ways() {
  std::vector<Way> found;
  for (int i = 0; i < libsgemm::gpu::kernel_count(); ++i) {
    const Kernel &kernel = libsgemm::gpu::kernels()[i];
    if (kernel.groups == nullptr) continue;
    if (kernel.math_mode == LIBSGEMM_MATH_FP64) {
      found.push_back({kernel, Routine::kSgemm, false});
    } else {
      for (const Routine routine : {Routine::kShgemm, Routine::kSbgemm}) found.push_back({kernel, routine, true});
    }
  }
  return found;
}

// Every one_in()-th of ways(), for long tests.
std::vector<Way> some_ways() {
  std::vector<Way> some;
  const std::vector<Way> all = ways();
  for (size_t i = 0; i < all.size(); i += static_cast<size_t>(one_in())) some.push_back(all[i]);
  return some;
}

Case case_of_group(const Way &way, int64_t m, int64_t n, int64_t k, int turn) {
  Case test = case_of(way.routine, m, n, k);
  if ((turn & 1) != 0) test.transa = LIBSGEMM_TRANS;
  if ((turn & 2) != 0) test.transb = LIBSGEMM_TRANS;
  test.alpha = static_cast<float>(turn % 3 + 1);
  test.beta = static_cast<float>(turn % 4 - 1);  // beta 0: C is NaN and must not be read
  test.padding = {turn % 5, turn % 2 * 3, turn % 7};
  test.offset = turn % 4;
  if (turn % 8 >= 4) test.padding = {}, test.offset = 0;
  if (way.aligned) {
    const GemmDesc desc = outline(test, Form::kSingle, 1);
    test.padding.a += static_cast<int>(whole_chunks(desc.lda) - desc.lda);
    test.padding.b += static_cast<int>(whole_chunks(desc.ldb) - desc.ldb);
    test.offset *= 8;
  }
  return test;
}

std::string run_groups(const Kernel &kernel, std::vector<std::unique_ptr<Job>> *jobs) {
  std::vector<GemmDesc> groups;
  for (const auto &job : *jobs) groups.push_back(job->desc());
  const auto count = static_cast<int64_t>(groups.size());
  const double cost = kernel.groups->cost(groups.data(), count, 0);
  if (!(cost > 0 && std::isfinite(cost))) return "costs " + std::to_string(cost) + " s";
  Error error = {};
  bool enqueued = false;
  Launch launch = {};
  launch.enqueued = &enqueued;
  if (kernel.groups->launch(groups.data(), count, launch, &error) != LIBSGEMM_SUCCESS) return error.text;
  if (!enqueued) return "says that it has enqueued nothing";
  for (size_t i = 0; i < jobs->size(); ++i) {
    const std::string fault = (*jobs)[i]->check({kernel.math_mode, kernel.truncates});
    if (!fault.empty()) return "group " + std::to_string(i) + ": " + fault;
  }
  return "";
}

}  // namespace

TEST_CASE("ragged groups in all transpositions, aligned and not, with scalars of their own") {
  const int64_t sizes[] = {1, 5, 31, 33, 64, 70, 131};
  for (const Way &way : ways()) {
    std::vector<std::unique_ptr<Job>> jobs;
    for (int turn = 0; turn < 32; ++turn) {
      const Case test = case_of_group(way, sizes[turn % 7], sizes[turn / 2 % 6], sizes[turn / 3 % 7] + turn, turn);
      const Form form = turn % 3 == 0 ? Form::kHostArrays : Form::kSingle;
      jobs.push_back(std::make_unique<Job>(test, form, turn % 5 == 0, form == Form::kSingle ? 1 : 3));
    }
    INFO(way.kernel.name << " " << entry_name(way.routine));
    CHECK(run_groups(way.kernel, &jobs) == "");
  }
}

TEST_CASE("more products than one launch holds, and of groups that are larger than that") {
  for (const Way &way : some_ways()) {
    std::vector<std::unique_ptr<Job>> jobs;
    for (const int count : {1, 700, 2, 400}) {
      jobs.push_back(
          std::make_unique<Job>(case_of_group(way, 3, 4, 5 + count % 7, 0), Form::kHostArrays, false, count));
    }
    INFO(way.kernel.name << " " << entry_name(way.routine));
    CHECK(run_groups(way.kernel, &jobs) == "");
  }
}

TEST_CASE("more groups than one launch holds, of one product each and of products in any order") {
  const int64_t sizes[] = {3, 130, 17, 260};
  for (const Way &way : some_ways()) {
    std::vector<std::unique_ptr<Job>> jobs;
    std::vector<GemmDesc> groups;
    std::vector<std::vector<const void *>> inputs;
    std::vector<std::vector<float *>> outputs;
    inputs.reserve(300), outputs.reserve(150);
    for (int g = 0; g < 150; ++g) {
      const int count = g % 50 == 7 ? 4 : 1;
      const int64_t m = g < 8 ? sizes[g % 4] : 1 + g % 9, n = g < 8 ? sizes[g / 2 % 4] : 1 + g % 7;
      const Case test = case_of_group(way, m, n, 1 + 11 * (g % 13), g < 8 ? g : 4 + g % 2);
      jobs.push_back(std::make_unique<Job>(test, Form::kHostArrays, false, count));
      GemmDesc desc = jobs.back()->desc();
      inputs.emplace_back(desc.a_array, desc.a_array + count), inputs.emplace_back(desc.b_array, desc.b_array + count);
      outputs.emplace_back(desc.c_array, desc.c_array + count);
      if (count > 1) {
        std::swap(inputs[inputs.size() - 2][1], inputs[inputs.size() - 2][3]);
        std::swap(inputs.back()[1], inputs.back()[3]);
        std::swap(outputs.back()[1], outputs.back()[3]);
      }
      desc.a_array = inputs[inputs.size() - 2].data(), desc.b_array = inputs.back().data();
      desc.c_array = outputs.back().data();
      groups.push_back(desc);
    }
    INFO(way.kernel.name << " " << entry_name(way.routine));
    Error error = {};
    const auto count = static_cast<int64_t>(groups.size());
    REQUIRE(way.kernel.groups->launch(groups.data(), count, Launch{}, &error) == LIBSGEMM_SUCCESS);
    for (const auto &job : jobs) REQUIRE(job->check({way.kernel.math_mode, way.kernel.truncates}) == "");
  }
}

TEST_CASE("a group of which one operand does not lie where the others' strides would have it") {
  for (const Way &way : ways()) {
    for (const bool of_a : {true, false}) {
      Job job(case_of_group(way, 33, 17, 70, 4), Form::kHostArrays, false, 4);
      GemmDesc desc = job.desc();
      const void *const *array = of_a ? desc.a_array : desc.b_array;
      const libsgemm::Stored x = of_a ? stored_a(desc) : stored_b(desc);
      const size_t bytes = static_cast<size_t>((x.cols - 1) * x.ld + x.rows) * x.size;
      Workspace elsewhere(bytes);
      std::memcpy(elsewhere.data(), array[2], bytes);
      std::vector<const void *> moved(array, array + 4);
      moved[2] = elsewhere.data();
      (of_a ? desc.a_array : desc.b_array) = moved.data();
      INFO(way.kernel.name << " " << entry_name(way.routine) << (of_a ? ", A" : ", B"));
      // A kernel that reads here gives a wrong result.
      std::memset(const_cast<void *>(array[2]), 0x11, x.size);
      Error error = {};
      REQUIRE(way.kernel.groups->launch(&desc, 1, Launch{}, &error) == LIBSGEMM_SUCCESS);
      std::memcpy(const_cast<void *>(array[2]), elsewhere.data(), x.size);
      CHECK(job.check({way.kernel.math_mode, way.kernel.truncates}) == "");
    }
  }
}

TEST_CASE("groups with an unaligned operand are refused by kernels that cannot read it") {
  for (const Way &way : ways()) {
    Job job(case_of_group(way, 40, 40, 40, 0), Form::kHostArrays, false, 3);
    GemmDesc desc = job.desc();
    const std::vector<const void *> a(desc.a_array, desc.a_array + 3), b(desc.b_array, desc.b_array + 3);
    for (const int operand : {0, 1}) {
      std::vector<const void *> moved = operand == 0 ? a : b;
      moved[2] = static_cast<const char *>(moved[2]) + 4;
      GemmDesc other = desc;
      (operand == 0 ? other.a_array : other.b_array) = moved.data();
      const GemmDesc both[] = {desc, other};
      CHECK(std::isfinite(way.kernel.groups->cost(both, 1, 0)));
      CHECK(std::isfinite(way.kernel.groups->cost(both, 2, 0)) != way.aligned);
    }
  }
}

TEST_CASE("a rehearsal of groups writes nothing, and what does not fit the table is refused") {
  for (const Way &way : ways()) {
    Job job(case_of_group(way, 40, 40, 40, 3), Form::kSingle, false, 1);
    GemmDesc desc = job.desc();
    Launch launch = {};
    launch.rehearsal = true;
    bool enqueued = false;
    launch.enqueued = &enqueued;
    Error error = {};
    REQUIRE(way.kernel.groups->launch(&desc, 1, launch, &error) == LIBSGEMM_SUCCESS);
    CHECK_FALSE(enqueued);
    CHECK(job.check({way.kernel.math_mode, way.kernel.truncates}) != "");
    const double infinite = std::numeric_limits<double>::infinity();
    for (int64_t GemmDesc::*extent : {&GemmDesc::m, &GemmDesc::n, &GemmDesc::k, &GemmDesc::ldc}) {
      if (extent == &GemmDesc::ldc && way.aligned) continue;  // their tables have 64 bits
      GemmDesc large = desc;
      large.*extent = int64_t{1} << 31;
      CHECK(way.kernel.groups->cost(&large, 1, 0) == infinite);
    }
  }
}

TEST_CASE("the predicted time of groups") {
  for (const Way &way : ways()) {
    Job job(case_of_group(way, 130, 130, 200, 0), Form::kSingle, false, 1);
    const std::vector<GemmDesc> groups(64, job.desc());
    const double one = way.kernel.groups->cost(groups.data(), 1, 0),
                 all = way.kernel.groups->cost(groups.data(), 64, 0);
    CHECK(all > one);
    CHECK(all < 64 * one);
  }
}
