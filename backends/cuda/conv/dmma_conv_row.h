// The host's side of dmma_conv.cuh: what its rows have in common.
#pragma once

#include <algorithm>

#include "fp64/dmma_row.h"
#include "gpu/conv_plan.h"

namespace libsgemm::cuda {

// Enqueues the output of all groups from their slices, which are doubles, rounded once.
libsgemm_status_t launch_conv_split_k_sum_fp64(const ConvProblem &p, int slices, int64_t groups, const Launch &launch,
                                               Error *error);

// Calls run(FetchConstant of A, FetchConstant of B). There are no kernels with vectors for A alone.
template <typename Run>
libsgemm_status_t with_conv_fetch(const ConvFetch &fetch, const Run &run) {
  const auto with_vectors = [&](auto a_vectors, auto b_vectors) {
    constexpr bool kA = decltype(a_vectors)::value, kB = decltype(b_vectors)::value;
    using OuterA = FetchConstant<kA ? Fetch::outer_x4 : Fetch::outer>;
    using InnerA = FetchConstant<kA ? Fetch::inner_x4 : Fetch::inner>;
    using OuterB = FetchConstant<kB ? Fetch::outer_x4 : Fetch::outer>;
    using InnerB = FetchConstant<kB ? Fetch::inner_x4 : Fetch::inner>;
    if (fetch.a_along_k) return fetch.b_along_k ? run(InnerA(), InnerB()) : run(InnerA(), OuterB());
    return fetch.b_along_k ? run(OuterA(), InnerB()) : run(OuterA(), OuterB());
  };
  if (!fetch.b_vectors) return with_vectors(std::false_type(), std::false_type());
  return fetch.a_vectors ? with_vectors(std::true_type(), std::true_type())
                         : with_vectors(std::false_type(), std::true_type());
}

// The base of a row. ConvRow has the Config of a DmmaRow, and kernel<A, B>().
template <class ConvRow>
struct DmmaConv {
  using Config = typename ConvRow::Config;

  static bool supports(const ConvDesc &desc, int index) {
    return DmmaRow<Config>::runs_on(index) && conv_fits(desc) && tiles_of(desc).count < INT_MAX / 16;
  }

  static double cost(const ConvDesc &desc, int index) {
    const Tiles tiles = tiles_of(desc);
    const double launches = std::ceil(static_cast<double>(conv_products(desc)) / ConvProblems::kMost);
    const double seconds = tiles_seconds(model(index), tiling(desc, index, Config::fitted),
                                         tiles.count * static_cast<double>(desc.groups), tiles.depth);
    return kLaunchSeconds * launches + overlapped(seconds, memory_seconds(model(index), conv_bytes(desc)));
  }

  static libsgemm_status_t launch(const ConvDesc &desc, const Launch &launch, Error *error) {
    const int64_t products = conv_products(desc);
    const auto enqueue_all = [&](const Launch &how) {
      libsgemm_status_t status = LIBSGEMM_SUCCESS;
      for (int64_t first = 0; first < products && status == LIBSGEMM_SUCCESS; first += ConvProblems::kMost) {
        ConvProblems problems = {};
        problems.count = static_cast<int>(std::min<int64_t>(products - first, ConvProblems::kMost));
        for (int i = 0; i < problems.count; ++i) problems.problem[i] = problem(desc, first + i);
        // The deepest first, so that what runs last is short.
        std::stable_sort(problems.problem, problems.problem + problems.count,
                         [](const ConvProblem &x, const ConvProblem &y) { return x.product.k > y.product.k; });
        status = enqueue(problems, desc.groups, how, error);
      }
      return status;
    };
    if (products > ConvProblems::kMost && !launch.rehearsal) {  // what a later launch needs is loaded first
      Launch rehearsal = launch;
      rehearsal.rehearsal = true;
      const libsgemm_status_t status = enqueue_all(rehearsal);
      if (status != LIBSGEMM_SUCCESS) return status;
    }
    return enqueue_all(launch);
  }

  static Split split(const ConvDesc &desc, int index) {
    if (conv_products(desc) > 1) return {};
    return best_split(tiled(desc), conv_bytes(desc), tiling(desc, index, Config::split_fitted), Config::tile_k, index);
  }
  static size_t split_workspace(const ConvDesc &desc, int index) {
    return split_bytes(tiled(desc), split(desc, index).slices, sizeof(double));
  }
  static libsgemm_status_t launch_split(const ConvDesc &desc, const Launch &launch, Error *error) {
    const Split split = DmmaConv::split(desc, launch.device);
    ConvProblems problems = {};
    problems.count = 1;
    problems.problem[0] = problem(desc, 0);
    TileProblem &p = problems.problem[0].product;
    p.slice_tiles = split.slice_tiles;
    p.partial = static_cast<float *>(launch.workspace);
    p.partial_ld = (p.m + 3) / 4 * 4;
    const libsgemm_status_t status = enqueue(problems, desc.groups, launch, error);
    if (status != LIBSGEMM_SUCCESS) return status;
    return launch_conv_split_k_sum_fp64(problems.problem[0], split.slices, desc.groups, launch, error);
  }

 private:
  struct Tiles {
    double count, depth;  // of all products of a group; of a tile, on average
  };

  static ConvProblem problem(const ConvDesc &desc, int64_t index) {
    ConvProblem problem = conv_problem(desc, index);
    TileProblem &p = problem.product;
    p.tiles_m = static_cast<int>((p.m - 1) / Config::tile_m + 1);
    p.tiles_n = static_cast<int>((p.n - 1) / Config::tile_n + 1);
    p.k_tiles = p.slice_tiles = static_cast<int>((p.k + Config::tile_k - 1) / Config::tile_k);
    return problem;
  }

  static Tiles tiles_of(const ConvDesc &desc) {
    Tiles tiles = {};
    double steps = 0;
    const int64_t products = conv_products(desc);
    for (int64_t i = 0; i < products; ++i) {
      const TileProblem p = problem(desc, i).product;
      const double count = static_cast<double>(p.tiles_m) * p.tiles_n;
      tiles.count += count;
      steps += count * static_cast<double>(p.k);
    }
    tiles.depth = steps / tiles.count;
    return tiles;
  }

  // The first product, as C is cut: its rows and columns may be those of product_of() exchanged.
  static GemmDesc tiled(const ConvDesc &desc) {
    GemmDesc g = product_of(desc);
    const TileProblem p = problem(desc, 0).product;
    g.m = p.m, g.n = p.n, g.k = p.k;
    g.lda = g.ldb = g.ldc = 4;
    g.a = g.b = g.c = nullptr;
    return g;
  }

  static Tiling tiling(const ConvDesc &desc, int index, Fitted row) {
    Tiling tiling = DmmaRow<Config>::tiling(tiled(desc), index, row);
    const ConvProblem p = problem(desc, 0);
    const ConvFetch fetch = conv_fetch(&p, 1);
    if (!fetch.b_vectors || !fetch.a_vectors) tiling.figures.peak_fraction *= Config::elements;
    if (!p.c.vectors) tiling.figures.steps += Config::by_floats;
    return tiling;
  }

  static libsgemm_status_t enqueue(ConvProblems problems, int64_t groups, const Launch &launch, Error *error) {
    int tiles = 0;
    for (int i = 0; i < problems.count; ++i) {
      tiles = std::max(tiles, problems.problem[i].product.tiles_m * problems.problem[i].product.tiles_n);
    }
    const TileProblem &p = problems.problem[0].product;
    const unsigned slices = p.partial == nullptr ? 1 : static_cast<unsigned>((p.k_tiles - 1) / p.slice_tiles + 1);
    const ConvFetch fetch = conv_fetch(problems.problem, problems.count);
    const int64_t most = kMostProducts / problems.count;
    libsgemm_status_t status = LIBSGEMM_SUCCESS;
    for (int64_t first = 0; first < groups && status == LIBSGEMM_SUCCESS; first += most) {
      const int64_t count = std::min(most, groups - first);
      const dim3 grid(static_cast<unsigned>(tiles), slices, static_cast<unsigned>(count * problems.count));
      status = with_conv_fetch(fetch, [&](auto a, auto b) {
        constexpr Fetch kA = decltype(a)::value, kB = decltype(b)::value;
        return launch_kernel(ConvRow::template kernel<kA, kB>(), grid, dim3(Config::threads),
                             ConvRow::template shared_bytes<kA, kB>(), launch, error, problems);
      });
      for (ConvProblem &problem : problems.problem) {
        problem.a.data += most * problem.a.group;
        problem.b.data += most * problem.b.group;
        problem.c.data += most * problem.c.group;
      }
    }
    return status;
  }
};

template <class ConvRow>
Kernel dmma_conv_kernel(const char *name) {
  using Conv = DmmaConv<ConvRow>;
  static constexpr ConvLaunch conv = {Conv::supports, Conv::cost, nullptr, Conv::launch};
  return conv_row(name, LIBSGEMM_MATH_FP64, "", &conv);
}

// The same kernel with k in slices.
template <class ConvRow>
Kernel dmma_conv_split_kernel(const char *name) {
  using Conv = DmmaConv<ConvRow>;
  static constexpr auto supports = [](const ConvDesc &desc, int index) {
    return Conv::supports(desc, index) && desc.groups <= kMostProducts && Conv::split(desc, index).slices > 1;
  };
  static constexpr auto cost = [](const ConvDesc &desc, int index) { return Conv::split(desc, index).seconds; };
  static constexpr ConvLaunch conv = {supports, cost, Conv::split_workspace, Conv::launch_split};
  return conv_row(name, LIBSGEMM_MATH_FP64, "", &conv);
}

}  // namespace libsgemm::cuda

// Defines the row `NAME` of the file's Config, a DmmaShape: its kernel, the loop of dmma_multistage.cuh on gathered
// operands, and `Kernel NAME()`.
#define LIBSGEMM_DMMA_CONV_ROW(NAME)                                                      \
  template <Fetch KindA, Fetch KindB>                                                     \
  __global__ void __launch_bounds__(Config::threads, Config::blocks)                      \
      NAME(const __grid_constant__ ConvProblems problems) {                               \
    if constexpr (Config::Instruction::exists) dmma_conv<Config, KindA, KindB>(problems); \
  }                                                                                       \
  namespace {                                                                             \
  struct ConvRow {                                                                        \
    using Config = ::libsgemm::cuda::Config;                                              \
    template <Fetch KindA, Fetch KindB>                                                   \
    static auto kernel() {                                                                \
      return &NAME<KindA, KindB>;                                                         \
    }                                                                                     \
    template <Fetch KindA, Fetch KindB>                                                   \
    static constexpr size_t shared_bytes() {                                              \
      return DmmaConvLayout<Config, KindA, KindB>::bytes;                                 \
    }                                                                                     \
  };                                                                                      \
  }                                                                                       \
  Kernel NAME() { return dmma_conv_kernel<ConvRow>(#NAME); }
