// Copies between host memory and a GPU, up, down, and both ways at once.
#pragma once

#include <memory>
#include <vector>

#include "probe.h"
#include "probe_runner.h"

namespace command {

void add_copies(const std::shared_ptr<KernelRunner> &runner, std::vector<Probe> *probes);

}  // namespace command
