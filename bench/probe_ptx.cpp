// Arithmetic without tensor cores, shared and global memory, in PTX.
#include <fmt/format.h>

#include "probe_kernels.h"

namespace command {
namespace {

constexpr int kInstructions = 256;  // of an iteration of arithmetic
constexpr unsigned kSchedulers = 4, kWarp = 32;
constexpr int kAccesses = 8;         // of an iteration of loads or stores
constexpr int kSharedBytes = 16384;  // of the tile that shared memory is read from

// One instruction that is timed. {x} is the register of its chain, {a} and {b} are the same in all.
struct Arithmetic {
  const char *name, *sass;
  const char *type, *load;  // of {x}, {a} and {b}
  int bytes;                // of them
  Datum datum;
  int arch;
  const char *text;
};
constexpr Arithmetic kFfma = {"ffma", "FFMA", "f32", "f32", 4, Datum::kFloat, 75, "  fma.rn.f32 {x}, {a}, {b}, {x};\n"};

struct ArithmeticProbe {
  Arithmetic instruction;
  const char *what, *unit;
  double work;
  Unit ceiling;
};
// A conversion takes what the one before gave, or its high word, so that none can be left out.
const ArithmeticProbe kArithmetic[] = {
    {{"fadd", "FADD", "f32", "f32", 4, Datum::kFloat, 75, "  add.rn.f32 {x}, {x}, {a};\n"},
     "FADD",
     "TFLOP/s",
     1,
     Unit::kAdd},
    {{"fmul", "FMUL", "f32", "f32", 4, Datum::kFloat, 75, "  mul.rn.f32 {x}, {x}, {a};\n"},
     "FMUL",
     "TFLOP/s",
     1,
     Unit::kAdd},
    {{"imad", "IMAD", "u32", "u32", 4, Datum::kFloat, 75, "  mad.lo.u32 {x}, {x}, {a}, {b};\n"},
     "IMAD",
     "Top/s",
     2,
     Unit::kImad},
    {{"to_f64", "F2F", "b32", "b32", 4, Datum::kFloat, 75,
      "  cvt.f64.f32 %wide, {x};\n  mov.b64 {{%low, {x}}}, %wide;\n"},
     "cvt.f64.f32",
     "Top/s",
     1,
     Unit::kNone},
    {{"to_f16x2", "F2FP", "b32", "b32", 4, Datum::kFloat, 80, "  cvt.rn.f16x2.f32 {x}, {x}, {a};\n"},
     "cvt.rn.f16x2.f32",
     "Top/s",
     1,
     Unit::kNone},
    {{"dfma", "DFMA", "f64", "f64", 8, Datum::kDouble, 75, "  fma.rn.f64 {x}, {a}, {b}, {x};\n"},
     "DFMA",
     "TFLOP/s",
     2,
     Unit::kDouble},
};

// So many independent chains of an instruction.
PtxEntry chains_of(const Arithmetic &x, int chains) {
  PtxEntry entry;
  entry.name = fmt::format("{}_{}", x.name, chains);
  entry.threads = 1024;
  entry.registers = fmt::format("  .reg .{} %x<{}>, %a, %b;\n  .reg .f64 %wide;\n  .reg .b32 %low;\n", x.type, chains);
  entry.setup = fmt::format("  ld.global.{0} %a, [%mine];\n  ld.global.{0} %b, [%mine+16];\n", x.load);
  for (int i = 0; i < chains; ++i) {
    entry.setup += fmt::format("  ld.global.{} %x{}, [%mine+{}];\n", x.load, i, 32 + x.bytes * i);
    entry.sink += fmt::format("  st.global.{} [%out+{}], %x{};\n", x.load, 16 + x.bytes * i, i);
  }
  for (int i = 0; i < kInstructions; ++i) {
    entry.body += fmt::format(fmt::runtime(x.text), fmt::arg("x", fmt::format("%x{}", i % chains)), fmt::arg("a", "%a"),
                              fmt::arg("b", "%b"));
  }
  entry.claims = fmt::format("{} {}", x.sass, kInstructions);
  return entry;
}

KernelProbe ffma_probe(std::string what, int chains, unsigned warps, bool has_text) {
  KernelProbe probe{"fma", std::move(what), "TFLOP/s"};
  const PtxEntry entry = chains_of(kFfma, chains);
  probe.kernel = entry.name;
  probe.arch = kFfma.arch;
  probe.work = 2.0 * kInstructions;
  probe.scale = 1e12;
  probe.threads = kWarp * kSchedulers * warps;
  probe.ceiling = Unit::kFma;
  if (has_text) probe.text = ptx_text(entry), probe.claims = entry.claims;
  return probe;
}

void add_ffma(std::vector<KernelProbe> *probes) {
  for (const int chains : {1, 2, 4, 8, 16}) {
    const char *plural = chains == 1 ? "" : "s";
    probes->push_back(ffma_probe(fmt::format("FFMA, {} chain{}, 1 warp a scheduler", chains, plural), chains, 1, true));
  }
  for (const unsigned warps : {2, 4, 8}) {
    probes->push_back(ffma_probe(fmt::format("FFMA, 1 chain, {} warps a scheduler", warps), 1, warps, false));
  }
  probes->push_back(ffma_probe("FFMA, 16 chains, 4 warps a scheduler", 16, 4, false));
  KernelProbe latency = ffma_probe("FFMA latency", 1, 1, false);
  latency.unit = "cycles";
  latency.figured = Figured::kCycles;
  latency.work = kInstructions;
  latency.scale = 1;
  latency.threads = kWarp;
  latency.blocks = 0;
  latency.ceiling = Unit::kNone;
  probes->push_back(latency);
}

void add_arithmetic(std::vector<KernelProbe> *probes) {
  for (const ArithmeticProbe &row : kArithmetic) {
    const PtxEntry entry = chains_of(row.instruction, 8);
    KernelProbe probe{"arithmetic", row.what, row.unit};
    probe.kernel = entry.name;
    probe.arch = row.instruction.arch;
    probe.work = row.work * kInstructions;
    probe.scale = 1e12;
    probe.threads = kWarp * kSchedulers * 4;
    probe.ceiling = row.ceiling;
    probe.datum = row.instruction.datum;
    probe.text = ptx_text(entry);
    probe.claims = entry.claims;
    probes->push_back(probe);
  }
}

// Volatile, as nothing takes what is loaded. Thread i reads at i * `step` of the tile.
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
  entry.claims = fmt::format("LDS {}", kAccesses);
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

// How a thread passes over global memory.
struct Pass {
  const char *name, *text, *claims;
  int bytes;  // of an access
};
const Pass kPasses[] = {
    {"read", "  ld.volatile.global.v4.b32 {{%x{0}, %y{0}, %z{0}, %w{0}}}, [%at{0}];\n", "LDG 8", 16},
    {"write", "  st.global.cg.v4.b32 [%at{0}], {{%x0, %y0, %z0, %w0}};\n", "STG 8", 16},
    {"copy",
     "  ld.global.cg.v4.b32 {{%x{0}, %y{0}, %z{0}, %w{0}}}, [%at{0}];\n"
     "  add.u64 %at{0}, %at{0}, %half;\n"
     "  st.global.cg.v4.b32 [%at{0}], {{%x{0}, %y{0}, %z{0}, %w{0}}};\n",
     "LDG 8, STG 8", 32},
};

// All threads one after another, 16 bytes each, over the first half of `bytes`, a power of two; copies go to the
// second.
PtxEntry pass_entry(const Pass &pass) {
  PtxEntry entry;
  entry.name = pass.name;
  entry.threads = 1024;
  entry.registers = fmt::format(
      "  .reg .b32 %x<{0}>, %y<{0}>, %z<{0}>, %w<{0}>;\n"
      "  .reg .u64 %at<{0}>, %half;\n"
      "  .reg .u32 %mask, %where, %step, %size, %near;\n",
      kAccesses);
  entry.setup =
      "  shr.u32 %mask, %bytes, 1;\n"
      "  cvt.u64.u32 %half, %mask;\n"
      "  sub.u32 %mask, %mask, 1;\n"
      "  mov.u32 %step, %nctaid.x;\n"
      "  mov.u32 %size, %ntid.x;\n"
      "  mul.lo.u32 %step, %step, %size;\n"
      "  shl.b32 %step, %step, 4;\n"
      "  mov.u32 %where, %ctaid.x;\n"
      "  mad.lo.u32 %where, %where, %size, %thread;\n"
      "  shl.b32 %where, %where, 4;\n"
      "  ld.global.v4.b32 {%x0, %y0, %z0, %w0}, [%mine];\n";
  for (int i = 0; i < kAccesses; ++i) {
    entry.body += fmt::format(
        "  and.b32 %near, %where, %mask;\n"
        "  cvt.u64.u32 %at{0}, %near;\n"
        "  add.u64 %at{0}, %at{0}, %data;\n"
        "  add.u32 %where, %where, %step;\n",
        i);
  }
  for (int i = 0; i < kAccesses; ++i) entry.body += fmt::format(fmt::runtime(pass.text), i);
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

// What probe_patch.h changes: all registers that an FFMA may name are in its loop already, both banks of each kind.
std::string patched_text() {
  constexpr int kSums = 32, kFactors = 16;
  PtxEntry entry;
  entry.name = kPatchedKernel;
  entry.threads = 256;
  entry.registers = fmt::format("  .reg .f32 %x<{0}>, %a<{1}>, %b<{1}>;\n", kSums, kFactors);
  int at = 0;
  const auto load = [&](const char *name, int count) {
    for (int i = 0; i < count; i += 4, at += 16) {
      const std::string quad = fmt::format("{{%{0}{1}, %{0}{2}, %{0}{3}, %{0}{4}}}", name, i, i + 1, i + 2, i + 3);
      entry.setup += fmt::format("  ld.global.v4.f32 {}, [%mine+{}];\n", quad, at);
      entry.sink += fmt::format("  st.global.v4.f32 [%out+{}], {};\n", 16 + at, quad);
    }
  };
  load("x", kSums);
  load("a", kFactors);
  load("b", kFactors);
  for (int i = 0; i < kPatchedFfma; ++i) {
    entry.body += fmt::format("  fma.rn.f32 %x{0}, %a{1}, %b{2}, %x{0};\n", i % kSums, i % kFactors,
                              (i / kFactors + i) % kFactors);
  }
  entry.claims = fmt::format("FFMA {}", kPatchedFfma);
  return ptx_text(entry);
}

std::string chase_text() {
  PtxEntry entry;
  entry.name = kChaseKernel;
  entry.threads = 1;
  entry.registers = "  .reg .u64 %at;\n";
  entry.setup = "  ld.global.u64 %at, [%out+16];\n";
  for (int i = 0; i < kChaseLinks; ++i) entry.body += "  ld.global.u64 %at, [%at];\n";
  entry.end = "  st.global.u64 [%out+16], %at;\n";
  entry.claims = fmt::format("LDG {}", kChaseLinks);
  return ptx_text(entry);
}

std::string empty_text() {
  return fmt::format(
      ".visible .entry {}(.param .u64 out, .param .u64 data, .param .u32 iterations, .param .u32 bytes)\n"
      "{{\n  ret;\n}}\n",
      kEmptyKernel);
}

}  // namespace

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

std::string ptx_text(const PtxEntry &x) {
  return fmt::format(
      "// {0}: {1}\n"
      ".visible .entry {0}(.param .u64 out, .param .u64 data, .param .u32 iterations, .param .u32 bytes)\n"
      ".maxntid {2}, 1, 1\n"
      "{{\n"
      "  .reg .pred %again, %never, %first;\n"
      "  .reg .u64 %out, %data, %mine, %offset, %begin, %end, %since, %until;\n"
      "  .reg .u32 %left, %bytes, %thread, %block;\n"
      "{3}"
      "  ld.param.u64 %out, [out];\n"
      "  ld.param.u64 %data, [data];\n"
      "  ld.param.u32 %left, [iterations];\n"
      "  ld.param.u32 %bytes, [bytes];\n"
      "  mov.u32 %thread, %tid.x;\n"
      "  mul.wide.u32 %offset, %thread, 16;\n"
      "  add.u64 %mine, %data, %offset;\n"
      "{4}"
      "  mov.u64 %since, %globaltimer;\n"
      "  mov.u64 %begin, %clock64;\n"
      "loop:\n"
      "  .pragma \"nounroll\";\n"
      "{5}"
      "  sub.u32 %left, %left, 1;\n"
      "  setp.ne.u32 %again, %left, 0;\n"
      "  @%again bra loop;\n"
      "  mov.u64 %end, %clock64;\n"
      "  mov.u64 %until, %globaltimer;\n"
      "  setp.ne.u32 %never, %bytes, 1;\n"
      "  @%never bra used;\n"
      "{6}"
      "used:\n"
      "{7}"
      "  mov.u32 %block, %ctaid.x;\n"
      "  or.b32 %thread, %thread, %block;\n"
      "  setp.ne.u32 %first, %thread, 0;\n"
      "  @%first bra done;\n"
      "  sub.u64 %end, %end, %begin;\n"
      "  sub.u64 %until, %until, %since;\n"
      "  st.global.v2.u64 [%out], {{%end, %until}};\n"
      "done:\n"
      "  ret;\n"
      "}}\n",
      x.name, x.claims, x.threads, x.registers, x.setup, x.body, x.sink, x.end);
}

std::vector<KernelProbe> ptx_probes() {
  std::vector<KernelProbe> probes;
  add_ffma(&probes);
  add_arithmetic(&probes);
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

std::string ptx_target(const KernelProbe &probe) {
  return fmt::format("sm_{}{}", probe.arch, probe.of_one_arch ? "a" : "");
}

std::string ptx_module(const std::string &target) {
  // The oldest version of PTX that has what the texts of a target hold.
  const char *version = target == "sm_75" ? "6.5" : target == "sm_80" ? "7.0" : target == "sm_90" ? "7.8" : "8.0";
  std::string text = target == kPatchedTarget ? patched_text() + chase_text() + empty_text() : "";
  for (const std::vector<KernelProbe> &table : {ptx_probes(), ptx_tensor_probes()}) {
    for (const KernelProbe &probe : table) {
      if (ptx_target(probe) == target) text += probe.text;
    }
  }
  if (text.empty()) return text;
  return fmt::format(".version {}\n.target {}\n.address_size 64\n{}", version, target, text);
}

}  // namespace command
