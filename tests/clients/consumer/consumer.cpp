#include <libsgemm.h>

#include <cstdio>
#include <memory>
#include <vector>

int main() {
  libsgemm_handle_t raw = nullptr;
  if (libsgemm_create(&raw) != LIBSGEMM_SUCCESS) return 1;
  const std::unique_ptr<libsgemm_handle, libsgemm_status_t (*)(libsgemm_handle_t)> handle(raw, libsgemm_destroy);

  constexpr int64_t n = 50;
  const std::vector<float> a(n * n, 2.0f), b(n * n, 3.0f);
  std::vector<float> c(n * n, 1.0f);
  const libsgemm_status_t status = libsgemm_sgemm_h(handle.get(), LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_TRANS,
                                                    n, n, n, 0.5f, a.data(), n, b.data(), n, 4.0f, c.data(), n);
  libsgemm_info_t info;
  libsgemm_last_info(&info);
  if (status != LIBSGEMM_SUCCESS) {
    std::fprintf(stderr, "%s: %s\n", libsgemm_status_string(status), info.message);
    return 1;
  }
  for (const float x : c) {
    if (x != 0.5f * n * 6.0f + 4.0f) {
      std::fprintf(stderr, "an element is %g\n", x);
      return 1;
    }
  }
  std::printf("entry=%s backend=%s kernel=%s math_mode=%s\n", info.entry, info.backend, info.kernel, info.math_mode);
  return 0;
}
