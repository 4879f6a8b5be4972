// Pages for a result that no thread has touched, such as one allocated for the call.
#pragma once

#include "tile_plan.h"

namespace libsgemm {

// Maps pages for whole columns of C, by several threads if they pass different regions. Otherwise the thread that
// stores results would get the pages one by one, or saving C would map the zero page first, which each first write
// replaces: twice the time of a call (docs/kernels/offload.md). Existing pages keep their contents; that memory is
// about to be written anyway. Only a region's first page is checked for its presence, by lacks_pages() also the last.
bool lacks_pages(const GemmDesc &desc, const Block &region);
void provide_pages(const GemmDesc &desc, const Block &region);

}  // namespace libsgemm
