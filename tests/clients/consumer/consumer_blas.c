/* C99: calls the standard cblas_sgemm of libsgemm_blas. */
#include <stdio.h>

void cblas_sgemm(int layout, int transa, int transb, int m, int n, int k, float alpha, const float *a, int lda,
                 const float *b, int ldb, float beta, float *c, int ldc);

int main(void) {
  const float a[] = {1, 2, 3, 4, 5, 6};
  const float b[] = {7, 8, 9, 10, 11, 12};
  const float expected[] = {58, 64, 139, 154};
  float c[] = {-1, -1, -1, -1};
  cblas_sgemm(101, 111, 111, 2, 2, 3, 1.0f, a, 3, b, 2, 0.0f, c, 2);
  for (int i = 0; i < 4; ++i) {
    if (c[i] != expected[i]) {
      fprintf(stderr, "element %d is %g, not %g\n", i, c[i], expected[i]);
      return 1;
    }
  }
  puts("entry=cblas_sgemm");
  return 0;
}
