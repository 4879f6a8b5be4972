// Matrix instructions in plain C++: lanes register operands, the last one multiplies, each takes its results.
#include "matrix_instructions.h"

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "block.h"

namespace simt {

bool f64_adds_pairs = false;

namespace {

template <int Elements>
int k_mfma(int lane, int element) {
  return Elements * (lane / 32) + element;
}
int k_gfx11(int, int element) { return element; }
int k_gfx12(int lane, int element) { return element / 4 * 8 + lane / 16 * 4 + element % 4; }

MatrixPlace c_mfma(int lane, int i) { return {8 * (i / 4) + 4 * (lane / 32) + i % 4, lane % 32}; }
int k_mfma_f64(int lane, int) { return lane / 16; }
MatrixPlace c_mfma_f64(int lane, int i) { return {4 * i + lane / 16, lane % 16}; }
MatrixPlace c_gfx11(int lane, int i) { return {2 * i + lane / 16, lane % 16}; }
MatrixPlace c_gfx12(int lane, int i) { return {8 * (lane / 16) + i, lane % 16}; }

// Registers of A hold `Pair` steps of k: rows lane / 4 and 8 more, then the other half of k.
template <int Pair>
int k_mma(int lane, int element) {
  return Pair * (lane % 4) + element % Pair + 4 * Pair * (element / (2 * Pair));
}
template <int Pair>
int row_mma(int lane, int element) {
  return lane / 4 + 8 * (element / Pair % 2);
}
template <int Pair>
MatrixPlace b_mma(int lane, int element) {
  return {Pair * (lane % 4) + element % Pair + 4 * Pair * (element / Pair), lane / 4};
}
// f64: single steps of k, 4 apart.
int k_dmma(int lane, int element) { return lane % 4 + 4 * (element / 2); }
int row_dmma(int lane, int element) { return lane / 4 + 8 * (element % 2); }
MatrixPlace b_dmma(int lane, int element) { return {lane % 4 + 4 * element, lane / 4}; }
MatrixPlace c_mma(int lane, int i) { return {lane / 4 + 8 * (i / 2), 2 * (lane % 4) + i % 2}; }

template <int Elements>
int k_wmma(int lane, int element) {
  return Elements * (lane / 16) + element;
}
MatrixPlace c_wmma(int lane, int i) { return {lane % 16, 8 * (lane / 16) + i}; }

// All binary16 numbers, since millions are converted.
const std::vector<float> &halves() {
  static const std::vector<float> table = [] {
    std::vector<float> all;
    for (unsigned bits = 0; bits < 65536; ++bits) {
      all.push_back(sgemm_test::float_from_half(static_cast<uint16_t>(bits)));
    }
    return all;
  }();
  return table;
}

// Value: double for f64, else float.
template <typename Value>
Value element(const MatrixOp &op, const void *registers, int i) {
  if (op.type == MatrixType::f32 || op.type == MatrixType::f64) return static_cast<const Value *>(registers)[i];
  uint16_t bits;
  std::memcpy(&bits, static_cast<const char *>(registers) + 2 * i, sizeof bits);
  return op.type == MatrixType::f16 ? halves()[bits] : sgemm_test::float_from_bfloat16(bits);
}

constexpr int kMost = 32;  // most rows, columns and k

template <typename Value>
struct Tile {
  Value at[kMost][kMost] = {};
  bool set[kMost][kMost] = {};

  // False if another lane has another value: on gfx11 two lanes hold each row of an operand.
  bool put(int row, int column, Value value) {
    Value &place = at[row][column];
    if (set[row][column]) return std::memcmp(&place, &value, sizeof value) == 0;
    set[row][column] = true;
    place = value;
    return true;
  }
};

// Number: type of products. Products of halves are exact in FP32, of floats in FP64; f64 operands are converted floats,
// so that fusing cannot change rounding.
template <typename Number, typename Value>
void multiply(const MatrixOp &op, const Tile<Value> &a, const Tile<Value> &b, Value (*c)[kMost]) {
  if (op.type == MatrixType::f64 && f64_adds_pairs) {
    for (int i = 0; i < op.m; ++i) {
      for (int j = 0; j < op.n; ++j) {
        for (int k = 0; k < op.k; k += 2) c[i][j] += a.at[i][k] * b.at[k][j] + a.at[i][k + 1] * b.at[k + 1][j];
      }
    }
    return;
  }
  for (int i = 0; i < op.m; ++i) {
    for (int k = 0; k < op.k; ++k) {
      const Number x = a.at[i][k];
      for (int j = 0; j < op.n; ++j) c[i][j] = static_cast<Value>(c[i][j] + x * static_cast<Number>(b.at[k][j]));
    }
  }
}

const std::vector<MatrixPlace> &places_in_c(const MatrixOp &op) {
  static thread_local std::map<const MatrixOp *, std::vector<MatrixPlace>> known;
  std::vector<MatrixPlace> &places = known[&op];
  if (places.empty()) {
    for (unsigned lane = 0; lane < op.wave; ++lane) {
      for (int r = 0; r < op.accumulators; ++r) places.push_back(op.c_of(static_cast<int>(lane), r));
    }
  }
  return places;
}

struct Deposit {
  const MatrixOp *op;
  const void *a, *b;
  void *c;
};

const Deposit &deposit_of(const std::unique_ptr<FiberThread> &lane) {
  return *reinterpret_cast<const Deposit *>(static_cast<uintptr_t>(lane->value));
}

template <typename Number, typename Value>
std::string multiply_wave_of(const std::unique_ptr<FiberThread> *lanes) {
  const MatrixOp &op = *deposit_of(lanes[0]).op;
  const std::vector<MatrixPlace> &places = places_in_c(op);
  Tile<Value> a, b;
  Value c[kMost][kMost];
  const MatrixPlace *place_in_c = places.data();
  for (unsigned i = 0; i < op.wave; ++i) {
    const Deposit &deposit = deposit_of(lanes[i]);
    const int lane = static_cast<int>(i);
    if (deposit.op != &op)
      return std::string("executes ") + op.name + " while another lane executes " + deposit.op->name;
    bool same = true;
    for (int e = 0; e < op.operand_elements; ++e) {
      const int row = op.row_of_a != nullptr ? op.row_of_a(lane, e) : lane % op.m;
      same = same && a.put(row, op.k_of(lane, e), element<Value>(op, deposit.a, e));
    }
    for (int e = 0; e < (op.b_of != nullptr ? op.b_elements : op.operand_elements); ++e) {
      const MatrixPlace place = op.b_of != nullptr ? op.b_of(lane, e) : MatrixPlace{op.k_of(lane, e), lane % op.n};
      same = same && b.put(place.row, place.column, element<Value>(op, deposit.b, e));
    }
    if (!same) return std::string("and its twin in the other half of the wave bring different operands of ") + op.name;
    for (int r = 0; r < op.accumulators; ++r, ++place_in_c) {
      c[place_in_c->row][place_in_c->column] = static_cast<const Value *>(deposit.c)[r];
    }
  }
  multiply<Number>(op, a, b, c);
  place_in_c = places.data();
  for (unsigned i = 0; i < op.wave; ++i) {
    for (int r = 0; r < op.accumulators; ++r, ++place_in_c) {
      static_cast<Value *>(deposit_of(lanes[i]).c)[r] = c[place_in_c->row][place_in_c->column];
    }
  }
  return "";
}

}  // namespace

std::string multiply_wave(const std::unique_ptr<FiberThread> *lanes) {
  switch (deposit_of(lanes[0]).op->type) {
    case MatrixType::f64:
      return multiply_wave_of<double, double>(lanes);
    case MatrixType::f32:
      return multiply_wave_of<double, float>(lanes);
    default:
      return multiply_wave_of<float, float>(lanes);
  }
}

void matrix_multiply(const MatrixOp &op, const void *a, const void *b, void *c) {
  if (configuration().wave != op.wave || self()->block->threads.size() % op.wave != 0) {
    fail(std::string("executes ") + op.name + ", which takes whole waves of " + std::to_string(op.wave));
  }
  const Deposit deposit = {&op, a, b, c};
  warp_exchange(WarpOp::matrix, full_wave(), reinterpret_cast<uintptr_t>(&deposit));
}

using Type = MatrixType;
const MatrixOp mfma_f32_32x32x2f32 = {"v_mfma_f32_32x32x2f32", Type::f32, 64, 32, 32, 2, 1, 16, k_mfma<1>, c_mfma};
const MatrixOp mfma_f32_32x32x8f16 = {"v_mfma_f32_32x32x8f16", Type::f16, 64, 32, 32, 8, 4, 16, k_mfma<4>, c_mfma};
const MatrixOp mfma_f32_32x32x4bf16 = {"v_mfma_f32_32x32x4bf16", Type::bf16, 64, 32, 32, 4, 2, 16, k_mfma<2>, c_mfma};
const MatrixOp mfma_f32_32x32x8bf16_1k = {
    "v_mfma_f32_32x32x8bf16_1k", Type::bf16, 64, 32, 32, 8, 4, 16, k_mfma<4>, c_mfma};

const MatrixOp mfma_f32_32x32x4_xf32 = {"v_mfma_f32_32x32x4_xf32", Type::f32, 64, 32, 32, 4, 2, 16, k_mfma<2>, c_mfma};
const MatrixOp mfma_f64_16x16x4f64 = {"v_mfma_f64_16x16x4f64", Type::f64, 64, 16, 16, 4, 1, 4, k_mfma_f64, c_mfma_f64};

const MatrixOp wmma_f32_16x16x16_f16 = {"v_wmma_f32_16x16x16_f16", Type::f16, 32, 16, 16, 16, 16, 8, k_gfx11, c_gfx11};
const MatrixOp wmma_f32_16x16x16_bf16 = {
    "v_wmma_f32_16x16x16_bf16", Type::bf16, 32, 16, 16, 16, 16, 8, k_gfx11, c_gfx11};
const MatrixOp wmma_f32_16x16x16_f16_gfx12 = {
    "v_wmma_f32_16x16x16_f16 (gfx12)", Type::f16, 32, 16, 16, 16, 8, 8, k_gfx12, c_gfx12};
const MatrixOp wmma_f32_16x16x16_bf16_gfx12 = {
    "v_wmma_f32_16x16x16_bf16 (gfx12)", Type::bf16, 32, 16, 16, 16, 8, 8, k_gfx12, c_gfx12};

const MatrixOp mma_f16 = {"mma.m16n8k16.f16", Type::f16, 32, 16, 8, 16, 8, 4, k_mma<2>, c_mma, row_mma<2>, b_mma<2>, 4};
const MatrixOp mma_bf16 = {"mma.m16n8k16.bf16", Type::bf16, 32, 16, 8, 16, 8, 4, k_mma<2>, c_mma,
                           row_mma<2>,          b_mma<2>,   4};
const MatrixOp mma_tf32 = {"mma.m16n8k8.tf32", Type::f32, 32, 16, 8, 8, 4, 4, k_mma<1>, c_mma, row_mma<1>, b_mma<1>, 2};

const MatrixOp mma_f64 = {"mma.m16n8k16.f64", Type::f64, 32, 16, 8, 16, 8, 4, k_dmma, c_mma, row_dmma, b_dmma, 4};
// A lane holds one element of each operand and two of C, in the places of the first ones of m16n8k16.
const MatrixOp mma_f64_m8n8k4 = {"mma.m8n8k4.f64", Type::f64, 32, 8, 8, 4, 1, 2, k_dmma, c_mma, row_dmma, b_dmma, 1};

const MatrixOp wmma_f16 = {"wmma.m16n16k16.f16", Type::f16, 32, 16, 16, 16, 8, 8, k_wmma<8>, c_wmma};
const MatrixOp wmma_bf16 = {"wmma.m16n16k16.bf16", Type::bf16, 32, 16, 16, 16, 8, 8, k_wmma<8>, c_wmma};
const MatrixOp wmma_tf32 = {"wmma.m16n16k8.tf32", Type::f32, 32, 16, 16, 8, 4, 8, k_wmma<4>, c_wmma};

}  // namespace simt
