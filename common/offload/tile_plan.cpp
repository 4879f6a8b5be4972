#include "tile_plan.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace libsgemm {
namespace {

constexpr int kMostC = 4;  // tiles of C on the device: one is filled, one computed, two returned

// Parts of C's longer direction; the shorter one is cut into parts of the same length.
constexpr int64_t kParts[] = {1,  2,  3,  4,   5,   6,   8,   10,  12,   16,   20,   24,   32,   40,
                              48, 64, 96, 128, 192, 256, 384, 512, 1024, 2048, 4096, 8192, 16384};
constexpr int kWorse = 4;           // this many plans in a row without a clear gain end the search
constexpr double kClearly = 0.99;   // share of the time below which a plan of more and smaller tiles wins
constexpr double kCoarsely = 1.02;  // likewise over coarse tiles: several devices can share smaller ones
constexpr int64_t kCoarse = 4096 + 256;
constexpr int64_t kMostSteps = 4096;    // longer plans are not simulated
constexpr double kTooMany = 1 << 21;    // launches; no device has so little memory that a call needs more
constexpr int kDepths = 3;              // lengths of blocks of k tried for a tile, each half the one before
constexpr double kQuick = 200e-6;       // seconds; a shorter call is not worth cutting
constexpr size_t kSmallItem = 4 << 20;  // bytes of a product; smaller ones are grouped
constexpr size_t kGroup = 16 << 20;
constexpr double kLaunch = 15e-6;  // seconds

bool one_sided(const GemmDesc &d) { return traits_of(d).one_sided(); }
// syr2k's products off the diagonal are separate launches, but an invariant sum is one FMA sequence: C stays whole.
bool is_one_chain(const GemmDesc &d) { return invariant(d) && traits_of(d).terms() > 1; }
bool cuts_rows(const GemmDesc &d) { return !is_one_chain(d) && (!one_sided(d) || d.side == LIBSGEMM_RIGHT); }
bool cuts_cols(const GemmDesc &d) { return !is_one_chain(d) && (!one_sided(d) || d.side == LIBSGEMM_LEFT); }
// Cuts of k round C between blocks. FP64 and invariant sums must round only once.
bool cuts_depth(const GemmDesc &d) { return !one_sided(d) && d.math_mode != LIBSGEMM_MATH_FP64 && !invariant(d); }

// Cuts `length` into equal parts of about `edge`, multiples of 256 (shorter: 128, 16), except for the last. `ramp`: the
// first is cut into a quarter, a quarter and a half, to begin early.
std::vector<int64_t> bounds(int64_t length, int64_t edge, bool ramp) {
  const int64_t parts = ceil_div(length, edge);
  const int64_t unit = edge >= 1024 ? 256 : edge >= 256 ? 128 : 16;
  const int64_t part = ceil_div(ceil_div(length, parts), unit) * unit;
  std::vector<int64_t> all = {0};
  if (ramp && part >= 4 * unit && part < length) {
    const int64_t quarter = part / 4 / unit * unit;
    all.insert(all.end(), {quarter, 2 * quarter});
  }
  for (int64_t at = part; at < length; at += part) all.push_back(at);
  all.push_back(length);
  return all;
}

int64_t longest(const std::vector<int64_t> &bounds) {
  int64_t most = 0;
  for (size_t i = 1; i < bounds.size(); ++i) most = std::max(most, bounds[i] - bounds[i - 1]);
  return most;
}

void measure_blocks(const GemmDesc &d, TilePlan *p) {
  TilePlan whole = *p;
  whole.rows = {0, longest(p->rows)};
  whole.cols = {0, longest(p->cols)};
  whole.depth = {0, longest(p->depth)};
  const Unit unit = {0, p->group, 0, 0, false};
  const size_t size = size_of(d.type);
  const Factors f = factors_of(d, whole, unit, 0);
  p->a_bytes = device_bytes(f.first.block, size);
  p->b_bytes = device_bytes(f.second.block, size);
  p->c_bytes = device_bytes(block_of_c(whole, unit), sizeof(float));
}

int at_most(int64_t wanted, size_t bytes, size_t each) {
  const auto fit = static_cast<int64_t>(std::min<size_t>(bytes / std::max<size_t>(each, 1), 1 << 20));
  return static_cast<int>(std::min(wanted, fit));
}

// False: one unit does not fit.
bool assign_buffers(const GemmDesc &d, size_t budget, TilePlan *p) {
  measure_blocks(d, p);
  const int64_t groups = ceil_div(d.batch_count, p->group);
  const int64_t units = p->tiles() * groups;
  const int64_t a_all = p->row_panels() * p->steps();
  const int64_t b_all = p->b_bytes > 0 ? p->col_panels() * p->steps() : 0;
  const auto few = [](int64_t all, int64_t n) { return std::min<int64_t>(all, n); };
  for (int64_t c = few(units, kMostC); c >= 1; --c) {
    const size_t c_bytes = static_cast<size_t>(c) * p->c_bytes;
    if (c_bytes > budget) continue;
    const size_t rest = budget - c_bytes;
    p->c_buffers = static_cast<int>(c);
    // Room for all blocks of one product, and up to two of each operand of the next.
    const int64_t a_kept = a_all + (groups > 1 ? few(a_all, 2) : 0), b_kept = b_all + (groups > 1 ? few(b_all, 2) : 0);
    p->order = Order::frontier;
    p->a_buffers = at_most(a_kept, rest, p->a_bytes);
    p->b_buffers = at_most(b_kept, rest - std::min(rest, static_cast<size_t>(a_kept) * p->a_bytes), p->b_bytes);
    if (p->a_buffers == a_kept && p->b_buffers == b_kept) return true;
    // One operand stays and the other is streamed, or neither stays.
    for (const int64_t least : {3, 2}) {
      // Without a B both factors are blocks of A.
      const int64_t a_least = few(a_all * groups, traits_of(d).b == RoutineTraits::is_a ? 2 * least : least),
                    b_least = b_all > 0 ? few(b_all * groups, least) : 0;
      const size_t a_need = static_cast<size_t>(a_least) * p->a_bytes,
                   b_need = static_cast<size_t>(b_least) * p->b_bytes;
      if (a_need + b_need > rest) continue;
      const bool keep_a = static_cast<size_t>(a_all) * p->a_bytes + b_need <= rest;
      p->order = keep_a ? Order::by_cols : Order::by_rows;
      p->a_buffers = keep_a || p->b_bytes == 0 ? at_most(a_kept, rest - b_need, p->a_bytes) : static_cast<int>(a_least);
      p->b_buffers = keep_a ? static_cast<int>(b_least) : at_most(b_kept, rest - a_need, p->b_bytes);
      p->a_buffers = std::max(p->a_buffers, static_cast<int>(a_least));
      p->b_buffers = std::max(p->b_buffers, static_cast<int>(b_least));
      if (c > 1 || units == 1 || budget < 2 * (p->c_bytes + a_need + b_need)) return true;
    }
  }
  return false;
}

// Blocks of an operand on the device. Unless `all`, a new one replaces the least recently used, as in the pipeline.
class Held {
 public:
  Held(int buffers, int64_t blocks, bool all) : all_(all) {
    keys_.assign(static_cast<size_t>(all ? blocks : buffers), -1);
    used_.assign(keys_.size(), 0);
  }
  // True: copy it.
  bool needs(int64_t key) {
    ++now_;
    const size_t at = all_ ? static_cast<size_t>(key) % keys_.size() : place(key);
    const bool new_one = keys_[at] != key;
    keys_[at] = key;
    used_[at] = now_;
    return new_one;
  }

 private:
  size_t place(int64_t key) const {
    size_t oldest = 0;
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (keys_[i] == key) return i;
      if (used_[i] < used_[oldest]) oldest = i;
    }
    return oldest;
  }

  const bool all_;
  std::vector<int64_t> keys_, used_;
  int64_t now_ = 0;
};

double elements(const Block &b) {
  return static_cast<double>(b.items) * static_cast<double>(b.rows) * static_cast<double>(b.cols);
}

// The last term: the last wave of blocks does not fill the device.
double launch_seconds(const GemmDesc &d, const Rates &rates) {
  const double depth = std::min(static_cast<double>(d.k), 65536.0);
  return flop_count(d) / rates.flops + kLaunch + 4.5e5 * depth / rates.flops;
}

int64_t block_number(const GemmDesc &d, const TilePlan &p, const Unit &unit, const Factor &f, bool second,
                     int64_t step) {
  const int64_t panels = f.of_b ? p.col_panels() : p.row_panels();
  const int64_t panel = one_sided(d) ? (second ? unit.i + unit.j : 0) : (second ? unit.j : unit.i);
  return (f.block.item * panels + panel) * p.steps() + step;
}

void simulate(const GemmDesc &d, const Rates &rates, TilePlan *p) {
  const bool all = p->order == Order::frontier;
  Held a(std::max(p->a_buffers, 1), p->row_panels() * p->steps(), all);
  Held b(std::max(p->b_buffers, 1), p->col_panels() * p->steps(), all);
  const double size = static_cast<double>(size_of(d.type));
  const bool reads = reads_c(d);
  double up = 0, computed = 0, down = 0;
  for (const Unit &unit : make_units(d, *p, 0, 1)) {
    const Block c = block_of_c(*p, unit);
    if (reads) up += 4 * elements(c) / rates.up;
    const int64_t launches = launches_of(d, *p, unit);
    for (int64_t l = 0; l < launches; ++l) {
      const Factors f = factors_of(d, *p, unit, unit.back ? launches - 1 - l : l);
      for (const Factor *x : {&f.first, &f.second}) {
        if (x->block.items == 0) continue;
        Held &held = x->of_b ? b : a;
        if (held.needs(block_number(d, *p, unit, *x, x == &f.second, f.step))) {
          up += size * elements(x->block) / rates.up;
        }
      }
      computed = std::max(computed, up) + launch_seconds(device_desc(d, *p, unit, f), rates);
    }
    down = std::max(down, computed) + 4 * elements(c) / rates.down;
  }
  p->seconds = down;
}

void estimate(const GemmDesc &d, const Rates &rates, double steps, TilePlan *p) {
  const Unit unit = {0, p->group, 0, 0, false};
  const double up = static_cast<double>(p->a_bytes + p->b_bytes) / rates.up;
  p->seconds = steps * (up + launch_seconds(device_desc(d, *p, unit, factors_of(d, *p, unit, 0)), rates));
}

// True for tiles so large that devices can share only few, although smaller ones would fit.
bool is_coarse(const TilePlan &p) {
  return p.order == Order::frontier && std::min(longest(p.rows), longest(p.cols)) > kCoarse;
}

class Search {
 public:
  Search(const GemmDesc &d, const Rates &rates, size_t budget, TilePlan *best)
      : d_(d), rates_(rates), budget_(budget), best_(best) {}

  bool consider(TilePlan *p) {
    const double steps = static_cast<double>(p->tiles()) * static_cast<double>(p->steps()) *
                         static_cast<double>(ceil_div(d_.batch_count, p->group));
    if (steps > kTooMany || !assign_buffers(d_, budget_, p)) return false;
    if (steps > kMostSteps) {
      estimate(d_, rates_, steps, p);
    } else {
      simulate(d_, rates_, p);
    }
    const bool better = !found_ || p->seconds < (is_coarse(*best_) ? kCoarsely : kClearly) * best_->seconds;
    if (better) *best_ = *p;
    worse_ = better ? 0 : worse_ + 1;
    found_ = true;
    return true;
  }
  bool found() const { return found_; }
  bool enough() const { return found_ && (worse_ >= kWorse || best_->seconds < kQuick); }

 private:
  const GemmDesc &d_;
  const Rates &rates_;
  const size_t budget_;
  TilePlan *best_;
  bool found_ = false;
  int worse_ = 0;
};

int64_t group_size(const GemmDesc &d, size_t budget) {
  if (d.batch_count <= 1) return 1;
  const TilePlan whole = {1, Order::frontier, {0, d.m}, {0, d.n}, {0, d.k}, 0, 0, 0, 0, 0, 0, 0};
  const Unit one = {0, 1, 0, 0, false};
  const Factors f = factors_of(d, whole, one, 0);
  const size_t bytes = device_bytes(f.first.block, size_of(d.type)) + device_bytes(f.second.block, size_of(d.type)) +
                       device_bytes(block_of_c(whole, one), sizeof(float));
  if (bytes > kSmallItem) return 1;
  const size_t most = std::min(kGroup, budget / 4) / std::max<size_t>(bytes, 1);
  return std::clamp<int64_t>(static_cast<int64_t>(most), 1, d.batch_count);
}

}  // namespace

bool fit_plan(const GemmDesc &d, size_t budget, TilePlan *plan) { return assign_buffers(d, budget, plan); }

namespace {

// Cuts k of tiles that do not fit, long blocks first.
void cut_depth(const GemmDesc &d, TilePlan *p, Search *search) {
  int64_t depth = 16;
  while (depth * 2 < d.k) depth *= 2;
  for (int fits = 0; fits < kDepths && depth >= 16; depth /= 2) {
    if (depth >= d.k) continue;
    if (static_cast<double>(ceil_div(d.k, depth)) > kTooMany) break;
    p->depth = bounds(d.k, depth, false);
    fits += search->consider(p) ? 1 : 0;
  }
}

}  // namespace

bool make_plan(const GemmDesc &d, const Rates &rates, size_t budget, TilePlan *plan) {
  Search search(d, rates, budget, plan);
  TilePlan p = {};
  p.group = group_size(d, budget);
  const int64_t rows = cuts_rows(d) ? d.m : 1, cols = cuts_cols(d) ? d.n : 1, longer = std::max(rows, cols);
  int64_t last = 0;
  for (const int64_t parts : kParts) {
    const int64_t edge = ceil_div(longer, parts);
    if (search.enough() || edge == last || (parts > 1 && (edge < 8 || p.group > 1))) break;
    last = edge;
    if (static_cast<double>(ceil_div(rows, edge)) * static_cast<double>(ceil_div(cols, edge)) > kTooMany) break;
    const int64_t m = cuts_rows(d) ? std::min(edge, d.m) : d.m, n = cuts_cols(d) ? std::min(edge, d.n) : d.n;
    bool fits = false;
    for (const bool ramp : {false, true}) {
      if (ramp && (parts == 1 || edge < 1024)) continue;
      p.rows = bounds(d.m, m, ramp && cuts_rows(d));
      p.cols = bounds(d.n, n, ramp && cuts_cols(d));
      p.depth = {0, d.k};
      fits = search.consider(&p) || fits;
    }
    if (fits || !cuts_depth(d)) continue;
    p.rows = bounds(d.m, m, false);
    p.cols = bounds(d.n, n, false);
    cut_depth(d, &p, &search);
  }
  return search.found();
}

}  // namespace libsgemm
