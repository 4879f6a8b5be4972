#include <fmt/core.h>

#include "probe_kernels.h"

namespace command {
namespace {

constexpr int kInstructions = 256;  // in an iteration
constexpr unsigned kSchedulers = 4, kWarp = 32;

// {x} is the register of the instruction's chain; all chains share {a} and {b}.
struct Arithmetic {
  const char *name, *what, *unit;
  double work;  // one instruction
  Unit ceiling;
  const char *sass;
  int arch;
  const char *type;  // type of a register
  int bytes;         // size of a register
  Datum datum;
  const char *text;
};
constexpr Arithmetic kFfma = {
    "ffma", "FFMA", "TFLOP/s", 2, Unit::kFma, "FFMA", 75, "f32", 4, Datum::kFloat, "fma.rn.f32 {x}, {a}, {b}, {x};"};
constexpr Arithmetic kFfma2 = {"ffma2",
                               "FFMA2, packed",
                               "TFLOP/s",
                               4,
                               Unit::kNone,
                               "FFMA2",
                               100,
                               "b64",
                               8,
                               Datum::kFloat,
                               "fma.rn.f32x2 {x}, {a}, {b}, {x};"};
// A conversion reads the previous result, or its high word: none is eliminated.
constexpr Arithmetic kArithmetic[] = {
    {"fadd", "FADD", "TFLOP/s", 1, Unit::kAdd, "FADD", 75, "f32", 4, Datum::kFloat, "add.rn.f32 {x}, {x}, {a};"},
    {"fmul", "FMUL", "TFLOP/s", 1, Unit::kAdd, "FMUL", 75, "f32", 4, Datum::kFloat, "mul.rn.f32 {x}, {x}, {a};"},
    {"imad", "IMAD", "Top/s", 2, Unit::kImad, "IMAD", 75, "u32", 4, Datum::kFloat, "mad.lo.u32 {x}, {x}, {a}, {b};"},
    {"to_f64", "cvt.f64.f32", "Top/s", 1, Unit::kNone, "F2F", 75, "b32", 4, Datum::kFloat,
     "cvt.f64.f32 %wide, {x};\n  mov.b64 {{%low, {x}}}, %wide;"},
    {"to_f16x2", "cvt.rn.f16x2.f32", "Top/s", 1, Unit::kNone, "F2FP", 80, "b32", 4, Datum::kFloat,
     "cvt.rn.f16x2.f32 {x}, {x}, {a};"},
    {"dfma", "DFMA", "TFLOP/s", 2, Unit::kDouble, "DFMA", 75, "f64", 8, Datum::kDouble,
     "fma.rn.f64 {x}, {a}, {b}, {x};"},
};

PtxEntry chains_of(const Arithmetic &x, int chains) {
  PtxEntry entry;
  entry.name = fmt::format("{}_{}", x.name, chains);
  entry.threads = 1024;
  entry.registers = fmt::format("  .reg .{} %x<{}>, %a, %b;\n  .reg .f64 %wide;\n  .reg .b32 %low;\n", x.type, chains);
  entry.setup = fmt::format("  ld.global.{0} %a, [%mine];\n  ld.global.{0} %b, [%mine+16];\n", x.type);
  for (int i = 0; i < chains; ++i) {
    entry.setup += fmt::format("  ld.global.{} %x{}, [%mine+{}];\n", x.type, i, 32 + x.bytes * i);
    entry.sink += fmt::format("  st.global.{} [%out+{}], %x{};\n", x.type, 16 + x.bytes * i, i);
  }
  for (int i = 0; i < kInstructions; ++i) {
    entry.body += fmt::format(fmt::runtime(fmt::format("  {}\n", x.text)),
                              fmt::arg("x", fmt::format("%x{}", i % chains)), fmt::arg("a", "%a"), fmt::arg("b", "%b"));
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
  probes->back().is_fp32_peak = true;
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

KernelProbe eight_chains(const char *group, const Arithmetic &row) {
  const PtxEntry entry = chains_of(row, 8);
  KernelProbe probe{group, row.what, row.unit};
  probe.kernel = entry.name;
  probe.arch = row.arch;
  probe.work = row.work * kInstructions;
  probe.scale = 1e12;
  probe.threads = kWarp * kSchedulers * 4;
  probe.ceiling = row.ceiling;
  probe.datum = row.datum;
  probe.text = ptx_text(entry);
  probe.claims = entry.claims;
  return probe;
}

// For probe_patch.h, the loop has every register that an FFMA may name: both banks, each kind.
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

std::string empty_text() {
  return fmt::format(
      ".visible .entry {}(.param .u64 out, .param .u64 data, .param .u32 iterations, .param .u32 bytes)\n"
      "{{\n  ret;\n}}\n",
      kEmptyKernel);
}

}  // namespace

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
  probes.push_back(eight_chains("fma", kFfma2));
  probes.back().is_fp32_peak = true;
  for (const Arithmetic &row : kArithmetic) probes.push_back(eight_chains("arithmetic", row));
  return probes;
}

namespace {

struct Text {
  std::string kernel, target, text;
};

std::vector<Text> all_texts() {
  const std::string oldest = "sm_75";
  std::vector<Text> texts = {{kPatchedKernel, oldest, patched_text()},
                             {kChaseKernel, oldest, ptx_chase_text()},
                             {kEmptyKernel, oldest, empty_text()}};
  for (const std::vector<KernelProbe> &table : {ptx_probes(), ptx_memory_probes(), ptx_tensor_probes()}) {
    for (const KernelProbe &x : table) {
      if (!x.text.empty())
        texts.push_back({x.kernel, fmt::format("sm_{}{}", x.arch, x.of_one_arch ? "a" : ""), x.text});
    }
  }
  return texts;
}

std::string module_for(const std::string &target, const std::string &texts) {
  if (texts.empty()) return texts;
  // Oldest PTX version for the target.
  const char *version = target == "sm_75"    ? "6.5"
                        : target == "sm_80"  ? "7.0"
                        : target == "sm_90"  ? "7.8"
                        : target == "sm_100" ? "8.6"
                                             : "8.0";
  return fmt::format(".version {}\n.target {}\n.address_size 64\n{}", version, target, texts);
}

}  // namespace

std::string ptx_module_of(const std::string &kernel) {
  for (const Text &x : all_texts()) {
    if (x.kernel == kernel) return module_for(x.target, x.text);
  }
  return "";
}

std::string ptx_module(const std::string &target) {
  std::string texts;
  for (const Text &x : all_texts()) {
    if (x.target == target) texts += x.text;
  }
  return module_for(target, texts);
}

}  // namespace command
