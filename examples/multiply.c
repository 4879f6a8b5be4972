/* Computes one product and prints its backend: cc multiply.c $(pkg-config --cflags --libs libsgemm) */
#include <libsgemm.h>
#include <stdio.h>

int main(void) {
  const float A[2 * 3] = {1, 2, 3, 4, 5, 6}, B[3 * 2] = {1, 0, 0, 1, 1, 1};
  float C[2 * 2];
  libsgemm_info_t info;
  libsgemm_status_t status =
      libsgemm_sgemm(LIBSGEMM_ROW_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, 2, 2, 3, 1.0f, A, 3, B, 2, 0.0f, C, 2);
  libsgemm_last_info(&info);
  if (status != LIBSGEMM_SUCCESS) {
    fprintf(stderr, "%s\n", info.message);
    return 1;
  }
  printf("%g %g %g %g, computed by %s (%s)\n", C[0], C[1], C[2], C[3], info.backend, info.reason);
  return 0;
}
