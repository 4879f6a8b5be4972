// Loops over the columns of large matrices on the host, by as many threads as there are processors.
#pragma once

#include <cstdint>
#include <functional>

namespace command {

// Calls body(first, end) for ranges that make up [0, count). They run in parallel if the work, `cost` for each index,
// is worth a thread.
void for_ranges(int64_t count, int64_t cost, const std::function<void(int64_t, int64_t)> &body);

}  // namespace command
