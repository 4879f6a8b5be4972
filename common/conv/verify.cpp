#include "conv/verify.h"

#include <cmath>
#include <mutex>
#include <new>
#include <vector>

#include "contract/half.h"
#include "matrix/terms.h"
#include "process/parallel.h"
#include "verify/draw.h"
#include "verify/error_contract.h"

namespace libsgemm {
namespace {

constexpr int64_t kSamples = 256;

int64_t offset_of(const Tensor &t, const int64_t (&at)[4]) {
  return at[0] * t.step[0] + at[1] * t.step[1] + at[2] * t.step[2] + at[3] * t.step[3];
}

std::vector<double> largest_of_images(const Tensor &image) {
  std::vector<double> largest(static_cast<size_t>(image.size[0]), 0.0);
  in_parallel(image.size[0], static_cast<double>(count_of(image)), [&](int64_t first, int64_t last) {
    for (int64_t n = first; n < last; ++n) {
      double most = 0;
      for (int64_t c = 0; c < image.size[1]; ++c) {
        for (int64_t h = 0; h < image.size[2]; ++h) {
          for (int64_t w = 0; w < image.size[3]; ++w) {
            const int64_t at[] = {n, c, h, w};
            const double x = std::fabs(static_cast<double>(image.data[offset_of(image, at)]));
            if (std::isfinite(x)) most = std::max(most, x);
          }
        }
      }
      largest[static_cast<size_t>(n)] = most;
    }
  });
  return largest;
}

// Largest magnitudes, which determine the loss of the smallest elements (docs/kernels/contract.md); empty in modes
// without such a loss.
struct Scales {
  std::vector<double> image;  // one per image of x, data gradient: of y
  double x = 0, y = 0;        // weight gradient

  Scales(const ConvDesc &d, libsgemm_math_mode_t mode) {
    if (!mode_traits(mode).loses_bits()) return;
    if (d.direction != Conv::weight_gradient) {
      image = largest_of_images(d.direction == Conv::forward ? tensor_x(d) : tensor_y(d));
      return;
    }
    for (const double largest : largest_of_images(tensor_x(d))) x = std::max(x, largest);
    for (const double largest : largest_of_images(tensor_y(d))) y = std::max(y, largest);
  }
};

Parts scaled_parts(Line line, double largest, libsgemm_math_mode_t mode) {
  line.largest = std::max(line.largest, largest);
  return parts_of(line, mode);
}

double ratio_of_element(const ConvDesc &d, const ElementBound &bound, const Tensor &out, const Tensor &before,
                        const Scales &scales, const int64_t (&at)[4]) {
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
  if (mode_traits(bound.mode).loses_bits()) {
    const double image = scales.image.empty() ? scales.x : scales.image[static_cast<size_t>(at[0])];
    e.lost = lost_by(scaled_parts(a, image, bound.mode), scaled_parts(b, scales.y, bound.mode));
  }
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
  const UsualFloats usual;
  const GemmDesc product = product_of(d);
  const ElementBound bound = element_bound(product, arithmetic);
  const Tensor out = output_of(d);
  const Scales scales(d, arithmetic.mode);
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
      here = std::max(here, ratio_of_element(d, bound, out, before, scales, at));
    }
    const std::lock_guard<std::mutex> guard(lock);
    worst = std::max(worst, here);
  });
  return worst;
}

}  // namespace libsgemm
