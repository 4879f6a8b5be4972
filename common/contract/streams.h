// Stream values beyond those that programs make.
#pragma once

#include <cstdint>

namespace libsgemm {

// For Backend::synchronize: all streams of the device, also destroyed ones with work under way.
// NOLINTNEXTLINE(performance-no-int-to-ptr): library and plugins agree on a value, no object is there
inline void *every_stream() { return reinterpret_cast<void *>(~uintptr_t{0}); }

}  // namespace libsgemm
