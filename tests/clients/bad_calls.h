/* Calls with one bad argument each, for both xerbla tests. C holds 1 to 4 and must not change. */
#ifndef BAD_CALLS_H
#define BAD_CALLS_H

#include <stddef.h>

void sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const float *alpha,
            const float *a, const int *lda, const float *b, const int *ldb, const float *beta, float *c, const int *ldc,
            size_t transa_length, size_t transb_length);
void strsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m, const int *n,
            const float *alpha, const float *a, const int *lda, float *b, const int *ldb, size_t side_length,
            size_t uplo_length, size_t transa_length, size_t diag_length);
void cblas_sgemm(int layout, int transa, int transb, int m, int n, int k, float alpha, const float *a, int lda,
                 const float *b, int ldb, float beta, float *c, int ldc);
void cblas_ssyrk(int layout, int uplo, int trans, int n, int k, float alpha, const float *a, int lda, float beta,
                 float *c, int ldc);

static const float bad_calls_a[4] = {1, 2, 3, 4};
static float bad_calls_c[4] = {1, 2, 3, 4};

static const struct {
  const char *routine;
  int position;
} bad_calls_expected[] = {{"SGEMM ", 1}, {"SGEMM ", 4},      {"SGEMM ", 8},      {"SGEMM ", 13},    {"STRSM ", 2},
                          {"STRSM ", 9}, {"cblas_sgemm", 3}, {"cblas_sgemm", 9}, {"cblas_ssyrk", 4}};
enum { BAD_CALLS = sizeof bad_calls_expected / sizeof bad_calls_expected[0] };

static void bad_calls_make(void) {
  const int one = 1, two = 2, minus = -1;
  const float x = 1;
  const float *a = bad_calls_a;
  float *c = bad_calls_c;
  sgemm_("?", "N", &two, &two, &two, &x, a, &two, a, &two, &x, c, &two, 1, 1);
  sgemm_("N", "N", &two, &minus, &two, &x, a, &two, a, &two, &x, c, &two, 1, 1);
  sgemm_("N", "N", &two, &two, &two, &x, a, &one, a, &two, &x, c, &two, 1, 1);
  sgemm_("N", "N", &two, &two, &two, &x, a, &two, a, &two, &x, c, &one, 1, 1);
  strsm_("L", "?", "N", "N", &two, &two, &x, a, &two, c, &two, 1, 1, 1, 1);
  strsm_("L", "U", "N", "N", &two, &two, &x, a, &one, c, &two, 1, 1, 1, 1);
  cblas_sgemm(102, 111, 999, 2, 2, 2, 1, a, 2, a, 2, 1, c, 2);
  cblas_sgemm(101, 111, 111, 2, 2, 2, 1, a, 1, a, 2, 1, c, 2);
  cblas_ssyrk(102, 121, 111, -1, 2, 1, a, 2, 1, c, 2);
}

static int bad_calls_left_no_trace(void) {
  const int two = 2;
  const float x = 1, zero = 0;
  float product[4] = {-1, -1, -1, -1};
  for (int i = 0; i < 4; ++i) {
    if (bad_calls_c[i] != (float)(i + 1)) return 0;
  }
  sgemm_("N", "N", &two, &two, &two, &x, bad_calls_a, &two, bad_calls_a, &two, &zero, product, &two, 1, 1);
  return product[0] == 7 && product[1] == 10 && product[2] == 15 && product[3] == 22;
}

#endif
