/* Many small products in one call: at a fixed stride, and by pointers in groups of one size each. */
#include <libsgemm.h>
#include <stdio.h>

enum { N = 4, COUNT = 1000, SMALL = 3, LARGE = 5 };

static float A[COUNT][N * N], B[COUNT][N * N], C[COUNT][N * N];

static int failed(libsgemm_status_t status) {
  libsgemm_info_t info;
  libsgemm_last_info(&info);
  if (status != LIBSGEMM_SUCCESS) fprintf(stderr, "%s\n", info.message);
  return status != LIBSGEMM_SUCCESS;
}

/* C[i] = A[i] B[i], all of one size, contiguous. */
static int multiply_all(void) {
  return failed(libsgemm_sgemm_batch_strided(LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, N, N, N, 1.0f,
                                             A[0], N, N * N, B[0], N, N * N, 0.0f, C[0], N, N * N, COUNT));
}

/* Two groups: `SMALL` products of 2 x 2 matrices, then `LARGE` of N x N, at any addresses. */
static int multiply_groups(void) {
  const libsgemm_op_t op[2] = {LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS};
  const int64_t size[2] = {2, N}, ld[2] = {N, N}, group_size[2] = {SMALL, LARGE};
  const float alpha[2] = {1, 1}, beta[2] = {0, 0};
  const float *a[SMALL + LARGE], *b[SMALL + LARGE];
  float *c[SMALL + LARGE];
  for (int i = 0; i < SMALL + LARGE; ++i) {
    a[i] = A[7 * i];
    b[i] = B[7 * i];
    c[i] = C[7 * i];
  }
  return failed(libsgemm_sgemm_batch(LIBSGEMM_COL_MAJOR, op, op, size, size, size, alpha, a, ld, b, ld, beta, c, ld, 2,
                                     group_size));
}

int main(void) {
  for (int i = 0; i < COUNT; ++i) {
    for (int j = 0; j < N * N; ++j) {
      A[i][j] = 1;
      B[i][j] = (float)i;
    }
  }
  if (multiply_all()) return 1;
  printf("last of %d: %g\n", COUNT, C[COUNT - 1][0]); /* N (COUNT - 1) */
  if (multiply_groups()) return 1;
  printf("of the small: %g, of the large: %g\n", C[7][0], C[7 * SMALL][0]); /* 2 * 7, N * 21 */
  return 0;
}
