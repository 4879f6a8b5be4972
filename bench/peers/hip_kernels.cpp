// All AMD GPUs have this constant clock; the host measures its rate.
#include "device_kernels.h"

namespace command {

std::string hip_kernels() {
  return R"hip(
#if defined(__GFX11__) || defined(__GFX12__)
#define TICKS() __builtin_amdgcn_s_sendmsg_rtnl(0x83)
#else
#define TICKS() __builtin_amdgcn_s_memrealtime()
#endif

extern "C" __global__ void hold(unsigned long long ticks) {
  const unsigned long long start = TICKS();
  while (TICKS() - start < ticks) __builtin_amdgcn_s_sleep(1);
}
)hip";
}

}  // namespace command
