// Draws calls: mostly legal, of all types, modes and shapes, and some that cuBLAS refuses.
#include "cublas_fuzz_draw.h"

#include <algorithm>

namespace {

int64_t size(Random &random) {
  const int kind = random.below(20);
  if (kind == 0) return 0;
  if (kind == 1) return 1;
  if (kind < 8) return 1 + random.below(32);
  if (kind < 17) return 1 + random.below(160);
  return 16 * (1 + random.below(24));
}

float scalar(Random &random) {
  const float fixed[] = {0, 1, 1, 1, -1, 0.5f};
  const int kind = random.below(8);
  return kind < 6 ? fixed[kind] : static_cast<float>(random.below(2001) - 1000) / 500;
}

int64_t ld(Random &random, int64_t least) {
  return std::max<int64_t>(1, least) + (random.below(2) == 0 ? 0 : random.below(17));
}

// Sometimes draws types that libsgemm does not take.
void draw_types(Random &random, Case *x) {
  const cudaDataType_t types[] = {CUDA_R_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_16BF};
  x->type = types[random.below(4)];
  if (random.below(25) == 0) x->type = CUDA_R_64F;
  if (x->type != CUDA_R_32F && random.below(8) == 0) x->c_type = x->type;
  const cublasComputeType_t computes[] = {CUBLAS_COMPUTE_32F_PEDANTIC, CUBLAS_COMPUTE_32F_FAST_TF32,
                                          CUBLAS_COMPUTE_32F_FAST_16BF, CUBLAS_COMPUTE_32I};
  if (random.below(6) == 0) x->compute = computes[random.below(4)];
  const int algorithms[] = {CUBLAS_GEMM_DEFAULT_TENSOR_OP, CUBLAS_GEMM_ALGO0, CUBLAS_GEMM_ALGO5_TENSOR_OP};
  if (random.below(6) == 0) x->algorithm = static_cast<cublasGemmAlgo_t>(algorithms[random.below(3)]);
}

// Makes a typical mistake. Not a NULL alpha, which crashes cuBLAS 13.1.
void spoil(Random &random, Case *x) {
  switch (random.below(6)) {
    case 0:
      (is_triangle(x->routine) ? x->n : x->m) = -1;
      return;
    case 1:
      x->n = -1;
      return;
    case 2:
      x->lda = 0;
      return;
    case 3:
      x->ldc = x->m > 1 ? x->m - 1 : 0;
      return;
    case 4:
      x->no_handle = true;
      return;
    default:
      x->transa = static_cast<cublasOperation_t>(7);
  }
}

bool has_types(Routine r) {
  return r == Routine::sgemm_ex || r == Routine::gemm_ex || r == Routine::batched_ex || r == Routine::strided_ex ||
         r == Routine::grouped_ex || r == Routine::lt;
}

Shape stored(int64_t rows, int64_t columns, bool transposed) {
  return transposed ? Shape{columns, rows} : Shape{rows, columns};
}

}  // namespace

Shape shape_of_a(const Case &x) {
  const bool t = x.transa != CUBLAS_OP_N;
  if (x.routine >= Routine::symm && !is_triangle(x.routine) && x.routine != Routine::lt) return {x.k, x.k};
  return stored(x.m, x.k, t);
}

Shape shape_of_b(const Case &x) {
  if (is_triangle(x.routine)) return stored(x.m, x.k, x.transa != CUBLAS_OP_N);
  if (x.routine == Routine::symm || x.routine == Routine::trmm) return {x.m, x.n};
  return stored(x.k, x.n, x.transb != CUBLAS_OP_N);
}

int64_t elements(const Shape &shape, int64_t ld, bool by_rows) {
  const int64_t inner = by_rows ? shape.columns : shape.rows, outer = by_rows ? shape.rows : shape.columns;
  return inner > 0 && outer > 0 ? (outer - 1) * ld + inner : 0;
}

Case draw_case(Random &random) {
  Case x = {};
  x.routine = static_cast<Routine>(random.below(static_cast<int>(Routine::count)));
  x.wide = random.below(2) == 0;
  x.type = x.c_type = CUDA_R_32F;
  x.compute = CUBLAS_COMPUTE_32F;
  x.algorithm = CUBLAS_GEMM_DEFAULT;
  x.epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  x.transa = static_cast<cublasOperation_t>(random.below(3));
  x.transb = static_cast<cublasOperation_t>(random.below(3));
  x.side = static_cast<cublasSideMode_t>(random.below(2));
  x.uplo = static_cast<cublasFillMode_t>(random.below(2));
  x.diag = static_cast<cublasDiagType_t>(random.below(2));
  x.alpha = scalar(random);
  x.beta = scalar(random);
  x.m = size(random);
  x.n = size(random);
  x.k = size(random);
  if (is_triangle(x.routine)) x.n = x.m;
  const bool one_sided = x.routine >= Routine::symm && !is_triangle(x.routine) && x.routine != Routine::lt;
  if (one_sided) x.k = x.side == CUBLAS_SIDE_LEFT ? x.m : x.n;
  if (has_types(x.routine)) draw_types(random, &x);
  if (x.routine == Routine::sgemm_ex) x.compute = CUBLAS_COMPUTE_32F;
  x.rows = x.routine == Routine::lt && random.below(4) == 0;
  if (x.routine == Routine::lt && random.below(4) == 0) {
    const cublasLtEpilogue_t epilogues[] = {CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU_BIAS,
                                            CUBLASLT_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU_BIAS};
    x.epilogue = epilogues[random.below(5)];
    if (random.below(2) == 0) {  // about the smallest product for which libsgemm computes an epilogue
      x.m = 512 + random.below(4);
      x.n = 520;
      x.k = 1024 + random.below(4);
    }
  }
  const Shape a = shape_of_a(x), b = shape_of_b(x), c = {x.m, x.n};
  x.lda = ld(random, x.rows ? a.columns : a.rows);
  x.ldb = ld(random, x.rows ? b.columns : b.rows);
  x.ldc = ld(random, x.rows ? c.columns : c.rows);
  x.count = 1;
  if (is_batch(x.routine) || (x.routine == Routine::lt && random.below(3) == 0)) x.count = random.below(6);
  if (x.routine == Routine::lt) x.count = std::max<int64_t>(x.count, 1);
  x.stride_a = random.below(4) == 0 ? 0 : elements(a, x.lda, x.rows) + random.below(9);
  x.stride_b = random.below(4) == 0 ? 0 : elements(b, x.ldb, x.rows) + random.below(9);
  x.stride_c = elements(c, x.ldc, x.rows) + random.below(9);
  if (x.routine == Routine::trmm && random.below(2) == 0) x.stride_c = 0;  // in place
  const int maths[] = {CUBLAS_PEDANTIC_MATH, CUBLAS_TF32_TENSOR_OP_MATH,
                       CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION};
  x.math_mode = random.below(5) == 0 ? maths[random.below(3)] : CUBLAS_DEFAULT_MATH;
  x.on_device = random.below(8) == 0 && x.routine != Routine::grouped && x.routine != Routine::grouped_ex;
  // cublasLt requires 16-byte alignment. So does fast arithmetic on pointer batches, or else the GPU reports an error.
  x.offset = random.below(3) == 0 && x.routine != Routine::lt ? random.below(8) : 0;
  if (is_batch(x.routine) && x.routine != Routine::strided && x.routine != Routine::strided_ex) {
    for (int64_t *const at : {&x.offset, &x.stride_a, &x.stride_b, &x.stride_c}) *at = (*at + 7) / 8 * 8;
  }
  if (x.routine != Routine::lt && random.below(12) == 0) spoil(random, &x);
  return x;
}
