// A thread's floating-point environment: programs may round differently, flush denormals or trap on flags.
#pragma once

#include <cfenv>

namespace libsgemm {

struct FloatMode {
  bool directed = false;  // does not round to nearest
  bool flushes = false;   // denormal operands, or results, become zeros
};

// Found by experiment, without trap or flag: fegetround() knows only one of the two rounding modes of an x86.
inline FloatMode float_mode() {
  std::fenv_t own;
  std::feholdexcept(&own);
  volatile float one = 1, little = 0x1p-30f, smallest = 0x1p-126f, half = 0.5f, product = smallest * half;
  volatile bool directed = one + little != one || one - little != one, flushes = product == 0.0f;  // before fesetenv()
  std::fesetenv(&own);
  return {directed, flushes};
}

// alpha or beta as the calling thread sees it: a denormal that it flushes is zero for all that compute the call.
inline float factor_of_call(float x) { return x == 0 ? 0.0f : x; }

// During its life this thread, and threads that it starts, round to nearest, keep denormals and trap nothing. Flags
// raised meanwhile are discarded.
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
