#pragma once

#include <memory>
#include <vector>

#include "decision/model.h"
#include "probe.h"
#include "probe_runner.h"

namespace command {

void add_copies(const std::shared_ptr<KernelRunner> &runner, std::vector<Probe> *probes);

// Measures copies of page-locked memory, each direction alone. Throws Error.
libsgemm::Link pinned_link(GpuMemory *memory);

}  // namespace command
