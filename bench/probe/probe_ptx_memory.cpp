#include <fmt/core.h>

#include "probe_kernels.h"

namespace command {
namespace {

constexpr int kAccesses = 8;  // in one iteration
constexpr int kSharedBytes = 16384;

// Reads are volatile, since nothing uses the values. Thread i reads at i * `step` bytes.
void add_shared(std::vector<KernelProbe> *probes, const std::string &what, int width, int step) {
  PtxEntry entry;
  entry.name = fmt::format("shared_{}_{}", width, step);
  entry.threads = kSharedBytes / 16;
  entry.registers = fmt::format(
      "  .shared .align 16 .b8 tile[{}];\n"
      "  .reg .b32 %x<{}>, %place, %mine_in_tile;\n",
      kSharedBytes, kAccesses * 4);
  entry.setup = fmt::format(
      "  mov.u32 %place, tile;\n"
      "  shl.b32 %mine_in_tile, %thread, 4;\n"
      "  add.u32 %mine_in_tile, %mine_in_tile, %place;\n"
      "  ld.global.v4.b32 {{%x0, %x1, %x2, %x3}}, [%mine];\n"
      "  st.shared.v4.b32 [%mine_in_tile], {{%x0, %x1, %x2, %x3}};\n"
      "  bar.sync 0;\n"
      "  mul.lo.u32 %mine_in_tile, %thread, {};\n"
      "  and.b32 %mine_in_tile, %mine_in_tile, {};\n"
      "  add.u32 %place, %place, %mine_in_tile;\n",
      step, kSharedBytes / 2 - 1);
  for (int i = 0; i < kAccesses; ++i) {
    const std::string at = fmt::format("[%place+{}]", i * kSharedBytes / 2 / kAccesses);
    const int x = 4 * i;
    entry.body += width == 4   ? fmt::format("  ld.volatile.shared.b32 %x{}, {};\n", x, at)
                  : width == 8 ? fmt::format("  ld.volatile.shared.v2.b32 {{%x{}, %x{}}}, {};\n", x, x + 1, at)
                               : fmt::format("  ld.volatile.shared.v4.b32 {{%x{}, %x{}, %x{}, %x{}}}, {};\n", x, x + 1,
                                             x + 2, x + 3, at);
  }
  entry.claims = fmt::format("LDS.{} {}", 8 * width, kAccesses);
  KernelProbe probe{"shared", what, "TB/s"};
  probe.kernel = entry.name;
  probe.arch = 75;
  probe.work = kAccesses * width;
  probe.scale = 1e12;
  probe.threads = entry.threads;
  probe.ceiling = Unit::kSharedBytes;
  probe.text = ptx_text(entry);
  probe.claims = entry.claims;
  probes->push_back(probe);
}

struct Pass {
  const char *name, *load, *use, *claims;
  int bytes;  // traffic of an access; a copy reads and writes
};
// The XORs keep the compiler from dropping loads; .cg bypasses L1. SEL in `claims` is the return to the first address.
const Pass kPasses[] = {
    {"read", "  ld.global.cg.v4.b32 {{%x{0}, %y{0}, %z{0}, %w{0}}}, [%at{0}];\n",
     "  xor.b32 %kept, %kept, %x{0};\n  xor.b32 %kept, %kept, %y{0};\n"
     "  xor.b32 %kept, %kept, %z{0};\n  xor.b32 %kept, %kept, %w{0};\n",
     "LDG.128 8, SEL 8", 16},
    {"write", "", "  st.global.cg.v4.b32 [%at{0}], {{%x0, %y0, %z0, %w0}};\n", "STG.128 8, SEL 8", 16},
    {"copy", "  ld.global.cg.v4.b32 {{%x{0}, %y{0}, %z{0}, %w{0}}}, [%at{0}];\n  add.u64 %at{0}, %at{0}, %half;\n",
     "  st.global.cg.v4.b32 [%at{0}], {{%x{0}, %y{0}, %z{0}, %w{0}}};\n", "LDG.128 8, STG.128 8, SEL 8", 32},
};

// All threads pass over `bytes` repeatedly, 16 bytes an access; copies go to the memory after it. `bytes` is a multiple
// of what one access of all threads covers, so each stays on its own lines: on those of others, fast threads would hit
// what slower ones have just read.
PtxEntry pass_entry(const Pass &pass) {
  PtxEntry entry;
  entry.name = pass.name;
  entry.threads = kPassThreads;
  entry.registers = fmt::format(
      "  .reg .b32 %x<{0}>, %y<{0}>, %z<{0}>, %w<{0}>, %kept;\n"
      "  .reg .u64 %at<{0}>, %half;\n"
      "  .reg .u32 %where, %step, %size, %mine_first, %mine_last;\n"
      "  .reg .pred %round;\n",
      kAccesses);
  entry.setup = fmt::format(
      "  cvt.u64.u32 %half, %bytes;\n"
      "  mov.u32 %step, %nctaid.x;\n"
      "  mov.u32 %size, %ntid.x;\n"
      "  mul.lo.u32 %step, %step, %size;\n"
      "  mul.lo.u32 %step, %step, {0};\n"
      "  mov.u32 %mine_first, %ctaid.x;\n"
      "  mad.lo.u32 %mine_first, %mine_first, %size, %thread;\n"
      "  mul.lo.u32 %mine_first, %mine_first, {0};\n"
      "  add.u32 %mine_last, %mine_first, %bytes;\n"
      "  mov.u32 %where, %mine_first;\n"
      "  mov.u32 %kept, 0;\n"
      "  ld.global.v4.b32 {{%x0, %y0, %z0, %w0}}, [%mine];\n",
      kPassAccess);
  for (int i = 0; i < kAccesses; ++i) {
    entry.body += fmt::format(
        "  cvt.u64.u32 %at{0}, %where;\n"
        "  add.u64 %at{0}, %at{0}, %data;\n"
        "  add.u32 %where, %where, %step;\n"
        "  setp.eq.u32 %round, %where, %mine_last;\n"
        "  selp.b32 %where, %mine_first, %where, %round;\n",
        i);
  }
  for (int i = 0; i < kAccesses; ++i) entry.body += fmt::format(fmt::runtime(pass.load), i);
  for (int i = 0; i < kAccesses; ++i) entry.body += fmt::format(fmt::runtime(pass.use), i);
  entry.sink = "  st.global.b32 [%out+16], %kept;\n";
  entry.claims = pass.claims;
  return entry;
}

void add_passes(std::vector<KernelProbe> *probes, const char *where, Place place) {
  for (const Pass &pass : kPasses) {
    const PtxEntry entry = pass_entry(pass);
    KernelProbe probe{"memory", fmt::format("{}, {}", where, pass.name), "GB/s"};
    probe.kernel = entry.name;
    probe.arch = 75;
    probe.work = kAccesses * pass.bytes;
    probe.scale = 1e9;
    probe.threads = entry.threads;
    probe.place = place;
    if (place == Place::kCache) probe.text = ptx_text(entry), probe.claims = entry.claims;
    probes->push_back(probe);
  }
}

}  // namespace

std::string ptx_chase_text() {
  PtxEntry entry;
  entry.name = kChaseKernel;
  entry.threads = 1;
  entry.registers = "  .reg .u64 %at;\n";
  entry.setup = "  ld.global.u64 %at, [%out+16];\n";
  for (int i = 0; i < kChaseLinks; ++i) entry.body += "  ld.global.u64 %at, [%at];\n";
  entry.end = "  st.global.u64 [%out+16], %at;\n";
  entry.claims = fmt::format("LDG.64 {}", kChaseLinks);
  return ptx_text(entry);
}

std::vector<KernelProbe> chase_probes() {
  std::vector<KernelProbe> probes;
  for (const size_t kibibytes : {32, 256, 2048, 16384, 65536, 262144}) {
    KernelProbe probe{"latency", "", "ns"};
    probe.what = kibibytes < 1024 ? fmt::format("pointers through {} KiB", kibibytes)
                                  : fmt::format("pointers through {} MiB", kibibytes / 1024);
    probe.figured = Figured::kNanoseconds;
    probe.kernel = kChaseKernel;
    probe.work = kChaseLinks;
    probe.threads = 1;
    probe.blocks = 0;
    probe.chain = kibibytes * 1024;
    probes.push_back(probe);
  }
  return probes;
}

std::vector<KernelProbe> ptx_memory_probes() {
  std::vector<KernelProbe> probes;
  for (const int width : {4, 8, 16}) {
    add_shared(&probes, fmt::format("reads of {} bytes a lane", width), width, width);
  }
  for (const int degree : {2, 4, 8, 16, 32}) {
    add_shared(&probes, fmt::format("reads of 4 bytes, {} lanes a bank", degree), 4, 4 * degree);
  }
  add_passes(&probes, "L2 cache", Place::kCache);
  add_passes(&probes, "device memory", Place::kMemory);
  return probes;
}

}  // namespace command
