/* A program for `libsgemm run` that calls the BLAS among its global symbols, and carries out its arguments in order:
 *   cblas N, fortran N  calls cblas_sgemm and sgemm_, 16 x 16 x 16; exit status 9: there is none, 10: wrong result
 *   bad N               calls cblas_sgemm with a too small leading dimension
 *   lax N               calls that OpenBLAS accepts beyond the standard: sgemm_ with k = 0 and leading dimensions
 *                       of 0, cblas_sgemm with CblasConjNoTrans
 *   load FILE           loads a library with RTLD_LOCAL
 *   own FILE            loads one that calls its own BLAS (own_blas.c); exit status 10: another computes
 *   print TEXT          prints on stdout
 *   touch FILE          creates an empty file; after it SIGTERM ends the program with status 42
 *   wait                waits for a signal
 *   signals FILE        creates an empty file, counts SIGTERM until a quarter of a second after the first, and ends
 *                       with their number
 *   child               runs the rest in a new program; ends with its status
 *   fork                runs the rest in a child; ends with its status
 *   kill                kills itself with SIGKILL
 *   exit STATUS         ends */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef void (*Cblas)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
typedef void (*Fortran)(const char *, const char *, const int *, const int *, const int *, const float *, const float *,
                        const int *, const float *, const int *, const float *, float *, const int *, size_t, size_t);

static void call(const char *name, int count) {
  enum { kSize = 16 };
  static float a[kSize * kSize], b[kSize * kSize], c[kSize * kSize];
  const int size = kSize;
  const float alpha = 1, beta = 0;
  void *symbol = dlsym(RTLD_DEFAULT, name);
  if (symbol == NULL) exit(9);
  for (int i = 0; i < kSize * kSize; ++i) a[i] = b[i] = 1;
  for (int i = 0; i < count; ++i) {
    if (strcmp(name, "cblas_sgemm") == 0) {
      Cblas sgemm;
      memcpy(&sgemm, &symbol, sizeof sgemm);
      sgemm(102, 111, 111, size, size, size, alpha, a, size, b, size, beta, c, size);
    } else {
      Fortran sgemm;
      memcpy(&sgemm, &symbol, sizeof sgemm);
      sgemm("N", "N", &size, &size, &size, &alpha, a, &size, b, &size, &beta, c, &size, 1, 1);
    }
    if (c[0] != kSize || c[kSize * kSize - 1] != kSize) exit(10);
  }
}

static void call_badly(int count) {
  float x[4] = {0};
  Cblas sgemm;
  void *symbol = dlsym(RTLD_DEFAULT, "cblas_sgemm");
  if (symbol == NULL) exit(9);
  memcpy(&sgemm, &symbol, sizeof sgemm);
  for (int i = 0; i < count; ++i) sgemm(102, 111, 111, 2, 2, 2, 1, x, 1, x, 2, 0, x, 2);
}

static void call_laxly(int count) {
  const int size = 2, zero = 0;
  const float alpha = 1, beta = 2, x[4] = {1, 2, 3, 4};
  Fortran scale;
  Cblas multiply;
  void *symbol = dlsym(RTLD_DEFAULT, "sgemm_");
  if (symbol == NULL) exit(9);
  memcpy(&scale, &symbol, sizeof scale);
  symbol = dlsym(RTLD_DEFAULT, "cblas_sgemm");
  if (symbol == NULL) exit(9);
  memcpy(&multiply, &symbol, sizeof multiply);
  for (int i = 0; i < count; ++i) {
    float c[4] = {1, 2, 3, 4}, d[4] = {0};
    scale("T", "N", &size, &size, &zero, &alpha, x, &zero, x, &zero, &beta, c, &size, 1, 1);
    if (c[0] != 2 || c[3] != 8) exit(10);
    multiply(102, 114, 111, size, size, size, alpha, x, size, x, size, 0, d, size);
    if (d[0] != 7 || d[3] != 22) exit(10);
  }
}

static void call_in(const char *file) {
  int (*calls_its_own)(void);
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  void *symbol = library != NULL ? dlsym(library, "calls_its_own") : NULL;
  if (symbol == NULL) exit(13);
  memcpy(&calls_its_own, &symbol, sizeof calls_its_own);
  if (!calls_its_own()) exit(10);
}

static void on_term(int number) {
  (void)number;
  _exit(42);
}

static volatile sig_atomic_t signals;

static void on_counted(int number) {
  (void)number;
  ++signals;
}

static int touch(const char *name) {
  FILE *file = fopen(name, "w");
  return file != NULL && fclose(file) == 0;
}

static int count_signals(const char *ready) {
  const struct timespec hundredth = {0, 10000000};
  signal(SIGTERM, on_counted);
  if (!touch(ready)) return 12;
  while (signals == 0) nanosleep(&hundredth, NULL);
  for (int i = 0; i < 25; ++i) nanosleep(&hundredth, NULL);
  return signals;
}

/* Runs `arguments` in a child and ends with its status. If `arguments` is NULL, the child returns. */
static void in_child(char **arguments) {
  int status = 0;
  const pid_t child = fork();
  if (child == 0 && arguments == NULL) return;
  if (child == 0) execv(arguments[0], arguments);
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) exit(11);
  exit(WEXITSTATUS(status));
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    const char *word = argv[i];
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(word, "wait") == 0) {
      for (;;) pause();
    } else if (strcmp(word, "kill") == 0) {
      raise(SIGKILL);
    } else if (strcmp(word, "child") == 0) {
      argv[i] = argv[0];
      in_child(argv + i);
    } else if (strcmp(word, "fork") == 0) {
      in_child(NULL);
    } else {
      ++i;
      if (strcmp(word, "cblas") == 0) call("cblas_sgemm", atoi(value));
      if (strcmp(word, "fortran") == 0) call("sgemm_", atoi(value));
      if (strcmp(word, "bad") == 0) call_badly(atoi(value));
      if (strcmp(word, "lax") == 0) call_laxly(atoi(value));
      if (strcmp(word, "load") == 0 && dlopen(value, RTLD_NOW | RTLD_LOCAL) == NULL) return 13;
      if (strcmp(word, "own") == 0) call_in(value);
      if (strcmp(word, "print") == 0) puts(value);
      if (strcmp(word, "exit") == 0) return atoi(value);
      if (strcmp(word, "signals") == 0) return count_signals(value);
      if (strcmp(word, "touch") == 0) {
        signal(SIGTERM, on_term);
        if (!touch(value)) return 12;
      }
    }
  }
  return 0;
}
