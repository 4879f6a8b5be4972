// Host side of the kernels that compute convolutions in tiles of matrix products (conv_problem.h).
#pragma once

#include <algorithm>

#include "conv_plan.h"
#include "gpu/kernels.h"
#include "gpu/rehearsal.h"
#include "gpu/tiles/split_k_kernel.h"

namespace libsgemm::gpu {

struct ConvAccess {
  ConvFetch fetch;
  bool vectors;
  bool strided;  // several products, each with some of the taps
};

libsgemm_status_t launch_conv_split_k_sum(const ConvProblem &p, int slices, int64_t groups, const Launch &launch,
                                          Error *error);
// Sums slices of doubles, and rounds once.
libsgemm_status_t launch_conv_split_k_sum_fp64(const ConvProblem &p, int slices, int64_t groups, const Launch &launch,
                                               Error *error);

// A kernel's file defines a DeviceCode:
//
//   struct DeviceCode {
//     using Config = ...;
//     static constexpr libsgemm_math_mode_t math_mode = ...;
//     static bool runs_on(int device);
//     // For the cost; `product`: with rows and columns as in C; `split`: with split-K.
//     static Tiling tiling(const GemmDesc &product, const ConvAccess &access, bool split, int device);
//     template <typename Run> static libsgemm_status_t with_fetch(const ConvFetch &fetch, const Run &run);
//     template <Fetch A, Fetch B> static auto kernel();
//     template <Fetch A, Fetch B> static constexpr size_t shared_bytes();
//     static constexpr auto enqueue_sum = ...;  // launch_conv_split_k_sum or launch_conv_split_k_sum_fp64
//   };
template <class DeviceCode>
struct ConvTiles {
  using Config = typename DeviceCode::Config;

  static bool supports(const ConvDesc &desc, int index) {
    return DeviceCode::runs_on(index) && conv_fits(desc) && tiles_fit(tiles_of(desc).count);
  }

  static double cost(const ConvDesc &desc, int index) {
    const Tiles tiles = tiles_of(desc);
    const double launches = std::ceil(static_cast<double>(conv_products(desc)) / ConvProblems::kMost);
    const double clearing = memory_seconds(model(index), static_cast<double>(tiles.cleared));
    const double seconds = tiles.count == 0
                               ? 0
                               : tiles_seconds(model(index), tiling(desc, index, false),
                                               tiles.count * static_cast<double>(desc.groups), tiles.depth);
    return kLaunchSeconds * launches + clearing + overlapped(seconds, memory_seconds(model(index), conv_bytes(desc)));
  }

  static libsgemm_status_t launch(const ConvDesc &desc, const Launch &launch, Error *error) {
    const int64_t products = conv_products(desc);
    const size_t cleared = conv_cleared_bytes(desc);
    const auto enqueue_all = [&](const Launch &how) {
      libsgemm_status_t status = cleared == 0 ? LIBSGEMM_SUCCESS : clear(desc.out, cleared, how, error);
      ConvProblems problems = {};
      const auto from = [&](int64_t i) { return cleared == 0 ? i : conv_product_with_terms(desc, i); };
      for (int64_t i = from(0); i < products && status == LIBSGEMM_SUCCESS;) {
        const ConvProblem next = problem(desc, i);
        int at = problems.count++;  // deepest first, so that the last blocks are short
        for (; at > 0 && problems.problem[at - 1].product.k < next.product.k; --at) {
          problems.problem[at] = problems.problem[at - 1];
        }
        problems.problem[at] = next;
        i = from(i + 1);
        if (problems.count < ConvProblems::kMost && i < products) continue;
        status = enqueue(problems, desc.groups, how, error);
        problems = {};
      }
      return status;
    };
    return enqueue_rehearsed(launch, products > ConvProblems::kMost || cleared > 0, enqueue_all);
  }

  // Launches a product without groups on a kernel with more parameters.
  template <typename... More>
  static libsgemm_status_t launch_with(const ConvDesc &desc, int64_t index, const Launch &launch, Error *error,
                                       const More &...more) {
    return launch_product(problem(desc, index), 1, launch, error, more...);
  }

  // ---- A product that is not one of conv_products() (col2im_kernel.h)

  static ConvProblem cut(ConvProblem problem) {
    TileProblem &p = problem.product;
    p.tiles_m = static_cast<int>((p.m - 1) / Config::tile_m + 1);
    p.tiles_n = static_cast<int>((p.n - 1) / Config::tile_n + 1);
    p.k_tiles = p.slice_tiles = static_cast<int>((p.k + Config::tile_k - 1) / Config::tile_k);
    return problem;
  }
  static bool fits(const ConvProblem &problem) { return tiles_fit(tile_count(problem)); }
  // Excludes the launch and memory traffic.
  static double seconds(const ConvDesc &desc, const ConvProblem &problem, int index) {
    return tiles_seconds(model(index), tiling(desc, problem, false, index, false),
                         tile_count(problem) * static_cast<double>(desc.groups),
                         static_cast<double>(problem.product.k));
  }
  template <typename... More>
  static libsgemm_status_t launch_product(const ConvProblem &problem, int64_t groups, const Launch &launch,
                                          Error *error, const More &...more) {
    ConvProblems problems = {};
    problems.count = 1;
    problems.problem[0] = problem;
    return enqueue(problems, groups, launch, error, more...);
  }

  static Plan prepare_split(const ConvDesc &desc, int index) {
    if (!supports(desc, index) || desc.groups > kMostProducts || conv_products(desc) > 1) return {};
    return best_split(tiled(desc, problem(desc, 0).product), conv_bytes(desc), tiling(desc, index, true),
                      Config::tile_k, index);
  }
  static libsgemm_status_t launch_split(const ConvDesc &desc, const Launch &launch, Error *error) {
    ConvProblem sliced;
    const libsgemm_status_t status =
        launch_slices(desc, launch.config.slice_tiles, launch.workspace, launch, error, &sliced);
    if (status != LIBSGEMM_SUCCESS) return status;
    return DeviceCode::enqueue_sum(sliced, launch.config.slices, desc.groups, launch, error);
  }
  // Launches slices of slice_tiles k-tiles on a kernel with more parameters. `sliced`: the problem, whose partial
  // results remain to be summed.
  template <typename... More>
  static libsgemm_status_t launch_slices(const ConvDesc &desc, int slice_tiles, void *partial, const Launch &launch,
                                         Error *error, ConvProblem *sliced, const More &...more) {
    *sliced = problem(desc, 0);
    TileProblem &p = sliced->product;
    p.slice_tiles = slice_tiles;
    p.partial = static_cast<float *>(partial);
    p.partial_ld = (p.m + 3) / 4 * 4;
    return launch_product(*sliced, desc.groups, launch, error, more...);
  }

 private:
  struct Tiles {
    double count, depth;  // tiles of a group's products; average k
    size_t cleared;       // bytes
  };

  static bool tiles_fit(double tiles) {
    return tiles < INT_MAX / 16 && tiles <= static_cast<double>(most_blocks(Config::threads));
  }
  static double tile_count(const ConvProblem &problem) {
    return static_cast<double>(problem.product.tiles_m) * problem.product.tiles_n;
  }

  static ConvProblem problem(const ConvDesc &desc, int64_t index) { return cut(conv_problem(desc, index)); }
  static ConvProblem problem(const ConvDesc &desc, const ConvSizes &sizes, int i) {
    return cut(conv_problem(sizes.product(i), desc.alpha, desc.beta));
  }

  static Tiles tiles_of(const ConvDesc &desc) {
    Tiles tiles = {0, 0, conv_cleared_bytes(desc)};
    double steps = 0;
    const ConvSizes sizes(desc);
    for (int i = 0; i < sizes.count(); ++i) {
      const ConvProblem p = problem(desc, sizes, i);
      if (tiles.cleared > 0 && p.product.k == 0) continue;
      const double count = tile_count(p) * static_cast<double>(sizes.products(i));
      tiles.count += count;
      steps += count * static_cast<double>(p.product.k);
    }
    tiles.depth = tiles.count > 0 ? steps / tiles.count : 0;
    return tiles;
  }

  static ConvProblem deepest(const ConvDesc &desc) {
    const ConvSizes sizes(desc);
    ConvProblem deepest = problem(desc, sizes, 0);
    for (int i = 1; i < sizes.count(); ++i) {
      const ConvProblem other = problem(desc, sizes, i);
      if (other.product.k > deepest.product.k) deepest = other;
    }
    return deepest;
  }

  // The product for the cost model; its rows and columns may be exchanged.
  static GemmDesc tiled(const ConvDesc &desc, const TileProblem &p) {
    GemmDesc g = product_of(desc);
    g.m = p.m, g.n = p.n, g.k = p.k;
    g.lda = g.ldb = g.ldc = 4;
    g.a = g.b = g.c = nullptr;
    return g;
  }

  static Tiling tiling(const ConvDesc &desc, int index, bool split) {
    return tiling(desc, deepest(desc), conv_products(desc) > 1, index, split);
  }
  static Tiling tiling(const ConvDesc &desc, const ConvProblem &p, bool strided, int index, bool split) {
    return DeviceCode::tiling(tiled(desc, p.product), {conv_fetch(&p, 1), p.c.vectors, strided}, split, index);
  }

  template <typename... More>
  static libsgemm_status_t enqueue(ConvProblems problems, int64_t groups, const Launch &launch, Error *error,
                                   const More &...more) {
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
      status = DeviceCode::with_fetch(fetch, [&](auto a, auto b) {
        constexpr Fetch kA = decltype(a)::value, kB = decltype(b)::value;
        return launch_kernel(DeviceCode::template kernel<kA, kB>(), grid, dim3(Config::threads),
                             DeviceCode::template shared_bytes<kA, kB>(), launch, error, problems, more...);
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

// Instances fetch vectors along either index, but not for A alone.
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

template <class DeviceCode>
Kernel conv_kernel(const char *name) {
  using Conv = ConvTiles<DeviceCode>;
  static constexpr ConvLaunch conv = {prepare_fixed<Conv::supports, Conv::cost>, Conv::launch};
  return kernel_of_conv(name, DeviceCode::math_mode, "", &conv);
}

template <class DeviceCode>
Kernel conv_split_kernel(const char *name) {
  using Conv = ConvTiles<DeviceCode>;
  static constexpr ConvLaunch conv = {Conv::prepare_split, Conv::launch_split};
  return kernel_of_conv(name, DeviceCode::math_mode, kSplitPurpose, &conv);
}

}  // namespace libsgemm::gpu

// Defines the device code `NAME`, body(problems), and ConvCode. Layout<Config, A, B>::bytes: the shared memory.
#define LIBSGEMM_CONV_TILE_CODE(NAME, Base, Layout, body)                 \
  template <Fetch KindA, Fetch KindB>                                     \
  __global__ void LIBSGEMM_LAUNCH_BOUNDS(Config::threads, Config::blocks) \
      NAME(const __grid_constant__ ConvProblems problems) {               \
    body(problems);                                                       \
  }                                                                       \
  namespace {                                                             \
  struct ConvCode : Base<Config> {                                        \
    template <Fetch KindA, Fetch KindB>                                   \
    static auto kernel() {                                                \
      return &NAME<KindA, KindB>;                                         \
    }                                                                     \
    template <Fetch KindA, Fetch KindB>                                   \
    static constexpr size_t shared_bytes() {                              \
      return Layout<Config, KindA, KindB>::bytes;                         \
    }                                                                     \
  };                                                                      \
  }
