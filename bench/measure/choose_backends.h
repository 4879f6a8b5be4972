#pragma once

#include <vector>

#include "base/command.h"
#include "base/library.h"
#include "peers/peers.h"

namespace command {

// Returns the backends of --backend, by default those that compute on `memory`, without those that lack --kernel.
// Throws Error.
std::vector<Backend> choose_backends(const BenchOptions &options, const Memory &memory);

}  // namespace command
