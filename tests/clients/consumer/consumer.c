#include <libsgemm.h>
#include <stdio.h>

int main(void) {
  const float a[] = {1, 2, 3, 4, 5, 6};
  const float b[] = {7, 8, 9, 10, 11, 12};
  const float expected[] = {58, 64, 139, 154};
  float c[] = {-1, -1, -1, -1};
  libsgemm_info_t info;
  libsgemm_status_t status =
      libsgemm_sgemm(LIBSGEMM_ROW_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, 2, 2, 3, 1.0f, a, 3, b, 2, 0.0f, c, 2);
  libsgemm_last_info(&info);
  if (status != LIBSGEMM_SUCCESS) {
    fprintf(stderr, "%s: %s\n", libsgemm_status_string(status), info.message);
    return 1;
  }
  for (int i = 0; i < 4; ++i) {
    if (c[i] != expected[i]) {
      fprintf(stderr, "element %d is %g, not %g\n", i, c[i], expected[i]);
      return 1;
    }
  }
  if (libsgemm_version() != LIBSGEMM_VERSION) {
    fprintf(stderr, "the library is version %d, the header %d\n", libsgemm_version(), LIBSGEMM_VERSION);
    return 1;
  }
  printf("entry=%s backend=%s kernel=%s math_mode=%s\n", info.entry, info.backend, info.kernel, info.math_mode);
  return 0;
}
