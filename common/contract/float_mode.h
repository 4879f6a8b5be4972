// The floating-point environment of a thread. Programs may change it, to round differently, to flush denormal numbers
// to zero, or to trap on flags.
#pragma once

#include <cfenv>

namespace libsgemm {

// Deviations of the calling thread's arithmetic from the usual.
struct FloatMode {
  bool directed = false;  // it does not round to nearest
  bool flushes = false;   // it takes denormal operands, or results, as zeros
};

// Found by experiment, without a trap or a flag: fegetround() knows only one of the two rounding modes of an x86.
inline FloatMode float_mode() {
  std::fenv_t own;
  std::feholdexcept(&own);
  volatile float one = 1, little = 0x1p-30f, smallest = 0x1p-126f, half = 0.5f, product = smallest * half;
  volatile bool directed = one + little != one || one - little != one, flushes = product == 0.0f;  // before fesetenv()
  std::fesetenv(&own);
  return {directed, flushes};
}

// alpha or beta as the calling thread sees it. What a thread that flushes denormal numbers takes for zero becomes zero
// for a GPU, for the threads of a BLAS and for verification, too.
inline float factor_of_call(float x) { return x == 0 ? 0.0f : x; }

// While it lives, the calling thread and the threads that it starts round to nearest, keep denormal numbers and trap
// nothing. Flags that are raised meanwhile are discarded.
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
