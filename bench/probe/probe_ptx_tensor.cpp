// mma.sync is a warp's product of registers, wgmma a warpgroup's product from shared memory. Random factors determine
// the power, and so the clock.
#include <fmt/core.h>

#include "probe_kernels.h"

namespace command {
namespace {

struct Mma {
  const char *what, *name, *instruction;
  int arch;
  const char *factor, *sum;  // register types
  int a, b, c;               // registers of a thread
  double flop;               // a warp's instruction
  Datum datum;
  Unit ceiling;
  const char *sass;
  int sums, threads;  // independent products of a warp; threads of a block
};
const Mma kMmas[] = {
    {"mma.sync f16, m16n8k8", "mma_f16_k8", "m16n8k8.row.col.f32.f16.f16.f32", 75, "b32", "f32", 2, 1, 4,
     2.0 * 16 * 8 * 8, Datum::kHalf, Unit::kTensor, "HMMA", 4, 512},
    {"mma.sync f16, m16n8k16", "mma_f16", "m16n8k16.row.col.f32.f16.f16.f32", 80, "b32", "f32", 4, 2, 4,
     2.0 * 16 * 8 * 16, Datum::kHalf, Unit::kTensor, "HMMA", 4, 512},
    {"mma.sync bf16, m16n8k16", "mma_bf16", "m16n8k16.row.col.f32.bf16.bf16.f32", 80, "b32", "f32", 4, 2, 4,
     2.0 * 16 * 8 * 16, Datum::kBfloat, Unit::kTensor, "HMMA", 4, 512},
    {"mma.sync tf32, m16n8k8", "mma_tf32", "m16n8k8.row.col.f32.tf32.tf32.f32", 80, "b32", "f32", 4, 2, 4,
     2.0 * 16 * 8 * 8, Datum::kFloat, Unit::kTensorTf32, "HMMA", 4, 512},
    {"mma.sync f64, m8n8k4", "mma_f64_k4", "m8n8k4.row.col.f64.f64.f64.f64", 80, "f64", "f64", 1, 1, 2, 2.0 * 8 * 8 * 4,
     Datum::kDouble, Unit::kDoubleTensor, "DMMA", 4, 512},
    // 16 products in flight reach 98 % on an H200; four each of twice as many warps reach 92 % on an H100.
    {"mma.sync f64, m16n8k16", "mma_f64", "m16n8k16.row.col.f64.f64.f64.f64", 90, "f64", "f64", 8, 4, 4,
     2.0 * 16 * 8 * 16, Datum::kDouble, Unit::kDoubleTensor, "DMMA", 16, 256},
};
constexpr int kMmasInLoop = 16;  // in one iteration

// "{%a4, %a5}"
std::string registers_text(const char *name, int first, int count) {
  std::string text;
  for (int i = first; i < first + count; ++i) text += fmt::format("{}%{}{}", text.empty() ? "{" : ", ", name, i);
  return text + "}";
}

PtxEntry mma_entry(const Mma &x) {
  PtxEntry entry;
  entry.name = x.name;
  entry.threads = static_cast<unsigned>(x.threads);
  entry.registers = fmt::format("  .reg .{0} %a<{2}>, %b<{3}>;\n  .reg .{1} %c<{4}>;\n", x.factor, x.sum, 2 * x.a,
                                2 * x.b, x.sums * x.c);
  int offset = 0;  // no two numbers of a thread are equal: those could share registers
  const auto load = [&](const char *name, int count) {
    for (int i = 0; i < count; ++i, offset += 1024) {
      entry.setup += fmt::format("  ld.global.{} %{}{}, [%mine+{}];\n", x.factor, name, i, offset);
    }
  };
  load("a", 2 * x.a);
  load("b", 2 * x.b);
  for (int i = 0; i < x.sums * x.c; ++i) {
    entry.setup +=
        fmt::format("  mov.{} %c{}, 0{}0;\n", x.sum, i, x.sum == std::string("f64") ? "d000000000000000" : "f0000000");
    entry.sink += fmt::format("  st.global.{} [%out+{}], %c{};\n", x.sum, 16 + 8 * i, i);
  }
  for (int i = 0; i < kMmasInLoop; ++i) {
    const std::string sums = registers_text("c", i % x.sums * x.c, x.c);
    entry.body += fmt::format("  mma.sync.aligned.{} {}, {}, {}, {};\n", x.instruction, sums,
                              registers_text("a", i % 2 * x.a, x.a), registers_text("b", i / 2 % 2 * x.b, x.b), sums);
  }
  entry.claims = fmt::format("{} {}", x.sass, kMmasInLoop);
  return entry;
}

constexpr int kWarpgroup = 128, kWarpgroups = 2, kWgmmaInLoop = 16;
constexpr int kRowBytes = 128, kRows = 64, kStep = 32;  // bytes of a swizzled row; rows of a tile; bytes of k in a step
constexpr int kPassBytes = 16 * kWarpgroup * kWarpgroups;

struct WgmmaElement {
  const char *name;
  int k;
  Datum datum;
  Unit ceiling;
  const char *major;  // order of the factors in shared memory; only 16-bit ones need not be K-major
};
const WgmmaElement kElements[] = {{"f16", 16, Datum::kHalf, Unit::kTensor, ", 0"},
                                  {"bf16", 16, Datum::kBfloat, Unit::kTensor, ", 0"},
                                  {"tf32", 8, Datum::kFloat, Unit::kTensorTf32, ""}};

// Copies random numbers to the tiles of A and B, and makes descriptors of their four steps of k. Groups of 8 rows are
// 1024 bytes apart.
std::string wgmma_setup(int columns) {
  const int bytes = (kRows + columns) * kRowBytes;
  std::string text = "  mov.u32 %tile, tiles;\n  mad.lo.u32 %place, %thread, 16, %tile;\n";
  for (int at = 0; at < bytes; at += kPassBytes) {
    text += fmt::format(
        "  ld.global.v4.b32 {{%r0, %r1, %r2, %r3}}, [%mine+{0}];\n"
        "  st.shared.v4.b32 [%place+{0}], {{%r0, %r1, %r2, %r3}};\n",
        at);
  }
  text +=
      "  fence.proxy.async;\n"
      "  bar.sync 0;\n"
      "  setp.ne.u32 %add, %bytes, 1;\n"
      "  cvt.u64.u32 %a0, %tile;\n"
      "  shr.u64 %a0, %a0, 4;\n"
      "  or.b64 %a0, %a0, 0x4000004000010000;\n";
  text += fmt::format("  add.u64 %b0, %a0, {};\n", kRows * kRowBytes / 16);
  for (int step = 1; step < kRowBytes / kStep; ++step) {
    text += fmt::format("  add.u64 %a{0}, %a0, {1};\n  add.u64 %b{0}, %b0, {1};\n", step, step * kStep / 16);
  }
  return text;
}

PtxEntry wgmma_entry(const WgmmaElement &element, int columns, bool from_registers) {
  const int sums = columns / 2;
  PtxEntry entry;
  entry.name = fmt::format("wgmma_{}_{}{}", element.name, columns, from_registers ? "_registers" : "");
  entry.threads = kWarpgroup * kWarpgroups;
  entry.registers = fmt::format(
      "  .shared .align 1024 .b8 tiles[{}];\n"
      "  .reg .b32 %r<4>, %tile, %place;\n"
      "  .reg .b64 %a<4>, %b<4>;\n"
      "  .reg .f32 %d<{}>;\n"
      "  .reg .pred %add;\n",
      (kRows + columns) * kRowBytes, sums);
  entry.setup = wgmma_setup(columns);
  for (int i = 0; i < sums; ++i) {
    entry.setup += fmt::format("  mov.f32 %d{}, 0f00000000;\n", i);
    entry.sink += fmt::format("  st.global.f32 [%out+{}], %d{};\n", 16 + 4 * i, i);
  }
  entry.body = "  wgmma.fence.sync.aligned;\n";
  for (int i = 0; i < kWgmmaInLoop; ++i) {
    const int step = i % (kRowBytes / kStep);
    const std::string a = from_registers ? registers_text("r", 0, 4) : fmt::format("%a{}", step);
    const char *majors = from_registers ? "" : element.major;
    entry.body +=
        fmt::format("  wgmma.mma_async.sync.aligned.m64n{0}k{1}.f32.{2}.{2} {3}, {4}, %b{5}, %add, 1, 1{6}{7};\n",
                    columns, element.k, element.name, registers_text("d", 0, sums), a, step, majors, element.major);
  }
  entry.body += "  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n";
  entry.claims = fmt::format("HGMMA {}", kWgmmaInLoop);
  return entry;
}

KernelProbe tensor_probe(std::string what, const PtxEntry &entry, int arch, double work, Unit ceiling, Datum datum) {
  KernelProbe probe{"tensor", std::move(what), "TFLOP/s"};
  probe.kernel = entry.name;
  probe.arch = arch;
  probe.work = work;
  probe.scale = 1e12;
  probe.threads = entry.threads;
  probe.ceiling = ceiling;
  probe.datum = datum;
  probe.text = ptx_text(entry);
  probe.claims = entry.claims;
  return probe;
}

}  // namespace

std::vector<KernelProbe> ptx_tensor_probes() {
  constexpr int kWarp = 32;
  std::vector<KernelProbe> probes;
  for (const Mma &x : kMmas) {
    probes.push_back(tensor_probe(x.what, mma_entry(x), x.arch, x.flop * kMmasInLoop / kWarp, x.ceiling, x.datum));
  }
  for (const WgmmaElement &element : kElements) {
    for (const bool from_registers : {false, true}) {
      for (const int columns : {64, 128, 256}) {
        const double flop = 2.0 * kRows * columns * element.k;
        probes.push_back(tensor_probe(fmt::format("wgmma {}, m64n{}k{}, A from {}", element.name, columns, element.k,
                                                  from_registers ? "registers" : "shared memory"),
                                      wgmma_entry(element, columns, from_registers), 90,
                                      flop * kWgmmaInLoop / kWarpgroup, element.ceiling, element.datum));
        probes.back().of_one_arch = true;
      }
    }
  }
  return probes;
}

}  // namespace command
