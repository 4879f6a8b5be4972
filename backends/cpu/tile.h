// One tile of C: packed operands, micro-kernels, and sums that are written once, after all terms.
//
//   y: 512 terms x columns of the tile, panels of 8 (4)       sums of the tile, micro-tile after micro-tile:
//   x: 512 terms x 6 panels of rows, within L2                read and written once per 512 terms
//
// Blocking: Goto and van de Geijn, ACM TOMS 34 (2008).
#pragma once

#include <type_traits>

#include "contract/finish.h"
#include "pack.h"

namespace libsgemm {

constexpr int64_t kBlock = 512;  // terms at a time
constexpr int64_t kPanels = 6;   // of x at a time
static_assert(kChainTerms % kBlock == 0, "a chain ends with a block");

inline int64_t round_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

// `Real`: float sums one chain over all products, double chains of kChainTerms terms (contract/finish.h).
template <typename Real>
class Tile {
 public:
  // For tiles of this size and products of k terms.
  struct Memory {
    int64_t x, y, sum, line;  // numbers
    bool several;             // chains
    int64_t bytes() const { return (x + y + (several ? 2 : 1) * sum) * static_cast<int64_t>(sizeof(Real)) + line * 4; }
  };

  static Memory memory(const Cpu &cpu, const Products &p, int64_t rows, int64_t columns) {
    const CpuSteps<Real> &s = steps_of<Real>(cpu);
    const int64_t k = p.term[0].k, terms = std::min(k, kBlock);
    rows = round_up(rows, s.x.width);
    columns = round_up(columns, s.y.width);
    const bool halves = p.term[0].x.type != Type::f32;
    const int64_t line = std::max({rows, columns, terms * s.x.width, terms * s.y.width});
    return {round_up(std::min(rows, kPanels * s.x.width) * terms, 16), round_up(columns * terms, 16), rows * columns,
            halves ? line : 0, kCuts && (k > kChainTerms || p.count > 1)};
  }

  Tile(const Cpu &cpu, const Memory &size, void *memory)
      : cpu_(cpu),
        steps_(steps_of<Real>(cpu)),
        x_(static_cast<Real *>(memory)),
        y_(x_ + size.x),
        sum_(y_ + size.y),
        total_(size.several ? sum_ + size.sum : sum_),
        line_(reinterpret_cast<float *>(total_ + size.sum)) {}

  // y of a product is not triangular.
  void run(const Products &p, Span rows, Span columns, float alpha, float beta) {
    rows_ = rows;
    columns_ = columns;
    part_ = p.out.part;
    for (int i = 0; i < p.count; ++i) {
      const int64_t chain = kCuts ? kChainTerms : p.term[i].k;
      for (int64_t l = 0; l < p.term[i].k; l += chain) {
        add_chain(p.term[i], i, {l, std::min(p.term[i].k, l + chain)});
      }
    }
    for_sums(rows, [&](int64_t i, int64_t j, int64_t at) {
      steps_.write(p.out, {i, std::min(rows.last, i + steps_.x.width)}, {j, std::min(columns.last, j + steps_.y.width)},
                   alpha, beta, total_ + at);
    });
  }

 private:
  static constexpr bool kCuts = std::is_same_v<Real, double>;

  // Calls run(row, column, place in sum_) for the micro-tiles of these rows that have elements of the output.
  template <class Run>
  void for_sums(Span rows, const Run &run) const {
    const int64_t mr = steps_.x.width, nr = steps_.y.width, height = round_up(rows_.last - rows_.first, mr);
    for (int64_t j = columns_.first; j < columns_.last; j += nr) {
      for (int64_t i = rows.first; i < rows.last; i += mr) {
        if (part_ == Output::upper && i >= j + nr) break;
        if (part_ == Output::lower && i + mr <= j) continue;
        run(i, j, (j - columns_.first) * height + (i - rows_.first) * nr);
      }
    }
  }

  // Terms that rows of x have.
  static Span terms_of(const Product &p, Span rows) {
    if (p.x.structure != View::triangular) return {0, p.k};
    return p.x.upper ? Span{rows.first, p.k} : Span{0, std::min(p.k, rows.last)};
  }

  static Span common(Span a, Span b) { return {std::max(a.first, b.first), std::min(a.last, b.last)}; }

  void add_chain(const Product &p, int index, Span chain) {
    const Span all = common(chain, terms_of(p, rows_));
    for (int64_t l = chain.first; l < chain.last; l += kBlock) {
      const Span block = {l, std::min(chain.last, l + kBlock)};
      if (block.last <= all.first || block.first >= all.last) continue;
      pack(cpu_, steps_.y, p.y.transposed(), columns_, block, line_, y_);
      for (int64_t i = rows_.first; i < rows_.last; i += kPanels * steps_.x.width) {
        add_rows(p, index, chain, block, {i, std::min(rows_.last, i + kPanels * steps_.x.width)});
      }
    }
  }

  void add_rows(const Product &p, int index, Span chain, Span block, Span rows) {
    if (part_ == Output::upper && rows.first >= columns_.last) return;
    if (part_ == Output::lower && rows.last <= columns_.first) return;
    const Span all = common(block, terms_of(p, rows));
    if (all.first >= all.last) return;
    pack(cpu_, steps_.x, p.x, rows, block, line_, x_);
    const int64_t depth = block.last - block.first, mr = steps_.x.width;
    for_sums(rows, [&](int64_t i, int64_t j, int64_t at) {
      const Span terms = terms_of(p, {i, i + mr});
      const Real *const x = x_ + (i - rows.first) * depth, *const y = y_ + (j - columns_.first) * depth;
      const auto add = [&](Span part, bool crossing) {
        part = common(part, common(block, terms));
        if (part.first >= part.last) return;
        Chains<Real> c = begin(terms, index, chain, part, at);
        c.x = x + (part.first - block.first) * mr;
        c.y = y + (part.first - block.first) * steps_.y.width;
        crossing ? steps_.crossing_chains(c, part.first - i, p.x.upper) : steps_.chains(c);
      };
      if (p.x.structure != View::triangular) return add(terms, false);
      if (!p.x.upper) add({0, i}, false);
      add({i, i + mr}, true);
      if (p.x.upper) add({i + mr, p.k}, false);
    });
  }

  // Where a part of a chain's terms begins and ends. `terms`: all that these rows have.
  Chains<Real> begin(Span terms, int index, Span chain, Span part, int64_t at) const {
    const Span own = common(chain, terms);
    const bool first_product = index == 0, begins = part.first == own.first && (kCuts || first_product);
    const bool ends = kCuts && part.last == own.last, later = !first_product || own.first > terms.first;
    return {part.last - part.first,      nullptr,      nullptr, begins ? nullptr : sum_ + at,
            (ends ? total_ : sum_) + at, ends && later};
  }

  const Cpu &cpu_;
  const CpuSteps<Real> &steps_;
  Real *x_, *y_, *sum_;
  Real *total_;  // sums of the chains that have ended; sum_ if there is one
  float *line_;  // 16-bit inputs, widened
  Span rows_ = {}, columns_ = {};
  Output::Part part_ = Output::all;
};

}  // namespace libsgemm
