// cpu_scalar_direct_conv: convolutions by their definition (matrix/terms.h), one sum per element.
//
// In FP32 the sum has the order of LIBSGEMM_DETERMINISTIC_INVARIANT. Other modes round x, f and y as they are read, or
// sum in FP64 and round once.
#include <cmath>

#include "contract/finish.h"
#include "contract/half.h"
#include "matrix/tensor.h"
#include "matrix/terms.h"
#include "ref.h"

namespace libsgemm {
namespace {

template <libsgemm_math_mode_t MODE>
float finished_sum(const Terms &terms, float alpha, float beta, float old) {
  if (MODE == LIBSGEMM_MATH_FP64) {
    double sum = 0;
    terms.for_each([&](float a, float b) { sum += static_cast<double>(a) * static_cast<double>(b); });
    const double scaled = static_cast<double>(alpha) * sum;
    return static_cast<float>(beta == 0.0f ? scaled : scaled + static_cast<double>(beta) * static_cast<double>(old));
  }
  float sum = 0;
  terms.for_each([&](float a, float b) { sum = std::fma(rounded(a, MODE), rounded(b, MODE), sum); });
  const float product = scaled(alpha, sum);
  return beta == 0.0f ? product : accumulated(product, beta, old);
}

}  // namespace

template <libsgemm_math_mode_t MODE>
libsgemm_status_t cpu_scalar_direct_conv(const ConvDesc &d, const Launch &, Error *) {
  const Tensor out = output_of(d);
  int64_t at[4];
  for (at[0] = 0; at[0] < out.size[0]; ++at[0]) {
    for (at[1] = 0; at[1] < out.size[1]; ++at[1]) {
      for (at[2] = 0; at[2] < out.size[2]; ++at[2]) {
        for (at[3] = 0; at[3] < out.size[3]; ++at[3]) {
          float *element =
              d.out + at[0] * out.step[0] + at[1] * out.step[1] + at[2] * out.step[2] + at[3] * out.step[3];
          const float old = d.beta == 0.0f ? 0.0f : *element;
          *element = finished_sum<MODE>(terms_of(d, at), d.alpha, d.beta, old);
        }
      }
    }
  }
  return LIBSGEMM_SUCCESS;
}

template libsgemm_status_t cpu_scalar_direct_conv<LIBSGEMM_MATH_FP32>(const ConvDesc &, const Launch &, Error *);
template libsgemm_status_t cpu_scalar_direct_conv<LIBSGEMM_MATH_TF32>(const ConvDesc &, const Launch &, Error *);
template libsgemm_status_t cpu_scalar_direct_conv<LIBSGEMM_MATH_BF16>(const ConvDesc &, const Launch &, Error *);
template libsgemm_status_t cpu_scalar_direct_conv<LIBSGEMM_MATH_FP16>(const ConvDesc &, const Launch &, Error *);
template libsgemm_status_t cpu_scalar_direct_conv<LIBSGEMM_MATH_FP64>(const ConvDesc &, const Launch &, Error *);

}  // namespace libsgemm
