// The floating-point environment of a thread, which programs change: some round otherwise, flush denormal numbers to
// zero, or trap on flags.
#pragma once

#include <cfenv>

namespace libsgemm {

// How the calling thread computes, where that is not as usual.
struct FloatMode {
  bool directed = false;  // it does not round to nearest
  bool flushes = false;   // it takes denormal operands, or results, as zeros
};

// Found by trying, without a trap or a flag: fegetround() knows but one of an x86's two rounding modes.
inline FloatMode float_mode() {
  std::fenv_t own;
  std::feholdexcept(&own);
  volatile float one = 1, little = 0x1p-30f, smallest = 0x1p-126f, half = 0.5f, product = smallest * half;
  volatile bool directed = one + little != one || one - little != one, flushes = product == 0.0f;  // before fesetenv()
  std::fesetenv(&own);
  return {directed, flushes};
}

// alpha or beta: what a thread that flushes denormal numbers takes for zero is zero for all that compute for it, a GPU
// and the threads of a BLAS, and for verification.
inline float factor_of_call(float x) { return x == 0 ? 0.0f : x; }

// As long as it lives the calling thread, and those that it starts, round to nearest, keep denormal numbers and trap
// nothing. Flags that are raised meanwhile are forgotten.
class UsualFloats {
 public:
  UsualFloats() {
    std::fegetenv(&own_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~UsualFloats() { std::fesetenv(&own_); }
  UsualFloats(const UsualFloats &) = delete;
  UsualFloats &operator=(const UsualFloats &) = delete;

 private:
  std::fenv_t own_;
};

}  // namespace libsgemm
