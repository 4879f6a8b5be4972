#include "device_kernels.h"

namespace command {
namespace {

constexpr const char *kHead =
    ".version 6.3\n"
    ".target sm_75\n"
    ".address_size 64\n";

constexpr const char *kHold =
    ".visible .entry hold(.param .u64 ticks) {\n"
    "  .reg .pred %again;\n"
    "  .reg .u64 %wanted, %start, %time;\n"
    "  ld.param.u64 %wanted, [ticks];\n"
    "  mov.u64 %start, %globaltimer;\n"
    "loop:\n"
    "  mov.u64 %time, %globaltimer;\n"
    "  sub.u64 %time, %time, %start;\n"
    "  setp.lt.u64 %again, %time, %wanted;\n"
    "  @%again bra loop;\n"
    "  ret;\n"
    "}\n";

}  // namespace

std::string cuda_kernels() { return std::string(kHead) + kHold; }

}  // namespace command
