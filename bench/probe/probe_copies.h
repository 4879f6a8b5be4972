// Copies between host memory and a GPU, up, down, and both ways at once.
#pragma once

#include <memory>
#include <vector>

#include "decision/model.h"
#include "probe.h"
#include "probe_runner.h"

namespace command {

void add_copies(const std::shared_ptr<KernelRunner> &runner, std::vector<Probe> *probes);

// Measures the link with page-locked memory, one direction at a time. Throws Error.
libsgemm::Link pinned_link(GpuMemory *memory);

}  // namespace command
