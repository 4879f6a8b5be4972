#pragma once

namespace libsgemm::hip {

// The program or the library has initialised the runtime; before that no device has objects. Fast, and does not
// initialise it.
bool runtime_in_use();

}  // namespace libsgemm::hip
