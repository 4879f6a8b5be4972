// One element after the other, from its terms by definition.
#include "conv/verify.h"

#include <cmath>
#include <mutex>
#include <new>

#include "conv/terms.h"
#include "half.h"
#include "parallel.h"
#include "verify/claim.h"
#include "verify/draw.h"

namespace libsgemm {
namespace {

constexpr int64_t kSamples = 256;

int64_t offset_of(const Tensor &t, const int64_t (&at)[4]) {
  return at[0] * t.step[0] + at[1] * t.step[1] + at[2] * t.step[2] + at[3] * t.step[3];
}

double ratio_of_element(const ConvDesc &d, const ElementBound &bound, const Tensor &out, const Tensor &before,
                        const int64_t (&at)[4]) {
  ProductElement e = {};
  Line a = {}, b = {};
  terms_of(d, at).for_each([&](float x, float y) {
    const double left = static_cast<double>(rounded(x, bound.mode)),
                 right = static_cast<double>(rounded(y, bound.mode));
    e.value += left * right;
    e.magnitude += std::fabs(left * right);
    a.add(std::fabs(left));
    b.add(std::fabs(right));
  });
  if (splits(bound.mode)) e.lost = lost_by(parts_of(a, bound.mode), parts_of(b, bound.mode));
  e.computed = static_cast<double>(out.data[offset_of(out, at)]);
  e.old = bound.beta != 0 ? static_cast<double>(before.data[offset_of(before, at)]) : 0;
  const double ratio = product_ratio(e, bound, [&] { return Line{a.sum + b.sum, std::max(a.largest, b.largest)}; });
  return ratio > 1 && !std::isfinite(e.computed) && padding_meets_infinity(d, at) ? 0 : ratio;
}

}  // namespace

bool ConvSnapshot::take(const ConvDesc &d) {
  const Tensor out = output_of(d);
  tensor_ = dense_like(out, nullptr);
  data_.reset(new (std::nothrow) float[static_cast<size_t>(dense_count(tensor_))]);
  if (data_ == nullptr) return false;
  tensor_.data = data_.get();
  copy_tensor(out, tensor_, data_.get());
  return true;
}

void ConvSnapshot::restore(const ConvDesc &d) const { copy_tensor(tensor_, output_of(d), d.out); }

double verify_conv(const ConvDesc &d, const Tensor &before, libsgemm_verify_t mode, Arithmetic arithmetic,
                   uint64_t seed) {
  const GemmDesc product = product_of(d);
  const ElementBound bound = element_bound(product, arithmetic);
  const Tensor out = output_of(d);
  const int64_t all = count_of(out), count = mode == LIBSGEMM_VERIFY_FULL ? all : std::min(all, kSamples);
  double worst = 0;
  std::mutex lock;
  in_parallel(count, static_cast<double>(count) * static_cast<double>(product.k), [&](int64_t first, int64_t last) {
    double here = 0;
    for (int64_t i = first; i < last; ++i) {
      int64_t rest = count == all ? i : draw(seed, static_cast<uint64_t>(i), all), at[4];
      for (int dimension = 3; dimension >= 0; --dimension) {
        at[dimension] = rest % out.size[dimension];
        rest /= out.size[dimension];
      }
      here = std::max(here, ratio_of_element(d, bound, out, before, at));
    }
    const std::lock_guard<std::mutex> guard(lock);
    worst = std::max(worst, here);
  });
  return worst;
}

}  // namespace libsgemm
