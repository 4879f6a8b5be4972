#include "rocblas/extended.h"

#include "rocblas/rocblas.h"

namespace libsgemm {

void extend(Product *p, int64_t m, const Extended &x) {
  p->types(x.a_type, x.b_type, x.d_type);
  if (x.c_type != x.d_type) p->refuse("types");
  if (x.compute != kRocblasF32) p->refuse("compute type");
  const bool same_layout = x.ldc == x.ldd && x.stride_c == x.stride_d;
  if (x.ldc < m || (x.c == x.d && !same_layout)) p->refuse("argument not accepted");
  p->c_apart = x.c != x.d;
  if (x.algorithm == kRocblasAlgoSolution && x.solution > 0) p->refuse("solution of rocBLAS");
  if (x.algorithm != kRocblasAlgoStandard && x.algorithm != kRocblasAlgoSolution) p->refuse("argument not accepted");
  if ((x.flags & ~kRocblasFlagEfficiency) != 0) p->refuse("flags");
}

}  // namespace libsgemm
