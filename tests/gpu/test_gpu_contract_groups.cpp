#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "plugins/products.h"

using namespace mock_test;

// Group 1 is empty; group 3 only scales.
struct RaggedGroups {
  static constexpr int64_t kCount = 5;
  std::vector<std::unique_ptr<DeviceProduct>> products;
  std::vector<libsgemm_op_t> ops = std::vector<libsgemm_op_t>(kCount, LIBSGEMM_NO_TRANS);
  std::vector<int64_t> n, sizes = {1, 0, 1, 1, 1};
  std::vector<float> alpha, beta;
  std::vector<const float *> a, b;
  std::vector<float *> c;

  explicit RaggedGroups(float all_beta = -1) {
    for (const int64_t size : {48, 9, 1, 20, 33}) {
      products.push_back(std::make_unique<DeviceProduct>(0, size));
      Product &p = products.back()->host;
      p.alpha = size == 20 ? 0.0f : static_cast<float>(size % 5);
      p.beta = size == 48 ? 0.0f : all_beta;
      n.push_back(size);
      alpha.push_back(p.alpha);
      beta.push_back(p.beta);
      if (size == 9) continue;
      a.push_back(products.back()->a);
      b.push_back(products.back()->b);
      c.push_back(products.back()->c);
    }
  }

  libsgemm_status_t run(libsgemm_handle_t h = nullptr) {
    const auto invoke = [&](auto... first) {
      return std::make_tuple(first..., LIBSGEMM_COL_MAJOR, ops.data(), ops.data(), n.data(), n.data(), n.data(),
                             alpha.data(), a.data(), n.data(), b.data(), n.data(), beta.data(), c.data(), n.data(),
                             kCount, sizes.data());
    };
    return h == nullptr ? std::apply(libsgemm_sgemm_batch, invoke()) : std::apply(libsgemm_sgemm_batch_h, invoke(h));
  }
  bool right() {
    bool all = products[1]->untouched();
    for (const int i : {0, 2, 3, 4}) all = all && products[static_cast<size_t>(i)]->right();
    return all;
  }
};

struct HasGroups {
  HasGroups() { gpu().groups_seconds = 1.5; }
  ~HasGroups() { gpu().groups_seconds = 0; }
};

TEST_CASE("groups of 16-bit inputs run in one launch, too, in every mode") {
  reset();
  const HasGroups has;
  RaggedGroups groups;
  for (const libsgemm_math_mode_t mode : {LIBSGEMM_MATH_FP32, LIBSGEMM_MATH_TF32, LIBSGEMM_MATH_FP16X3}) {
    Handle h;
    REQUIRE(libsgemm_set_math_mode(h, mode) == LIBSGEMM_SUCCESS);
    const auto run = [&](auto function, auto element) {
      using Inputs = const decltype(element) *const *;
      const int launches = gpu().launches[0];
      REQUIRE(function(h, LIBSGEMM_COL_MAJOR, groups.ops.data(), groups.ops.data(), groups.n.data(), groups.n.data(),
                       groups.n.data(), groups.alpha.data(), reinterpret_cast<Inputs>(groups.a.data()), groups.n.data(),
                       reinterpret_cast<Inputs>(groups.b.data()), groups.n.data(), groups.beta.data(), groups.c.data(),
                       groups.n.data(), RaggedGroups::kCount, groups.sizes.data()) == LIBSGEMM_SUCCESS);
      REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
      CHECK(gpu().launches[0] - launches == 1);
      CHECK(kernel() == "cuda_mock_grouped");
    };
    run(libsgemm_shgemm_batch_h, libsgemm_half_t());
    run(libsgemm_sbgemm_batch_h, libsgemm_bfloat16_t());
  }
}

TEST_CASE("groups of different sizes run in one launch where that is predicted to be faster") {
  reset();
  const HasGroups has;
  RaggedGroups groups;
  int launches = gpu().launches[0];
  REQUIRE(groups.run() == LIBSGEMM_SUCCESS);
  CHECK(gpu().launches[0] - launches == 1);
  CHECK(gpu().calls[mock::kScale] == 1);
  CHECK(groups.right());
  CHECK(kernel() == "cuda_mock_grouped");
  CHECK(std::string(last_info().math_mode) == "fp64");
  CHECK(last_info().devices == 1);
  CHECK(last_info().fallbacks == 0);

  // Calls with a handle are enqueued. Afterwards the pointer arrays may be reused.
  RaggedGroups enqueued;
  {
    Handle h;
    REQUIRE(enqueued.run(h) == LIBSGEMM_SUCCESS);
    std::fill(enqueued.c.begin(), enqueued.c.end(), nullptr);
    REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
    CHECK(enqueued.right());
  }
  const auto one_by_one = [&](RaggedGroups *these, libsgemm_handle_t h, int wanted) {
    launches = gpu().launches[0];
    REQUIRE(these->run(h) == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
    CHECK(gpu().launches[0] - launches == wanted);
    CHECK(kernel() != "cuda_mock_grouped");
    CHECK(these->right());
  };
  {
    RaggedGroups single;
    for (const size_t i : {2, 4}) single.alpha[i] = single.products[i]->host.alpha = 0;
    Handle h;
    one_by_one(&single, h, 1);
  }
  {
    RaggedGroups large;
    large.products[4] = std::make_unique<DeviceProduct>(0, 101);
    large.n[4] = 101;
    large.a[3] = large.products[4]->a, large.b[3] = large.products[4]->b, large.c[3] = large.products[4]->c;
    large.products[4]->host.alpha = large.alpha[4], large.products[4]->host.beta = large.beta[4];
    Handle h;
    one_by_one(&large, h, 3);
  }
  {
    RaggedGroups verified;
    Handle h;
    REQUIRE(libsgemm_set_verify(h, LIBSGEMM_VERIFY_FULL, LIBSGEMM_VERIFY_ERROR) == LIBSGEMM_SUCCESS);
    one_by_one(&verified, h, 3);
  }
  for (const double seconds : {3.5, 0.0}) {  // three calls are faster; no kernel for groups
    RaggedGroups dear;
    gpu().groups_seconds = seconds;
    Handle h;
    one_by_one(&dear, h, 3);
  }
}

TEST_CASE("an illegal group leaves those before it alone") {
  reset();
  const HasGroups has;
  RaggedGroups groups;
  groups.c[3] = nullptr;
  CHECK(groups.run() == LIBSGEMM_INVALID_ARGUMENT);
  for (const auto &product : groups.products) CHECK(product->untouched());
}

TEST_CASE("a kernel for groups can be forced, and a failure before it has written leads to one group after the other") {
  reset();
  const HasGroups has;
  {
    RaggedGroups groups;
    Handle h;
    REQUIRE(libsgemm_set_kernel(h, "cuda_mock_grouped") == LIBSGEMM_SUCCESS);
    REQUIRE(groups.run(h) == LIBSGEMM_SUCCESS);
    CHECK(contains(reason(), "its kernel was forced"));
    REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
    CHECK(groups.right());
  }
  {
    RaggedGroups groups;
    gpu().fail_at[mock::kLaunch] = 1;
    const libsgemm_status_t status = groups.run();
    if (strict()) {
      CHECK(status == LIBSGEMM_EXECUTION_FAILED);
      for (const auto &product : groups.products) CHECK(product->untouched());
    } else {
      REQUIRE(status == LIBSGEMM_SUCCESS);
      CHECK(last_info().fallbacks == 1);
      CHECK(contains(reason(), "failed: a mock launch failed"));
      CHECK(kernel() != "cuda_mock_grouped");
      CHECK(groups.right());
    }
  }
  for (const float beta : {-1.0f, 0.0f}) {  // if C is read, a call that has written part of it cannot be repeated
    reset();
    RaggedGroups groups(beta);
    gpu().fail_at[mock::kLaunch] = 2;
    const libsgemm_status_t status = groups.run();
    CHECK(status == (beta != 0 || strict() ? LIBSGEMM_EXECUTION_FAILED : LIBSGEMM_SUCCESS));
    CHECK(last_info().fallbacks == (status == LIBSGEMM_SUCCESS ? 1 : 0));
    if (status == LIBSGEMM_SUCCESS) CHECK(groups.right());
  }
}
