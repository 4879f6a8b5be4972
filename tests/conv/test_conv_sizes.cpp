// Products of a data gradient, grouped by size (backends/gpu/conv/conv_product.h): the one of a group whose cost is
// computed represents the others, for any strides.
#include <chrono>
#include <map>
#include <tuple>

#include "gpu/conv/conv_product.h"
#include "support/catch.h"
#include "support/numbers.h"

using namespace libsgemm;
using namespace libsgemm::gpu;

namespace {

constexpr float kImage[4] = {};

ConvDesc data_gradient(int64_t size, int64_t stride, int64_t pad, int64_t dilation, int64_t taps) {
  ConvDesc d = {};
  d.direction = Conv::data_gradient;
  d.n = 2, d.c = 3, d.k = 4, d.groups = 1, d.alpha = 1;
  d.h = d.w = size, d.r = d.s = taps;
  d.stride_h = d.stride_w = stride, d.pad_h = d.pad_w = pad, d.dilation_h = d.dilation_w = dilation;
  d.p = d.q = (size + 2 * pad - (taps - 1) * dilation - 1) / stride + 1;
  d.x_steps = {3 * size * size, size * size, size, 1};
  d.f_steps = {3 * taps * taps, taps * taps, taps, 1};
  d.y_steps = {4 * d.p * d.q, d.p * d.q, d.q, 1};
  d.x = d.f = d.y = kImage;
  return d;
}

// Pixels and taps in both dimensions.
using Size = std::tuple<int64_t, int64_t, int64_t, int64_t>;
Size size_of(const ConvProduct &p) { return {p.first[1].extent, p.first[2].extent, p.sum[1].extent, p.sum[2].extent}; }

// Compares the addresses of the terms: the tensors hold no data.
bool same(const ConvProduct &x, const ConvProduct &y) {
  return x.image == y.image && x.other == y.other && x.out == y.out && x.first_h == y.first_h && x.first_w == y.first_w;
}

}  // namespace

TEST_CASE("the products of a data gradient, by their size") {
  sgemm_test::Random random(11);
  int large = 0;
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const int64_t taps = random.integer(1, 6), dilation = random.integer(1, 4), pad = random.integer(0, 5);
    const int64_t reach = (taps - 1) * dilation + 1;
    ConvDesc d = data_gradient(reach + random.integer(0, 20), random.integer(1, 12), pad, dilation, taps);
    if (repeat % 2 == 0) d.stride_w = 1, d.q = d.w + 2 * pad - reach + 1;
    INFO("size " << d.h << " strides " << d.stride_h << " " << d.stride_w << " pad " << pad << " dilation " << dilation
                 << " taps " << taps);
    std::map<Size, int64_t> counts;
    std::map<Size, ConvProduct> firsts;
    for (int64_t i = 0; i < conv_products(d); ++i) {
      const ConvProduct p = conv_product(d, i);
      counts[size_of(p)] += 1;
      firsts.emplace(size_of(p), p);
    }
    int64_t next = 0;
    for (int64_t i = 0; i < conv_products(d); ++i) {
      const ConvProduct p = conv_product(d, i);
      if (p.sum[1].extent * p.sum[2].extent == 0) continue;
      REQUIRE(conv_product_with_terms(d, next) == i);
      next = i + 1;
    }
    REQUIRE(conv_product_with_terms(d, next) == conv_products(d));
    const ConvSizes sizes(d);
    REQUIRE(sizes.count() == static_cast<int>(counts.size()));
    for (int i = 0; i < sizes.count(); ++i) {
      const ConvProduct p = sizes.product(i);
      REQUIRE(sizes.products(i) == counts[size_of(p)]);
      const bool has_terms = p.sum[1].extent * p.sum[2].extent > 0;
      if (has_terms) REQUIRE(same(p, firsts[size_of(p)]));
      counts.erase(size_of(p));
    }
    large += conv_products(d) > 36 ? 1 : 0;
  }
  CHECK(large > 100);
}

TEST_CASE("large strides have many products, of few sizes") {
  for (const int64_t taps : {2, 300, 512}) {
    const ConvDesc d = data_gradient(1000, 512, 3, 1, taps);
    const auto start = std::chrono::steady_clock::now();
    const ConvSizes sizes(d);
    int64_t products = 0;
    for (int i = 0; i < sizes.count(); ++i) {
      products += sizes.products(i);
      CHECK(sizes.product(i).sum[0].extent == d.k);
    }
    CHECK(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < 0.02);
    CHECK(sizes.count() <= 36);
    CHECK(products == 512 * 512);
  }
}

TEST_CASE("the other directions have one product") {
  ConvDesc d = data_gradient(20, 2, 1, 1, 3);
  for (const Conv direction : {Conv::forward, Conv::weight_gradient}) {
    d.direction = direction;
    const ConvSizes sizes(d);
    REQUIRE(sizes.count() == 1);
    CHECK(sizes.products(0) == 1);
    CHECK(same(sizes.product(0), conv_product(d, 0)));
  }
}
