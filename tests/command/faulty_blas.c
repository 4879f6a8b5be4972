/* A CPU BLAS whose SGEMM leaves C's last element zero and whose other routines do nothing: tests must find it. */
#define EXPORT __attribute__((visibility("default")))

EXPORT const char *openblas_get_config(void);
EXPORT void cblas_sgemm(int layout, int transa, int transb, int m, int n, int k, float alpha, const float *a, int lda,
                        const float *b, int ldb, float beta, float *c, int ldc);
EXPORT void sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const float *alpha,
                   const float *a, const int *lda, const float *b, const int *ldb, const float *beta, float *c,
                   const int *ldc);
EXPORT void ssymm_(void);
EXPORT void ssyrk_(void);
EXPORT void ssyr2k_(void);
EXPORT void strmm_(void);
EXPORT void strsm_(void);

const char *openblas_get_config(void) { return "OpenBLAS 0.0.0 faulty"; }

void sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const float *alpha,
            const float *a, const int *lda, const float *b, const int *ldb, const float *beta, float *c,
            const int *ldc) {
  for (int j = 0; j < *n; ++j) {
    for (int i = 0; i < *m; ++i) {
      float sum = 0;
      for (int l = 0; l < *k; ++l) {
        sum +=
            (*transa == 'N' ? a[i + l * *lda] : a[l + i * *lda]) * (*transb == 'N' ? b[l + j * *ldb] : b[j + l * *ldb]);
      }
      float *element = &c[i + j * *ldc];
      *element = *alpha * sum + (*beta != 0 ? *beta * *element : 0);
    }
  }
  if (*m > 0 && *n > 0) c[*m - 1 + (*n - 1) * *ldc] = 0;
}

/* Column-major only. */
void cblas_sgemm(int layout, int transa, int transb, int m, int n, int k, float alpha, const float *a, int lda,
                 const float *b, int ldb, float beta, float *c, int ldc) {
  (void)layout;
  sgemm_(transa == 111 ? "N" : "T", transb == 111 ? "N" : "T", &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
}

void ssymm_(void) {}
void ssyrk_(void) {}
void ssyr2k_(void) {}
void strmm_(void) {}
void strsm_(void) {}
