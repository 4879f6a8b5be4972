#include "launch.h"

#include <atomic>
#include <exception>

#include "contract/cpu_blas.h"
#include "matrix/scratch.h"
#include "process/parallel.h"
#include "tile.h"

namespace libsgemm {
namespace {

// y is not triangular. A product with few rows is transposed, too: panels of x have more rows than those of y columns.
Products oriented(const GemmDesc &desc) {
  const Products p = products(desc, desc.c, desc.ldc);
  const Product &t = p.term[0];
  const bool flat = t.x.structure != View::triangular && t.m < 16 && t.m < t.n;
  return t.y.structure == View::triangular || flat ? p.transposed() : p;
}

// Tiles of C. Rows of a trmm are not shared between threads: they read each other's old elements.
struct Grid {
  int64_t rows, columns;  // of a tile
  int64_t down, across;   // tiles
  bool in_place;

  int64_t shares() const { return in_place ? across : down * across; }
};

int64_t parts(int64_t size, int64_t part) { return (size + part - 1) / part; }

// The number of shares is a multiple of the threads, or at least 8 for each.
Grid grid_of(const Product &p, int64_t batch, int threads, int64_t mr, int64_t nr, bool in_place) {
  constexpr int64_t kMost = 1024;
  Grid g = {0, 0, parts(p.m, kMost), parts(p.n, kMost), in_place};
  const auto fit = [&] {
    g.rows = round_up(parts(p.m, g.down), mr);
    g.columns = round_up(parts(p.n, g.across), nr);
  };
  fit();
  while (batch * g.shares() < 8 * threads && batch * g.shares() % threads != 0) {
    const bool down = !in_place && g.rows > g.columns;
    if (down ? g.rows <= mr : g.columns <= nr) break;
    ++(down ? g.down : g.across);
    fit();
  }
  g.down = parts(p.m, g.rows);
  g.across = parts(p.n, g.columns);
  return g;
}

// Memory for each thread that may run, taken by the calling thread, which keeps it.
class Places {
 public:
  explicit Places(char *memory, int64_t bytes) : memory_(memory), bytes_(bytes) {}
  int take() {
    uint64_t used = used_.load();
    while (!used_.compare_exchange_weak(used, used | (used + 1))) {
    }
    return __builtin_ctzll(~used);
  }
  void give_back(int place) { used_ &= ~(uint64_t{1} << place); }
  char *memory(int place) const { return memory_ + place * bytes_; }

 private:
  char *memory_;
  int64_t bytes_;
  std::atomic<uint64_t> used_{0};
};

template <typename Real>
class Shares {
 public:
  Shares(const GemmDesc &desc, int threads)
      : desc_(desc), first_(oriented(desc.batch == Batch::none ? desc : batch_item(desc, 0))) {
    const CpuSteps<Real> &s = steps_of<Real>(this_cpu());
    grid_ = grid_of(first_.term[0], desc.batch_count, threads, s.x.width, s.y.width, in_place(desc));
    memory_ = Tile<Real>::memory(this_cpu(), first_, std::min(grid_.rows, first_.term[0].m),
                                 std::min(grid_.columns, first_.term[0].n));
  }

  int64_t count() const { return desc_.batch_count * grid_.shares(); }
  int64_t bytes() const { return round_up(memory_.bytes(), 64); }

  void run(int64_t share, void *memory) const {
    const GemmDesc item = desc_.batch == Batch::none ? desc_ : batch_item(desc_, share / grid_.shares());
    const Products p = oriented(item);
    Tile<Real> tile(this_cpu(), memory_, memory);
    share %= grid_.shares();
    if (!grid_.in_place) return run(&tile, p, item, share % grid_.down, share / grid_.down);
    // Old rows that a tile reads must not be overwritten before.
    const bool from_top = p.term[0].x.upper;
    for (int64_t i = 0; i < grid_.down; ++i) run(&tile, p, item, from_top ? i : grid_.down - 1 - i, share);
  }

 private:
  void run(Tile<Real> *tile, const Products &p, const GemmDesc &item, int64_t row, int64_t column) const {
    const int64_t i = row * grid_.rows, j = column * grid_.columns;
    const Span rows = {i, std::min(p.term[0].m, i + grid_.rows)};
    const Span columns = {j, std::min(p.term[0].n, j + grid_.columns)};
    if (p.out.part == Output::upper && rows.first >= columns.last) return;
    if (p.out.part == Output::lower && rows.last <= columns.first) return;
    tile->run(p, rows, columns, item.alpha, item.beta);
  }

  const GemmDesc &desc_;
  const Products first_;
  Grid grid_;
  typename Tile<Real>::Memory memory_;
};

int threads_of(const Launch &how) {
  const CpuBlas *const blas = how.blas;
  return blas != nullptr && blas->get_threads != nullptr ? std::min(blas->threads(), processors())
                                                         : threads_by_default();
}

template <typename Real>
libsgemm_status_t launch(const GemmDesc &desc, const Launch &how, Error *error) {
  // Operations of in_parallel() take longer than FMAs of vectors.
  const double operations = flop_count(desc) / 8;
  const bool small = threads_for(operations, kMostInParallel) == 1;  // then the limit need not be asked for
  const int threads = small ? 1 : threads_for(operations, threads_of(how));
  const Shares<Real> shares(desc, threads);
  const int64_t places = std::min<int64_t>(threads, shares.count());
  float *const memory = thread_scratch(static_cast<size_t>(shares.bytes() / 4 * places));
  if (memory == nullptr) {
    set_error(error, "no host memory to pack operands in");
    return LIBSGEMM_OUT_OF_MEMORY;
  }
  struct {
    const Shares<Real> &shares;
    Places places;
  } all = {shares, Places(reinterpret_cast<char *>(memory), shares.bytes())};
  try {
    in_parallel(
        shares.count(), operations,
        [&all](int64_t first, int64_t last) {
          const int place = all.places.take();
          for (; first < last; ++first) all.shares.run(first, all.places.memory(place));
          all.places.give_back(place);
        },
        threads);
  } catch (const std::exception &) {  // before any work
    set_error(error, "no host memory for threads");
    return LIBSGEMM_OUT_OF_MEMORY;
  }
  return LIBSGEMM_SUCCESS;
}

bool has_chains(const GemmDesc &desc) {
  return invariant(desc) && desc.routine != Routine::trsm && this_cpu().unit != nullptr;
}

}  // namespace

int threads_by_default() {
  static const int by_environment = threads_of_environment();
  return std::min(by_environment, processors());
}

bool fp32_supports(const GemmDesc &desc, int) { return has_chains(desc) && this_cpu().has_fma; }
bool fp64_supports(const GemmDesc &desc, int) { return has_chains(desc); }

libsgemm_status_t fp32_launch(const GemmDesc &desc, const Launch &how, Error *error) {
  return launch<float>(desc, how, error);
}
libsgemm_status_t fp64_launch(const GemmDesc &desc, const Launch &how, Error *error) {
  return launch<double>(desc, how, error);
}

}  // namespace libsgemm
