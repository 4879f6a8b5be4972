/* A library to preload: it cuts file $CUTTING_READ to 1000 bytes at the first read beyond its first 100. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((visibility("default"))) ssize_t pread(int file, void *memory, size_t bytes, off_t offset) {
  ssize_t (*next)(int, void *, size_t, off_t);
  char link[32], path[PATH_MAX] = "";
  const char *name = getenv("CUTTING_READ");
  void *symbol = dlsym(RTLD_NEXT, "pread");
  memcpy(&next, &symbol, sizeof next);
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  if (name != NULL && offset > 100 && readlink(link, path, sizeof path - 1) > 0 && strcmp(path, name) == 0 &&
      truncate(path, 1000) != 0) {
    abort();
  }
  return next(file, memory, bytes, offset);
}
