// Rows that were measured to be the fastest go before those that the cost model takes for it.
#pragma once

#include <string>

namespace libsgemm {

// From where select_kernel() takes rows: "off" from nowhere, empty from the user's cache, or from a file. Each device's
// file is read at its first choice; one that cannot be used is told of in the log. To be called before choices are
// made.
void use_tuning(const std::string &asked);

}  // namespace libsgemm
