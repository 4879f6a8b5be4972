// CPU or GPU for a call on host memory, by the figures of the machine (model.h), measured or assumed.
#pragma once

#include "process/env.h"
#include "process/thread_info.h"

namespace libsgemm {

// Whether the GPU backend is predicted to be faster than the first CPU backend that the settings permit, by enough to
// pay for initialising its devices, unless results are repeatable. `pinned` are bits of Pinned. What was predicted, and
// why not, goes into *info. True if there is no CPU backend.
bool gpu_pays(int gpu, const Settings &settings, const GemmDesc &desc, unsigned pinned, ThreadInfo *info);

// After a call that went to the CPU only because the devices were not started yet: the seconds that it took. Where that
// is more than was predicted, the start pays sooner.
void deferred_call_took(int gpu, double seconds, const ThreadInfo &info);

}  // namespace libsgemm
