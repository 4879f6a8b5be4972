#pragma once

#include <cstdint>
#include <functional>

namespace command {

// Calls body(first, end) for ranges that make up [0, count), in parallel if the work, `cost` an index, is worth a
// thread.
void for_ranges(int64_t count, int64_t cost, const std::function<void(int64_t, int64_t)> &body);

}  // namespace command
