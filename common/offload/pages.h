// Pages for a result that nobody has touched yet, as one that was allocated for the call.
#pragma once

#include "tile_plan.h"

namespace libsgemm {

// For whole columns of C at once, by several threads if they provide different regions. Otherwise the thread that
// stores results would get them one by one; and saving C would first map the page of zeros everywhere, which the first
// write takes away again, in the way of all threads: 4096 x 4096 took 40 ms instead of 20 on an H100's host. What is
// there stays as it is; that memory is about to be written anyway. The first pages of a region, and of lacks_pages the
// last, stand for all.
bool lacks_pages(const GemmDesc &desc, const Block &region);
void provide_pages(const GemmDesc &desc, const Block &region);

}  // namespace libsgemm
