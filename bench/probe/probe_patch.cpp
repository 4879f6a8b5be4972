// Bits of an instruction of Volta to Hopper: 0-11 opcode; 12-15 guard; 16-23 target; 24-31, 32-39 and 64-71 registers
// a, b, c; 116-121 scoreboards to wait for; 122-124 reuse of a, b, c.
#include "probe_patch.h"

#include <elf.h>
#include <fmt/core.h>
#include <string.h>

#include <array>
#include <cstdint>
#include <set>

#include "base/command.h"

namespace command {
namespace {

constexpr uint64_t kFfma = 0x223, kOpcode = 0xFFF, kAlways = 0x7000, kGuard = 0xF000;
constexpr uint64_t kRegister = 0xFF, kZero = 255;  // register 255 is always 0
constexpr int kReuse = 122 - 64, kWaits = 116 - 64;
constexpr uint64_t kScoreboards = 0x3F, kReuseOfAll = 7;

struct Instruction {
  uint64_t low, high;

  bool is_ffma() const { return (low & kOpcode) == kFfma && (low & kGuard) == kAlways; }
  unsigned target() const { return low >> 16 & kRegister; }
  unsigned a() const { return low >> 24 & kRegister; }
  unsigned b() const { return low >> 32 & kRegister; }
  unsigned c() const { return high & kRegister; }
  void name(uint64_t sum, uint64_t first, uint64_t second, uint64_t reuse) {
    low = (low & ~(kRegister << 16 | kRegister << 24 | kRegister << 32)) | sum << 16 | first << 24 | second << 32;
    high = (high & ~(kRegister | kReuseOfAll << kReuse)) | sum | reuse << kReuse;
  }
  void wait_for_all() { high |= kScoreboards << kWaits; }
};

template <class Type>
Type read(const std::string &bytes, size_t at) {
  Type value;
  if (at > bytes.size() || bytes.size() - at < sizeof value) throw Error("the machine code is cut short");
  memcpy(&value, &bytes[at], sizeof value);
  return value;
}

Elf64_Shdr find_code(const std::string &cubin, const std::string &kernel) {
  const auto header = read<Elf64_Ehdr>(cubin, 0);
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) throw Error("the machine code is no ELF file");
  const auto section = [&](size_t i) { return read<Elf64_Shdr>(cubin, header.e_shoff + i * sizeof(Elf64_Shdr)); };
  const std::string wanted = ".text." + kernel;
  const size_t names = section(header.e_shstrndx).sh_offset;
  for (size_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr found = section(i);
    const size_t name = names + found.sh_name;
    if (name < cubin.size() && wanted == cubin.c_str() + name) return found;
  }
  throw Error(fmt::format("the machine code has no {}", kernel));
}

using Banks = std::array<std::vector<unsigned>, 2>;

Banks by_bank(const std::set<unsigned> &registers) {
  Banks banks;
  for (const unsigned x : registers) banks[x % 2].push_back(x);
  return banks;
}

}  // namespace

std::vector<RegisterPattern> register_patterns() {
  std::vector<RegisterPattern> patterns;
  for (const int changing : {1, 2, 3}) {
    for (const bool one_bank : {false, true}) {
      if (changing < 3) patterns.push_back({changing, one_bank, true});
      patterns.push_back({changing, one_bank, false});
    }
  }
  return patterns;
}

std::string pattern_text(const RegisterPattern &x) {
  return fmt::format("FFMA, {} operand{}, {}, {}", x.changing, x.changing == 1 ? " changes" : "s change",
                     x.one_bank ? "one bank" : "two banks", x.reuse ? "reuse" : "no reuse");
}

std::string patch_ffma(std::string cubin, const std::string &kernel, int count, const RegisterPattern &pattern) {
  const Elf64_Shdr code = find_code(cubin, kernel);
  std::vector<size_t> places;
  std::set<unsigned> sums, factors, written;  // sums are read before an FFMA writes them
  for (size_t at = code.sh_offset; at < code.sh_offset + code.sh_size; at += sizeof(Instruction)) {
    const auto x = read<Instruction>(cubin, at);
    if (!x.is_ffma()) continue;
    places.push_back(at);
    if (written.count(x.c()) == 0) sums.insert(x.c());
    written.insert(x.target());
    factors.insert({x.a(), x.b()});
  }
  if (places.size() != static_cast<size_t>(count)) {
    throw Error(
        fmt::format("the machine code is not that of sm_70 to sm_90: {} FFMA are found of {}", places.size(), count));
  }
  const Banks sums_by_bank = by_bank(sums), factors_by_bank = by_bank(factors);
  const std::vector<unsigned> &sum = sums_by_bank[0], &factor = factors_by_bank[pattern.one_bank ? 0 : 1];
  constexpr size_t kLeast = 8;
  if (sum.size() < kLeast || factor.size() < kLeast || factors.count(kZero) + sums.count(kZero) > 0) {
    throw Error("the registers of the machine code are not as expected");
  }
  const size_t half = factor.size() / 2;
  for (size_t i = 0; i < places.size(); ++i) {
    const size_t first = pattern.changing < 3 ? 0 : i % half;
    const size_t second = half + (pattern.changing < 2 ? 0 : i % half);
    const uint64_t kept = pattern.changing == 1 ? 3 : pattern.changing == 2 ? 1 : 0;
    const bool next_keeps = i + 1 < places.size() && places[i + 1] == places[i] + sizeof(Instruction);
    auto x = read<Instruction>(cubin, places[i]);
    x.name(sum[i % sum.size()], factor[first], factor[second], pattern.reuse && next_keeps ? kept : 0);
    // Waits until the new registers are loaded.
    if (i == 0) x.wait_for_all();
    memcpy(&cubin[places[i]], &x, sizeof x);
  }
  return cubin;
}

}  // namespace command
