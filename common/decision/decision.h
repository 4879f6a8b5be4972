// Decides between CPU and GPU for a call on host memory, by the machine's model parameters, measured or assumed.
#pragma once

#include "process/env.h"
#include "process/thread_info.h"

namespace libsgemm {

// True if the GPU backend is predicted to be faster than the first permitted CPU backend, or if there is none. Unless
// results are repeatable, it must also save enough to pay for initialising its devices. `pinned`: bits of Pinned. *info
// gets the prediction and the reason of a refusal.
bool gpu_pays(int gpu, const Settings &settings, const GemmDesc &desc, unsigned pinned, ThreadInfo *info);

// Reports the seconds of a call that went to the CPU only because the devices were not started. If it took longer than
// predicted, the start pays sooner.
void deferred_call_took(int gpu, double seconds, const ThreadInfo &info);

}  // namespace libsgemm
