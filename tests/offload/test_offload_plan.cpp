// common/offload/tile_plan.h: for every shape and memory size each element of C is in one tile, and everything fits in
// buffers and memory.
#include <algorithm>
#include <map>
#include <set>

#include "offload/operand.h"
#include "offload/plan_cache.h"
#include "offload/tile_plan.h"
#include "support/catch.h"

using namespace libsgemm;

namespace {

constexpr Rates kRates = {50e9, 50e9, 50e12};

GemmDesc product(int64_t m, int64_t n, int64_t k, bool transposed = false, int64_t batch = 1) {
  GemmDesc d = {};
  d.routine = Routine::gemm;
  d.transa = d.transb = transposed ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
  d.m = m;
  d.n = n;
  d.k = k;
  d.lda = d.ldb = d.ldc = std::max({m, n, k});
  d.alpha = 1;
  d.batch = batch > 1 ? Batch::strided : Batch::none;
  d.batch_count = batch;
  d.stride_a = d.stride_b = d.stride_c = d.ldc * d.ldc;
  return d;
}

bool covers(const std::vector<int64_t> &bounds, int64_t length) {
  return bounds.size() >= 2 && bounds.front() == 0 && bounds.back() == length &&
         std::adjacent_find(bounds.begin(), bounds.end(), std::greater_equal<>()) == bounds.end();
}

void check_plan(const GemmDesc &d, const TilePlan &p, size_t budget) {
  CHECK(covers(p.rows, d.m));
  CHECK(covers(p.cols, d.n));
  CHECK(covers(p.depth, d.k));
  CHECK(p.bytes() <= budget);
  CHECK(p.a_buffers >= 1);
  CHECK((p.b_buffers >= 1 || p.b_bytes == 0));
  CHECK(p.c_buffers >= 1);
  CHECK(p.group >= 1);
  CHECK((p.group == 1 || p.tiles() == 1));
  if (p.tiles() * d.batch_count > 20000) return;
  std::set<std::vector<int64_t>> all, parts;
  int64_t units = 0;
  for (const Unit &u : make_units(d, p, 0, 1)) {
    ++units;
    for (int64_t item = u.item; item < u.item + u.items; ++item) all.insert({item, u.i, u.j, u.back});
  }
  const int64_t tiles = has_triangle(d) ? p.row_panels() * (p.row_panels() + 1) / 2 : p.tiles();
  CHECK(static_cast<int64_t>(all.size()) == tiles * d.batch_count);
  for (int part = 0; part < 3; ++part) {
    for (const Unit &u : make_units(d, p, part, 3)) {
      --units;
      for (int64_t item = u.item; item < u.item + u.items; ++item) parts.insert({item, u.i, u.j, u.back});
    }
  }
  CHECK(units == 0);
  CHECK(parts == all);
  for (const Unit &u :
       {Unit{0, p.group, 0, 0, false}, Unit{0, p.group, p.row_panels() - 1, p.col_panels() - 1, true}}) {
    for (const int64_t launch : {int64_t{0}, launches_of(d, p, u) - 1}) {
      const Factors f = factors_of(d, p, u, launch);
      for (const Factor &x : {f.first, f.second}) {
        CHECK(device_bytes(x.block, size_of(d.type)) <= (x.of_b ? p.b_bytes : p.a_bytes));
      }
      CHECK(device_bytes(block_of_c(p, u), sizeof(float)) <= p.c_bytes);
    }
  }
}

}  // namespace

TEST_CASE("every shape has a plan that fits") {
  const auto try_shape = [](int64_t m, int64_t n, int64_t k, size_t budget) {
    for (const bool transposed : {false, true}) {
      const GemmDesc d = product(m, n, k, transposed);
      TilePlan p = {};
      INFO(m << " " << n << " " << k << " in " << budget << " transposed " << transposed);
      REQUIRE(make_plan(d, kRates, budget, &p));
      check_plan(d, p, budget);
    }
  };
  const int64_t sizes[] = {1, 17, 300, 2500, 40000};
  for (const int64_t m : sizes) {
    for (const int64_t n : sizes) {
      for (const int64_t k : sizes) {
        for (const size_t budget : {size_t{1} << 30, size_t{70} << 30}) try_shape(m, n, k, budget);
        if (std::max({m, n, k}) <= 2500) try_shape(m, n, k, size_t{200} << 10);
      }
    }
  }
  const int64_t huge = 3000000000;
  for (const size_t budget : {size_t{1} << 30, size_t{70} << 30}) {
    try_shape(huge, 1, 7, budget);
    try_shape(2, huge, 3, budget);
    try_shape(40, 5, huge, budget);
    try_shape(huge, 40, 1, budget);
  }
}

TEST_CASE("a sum that is to be one chain is not cut") {
  TilePlan p = {};
  GemmDesc deep = product(500, 400, 1 << 17);
  const size_t little = size_t{64} << 20;
  REQUIRE(make_plan(deep, kRates, little, &p));
  CHECK(p.steps() > 1);
  deep.deterministic = LIBSGEMM_DETERMINISTIC_INVARIANT;
  REQUIRE(make_plan(deep, kRates, little, &p));
  CHECK(p.steps() == 1);
  CHECK(p.tiles() > 1);
  check_plan(deep, p, little);
  deep = product(500, 400, int64_t{1} << 30);
  deep.deterministic = LIBSGEMM_DETERMINISTIC_INVARIANT;
  CHECK_FALSE(make_plan(deep, kRates, little, &p));  // no row of A fits

  // Off the diagonal syr2k is two products, between which C would be rounded.
  GemmDesc two = product(3000, 3000, 2000);
  two.routine = Routine::syr2k;
  REQUIRE(make_plan(two, kRates, little, &p));
  CHECK(p.tiles() > 1);
  two.deterministic = LIBSGEMM_DETERMINISTIC_INVARIANT;
  CHECK_FALSE(make_plan(two, kRates, little, &p));
  REQUIRE(make_plan(two, kRates, little * 4, &p));
  CHECK(p.tiles() == 1);
}

TEST_CASE("no plan where not even small blocks fit") {
  TilePlan p = {};
  CHECK_FALSE(make_plan(product(100, 100, 100), kRates, 1000, &p));
  CHECK(make_plan(product(100, 100, 100), kRates, 20000, &p));
}

TEST_CASE("what fits stays on the device, and k is whole") {
  for (const int64_t n : {500, 8192, 16384, 40000}) {
    TilePlan p = {};
    REQUIRE(make_plan(product(n, n, n), kRates, size_t{70} << 30, &p));
    INFO(n);
    CHECK(p.order == Order::frontier);
    CHECK(p.steps() == 1);
    CHECK(p.a_buffers == p.row_panels());
    CHECK(p.b_buffers == p.col_panels());
    CHECK((n < 8192 || p.tiles() >= 9));
  }
}

TEST_CASE("sums in FP64 stay whole, as each part of k would round C") {
  GemmDesc d = product(3000, 3000, 40000);
  d.math_mode = LIBSGEMM_MATH_FP64;
  for (const size_t budget : {size_t{100} << 20, size_t{1} << 30}) {
    TilePlan p = {};
    REQUIRE(make_plan(d, kRates, budget, &p));
    CHECK(p.steps() == 1);
    check_plan(d, p, budget);
  }
  d = product(1, 1, 3000000000);
  TilePlan p = {};
  REQUIRE(make_plan(d, kRates, size_t{1} << 30, &p));
  CHECK(p.steps() > 1);
  d.math_mode = LIBSGEMM_MATH_FP64;
  CHECK_FALSE(make_plan(d, kRates, size_t{1} << 30, &p));
}

TEST_CASE("small memory costs little for a large product") {
  const GemmDesc d = product(40000, 40000, 40000);
  TilePlan small = {}, large = {};
  REQUIRE(make_plan(d, kRates, size_t{70} << 30, &large));
  REQUIRE(make_plan(d, kRates, size_t{4} << 30, &small));
  CHECK(small.bytes() <= size_t{4} << 30);
  CHECK(small.seconds < 1.1 * large.seconds);
  CHECK(large.seconds < 1.05 * 2 * 4e4 * 4e4 * 4e4 / kRates.flops);
}

TEST_CASE("small products of a batch go together, large ones do not") {
  TilePlan p = {};
  GemmDesc d = product(16, 16, 16, false, 100000);
  REQUIRE(make_plan(d, kRates, size_t{1} << 30, &p));
  CHECK(p.group > 1000);
  check_plan(d, p, size_t{1} << 30);
  d = product(3000, 3000, 3000, false, 5);
  REQUIRE(make_plan(d, kRates, size_t{1} << 30, &p));
  CHECK(p.group == 1);
  check_plan(d, p, size_t{1} << 30);
  d.stride_a = 0;  // one A for the batch
  CHECK(factors_of(d, p, {3, 1, 0, 0, false}, 0).first.block.item == 0);
  CHECK(factors_of(d, p, {3, 1, 0, 0, false}, 0).second.block.item == 3);
}

TEST_CASE("batches of the other routines: small ones go together, and what they share is copied once") {
  for (const Routine routine : {Routine::syrk, Routine::trmm, Routine::trsm}) {
    for (const bool small : {true, false}) {
      const int64_t order = small ? 16 : 3000;
      GemmDesc d = product(order, order, order, false, small ? 10000 : 5);
      d.routine = routine;
      d.side = LIBSGEMM_LEFT;
      d.uplo = LIBSGEMM_LOWER;
      d.beta = routine == Routine::trsm ? 1.0f : 0.0f;
      TilePlan p = {};
      INFO(static_cast<int>(routine) << (small ? " small" : " large"));
      REQUIRE(make_plan(d, kRates, size_t{1} << 30, &p));
      CHECK((p.group > 100) == small);
      check_plan(d, p, size_t{1} << 30);
      const Unit unit = {3, p.group, p.row_panels() - 1, 0, false};
      CHECK(factors_of(d, p, unit, 0).first.block.item == 3);
      CHECK(factors_of(d, p, unit, 0).first.block.items == p.group);
      d.stride_a = 0;
      const Factors shared = factors_of(d, p, unit, 0);
      CHECK(shared.first.block.item == 0);
      CHECK(shared.first.block.items == 1);
      CHECK(shared.second.block.item == 0);
      CHECK(device_desc(d, p, unit, shared).stride_a == 0);
      CHECK(device_desc(d, p, unit, shared).batch_count == p.group);
    }
  }
}

TEST_CASE("one operand of a side is whole, and C is cut along the other") {
  for (const Routine routine : {Routine::symm, Routine::trmm, Routine::trsm}) {
    for (const libsgemm_side_t side : {LIBSGEMM_LEFT, LIBSGEMM_RIGHT}) {
      const bool left = side == LIBSGEMM_LEFT;
      GemmDesc d = product(left ? 1000 : 50000, left ? 50000 : 1000, 1000);
      d.routine = routine;
      d.side = side;
      d.beta = in_place(d) ? 1.0f : 0.0f;
      TilePlan p = {};
      REQUIRE(make_plan(d, kRates, size_t{60} << 20, &p));
      INFO(static_cast<int>(routine) << " " << side);
      CHECK((left ? p.row_panels() : p.col_panels()) == 1);
      CHECK((left ? p.col_panels() : p.row_panels()) > 1);
      CHECK(p.bytes() <= size_t{60} << 20);
      const Block a = factors_of(d, p, {0, 1, 0, 0, false}, 0).first.block;
      CHECK(a.rows == 1000);
      CHECK(a.cols == 1000);
    }
  }
}

TEST_CASE("a triangle of C is cut alike in both directions") {
  for (const RoutineTraits &traits : kRoutines) {
    if (!traits.triangle_of_c) continue;
    const Routine routine = traits.routine;
    for (const libsgemm_uplo_t uplo : {LIBSGEMM_UPPER, LIBSGEMM_LOWER}) {
      for (const size_t budget : {size_t{70} << 30, size_t{1} << 30, size_t{30} << 20}) {
        GemmDesc d = product(9000, 9000, 5000, uplo == LIBSGEMM_UPPER);
        d.routine = routine;
        d.uplo = uplo;
        TilePlan p = {};
        INFO(static_cast<int>(routine) << " " << uplo << " " << budget);
        REQUIRE(make_plan(d, kRates, budget, &p));
        check_plan(d, p, budget);
        CHECK(p.rows == p.cols);
        CHECK(p.row_panels() > 2);
        // Each multiplication of the triangle and of the diagonal's squares counts once.
        double flops = 0;
        for (const Unit &u : make_units(d, p, 0, 1)) {
          CHECK((uplo == LIBSGEMM_LOWER ? u.i >= u.j : u.i <= u.j));
          for (int64_t launch = 0; launch < launches_of(d, p, u); ++launch) {
            const GemmDesc part = device_desc(d, p, u, factors_of(d, p, u, launch));
            CHECK((part.routine == Routine::gemm) == (u.i != u.j));
            flops += flop_count(part);
          }
        }
        CHECK(flops == Approx(flop_count(d)).epsilon(1e-9));
      }
    }
  }
}

TEST_CASE("sums in FP64 of a triangle are one, beside the diagonal as on it, but for syr2k's two products") {
  for (const RoutineTraits &traits : kRoutines) {
    if (!traits.triangle_of_c) continue;
    const Routine routine = traits.routine;
    for (const libsgemm_math_mode_t mode : {LIBSGEMM_MATH_FP32, LIBSGEMM_MATH_TF32, LIBSGEMM_MATH_FP64}) {
      GemmDesc d = product(9000, 9000, 500);
      d.routine = routine;
      d.uplo = LIBSGEMM_LOWER;
      d.math_mode = mode;
      TilePlan p = {};
      INFO(static_cast<int>(routine) << " " << mode);
      REQUIRE(make_plan(d, kRates, size_t{1} << 30, &p));
      REQUIRE(p.steps() == 1);
      REQUIRE(p.tiles() > 1);
      CHECK(rounds_between(d, p) == (routine == Routine::syr2k));
      for (const Unit &u : make_units(d, p, 0, 1)) {
        const GemmDesc part = device_desc(d, p, u, factors_of(d, p, u, 0));
        if (u.i != u.j) CHECK(part.math_mode == (mode == LIBSGEMM_MATH_FP64 ? mode : LIBSGEMM_MATH_FP32));
      }
      p.rows = p.cols = {0, 9000};
      CHECK_FALSE(rounds_between(d, p));
      p.depth = {0, 250, 500};
      CHECK(rounds_between(d, p));
    }
  }
}

TEST_CASE("a block is cut into pieces that hold all of it and are small") {
  for (const Block &b : {Block{0, 1, 5, 300, 7, 40}, Block{2, 3, 0, 9, 0, 11}, Block{0, 1, 0, 5000, 0, 3}}) {
    for (const size_t bytes : {size_t{64}, size_t{4096}, size_t{1} << 20}) {
      std::map<size_t, int> seen;
      int64_t column = 0, row = 0;
      while (column < b.items * b.cols) {
        const Piece p = next_piece(b, sizeof(float), bytes, column, row);
        INFO(p.column << " " << p.columns << " " << p.row << " " << p.rows << " of " << bytes);
        REQUIRE(piece_bytes(b, p, sizeof(float)) <= bytes);
        REQUIRE((p.columns == 1 || p.rows == b.rows));
        for (int64_t j = 0; j < p.columns; ++j) {
          for (int64_t i = 0; i < p.rows; ++i) ++seen[static_cast<size_t>((p.column + j) * b.rows + p.row + i)];
        }
        row = p.row + p.rows < b.rows ? p.row + p.rows : 0;
        if (row == 0) column = p.column + p.columns;
      }
      CHECK(seen.size() == static_cast<size_t>(b.items * b.cols * b.rows));
      CHECK(std::all_of(seen.begin(), seen.end(), [](const auto &x) { return x.second == 1; }));
    }
  }
}

TEST_CASE("a plan is kept for calls that are the same in all that it depends on") {
  const Backend backend = {};
  const GemmDesc desc = product(100, 90, 80);
  const PlanKey key = {&backend, 0, nullptr, kRates, choice_key(desc)};
  TilePlan plan = {}, found = {};
  size_t workspace = 0;
  REQUIRE(make_plan(desc, kRates, size_t{1} << 30, &plan));
  CHECK(!find_plan(key, &found, &workspace));
  keep_plan(key, plan, 512);
  REQUIRE(find_plan(key, &found, &workspace));
  CHECK(workspace == 512);
  CHECK(found.rows == plan.rows);
  CHECK(found.bytes() == plan.bytes());

  std::vector<PlanKey> others(5, key);
  GemmDesc longer = desc, unaligned = desc;
  longer.k = 81;
  others[0].choice = choice_key(longer);
  others[1].device = 1;
  others[2].rates.up = 25e9;
  const Kernel kernel = {};
  others[3].forced = &kernel;
  alignas(16) const float place[2] = {};
  unaligned.a = &place[1];
  others[4].choice = choice_key(unaligned);
  for (const PlanKey &other : others) CHECK(!find_plan(other, &found, &workspace));

  PlanKey later = key;
  for (int i = 0; i < 16; ++i) {
    CHECK(find_plan(key, &found, &workspace));
    longer.k = 200 + i;
    later.choice = choice_key(longer);
    keep_plan(later, plan, 0);
  }
  CHECK(!find_plan(key, &found, &workspace));
  CHECK(find_plan(later, &found, &workspace));
}
