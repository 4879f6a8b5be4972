// The columns of a data gradient in the workspace, and what is launched for them.
#pragma once

#include "col2im_problem.h"
#include "conv_product.h"
#include "cost.h"

namespace libsgemm::gpu {

// How the columns of so many images lie in the workspace: those of an element of the filters next to one another.
struct Columns {
  int64_t images = 0;  // at a time; 0: those of one are too many, and there is nothing else
  int64_t chunks = 0;
  int64_t pitch = 0;  // from an element of the filters to the next
  int64_t count = 0;  // elements in all
  // From channel to channel of a group, from tap to tap: in the order of the filters' memory, so that these are read in
  // vectors where they can be.
  int64_t channel = 0, tap_h = 0, tap_w = 0, group = 0;

  explicit Columns(const ConvDesc &desc);
};

// The product of images `first` on.
ConvProduct columns_product(const ConvDesc &desc, const Columns &columns, int64_t first, float *memory);
Col2imProblem col2im_problem(const ConvDesc &desc, const Columns &columns, int64_t first, const float *memory);
bool col2im_fits(const ConvDesc &desc, const Columns &columns);
// Of the sum of a chunk, whose columns are in the L2 cache.
double col2im_seconds(const DeviceModel &device, const ConvDesc &desc, const Columns &columns);

}  // namespace libsgemm::gpu
