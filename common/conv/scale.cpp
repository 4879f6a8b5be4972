#include "conv/scale.h"

#include <algorithm>

#include "matrix/tensor.h"

namespace libsgemm {

libsgemm_status_t scale_output(const Backend &table, const ConvDesc &desc, const Launch &launch, Error *error) {
  const Runs runs = runs_of(output_of(desc));
  GemmDesc matrix = product_of(desc);
  // Contiguous elements become rows, the next dimension columns, the one after it a batch; the rest goes one by one.
  int dimension = 0;
  const auto take = [&](bool may, int64_t *count, int64_t *step) {
    *count = 1;
    *step = 1;
    if (!may || dimension >= runs.rank) return;
    *count = runs.size[dimension];
    *step = runs.step[dimension++];
  };
  int64_t one;
  take(runs.stride() == 1, &matrix.m, &one);
  take(true, &matrix.n, &matrix.ldc);
  take(true, &matrix.batch_count, &matrix.stride_c);
  matrix.ldc = std::max(matrix.ldc, matrix.m);
  matrix.k = 0;
  matrix.batch = matrix.batch_count > 1 ? Batch::strided : Batch::none;
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  for_each_run(runs, dimension, [&](int64_t offset) {
    matrix.c = desc.out + offset;
    if (status == LIBSGEMM_SUCCESS) status = table.scale(matrix, launch, error);
  });
  return status;
}

}  // namespace libsgemm
