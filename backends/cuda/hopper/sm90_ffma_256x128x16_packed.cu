// C = alpha op(A) op(B) + beta C on sm_90 for a large C and an operand that must be transposed or aligned: it is copied
// to the workspace, MN-major and aligned, for sm90_ffma_256x128x16_stream_k. One K-major operand is not copied, aligned
// or not. Why, and figures: docs/kernels/ffma.md.
//
// If the copies exceed kWorkspace, the product is computed in pieces: of n or m if one operand is copied, of k if both
// are; C accumulates the pieces of k.
//
// Requires: what sm90_ffma_256x128x16_stream_k does; an operand to copy; workspace.
#include <algorithm>

#include "gpu/aligned.h"
#include "gpu/cost.h"
#include "gpu/kernels.h"
#include "runtime/device.h"
#include "runtime/launch.h"
#include "stream_k_kernel.h"

namespace libsgemm::cuda {
namespace {

constexpr int kTile = 64, kThreads = 256;
constexpr int kLongTile = 256, kColumns = 16;  // a tile that is not transposed
// Limit of the copies, for a single one without padding. With partial tiles they are mostly below the default
// workspace, 64 MiB.
constexpr int64_t kWorkspace = int64_t{44} << 20;

// A matrix to copy as outer x k. If transposed, the source is k x outer.
struct Copied {
  const float *source;
  float *target;
  int64_t ld, target_ld, outer, k;
  bool transposed;
  unsigned tiles;  // 0: none
};

__device__ void copy_tile(const Copied &p, unsigned index) {
  const int64_t tiles_outer = (p.outer - 1) / kLongTile + 1;
  const int64_t outer = index % tiles_outer * kLongTile + threadIdx.x, k = index / tiles_outer * kColumns;
  if (outer >= p.outer) return;
  const int columns = static_cast<int>(min(p.k - k, static_cast<int64_t>(kColumns)));
  const float *source = p.source + k * p.ld + outer;
  float *target = p.target + k * p.target_ld + outer;
  float v[kColumns];
#pragma unroll
  for (int j = 0; j < kColumns; ++j) {
    if (j < columns) v[j] = __ldcs(source + j * p.ld);  // evict first: L2 is for the copy
  }
#pragma unroll
  for (int j = 0; j < kColumns; ++j) {
    if (j < columns) target[j * p.target_ld] = v[j];
  }
}

__device__ void transpose_tile(const Copied &p, unsigned index) {
  __shared__ float tile[kTile][kTile + 1];
  const int64_t tiles_outer = (p.outer - 1) / kTile + 1;
  const int64_t outer = index % tiles_outer * kTile, k = index / tiles_outer * kTile;
  const int along = threadIdx.x % kTile, across = threadIdx.x / kTile;
  constexpr int kStep = kThreads / kTile;
  const int64_t rows = p.k - k, columns = p.outer - outer;
  const float *source = p.source + outer * p.ld + k;
#pragma unroll
  for (int j = across; j < kTile; j += kStep) {
    if (along < rows && j < columns) tile[j][along] = source[j * p.ld + along];
  }
  __syncthreads();
  float *target = p.target + k * p.target_ld + outer;
#pragma unroll
  for (int j = across; j < kTile; j += kStep) {
    if (along < columns && j < rows) target[j * p.target_ld + along] = tile[along][j];
  }
}

__global__ void __launch_bounds__(kThreads)
    sm90_ffma_256x128x16_packed(const __grid_constant__ Copied a, const __grid_constant__ Copied b) {
  const Copied &p = blockIdx.x < a.tiles ? a : b;
  const unsigned index = blockIdx.x < a.tiles ? blockIdx.x : blockIdx.x - a.tiles;
  if (p.transposed) {
    transpose_tile(p, index);
  } else {
    copy_tile(p, index);
  }
}

int64_t padded(int64_t outer) { return (outer + 31) / 32 * 32; }

struct Pieces {
  bool copies_a, copies_b;
  int64_t m, n, k;
};

int64_t count(int64_t size, int64_t piece) { return (size - 1) / piece + 1; }

int64_t copy_tiles(int64_t outer, int64_t k, bool transposed) {
  return transposed ? count(outer, kTile) * count(k, kTile) : count(outer, kLongTile) * count(k, kColumns);
}

// Size of equal pieces of at most `most`, multiples of 256 if there are several; 0 if `most` is too small.
int64_t even_piece(int64_t size, int64_t most) {
  if (size <= most) return size;
  if (most < 256) return 0;
  return (count(size, count(size, most / 256 * 256)) + 255) / 256 * 256;
}

Pieces cut(const GemmDesc &desc) {
  Pieces p = {};
  const bool a_unaligned = !columns_aligned(desc.a, desc.lda), b_unaligned = !columns_aligned(desc.b, desc.ldb);
  const bool a_along_k = desc.transa != LIBSGEMM_NO_TRANS, b_along_k = desc.transb == LIBSGEMM_NO_TRANS;
  if (a_along_k && b_along_k) {
    p.copies_a = a_unaligned != b_unaligned ? a_unaligned : desc.m <= desc.n;
    p.copies_b = !p.copies_a;
  } else {
    p.copies_a = a_unaligned && !a_along_k;
    p.copies_b = b_unaligned && !b_along_k;
  }
  p.m = desc.m, p.n = desc.n, p.k = desc.k;
  constexpr int64_t kElements = kWorkspace / 4;
  if (p.copies_a && p.copies_b) {
    p.k = std::min(desc.k, kElements / (padded(desc.m) + padded(desc.n)) / 16 * 16);
  } else if (p.copies_a) {
    p.m = even_piece(desc.m, kElements / desc.k);
  } else if (p.copies_b) {
    p.n = even_piece(desc.n, kElements / desc.k);
  }
  return p;
}

int64_t copied_elements(const Pieces &p) {
  return (p.copies_a ? padded(p.m) * p.k : 0) + (p.copies_b ? padded(p.n) * p.k : 0);
}

const float *element(const void *base, int64_t ld, bool transposed, int64_t outer, int64_t k) {
  return static_cast<const float *>(base) + (transposed ? outer * ld + k : k * ld + outer);
}

GemmDesc piece_of(const GemmDesc &desc, const Pieces &p, int64_t m, int64_t n, int64_t k, float *copy_a,
                  float *copy_b) {
  GemmDesc piece = desc;
  piece.m = std::min(p.m, desc.m - m), piece.n = std::min(p.n, desc.n - n), piece.k = std::min(p.k, desc.k - k);
  if (p.copies_a) {
    piece.a = copy_a, piece.lda = padded(p.m), piece.transa = LIBSGEMM_NO_TRANS;
  } else {
    piece.a = element(desc.a, desc.lda, desc.transa != LIBSGEMM_NO_TRANS, m, k);
  }
  if (p.copies_b) {
    piece.b = copy_b, piece.ldb = padded(p.n), piece.transb = LIBSGEMM_TRANS;
  } else {
    piece.b = element(desc.b, desc.ldb, desc.transb == LIBSGEMM_NO_TRANS, n, k);
  }
  piece.c = desc.c + n * desc.ldc + m;
  if (k > 0) piece.beta = 1.0f;
  return piece;
}

bool supports(const GemmDesc &desc, int index) {
  if (!stream_k_supports(desc, Sharing::stream, index)) return false;
  const Pieces p = cut(desc);
  if (invariant(desc) && p.k < desc.k) return false;
  return (p.copies_a || p.copies_b) && std::min({p.m, p.n, p.k}) > 0 &&
         copy_tiles(p.m, p.k, desc.transa != LIBSGEMM_NO_TRANS) +
                 copy_tiles(p.n, p.k, desc.transb == LIBSGEMM_NO_TRANS) <
             INT32_MAX;
}

double cost(const GemmDesc &desc, int index) {
  const Pieces p = cut(desc);
  const GemmDesc piece = piece_of(desc, p, 0, 0, 0, nullptr, nullptr);
  const double pieces = static_cast<double>(desc.m) / static_cast<double>(p.m) * static_cast<double>(desc.n) /
                        static_cast<double>(p.n) * static_cast<double>(desc.k) / static_cast<double>(p.k);
  const Device &d = device(index);
  const double accumulated =
      static_cast<double>(count(desc.k, p.k) - 1) * 8.0 * static_cast<double>(desc.m) * static_cast<double>(desc.n);
  return pieces * (2 * kLaunchSeconds + stream_k_plan(piece, Sharing::stream, index).seconds +
                   memory_seconds(d, 8.0 * static_cast<double>(copied_elements(p)))) +
         memory_seconds(d, accumulated);
}

size_t copy_bytes(const Pieces &p) { return (4 * static_cast<size_t>(copied_elements(p)) + 255) / 256 * 256; }

// Pieces differ in size and plan: this has room for the largest plan.
size_t workspace(const GemmDesc &desc, int index) { return copy_bytes(cut(desc)) + stream_k_most_workspace(index); }

Copied copied(bool wanted, const void *source, int64_t ld, bool transposed, int64_t first_outer, int64_t first_k,
              int64_t outer, int64_t k, int64_t target_ld, float *target) {
  Copied c = {};
  if (!wanted) return c;
  c.source = element(source, ld, transposed, first_outer, first_k);
  c.target = target, c.ld = ld, c.target_ld = target_ld, c.outer = outer, c.k = k, c.transposed = transposed;
  c.tiles = static_cast<unsigned>(copy_tiles(outer, k, transposed));
  return c;
}

libsgemm_status_t launch_product(const GemmDesc &desc, const Launch &launch, Error *error) {
  const Pieces p = cut(desc);
  auto *copy_a = static_cast<float *>(launch.workspace), *copy_b = copy_a + (p.copies_a ? padded(p.m) * p.k : 0);
  Launch product = launch;
  product.workspace = static_cast<char *>(launch.workspace) + copy_bytes(p);
  product.workspace_bytes -= copy_bytes(p);
  for (int64_t m = 0; m < desc.m; m += p.m) {
    for (int64_t n = 0; n < desc.n; n += p.n) {
      for (int64_t k = 0; k < desc.k; k += p.k) {
        const GemmDesc piece = piece_of(desc, p, m, n, k, copy_a, copy_b);
        const Copied a = copied(p.copies_a, desc.a, desc.lda, desc.transa != LIBSGEMM_NO_TRANS, m, k, piece.m, piece.k,
                                padded(p.m), copy_a);
        const Copied b = copied(p.copies_b, desc.b, desc.ldb, desc.transb == LIBSGEMM_NO_TRANS, n, k, piece.n, piece.k,
                                padded(p.n), copy_b);
        libsgemm_status_t status =
            launch_kernel(sm90_ffma_256x128x16_packed, dim3(a.tiles + b.tiles), dim3(kThreads), 0, launch, error, a, b);
        if (status != LIBSGEMM_SUCCESS) return status;
        status = launch_stream_k(piece, stream_k_plan(piece, Sharing::stream, launch.device), stream_k_kernel(),
                                 product, error);
        if (status != LIBSGEMM_SUCCESS) return status;
      }
    }
  }
  return LIBSGEMM_SUCCESS;
}

}  // namespace

KernelList sm90_ffma_256x128x16_packed() {
  Kernel kernel = {"sm90_ffma_256x128x16_packed", LIBSGEMM_MATH_FP32, prepare_fixed<supports, cost, workspace>,
                   launch_product};
  kernel.in_steps = true;
  kernel.invariant = true;
  return kernel;
}

}  // namespace libsgemm::cuda
