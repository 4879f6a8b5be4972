// The columns of a data gradient by col2im: their layout in the workspace, and the two kernels' problems.
#pragma once

#include "col2im_problem.h"
#include "conv_product.h"
#include "gpu/cost.h"

namespace libsgemm::gpu {

// How the columns (col2im_problem.h) of a chunk of images are stored: those of one element of the filters are
// contiguous.
struct Columns {
  int64_t images = 0;  // images of a chunk; 0: even one is too large, and all is 0
  int64_t chunks = 0;
  int64_t pitch = 0;  // from one element of the filters to the next
  int64_t count = 0;
  // Strides in the order of the filters' memory, so that these can be read in vectors.
  int64_t channel = 0, tap_h = 0, tap_w = 0, group = 0;

  explicit Columns(const ConvDesc &desc);
};

ConvProduct columns_product(const ConvDesc &desc, const Columns &columns, int64_t first, float *memory);
Col2imProblem col2im_problem(const ConvDesc &desc, const Columns &columns, int64_t first, const float *memory);
bool col2im_fits(const ConvDesc &desc, const Columns &columns);
double col2im_seconds(const DeviceModel &device, const ConvDesc &desc, const Columns &columns);

}  // namespace libsgemm::gpu
