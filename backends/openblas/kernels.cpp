// The six BLAS routines, and others composed from the BLAS's routines.
#include "kernels.h"

#include <algorithm>
#include <cmath>

#include "blas.h"
#include "blas_call.h"
#include "contract/half.h"
#include "conv/launch.h"
#include "fp64.h"
#include "matrix/scratch.h"

namespace libsgemm {
namespace {

template <Routine ROUTINE>
bool supports(const GemmDesc &d, int) {
  return d.routine == ROUTINE && d.type == Type::f32 && (ROUTINE != Routine::gemm || d.batch == Batch::none);
}

// Costs decide nothing: there is one kernel per description and math mode.
double only_cost(const GemmDesc &, int) { return 1; }

// Sizes are checked at launch, where the BLAS is known. `ref` computes larger ones.
libsgemm_status_t too_large(Error *error) {
  set_error(error, "sizes exceed the 32-bit integers of the BLAS");
  return LIBSGEMM_NOT_SUPPORTED;
}

template <void (*FUNCTION)(const CpuBlas &, const GemmDesc &)>
libsgemm_status_t launch(const GemmDesc &d, const Launch &how, Error *error) {
  const CpuBlas &blas = blas_for(how);
  if (!blas_fits(blas, d)) return too_large(error);
  if (d.batch == Batch::none) {
    FUNCTION(blas, d);
    return LIBSGEMM_SUCCESS;
  }
  for (int64_t i = 0; i < d.batch_count; ++i) FUNCTION(blas, batch_item(d, i));
  return LIBSGEMM_SUCCESS;
}

// A BLAS multiplies by reciprocals of trsm's diagonal. Elements up to 2^-128 have none; above 2^126 the reciprocal is
// denormal, and loses bits or is flushed to zero. `ref`, which divides, solves such systems.
bool has_reciprocals(const GemmDesc &d) {
  if (d.diag == LIBSGEMM_UNIT) return true;
  const auto *a = static_cast<const float *>(d.a);
  for (int64_t i = 0; i < d.k; ++i) {
    const float size = std::fabs(a[i * (d.lda + 1)]);
    // These comparisons raise no flag. For zeros, Inf and NaN the reciprocal gives the same results as a division.
    if (std::isgreater(size, 0.0f) && std::islessequal(size, 0x1p-128f)) return false;
    if (std::isgreater(size, 0x1p126f) && std::isless(size, HUGE_VALF)) return false;
  }
  return true;
}

libsgemm_status_t launch_trsm(const GemmDesc &d, const Launch &how, Error *error) {
  for (int64_t i = 0; i < d.batch_count; ++i) {  // checks all before the first is solved
    if (has_reciprocals(d.batch == Batch::none ? d : batch_item(d, i))) continue;
    set_error(error, "the diagonal of A has elements whose reciprocals are outside the normal range of FP32");
    return LIBSGEMM_NOT_SUPPORTED;
  }
  return launch<blas_trsm>(d, how, error);
}

bool supports_batch(const GemmDesc &d, int) {
  return d.routine == Routine::gemm && d.type == Type::f32 && d.batch != Batch::none;
}

// OpenBLAS uses threads for a gemm from 64^3 multiplications on, for other routines from 8 rows and columns of C on, or
// fewer. Small gemms skip the check for threads.
bool may_use_threads(const ConvDesc &) { return true; }
bool may_use_threads(const GemmDesc &d) {
  constexpr double kLeastGemm = 40.0 * 40 * 40;
  const double multiplications = static_cast<double>(d.m) * static_cast<double>(d.n) * static_cast<double>(d.k);
  return d.routine != Routine::gemm || multiplications > kLeastGemm;
}

// All launches of this backend go through here.
template <auto LAUNCH, typename Desc>
libsgemm_status_t inside(const Desc &d, const Launch &how, Error *error) {
  const BlasCall call(blas_for(how), may_use_threads(d));
  if (call.problem() == nullptr) return LAUNCH(d, how, error);
  set_error(error, "%s", call.problem());
  return LIBSGEMM_OUT_OF_MEMORY;
}

bool all_convolutions(const ConvDesc &, int) { return true; }
double only_conv_cost(const ConvDesc &, int) { return 1; }

template <libsgemm_math_mode_t MODE>
constexpr ConvLaunch kConv = {prepare_fixed<all_convolutions, only_conv_cost>, inside<openblas_conv<MODE>, ConvDesc>};

libsgemm_status_t no_memory(Error *error) {
  set_error(error, "no host memory for a block of converted operands or results");
  return LIBSGEMM_OUT_OF_MEMORY;
}

const float *f32_at(const void *base, int64_t row, int64_t col, int64_t ld, libsgemm_op_t op) {
  const float *data = static_cast<const float *>(base);
  return op == LIBSGEMM_NO_TRANS ? data + row + col * ld : data + col + row * ld;
}

// openblas_sgemmtr_blocks: gemmtr by block columns. The diagonal block is computed in scratch, and its triangle copied,
// which wastes 256 / n of the work. OpenBLAS 0.3.29's own sgemmtr is not used: it reads beyond its operands when
// ld * n exceeds 2^31.
constexpr int64_t kBlock = 256;

libsgemm_status_t launch_gemmtr(const GemmDesc &d, const Launch &how, Error *error) {
  const CpuBlas &blas = blas_for(how);
  if (!blas_fits(blas, d)) return too_large(error);
  const int64_t block = std::min(kBlock, d.n);
  float *square = thread_scratch(static_cast<size_t>(block * block));
  if (square == nullptr) return no_memory(error);
  const bool upper = d.uplo == LIBSGEMM_UPPER;
  for (int64_t j = 0; j < d.n; j += kBlock) {
    const int64_t width = std::min(kBlock, d.n - j), end = j + width;
    GemmDesc g = d;
    g.routine = Routine::gemm;
    g.n = width;
    g.b = f32_at(d.b, 0, j, d.ldb, d.transb);
    g.m = width;
    g.a = f32_at(d.a, j, 0, d.lda, d.transa);
    g.beta = 0;
    g.c = square;
    g.ldc = width;
    blas_gemm(blas, g);
    for (int64_t c = 0; c < width; ++c) {
      float *out = d.c + j + (j + c) * d.ldc;
      for (int64_t r = upper ? 0 : c; r < (upper ? c + 1 : width); ++r) {
        out[r] = d.beta == 0.0f ? square[r + c * width] : square[r + c * width] + d.beta * out[r];
      }
    }
    const int64_t row = upper ? 0 : end;
    g.m = upper ? j : d.n - end;
    if (g.m == 0) continue;
    g.a = f32_at(d.a, row, 0, d.lda, d.transa);
    g.beta = d.beta;
    g.c = d.c + row + j * d.ldc;
    g.ldc = d.ldc;
    blas_gemm(blas, g);
  }
  return LIBSGEMM_SUCCESS;
}

// openblas_sgemm_widened, openblas_ssyrk_widened: 16-bit operands, upconverted exactly. openblas_sgemm_tf32, _bf16,
// _fp16: floats rounded to these formats. Scratch: 2 blocks of at most 1024 x 512 floats, 4 MiB. A is read once per
// 1024 columns of C.
constexpr int64_t kWide = 1024, kDeep = 512;

template <Routine ROUTINE>
bool supports_widened(const GemmDesc &d, int) {
  return d.routine == ROUTINE && d.type != Type::f32;
}

bool supports_rounded(const GemmDesc &d, int) { return d.routine == Routine::gemm && d.type == Type::f32; }

template <typename T, float (*CONVERT)(T)>
void convert(const void *base, int64_t row, int64_t col, int64_t rows, int64_t cols, int64_t ld, float *out) {
  const T *data = static_cast<const T *>(base) + row + col * ld;
  for (int64_t j = 0; j < cols; ++j, data += ld, out += rows) {
    for (int64_t i = 0; i < rows; ++i) out[i] = CONVERT(data[i]);
  }
}

using Convert = void (*)(const void *base, int64_t row, int64_t col, int64_t rows, int64_t cols, int64_t ld,
                         float *out);

GemmDesc with_a_as_b(const GemmDesc &d) {
  GemmDesc product = d;
  product.b = d.a;
  product.ldb = d.lda;
  product.transb = d.transa == LIBSGEMM_NO_TRANS ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
  return product;
}

// Computes a gemm, or a syrk with_a_as_b(), whose blocks on C's diagonal are the BLAS's syrk.
void converted_product(const CpuBlas &blas, const GemmDesc &d, Convert convert, float *wide_a, float *wide_b) {
  const bool plain_a = d.transa == LIBSGEMM_NO_TRANS, plain_b = d.transb == LIBSGEMM_NO_TRANS;
  const bool triangle = traits_of(d).triangle_of_c, upper = d.uplo == LIBSGEMM_UPPER;
  GemmDesc g = d;
  g.type = Type::f32;
  g.b = wide_b;
  for (int64_t j = 0; j < d.n; j += kWide) {
    g.n = std::min(kWide, d.n - j);
    for (int64_t p = 0; p < d.k; p += kDeep) {
      g.k = std::min(kDeep, d.k - p);
      g.ldb = plain_b ? g.k : g.n;
      convert(d.b, plain_b ? p : j, plain_b ? j : p, g.ldb, plain_b ? g.n : g.k, d.ldb, wide_b);
      g.beta = p == 0 ? d.beta : 1.0f;
      const int64_t first = triangle && !upper ? j : 0, last = triangle && upper ? j + 1 : d.m;
      for (int64_t i = first; i < last; i += kWide) {
        g.m = std::min(kWide, d.m - i);
        g.c = d.c + i + j * d.ldc;
        if (triangle && i == j) {
          g.a = wide_b;
          g.lda = g.ldb;
          blas_syrk(blas, g);
          continue;
        }
        g.a = wide_a;
        g.lda = plain_a ? g.m : g.k;
        convert(d.a, plain_a ? i : p, plain_a ? p : i, g.lda, plain_a ? g.k : g.m, d.lda, wide_a);
        blas_gemm(blas, g);
      }
    }
  }
}

libsgemm_status_t convert_and_multiply(const GemmDesc &d, const Launch &how, Convert convert, Error *error) {
  const CpuBlas &blas = blas_for(how);
  if (!blas_fits(blas, d)) return too_large(error);
  const int64_t depth = std::min(kDeep, d.k);
  const size_t size_a = static_cast<size_t>(std::min(kWide, d.m) * depth);
  const size_t size_b = static_cast<size_t>(std::min(kWide, d.n) * depth);
  float *scratch = thread_scratch(size_a + size_b);
  if (scratch == nullptr) return no_memory(error);
  for (int64_t i = 0; i < d.batch_count; ++i) {
    const GemmDesc item = d.batch == Batch::none ? d : batch_item(d, i);
    converted_product(blas, traits_of(d).has_b() ? item : with_a_as_b(item), convert, scratch, scratch + size_a);
  }
  return LIBSGEMM_SUCCESS;
}

libsgemm_status_t launch_widened(const GemmDesc &d, const Launch &how, Error *error) {
  const bool f16 = d.type == Type::f16;
  return convert_and_multiply(d, how, f16 ? convert<uint16_t, f16_to_float> : convert<uint16_t, bf16_to_float>, error);
}

template <float (*ROUND)(float)>
libsgemm_status_t launch_rounded(const GemmDesc &d, const Launch &how, Error *error) {
  return convert_and_multiply(d, how, convert<float, ROUND>, error);
}

}  // namespace

#define KERNEL(name, mode, supports, launch, purpose) \
  { name, LIBSGEMM_MATH_##mode, prepare_fixed<supports, only_cost>, inside<launch, GemmDesc>, false, false, purpose }
#define CONV(name, mode, purpose) kernel_of_conv(name, LIBSGEMM_MATH_##mode, purpose, &kConv<LIBSGEMM_MATH_##mode>)
const Kernel kOpenblasKernels[] = {
    KERNEL("openblas_sgemm", FP32, supports<Routine::gemm>, launch<blas_gemm>, "products"),
    KERNEL("openblas_ssymm", FP32, supports<Routine::symm>, launch<blas_symm>, "symmetric times general"),
    KERNEL("openblas_ssyrk", FP32, supports<Routine::syrk>, launch<blas_syrk>, "triangle of C"),
    KERNEL("openblas_ssyr2k", FP32, supports<Routine::syr2k>, launch<blas_syr2k>, "triangle of C"),
    KERNEL("openblas_strmm", FP32, supports<Routine::trmm>, launch<blas_trmm>, "triangle times matrix"),
    KERNEL("openblas_strsm", FP32, supports<Routine::trsm>, launch_trsm, "triangular systems"),
    KERNEL("openblas_sgemmtr_blocks", FP32, supports<Routine::gemmtr>, launch_gemmtr, "triangle of C, by blocks"),
    KERNEL("openblas_sgemm_batch", FP32, supports_batch, launch<blas_gemm>, "a batch, product by product"),
    KERNEL("openblas_sgemm_widened", FP32, supports_widened<Routine::gemm>, launch_widened, "inputs converted to FP32"),
    KERNEL("openblas_ssyrk_widened", FP32, supports_widened<Routine::syrk>, launch_widened, "inputs converted to FP32"),
    KERNEL("openblas_sgemm_tf32", TF32, supports_rounded, launch_rounded<round_to_tf32>, "inputs rounded first"),
    KERNEL("openblas_sgemm_bf16", BF16, supports_rounded, launch_rounded<round_to_bf16>, "inputs rounded first"),
    KERNEL("openblas_sgemm_fp16", FP16, supports_rounded, launch_rounded<round_to_f16>, "inputs rounded first"),
    KERNEL("openblas_dgemm_fp64", FP64, fp64_supports, fp64_launch, "sums in FP64"),
    CONV("openblas_sconv2d_blocks", FP32, "convolutions"),
    CONV("openblas_sconv2d_tf32", TF32, "convolutions, inputs rounded first"),
    CONV("openblas_sconv2d_bf16", BF16, "convolutions, inputs rounded first"),
    CONV("openblas_sconv2d_fp16", FP16, "convolutions, inputs rounded first"),
    CONV("openblas_dconv2d_fp64", FP64, "convolutions, sums in FP64"),
};
#undef CONV
#undef KERNEL
const int kOpenblasKernelCount = static_cast<int>(sizeof kOpenblasKernels / sizeof kOpenblasKernels[0]);

}  // namespace libsgemm
