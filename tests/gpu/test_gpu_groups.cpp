#include <memory>

#include "gpu_products.h"
#include "support/catch.h"
#include "support/numbers.h"

using namespace sgemm_test;
using gpu::capture;
using gpu::DevicePlacement;
using gpu::driver;
using gpu::message;
using gpu::replay;
using gpu::require;
using gpu::Stream;

std::string sgemm_test::skip_reason() { return gpu::missing(); }

namespace {

// Some groups are empty, some only scale C. `aligned`: columns of A and B start at multiples of 16 bytes.
class RaggedGroups {
 public:
  RaggedGroups(Routine routine, bool aligned, int count, int64_t largest) : element_(element_of(routine)) {
    Random random(11);
    for (int g = 0; g < count; ++g) {
      const auto size = [&] { return int64_t{1} + random.integer(0, static_cast<int>(largest) - 1); };
      Case test = case_of(routine, size(), size(), size());
      if (g % 2 != 0) test.transa = LIBSGEMM_TRANS;
      if (g / 2 % 2 != 0) test.transb = LIBSGEMM_TRANS;
      test.alpha = static_cast<float>(g % 9 == 8 ? 0 : g % 3 + 1);
      test.beta = static_cast<float>(g % 4 - 1);
      test.offset = g / 4 % 4;
      test.padding = {g % 5, g % 3, g % 2};
      if (aligned) {
        const auto gap = [](int64_t rows) { return static_cast<int>((8 - rows % 8) % 8); };
        test.padding.a = gap(test.transa == LIBSGEMM_NO_TRANS ? test.m : test.k);
        test.padding.b = gap(test.transb == LIBSGEMM_NO_TRANS ? test.k : test.n);
        test.offset *= 8;
      }
      const int64_t products = g % 7 == 6 ? 0 : g % 5 == 4 ? 3 : 1;
      for (int64_t i = 0; i < products; ++i) {
        problems_.push_back(std::make_unique<Problem>(make_problem(test, static_cast<uint64_t>(10 * g + i + 1))));
        hosts_.push_back(std::make_unique<Placement>(*problems_.back(), LIBSGEMM_COL_MAJOR));
        devices_.push_back(std::make_unique<DevicePlacement>(hosts_.back().get(), *problems_.back()));
        a_.push_back(devices_.back()->args().a);
        b_.push_back(devices_.back()->args().b);
        c_.push_back(devices_.back()->args().c);
      }
      const Args shape = products > 0 ? devices_.back()->args() : Args();
      transa_.push_back(test.transa), transb_.push_back(test.transb);
      m_.push_back(products > 0 ? test.m : 0), n_.push_back(test.n), k_.push_back(test.k);
      alpha_.push_back(test.alpha), beta_.push_back(test.beta);
      lda_.push_back(products > 0 ? shape.lda : 2 * largest), ldb_.push_back(products > 0 ? shape.ldb : 2 * largest);
      ldc_.push_back(products > 0 ? shape.ldc : 2 * largest);
      sizes_.push_back(products);
    }
  }

  libsgemm_status_t run(libsgemm_handle_t h) const {
    BatchArgs x;
    x.transa = transa_.data(), x.transb = transb_.data();
    x.m = m_.data(), x.n = n_.data(), x.k = k_.data();
    x.alpha = alpha_.data(), x.beta = beta_.data();
    x.a = a_.data(), x.b = b_.data(), x.c = c_.data();
    x.lda = lda_.data(), x.ldb = ldb_.data(), x.ldc = ldc_.data();
    x.group_count = static_cast<int64_t>(sizes_.size()), x.group_size = sizes_.data();
    return call_batch(element_, h, x);
  }
  std::string check(const Arithmetic &how) {
    for (size_t i = 0; i < devices_.size(); ++i) {
      const std::string fault = devices_[i]->check(how);
      if (!fault.empty()) return describe(problems_[i]->test) + ": " + fault;
    }
    return "";
  }
  std::string check_untouched() {
    std::string fault;
    for (size_t i = 0; i < devices_.size() && fault.empty(); ++i) fault = devices_[i]->check_untouched();
    return fault;
  }

 private:
  Element element_;
  std::vector<std::unique_ptr<Problem>> problems_;
  std::vector<std::unique_ptr<Placement>> hosts_;
  std::vector<std::unique_ptr<DevicePlacement>> devices_;
  std::vector<libsgemm_op_t> transa_, transb_;
  std::vector<int64_t> m_, n_, k_, lda_, ldb_, ldc_, sizes_;
  std::vector<float> alpha_, beta_;
  std::vector<const void *> a_, b_;
  std::vector<float *> c_;
};

bool is_grouped(const std::string &kernel) { return kernel.find("_grouped") != std::string::npos; }

struct Way {
  std::string kernel;
  Routine routine;
  bool aligned;
};

std::vector<Way> ways() {
  std::vector<Way> all;
  for (const Routine routine : {Routine::kSgemm, Routine::kShgemm, Routine::kSbgemm}) {
    for (const bool aligned : {false, true}) {
      all.push_back({"", routine, aligned});
      for (const std::string &kernel : subject().kernels) {
        if (is_grouped(kernel)) all.push_back({kernel, routine, aligned});
      }
    }
  }
  return all;
}

std::string describe(const Way &way) {
  return "kernel " + way.kernel + ", " + entry_name(way.routine) + (way.aligned ? ", aligned" : "");
}

Arithmetic arithmetic() {
  const libsgemm_info_t info = last_info();
  return {std::string(info.math_mode) == "fp64" ? LIBSGEMM_MATH_FP64 : LIBSGEMM_MATH_FP32, info.truncated != 0};
}

}  // namespace

TEST_CASE("ragged groups, as the backend chooses and in each kernel for them") {
  for (const Way &way : ways()) {
    const std::string &kernel = way.kernel;
    for (const int count : {40, 900}) {  // 900: more than a launch takes
      RaggedGroups groups(way.routine, way.aligned, count, count == 40 ? 300 : 20);
      Handle handle;
      REQUIRE(libsgemm_set_kernel(handle, kernel.c_str()) == LIBSGEMM_SUCCESS);
      const libsgemm_status_t status = groups.run(handle);
      INFO(describe(way) << ", " << count << " groups: " << message());
      if (status == LIBSGEMM_NOT_SUPPORTED && !kernel.empty()) continue;  // it is for another GPU, type or alignment
      REQUIRE(status == LIBSGEMM_SUCCESS);
      const Arithmetic how = arithmetic();
      const std::string ran = last_info().kernel;
      CHECK((kernel.empty() || ran == kernel));
      REQUIRE(libsgemm_synchronize(handle) == LIBSGEMM_SUCCESS);
      CHECK(groups.check(how) == "");
    }
  }
}

TEST_CASE("a graph holds groups") {
  for (const Way &way : ways()) {
    const std::string &kernel = way.kernel;
    RaggedGroups groups(way.routine, way.aligned, 30, 100);
    Stream stream;
    Handle handle;
    REQUIRE(libsgemm_set_stream(handle, stream) == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_set_kernel(handle, kernel.c_str()) == LIBSGEMM_SUCCESS);
    libsgemm_status_t status = LIBSGEMM_SUCCESS;
    const gpu::Handle graph = capture(stream, [&] { status = groups.run(handle); });
    INFO(describe(way) << ": " << message());
    if (status == LIBSGEMM_NOT_SUPPORTED && !kernel.empty()) {
      require(driver().destroy_graph(graph), "destroy_graph");
      continue;
    }
    REQUIRE(status == LIBSGEMM_SUCCESS);
    const Arithmetic how = arithmetic();
    CHECK(groups.check_untouched() == "");
    replay(graph, stream);
    CHECK(groups.check(how) == "");
    require(driver().destroy_graph(graph), "destroy_graph");
  }
}
