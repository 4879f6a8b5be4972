// The backends that a measurement runs.
#pragma once

#include <vector>

#include "command.h"
#include "library.h"
#include "peers/peers.h"

namespace command {

// Returns the backends that --backend names, or else those that compute on operands in `memory`; less those without the
// kernel that --kernel names. Throws Error.
std::vector<Backend> choose_backends(const BenchOptions &options, const Memory &memory);

}  // namespace command
