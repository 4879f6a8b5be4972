// Suppressions of ThreadSanitizer, for the tests and the programs they start. OpenBLAS is not built with it, so
// ThreadSanitizer cannot see how its threads hand over work, and reports races.

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
