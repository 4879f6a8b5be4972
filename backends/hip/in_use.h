// Whether HIP has been initialised.
#pragma once

namespace libsgemm::hip {

// True if somebody in this process, the program or we, has initialised the runtime: nothing of a device exists before.
// Does not initialise it, and is fast.
bool runtime_in_use();

}  // namespace libsgemm::hip
