// Pages for a result that no thread has touched yet, such as one that was allocated for the call.
#pragma once

#include "tile_plan.h"

namespace libsgemm {

// Maps pages for whole columns of C at once, by several threads if they pass different regions. Otherwise the thread
// that stores results would get the pages one by one. Saving C would even map the zero page everywhere first, and each
// first write would replace it, which delays all threads: 4096 x 4096 took 40 ms instead of 20 on an H100's host. Pages
// that exist keep their contents; that memory is about to be written anyway. Only a region's first page is checked for
// its presence, and by lacks_pages() the last one, too.
bool lacks_pages(const GemmDesc &desc, const Block &region);
void provide_pages(const GemmDesc &desc, const Block &region);

}  // namespace libsgemm
