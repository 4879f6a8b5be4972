/* Measures the CPU time that the drop-in adds to a small call, on one thread: calls alternate between the drop-in's
 * function and LIBRARY's own. Exit status 1 if results differ or the median difference exceeds the bar. Arguments:
 * LIBRARY NAME 32|64 BAR: NAME is a cblas_sgemm with 32- or 64-bit integers, BAR in nanoseconds. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kSize = 8, kCalls = 2000, kPairs = 301 };

typedef void (*Narrow)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *,
                       int);
typedef void (*Wide)(int, int, int, int64_t, int64_t, int64_t, float, const float *, int64_t, const float *, int64_t,
                     float, float *, int64_t);

static int wide;
static float a[kSize * kSize], b[kSize * kSize], results[2][kSize * kSize];

static double cpu_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static double time_calls(void *function, float *c) {
  Narrow narrow;
  Wide broad;
  memcpy(&narrow, &function, sizeof narrow);
  memcpy(&broad, &function, sizeof broad);
  const double start = cpu_now();
  for (int i = 0; i < kCalls; ++i) {
    if (wide) {
      broad(101, 111, 112, kSize, kSize, kSize, 1, a, kSize, b, kSize, 0, c, kSize);
    } else {
      narrow(101, 111, 112, kSize, kSize, kSize, 1, a, kSize, b, kSize, 0, c, kSize);
    }
  }
  return (cpu_now() - start) / kCalls;
}

static int compare(const void *x, const void *y) {
  const double difference = *(const double *)x - *(const double *)y;
  return (difference > 0) - (difference < 0);
}

static void *need(void *symbol, const char *what) {
  if (symbol == NULL) {
    fprintf(stderr, "%s: %s\n", what, dlerror());
    exit(2);
  }
  return symbol;
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  wide = atoi(argv[3]) == 64;
  const double bar = atof(argv[4]);
  void *library = need(dlopen(argv[1], RTLD_NOW | RTLD_LOCAL), argv[1]);
  void *direct = need(dlsym(library, argv[2]), argv[2]);
  void *taken = need(dlsym(RTLD_DEFAULT, argv[2]), argv[2]);
  if (direct == taken) {
    fprintf(stderr, "%s is not the drop-in's\n", argv[2]);
    return 2;
  }
  for (int i = 0; i < kSize * kSize; ++i) {
    a[i] = (float)(rand() % 2001 - 1000) / 1000;
    b[i] = (float)(rand() % 2001 - 1000) / 1000;
  }
  static double more[kPairs];
  for (int i = 0; i < kPairs; ++i) {
    /* The order alternates, since the second function finds the first one's data in the caches. */
    const double before = i % 2 ? time_calls(direct, results[0]) : 0;
    const double ours = time_calls(taken, results[1]);
    more[i] = ours - (i % 2 ? before : time_calls(direct, results[0]));
  }
  qsort(more, kPairs, sizeof more[0], compare);
  const int same = memcmp(results[0], results[1], sizeof results[0]) == 0;
  printf("%s of %s: %.1f ns more a call (median), %.1f (lowest tenth); at most %g; the results are %s\n", argv[2],
         argv[1], more[kPairs / 2], more[kPairs / 10], bar, same ? "the same" : "not the same");
  return same && more[kPairs / 2] <= bar ? 0 : 1;
}
