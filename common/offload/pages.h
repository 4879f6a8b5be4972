// Pages of a result that no thread has touched.
#pragma once

#include "tile_plan.h"

namespace libsgemm {

// Maps pages for whole columns of C; threads pass different regions. Otherwise storing results maps them one by one,
// and a call that saves C takes twice as long (docs/kernels/offload.md). Existing pages keep their contents. Only a
// region's first page is checked, by lacks_pages() also the last.
bool lacks_pages(const GemmDesc &desc, const Block &region);
void provide_pages(const GemmDesc &desc, const Block &region);

}  // namespace libsgemm
