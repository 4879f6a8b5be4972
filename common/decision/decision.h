// Decides between CPU and GPU for a call on host memory.
#pragma once

#include "process/env.h"
#include "process/thread_info.h"

namespace libsgemm {

// True if the GPU backend is predicted to be faster than the first permitted CPU backend, or there is none. Unless
// results are repeatable, it must also save the time of initialising its devices. `pinned`: bits of Pinned. *info gets
// the prediction and the reason of a refusal.
bool gpu_pays(int gpu, const Settings &settings, const GemmDesc &desc, unsigned pinned, ThreadInfo *info);

// Records a call that went to the CPU because the devices were not started. If it took longer than predicted, starting
// them pays earlier.
void deferred_call_took(int gpu, double seconds, const ThreadInfo &info);

}  // namespace libsgemm
