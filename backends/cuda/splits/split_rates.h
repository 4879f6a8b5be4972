// For SplitProduct::per_clock.
#pragma once

namespace libsgemm::cuda {

int split_rate_mma(int device);
int split_rate_wgmma(int device);

}  // namespace libsgemm::cuda
