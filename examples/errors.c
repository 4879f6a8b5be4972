/* Errors: every call returns a status, libsgemm_last_info has the message, and C is unchanged after a failed call. */
#include <libsgemm.h>
#include <stdio.h>

static const char *words(void) {
  static libsgemm_info_t info;
  libsgemm_last_info(&info);
  return info.message;
}

int main(void) {
  const float A[4] = {1, 2, 3, 4};
  float C[4] = {9, 9, 9, 9};

  /* A wrong argument: numbered as in CBLAS, named in the message. */
  libsgemm_status_t status =
      libsgemm_sgemm(LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, 2, 2, 2, 1.0f, A, 1, A, 2, 0.0f, C, 2);
  libsgemm_info_t info;
  libsgemm_last_info(&info);
  printf("%s: argument %d: %s\n", libsgemm_status_string(status), info.argument, info.message);

  /* A handle for one backend. An unknown name is refused at once. */
  libsgemm_handle_t h;
  if (libsgemm_create(&h) != LIBSGEMM_SUCCESS) { /* such as LIBSGEMM_INVALID_ENVIRONMENT */
    fprintf(stderr, "%s\n", words());
    return 1;
  }
  if (libsgemm_set_backend(h, "abacus") != LIBSGEMM_SUCCESS) printf("%s\n", words());

  /* A GPU if present, otherwise the CPU: reported, not an error. LIBSGEMM_STRICT=1 makes it one. */
  libsgemm_set_backend(h, "cuda");
  status = libsgemm_sgemm_h(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, 2, 2, 2, 1.0f, A, 2, A, 2,
                            0.0f, C, 2);
  libsgemm_last_info(&info);
  if (status == LIBSGEMM_SUCCESS) {
    printf("C[0] = %g by %s, after %d failed backends: %s\n", C[0], info.backend, info.fallbacks, info.reason);
  } else {
    printf("not computed, C[0] = %g: %s\n", C[0], info.message);
  }
  libsgemm_destroy(h);
  return 0;
}
