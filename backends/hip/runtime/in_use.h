// State of the process's HIP runtime.
#pragma once

namespace libsgemm::hip {

// True if the program or the library has initialised the runtime; before that no device has objects. Does not
// initialise it, and is fast.
bool runtime_in_use();

}  // namespace libsgemm::hip
