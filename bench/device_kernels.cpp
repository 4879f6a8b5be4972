#include "device_kernels.h"

#include <fmt/format.h>

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

constexpr const char *kPeakBegin =
    ".visible .entry peak(.param .u64 sink, .param .u32 iterations, .param .f32 a, .param .f32 b) {\n"
    "  .reg .pred %p;\n"
    "  .reg .u64 %sink;\n"
    "  .reg .u32 %left, %thread;\n"
    "  .reg .f32 %a, %b, %x<16>;\n"
    "  ld.param.u64 %sink, [sink];\n"
    "  ld.param.u32 %left, [iterations];\n"
    "  ld.param.f32 %a, [a];\n"
    "  ld.param.f32 %b, [b];\n"
    "  mov.u32 %thread, %tid.x;\n";

constexpr const char *kPeakEnd =
    "  setp.neu.f32 %p, %x0, 0fBF800000;\n"  // -1
    "  @%p bra done;\n"
    "  st.global.f32 [%sink], %x0;\n"
    "done:\n"
    "  ret;\n"
    "}\n";

// kChains independent chains x = a * x + b in each thread, kUnroll links of each in one iteration.
std::string peak() {
  constexpr int kChains = 16, kUnroll = 16;
  static_assert(2 * kChains * kUnroll == kPeakFlops, "as many as it says");
  std::string text = kPeakBegin;
  for (int i = 0; i < kChains; ++i) {
    text += fmt::format("  cvt.rn.f32.u32 %x{0}, %thread;\n  add.u32 %thread, %thread, 1;\n", i);
  }
  text += "loop:\n";
  for (int link = 0; link < kUnroll; ++link) {
    for (int i = 0; i < kChains; ++i) text += fmt::format("  fma.rn.f32 %x{0}, %x{0}, %a, %b;\n", i);
  }
  text +=
      "  sub.u32 %left, %left, 1;\n"
      "  setp.ne.u32 %p, %left, 0;\n"
      "  @%p bra loop;\n";
  for (int i = 1; i < kChains; ++i) text += fmt::format("  add.f32 %x0, %x0, %x{};\n", i);
  return text + kPeakEnd;
}

}  // namespace

std::string cuda_kernels() { return std::string(kHead) + kHold + peak(); }

}  // namespace command
