/* One matrix times many, such as a layer's weights: a plan stores once what a fast mode makes of it. The mode keeps
 * FP32's error. Without a kernel for it, as on a CPU, FP32 runs and the plan costs nothing. */
#include <libsgemm.h>
#include <stdio.h>

enum { M = 256, K = 128, N = 64, LAYERS = 3 };

static float W[M * K], X[K * N], Y[M * N];

static int run(libsgemm_handle_t h) {
  libsgemm_plan_t plan;
  libsgemm_status_t status = libsgemm_set_math_mode(h, LIBSGEMM_MATH_FP16X3);
  if (status != LIBSGEMM_SUCCESS) return status;
  status = libsgemm_plan_create(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_LEFT, LIBSGEMM_NO_TRANS, M, K, W, M, &plan);
  for (int i = 0; i < LAYERS && status == LIBSGEMM_SUCCESS; ++i) {
    status = libsgemm_sgemm_planned_h(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, M, N, K, 1.0f, W, M,
                                      plan, X, K, NULL, i == 0 ? 0.0f : 1.0f, Y, M);
  }
  libsgemm_info_t info;
  libsgemm_last_info(&info);
  if (status != LIBSGEMM_SUCCESS) {
    fprintf(stderr, "%s\n", info.message);
  } else {
    printf("Y[0] = %g, by %s in %s, with %d plans\n", Y[0], info.kernel, info.math_mode, info.plans);
  }
  libsgemm_synchronize(h);
  libsgemm_plan_destroy(plan);
  return status;
}

int main(void) {
  for (int i = 0; i < M * K; ++i) W[i] = 0.5f;
  for (int i = 0; i < K * N; ++i) X[i] = 2.0f;
  libsgemm_handle_t h;
  if (libsgemm_create(&h) != LIBSGEMM_SUCCESS) return 1;
  const int status = run(h);
  libsgemm_destroy(h);
  return status != LIBSGEMM_SUCCESS;
}
