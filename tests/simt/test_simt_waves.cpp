#include <cstring>

#include "simt/fibers/matrix_instructions.h"
#include "support/catch.h"
#include "support/numbers.h"

namespace {

using sgemm_test::Contains;

template <typename Body>
std::string run_wave(unsigned wave, unsigned threads, const Body &body) {
  return simt::run(nullptr, {1, threads, 0, 1, wave}, [&] { body(static_cast<int>(simt::lane())); });
}

uint64_t bits_of(int value) { return static_cast<uint64_t>(value); }

// ---- Formulas of AMD's matrix instruction calculator from element to lane and register, the inverse of those in
// matrix_instructions.cpp.

struct Place {
  int lane, element;
};

struct Layout {
  const simt::MatrixOp *op;
  Place (*operand)(int i, int k);  // A[i][k], B[k][i]
  Place (*sum)(int i, int j);
  int copies;  // number of lanes, 16 apart, with the same operand elements
};

template <int Elements>
Place mfma_operand(int i, int k) {
  return {32 * (k / Elements) + i, k % Elements};
}
Place mfma_sum(int i, int j) { return {32 * (i / 4) % 64 + j, 4 * (i / 8) + i % 4}; }
Place gfx11_operand(int i, int k) { return {i, 2 * (k / 2) + k % 2}; }
Place gfx11_sum(int i, int j) { return {16 * i % 32 + j, i / 2}; }
Place gfx12_operand(int i, int k) { return {16 * (k / 4 % 2) + i, 2 * (2 * (k / 8) + k / 2 % 2) + k % 2}; }
Place gfx12_sum(int i, int j) { return {16 * (i / 8) + j, i % 8}; }

const Layout kLayouts[] = {{&simt::mfma_f32_32x32x2f32, mfma_operand<1>, mfma_sum, 1},
                           {&simt::mfma_f32_32x32x8f16, mfma_operand<4>, mfma_sum, 1},
                           {&simt::mfma_f32_32x32x4bf16, mfma_operand<2>, mfma_sum, 1},
                           {&simt::mfma_f32_32x32x8bf16_1k, mfma_operand<4>, mfma_sum, 1},
                           {&simt::wmma_f32_16x16x16_f16, gfx11_operand, gfx11_sum, 2},
                           {&simt::wmma_f32_16x16x16_bf16, gfx11_operand, gfx11_sum, 2},
                           {&simt::wmma_f32_16x16x16_f16_gfx12, gfx12_operand, gfx12_sum, 1},
                           {&simt::wmma_f32_16x16x16_bf16_gfx12, gfx12_operand, gfx12_sum, 1}};

// 16 floats hold every fragment.
struct Registers {
  float of[64][16];
};

void set_element(simt::MatrixType type, Registers *registers, const Place &place, int value) {
  const uint16_t half = type == simt::MatrixType::f16 ? sgemm_test::half_from_float(static_cast<float>(value))
                                                      : sgemm_test::bfloat16_from_float(static_cast<float>(value));
  if (type == simt::MatrixType::f32) {
    registers->of[place.lane][place.element] = static_cast<float>(value);
  } else {
    std::memcpy(reinterpret_cast<char *>(registers->of[place.lane]) + 2 * place.element, &half, sizeof half);
  }
}

int wrong_elements(const Layout &layout) {
  const simt::MatrixOp &op = *layout.op;
  sgemm_test::Random random(5);
  static Registers a, b, c;
  int matrix_a[32][32], matrix_b[32][32], matrix_c[32][32];
  for (int i = 0; i < op.m; ++i) {
    for (int k = 0; k < op.k; ++k) {
      matrix_a[i][k] = random.integer(-7, 7);
      matrix_b[i][k] = random.integer(-7, 7);
      for (int copy = 0; copy < layout.copies; ++copy) {
        Place place = layout.operand(i, k);
        place.lane += 16 * copy;
        set_element(op.type, &a, place, matrix_a[i][k]);
        set_element(op.type, &b, place, matrix_b[i][k]);
      }
    }
    for (int j = 0; j < op.n; ++j) {
      matrix_c[i][j] = random.integer(-7, 7);
      set_element(simt::MatrixType::f32, &c, layout.sum(i, j), matrix_c[i][j]);
    }
  }
  CHECK(run_wave(op.wave, op.wave, [&](int lane) { simt::matrix_multiply(op, a.of[lane], b.of[lane], c.of[lane]); }) ==
        "");
  int wrong = 0;
  for (int i = 0; i < op.m; ++i) {
    for (int j = 0; j < op.n; ++j) {
      int expected = matrix_c[i][j];
      for (int k = 0; k < op.k; ++k) expected += matrix_a[i][k] * matrix_b[j][k];
      const Place place = layout.sum(i, j);
      wrong += c.of[place.lane][place.element] != static_cast<float>(expected);
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("a matrix instruction multiplies what the lanes hold") {
  for (const Layout &layout : kLayouts) {
    INFO(layout.op->name);
    CHECK(wrong_elements(layout) == 0);
  }
}

TEST_CASE("a matrix instruction takes whole waves of its size that agree") {
  static Registers registers;
  const auto execute = [](const simt::MatrixOp &op, int lane) {
    simt::matrix_multiply(op, registers.of[lane], registers.of[lane], registers.of[lane]);
  };
  const auto mfma = [&](int lane) { execute(simt::mfma_f32_32x32x2f32, lane); };
  CHECK_THAT(run_wave(32, 64, mfma), Contains("which takes whole waves of 64"));
  CHECK_THAT(run_wave(64, 96, mfma), Contains("which takes whole waves of 64"));
  const auto some = [&](int lane) {
    if (lane != 5) mfma(lane);
  };
  CHECK_THAT(run_wave(64, 64, some), Contains("63 threads wait in a warp operation"));
  const auto various = [&](int lane) {
    execute(lane < 9 ? simt::mfma_f32_32x32x8f16 : simt::mfma_f32_32x32x8bf16_1k, lane);
  };
  CHECK_THAT(run_wave(64, 64, various), Contains("while another lane executes"));
  for (int i = 0; i < 64; ++i) registers.of[i][2] = static_cast<float>(i / 16);
  CHECK_THAT(run_wave(32, 32, [&](int lane) { execute(simt::wmma_f32_16x16x16_f16, lane); }),
             Contains("bring different operands"));
}

TEST_CASE("a value that lanes of a wave do not share is not uniform") {
  const auto by_warp = [](int lane) { simt::expect_uniform(bits_of(lane / 32)); };
  const auto second = [](int lane) {
    simt::expect_uniform(3);
    simt::expect_uniform(bits_of(lane == 17 ? 1 : 2));
  };
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    simt::schedule().seed = seed;
    CHECK(run_wave(32, 128, by_warp) == "");
    CHECK_THAT(run_wave(64, 128, by_warp), Contains("is not uniform"));
    CHECK_THAT(run_wave(64, 64, second), Contains("is not uniform"));
  }
}
