/* A library that calls a BLAS of its own under the usual names, like libtorch_cpu.so. Its routines compute RESULT.
 * WHOLE: it has all of level 3. */
#define EXPORT __attribute__((visibility("default")))

EXPORT void sgemm_(const char *, const char *, const int *, const int *, const int *, const float *, const float *,
                   const int *, const float *, const int *, const float *, float *, const int *);
EXPORT void cblas_sgemm(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *,
                        int);
EXPORT void cblas_sgemm_batch(int, const int *, const int *, const int *, const int *, const int *, const float *,
                              const float *const *, const int *, const float *const *, const int *, const float *,
                              float *const *, const int *, int, const int *);
EXPORT int calls_its_own(void);

void sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const float *alpha,
            const float *a, const int *lda, const float *b, const int *ldb, const float *beta, float *c,
            const int *ldc) {
  (void)transa, (void)transb, (void)m, (void)n, (void)k, (void)alpha, (void)a, (void)lda, (void)b, (void)ldb;
  (void)beta, (void)ldc;
  c[0] = RESULT;
}

void cblas_sgemm(int layout, int transa, int transb, int m, int n, int k, float alpha, const float *a, int lda,
                 const float *b, int ldb, float beta, float *c, int ldc) {
  (void)layout, (void)transa, (void)transb, (void)m, (void)n, (void)k, (void)alpha, (void)a, (void)lda, (void)b;
  (void)ldb, (void)beta, (void)ldc;
  c[0] = RESULT;
}

void cblas_sgemm_batch(int layout, const int *transa, const int *transb, const int *m, const int *n, const int *k,
                       const float *alpha, const float *const *a, const int *lda, const float *const *b, const int *ldb,
                       const float *beta, float *const *c, const int *ldc, int group_count, const int *group_size) {
  (void)layout, (void)transa, (void)transb, (void)m, (void)n, (void)k, (void)alpha, (void)a, (void)lda, (void)b;
  (void)ldb, (void)beta, (void)ldc, (void)group_count, (void)group_size;
  c[0][0] = RESULT;
}

#ifdef WHOLE
EXPORT void ssymm_(void);
EXPORT void ssyrk_(void);
EXPORT void ssyr2k_(void);
EXPORT void strmm_(void);
EXPORT void strsm_(void);
void ssymm_(void) {}
void ssyrk_(void) {}
void ssyr2k_(void) {}
void strmm_(void) {}
void strsm_(void) {}
#endif

/* Tells whether calls reach this library's functions, not another library's of the same names. */
int calls_its_own(void) {
  const int one = 1, plain = 111;
  const float alpha = 1, beta = 0, a = 1;
  const float *const as = &a;
  float c[3] = {0, 0, 0};
  float *const last = &c[2];
  sgemm_("N", "N", &one, &one, &one, &alpha, &a, &one, &a, &one, &beta, &c[0], &one);
  cblas_sgemm(102, plain, plain, 1, 1, 1, alpha, &a, 1, &a, 1, beta, &c[1], 1);
  cblas_sgemm_batch(102, &plain, &plain, &one, &one, &one, &alpha, &as, &one, &as, &one, &beta, &last, &one, 1, &one);
  return c[0] == RESULT && c[1] == RESULT && c[2] == RESULT;
}
