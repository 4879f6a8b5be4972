// Warpgroup products (wgmma) in plain C++, with the arithmetic of Hopper's tensor cores.
//
// A product is carried out for all 128 threads at once, when a thread needs the result or at random earlier: operands
// in shared memory that change too early or come too late give wrong results.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "block.h"

namespace simt {
namespace {

constexpr unsigned kThreads = 128;
constexpr int kRows = 64;
constexpr int kMostColumns = 256, kMostDepth = 16;
constexpr int kNoExponent = -2000;  // exponent of zero

struct Descriptor {
  uint32_t start, leading, stride;  // bytes; start: within 256 KiB of shared memory
  uint32_t span;                    // bytes of the swizzle; 16: none

  explicit Descriptor(uint64_t bits)
      : start(field(bits, 0)), leading(field(bits, 16)), stride(field(bits, 32)), span(span_of(bits >> 62)) {}

  // Address of 16-byte chunk `inner` of row `outer`, K-major. `leading` is for unswizzled operands only.
  uint32_t along_k(uint32_t outer, uint32_t inner) const {
    const uint32_t line = start + outer / 8 * stride + outer % 8 * span;
    return swizzled(line + (span == 16 ? inner * leading : 16 * inner));
  }
  // Address in an MN-major operand, whose lines are steps of k.
  uint32_t along_outer(uint32_t outer, uint32_t inner) const {
    const uint32_t per_span = span / 16;
    if (span == 16) return start + outer / 8 * leading + outer % 8 * span + inner * stride;
    return swizzled(start + outer / 8 * stride + outer % 8 * span + inner / per_span * leading +
                    16 * (inner % per_span));
  }

 private:
  static uint32_t field(uint64_t bits, int shift) { return static_cast<uint32_t>(bits >> shift & 0x3fff) << 4; }
  static uint32_t span_of(uint64_t mode) { return mode == 0 ? 16 : 256 >> mode; }
  uint32_t swizzled(uint32_t address) const { return address ^ (address >> 7 & (span / 16 - 1)) << 4; }
};

// Step k of row i is at [k][i].
struct Operand {
  double value[kMostDepth][kMostColumns];      // zero for NaN and Inf
  int16_t exponent[kMostDepth][kMostColumns];  // for alignment; subnormal numbers have the least
  float given[kMostDepth][kMostColumns];
  bool special[kMostColumns];
  bool zero[kMostColumns];
  int used;  // rows up to the last nonzero one

  void clear(int rows) {
    std::fill_n(special, rows, false);
    std::fill_n(zero, rows, true);
    used = 0;
  }
  void put(int k, int row, float x, int least_exponent) {
    given[k][row] = x;
    const bool finite = std::isfinite(x);
    value[k][row] = finite ? static_cast<double>(x) : 0.0;
    exponent[k][row] = exponent_of(x, least_exponent);
    if (x == 0) return;
    special[row] = special[row] || !finite;
    zero[row] = false;
    used = std::max(used, row + 1);
  }
  static int16_t exponent_of(float x, int least) {
    uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    if ((bits & 0x7fffffffu) == 0) return kNoExponent;
    return static_cast<int16_t>(std::max(static_cast<int>(bits >> 23 & 255) - 127, least));
  }
};

int element_bytes(WarpgroupNumber number) { return number == WarpgroupNumber::tf32 ? 4 : 2; }
int depth_of(WarpgroupNumber number) { return 32 / element_bytes(number); }

float float_of(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// Tensor cores read the 19 highest bits of a float.
float tf32_of(uint32_t bits) { return float_of(bits & 0xffffe000u); }

float number_at(const unsigned char *memory, WarpgroupNumber number) {
  if (number == WarpgroupNumber::tf32) {
    uint32_t bits;
    std::memcpy(&bits, memory, sizeof bits);
    return tf32_of(bits);
  }
  uint16_t bits;
  std::memcpy(&bits, memory, sizeof bits);
  if (number == WarpgroupNumber::bf16) return float_of(static_cast<uint32_t>(bits) << 16);
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
  if (magnitude < 0x400u) return std::copysign(static_cast<float>(magnitude) * 0x1p-24f, float_of(sign | 0x3f800000u));
  return float_of(sign | ((magnitude << 13) + (magnitude < 0x7c00u ? 112u << 23 : 224u << 23)));
}

void read_operand(uint64_t bits, WarpgroupNumber number, bool along_k, int rows, Operand *to) {
  const Descriptor descriptor(bits);
  const int bytes = element_bytes(number), per_chunk = 16 / bytes, depth = depth_of(number);
  const int lines = along_k ? rows : depth, chunks = (along_k ? depth : rows) / per_chunk;
  const int least = number == WarpgroupNumber::f16 ? -14 : -126;
  const unsigned char *shared = self()->block->dynamic_shared.get();
  const size_t size = configuration().shared_bytes;
  to->clear(rows);
  for (int line = 0; line < lines; ++line) {
    for (int chunk = 0; chunk < chunks; ++chunk) {
      const auto outer = static_cast<uint32_t>(line), inner = static_cast<uint32_t>(chunk);
      const size_t at = along_k ? descriptor.along_k(outer, inner) : descriptor.along_outer(outer, inner);
      if (at + 16 > size) fail("multiplies a tile beyond shared memory by wgmma");
      if (has_unknown(at, 16)) fail("multiplies by wgmma what a thread has not made known to it");
      for (int i = 0; i < per_chunk; ++i) {
        const int across = chunk * per_chunk + i;
        to->put(along_k ? across : line, along_k ? line : across, number_at(shared + at + i * bytes, number), least);
      }
    }
  }
}

// Reads 4 registers of each thread: two rows, 8 apart, at one k, then the same rows at k + 4.
void read_registers(const std::vector<const float *> &registers, Operand *to) {
  to->clear(kRows);
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    for (unsigned i = 0; i < 4; ++i) {
      uint32_t bits;
      std::memcpy(&bits, registers[thread] + i, sizeof bits);
      const unsigned row = thread / 32 * 16 + thread % 32 / 4 + 8 * (i % 2), k = thread % 4 + 4 * (i / 2);
      to->put(static_cast<int>(k), static_cast<int>(row), tf32_of(bits), -126);
    }
  }
}

// ---- Arithmetic: products of a step and the accumulator are aligned to the largest exponent and truncated 25 bits
// below. The total is truncated to FP32.

constexpr int kBits = 25;

// `exponent` must be that of a normal double.
double power_of_two(int exponent) {
  const uint64_t bits = static_cast<uint64_t>(1023 + exponent) << 52;
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

float toward_zero(double x) {
  if (std::fabs(x) < 0x1p-126) return static_cast<float>(std::trunc(x * 0x1p149) * 0x1p-149);
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  bits &= ~((uint64_t{1} << 29) - 1);
  std::memcpy(&x, &bits, sizeof x);
  return static_cast<float>(x);
}

// All numbers are finite.
SGEMM_TEST_VECTORS void multiply_row(const Operand &x, int row, const Operand &y, int columns, int depth, float *sum) {
  int16_t most[kMostColumns];
  double scale[kMostColumns], total[kMostColumns];
  for (int j = 0; j < columns; ++j) most[j] = Operand::exponent_of(sum[j], -126);
  for (int k = 0; k < depth; ++k) {
    const int16_t of_x = x.exponent[k][row];
    if (of_x == kNoExponent) continue;
    for (int j = 0; j < columns; ++j) {
      const auto both = static_cast<int16_t>(of_x + y.exponent[k][j]);
      most[j] = both > most[j] ? both : most[j];
    }
  }
  for (int j = 0; j < columns; ++j) {
    scale[j] = power_of_two(kBits - std::max<int>(most[j], -300));  // below all products except zeros
    total[j] = static_cast<double>(static_cast<int32_t>(sum[j] * scale[j]));
  }
  for (int k = 0; k < depth; ++k) {
    const double of_x = x.value[k][row];
    if (of_x == 0) continue;
    for (int j = 0; j < columns; ++j) {
      total[j] += static_cast<double>(static_cast<int32_t>(of_x * y.value[k][j] * scale[j]));
    }
  }
  for (int j = 0; j < columns; ++j) {
    sum[j] = toward_zero(total[j] * power_of_two(std::max<int>(most[j], -300) - kBits));
  }
}

float multiply_special(const Operand &x, int row, const Operand &y, int column, int depth, float sum) {
  double total = static_cast<double>(sum);
  for (int k = 0; k < depth; ++k) {
    total += static_cast<double>(x.given[k][row]) * static_cast<double>(y.given[k][column]);
  }
  return static_cast<float>(total);
}

void multiply(const WarpgroupProduct &product) {
  static Operand x, y;
  const WarpgroupOp &op = product.op;
  const int depth = depth_of(op.number);
  if (product.registers.empty()) {
    read_operand(product.x, op.number, op.x_along_k, kRows, &x);
  } else {
    read_registers(product.registers, &x);
  }
  read_operand(product.y, op.number, op.y_along_k, op.n, &y);
  std::vector<float> &sums = product.sums->values;
  if (!product.add) std::fill(sums.begin(), sums.end(), 0.0f);
  float before[kMostColumns];
  for (int row = 0; row < kRows; ++row) {
    float *sum = &sums[static_cast<size_t>(row) * static_cast<size_t>(op.n)];
    std::copy_n(sum, op.n, before);
    for (int j = 0; j < op.n; ++j) {
      if (!std::isfinite(sum[j])) sum[j] = 0;
    }
    // Accumulators that only add zeros stay unchanged.
    if (!x.zero[row]) multiply_row(x, row, y, y.used, depth, sum);
    for (int j = 0; j < op.n; ++j) {
      if (x.special[row] || y.special[j] || !std::isfinite(before[j])) {
        sum[j] = multiply_special(x, row, y, j, depth, before[j]);
      }
    }
  }
}

float *place(WarpgroupSums *sums, unsigned thread, int i) {
  const unsigned lane = thread % 32;
  const unsigned row = thread / 32 * 16 + lane / 4 + 8 * (static_cast<unsigned>(i) / 2 % 2);
  const unsigned column = static_cast<unsigned>(i) / 4 * 8 + lane % 4 * 2 + static_cast<unsigned>(i) % 2;
  return &sums->values[row * static_cast<unsigned>(sums->n) + column];
}

Warpgroup &own_warpgroup() { return self()->block->warpgroups[self()->rank / kThreads]; }

size_t bytes_of(const WarpgroupSums &sums) { return static_cast<size_t>(sums.n) / 2 * sizeof(float); }

bool poisoned(const float *registers, size_t bytes) {
  const auto *all = reinterpret_cast<const unsigned char *>(registers);
  return all[0] == 0xff && std::memcmp(all, all + 1, bytes - 1) == 0;
}

void require_untouched(const SumsInFlight &sums) {
  if (!poisoned(sums.registers, bytes_of(*sums.sums))) fail("writes to sums of wgmma before it has waited for them");
}

// All threads have issued the products before `end`.
void carry_out(Warpgroup *group, size_t end) {
  for (; group->done < end; ++group->done) {
    multiply(group->products.front());
    group->products.pop_front();
  }
  progress();
}

// The first operand is in `registers` or, if that is NULL, described by `x`.
void issue(const WarpgroupOp &op, float *sum, uint64_t x, const float *registers, uint64_t y, bool add) {
  FiberThread *thread = self();
  Warpgroup &group = own_warpgroup();
  if (thread->rank / kThreads * kThreads + kThreads > thread->block->threads.size()) {
    fail("issues wgmma in a warpgroup that has not four warps");
  }
  auto own = std::find_if(thread->sums.begin(), thread->sums.end(),
                          [sum](const SumsInFlight &each) { return each.registers == sum; });
  const bool fresh = own == thread->sums.end();
  if (fresh && !thread->fenced) fail("issues wgmma without wgmma_fence since it last had the sums");

  const size_t number = thread->products++, index = number - group.done;
  if (index == group.products.size()) {
    std::shared_ptr<WarpgroupSums> sums;
    if (fresh) {
      sums = std::make_shared<WarpgroupSums>();
      sums->n = op.n;
      sums->values.resize(static_cast<size_t>(kRows) * static_cast<size_t>(op.n));
    } else {
      sums = own->sums;
    }
    const size_t threads = registers == nullptr ? 0 : kThreads;
    group.products.push_back({op, x, y, std::vector<const float *>(threads), add, sums, 0});
  }
  WarpgroupProduct &product = group.products[index];
  const WarpgroupOp &other = product.op;
  const bool same = other.number == op.number && other.n == op.n && other.x_along_k == op.x_along_k &&
                    other.y_along_k == op.y_along_k && product.x == x && product.y == y && product.add == add;
  if (!same || product.registers.empty() != (registers == nullptr) || (!fresh && own->sums != product.sums)) {
    fail("issues another product by wgmma than other threads of its warpgroup");
  }
  if (registers != nullptr) product.registers[thread->rank % kThreads] = registers;
  if (fresh) {
    thread->sums.push_back({sum, 0, product.sums});
    own = thread->sums.end() - 1;
    for (int i = 0; add && i < op.n / 2; ++i) *place(product.sums.get(), thread->rank % kThreads, i) = sum[i];
    poison(sum, bytes_of(*product.sums));
  } else {
    require_untouched(*own);
  }
  own->end = number + 1;
  if (++product.issued < kThreads) return;
  if (grid->random.integer(0, 7) == 0) carry_out(&group, number + 1);
  thread->block->ready.insert(thread->block->ready.end(), group.waiting.begin(), group.waiting.end());
  group.waiting.clear();
  progress();
}

}  // namespace

void warpgroup_multiply(const WarpgroupOp &op, float *sum, uint64_t x, uint64_t y, bool add) {
  issue(op, sum, x, nullptr, y, add);
}
void warpgroup_multiply(const WarpgroupOp &op, float *sum, const float *x, uint64_t y, bool add) {
  issue(op, sum, 0, x, y, add);
}

void warpgroup_fence() { self()->fenced = true; }

void warpgroup_commit() { self()->product_groups.push_back(self()->products); }

void warpgroup_wait(unsigned pending) {
  FiberThread *thread = self();
  Warpgroup &group = own_warpgroup();
  const std::vector<size_t> &groups = thread->product_groups;
  if (groups.size() <= pending) return;
  const size_t end = groups[groups.size() - 1 - pending];
  const auto issued = [&] { return group.done >= end || group.products[end - 1 - group.done].issued == kThreads; };
  while (!issued()) {
    group.waiting.push_back(thread);
    wait(Waiting::warpgroup);
  }
  if (group.done < end) carry_out(&group, end);
  for (size_t i = 0; i < thread->sums.size();) {
    const SumsInFlight &own = thread->sums[i];
    if (own.end > end) {
      ++i;
      continue;
    }
    require_untouched(own);
    for (int r = 0; r < own.sums->n / 2; ++r) own.registers[r] = *place(own.sums.get(), thread->rank % kThreads, r);
    thread->sums.erase(thread->sums.begin() + static_cast<std::ptrdiff_t>(i));
    thread->fenced = false;
  }
}

}  // namespace simt
