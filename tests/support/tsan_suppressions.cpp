// ThreadSanitizer's suppressions. OpenBLAS is not built with it: it cannot see how OpenBLAS's threads hand over work,
// and reports races.

#if defined(__SANITIZE_THREAD__)
#define SGEMM_TEST_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SGEMM_TEST_TSAN 1
#endif
#endif

#ifdef SGEMM_TEST_TSAN
extern "C" __attribute__((visibility("default"))) const char *__tsan_default_suppressions() {
  return "race:libopenblas\n";
}
#endif
