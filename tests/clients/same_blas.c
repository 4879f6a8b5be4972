/* Calls the linked BLAS. Prints threads, libraries and a hash of results as JSON for same_blas.py. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CblasRowMajor = 101, CblasColMajor };
enum { CblasNoTrans = 111, CblasTrans };
enum { CblasUpper = 121, CblasLower };
enum { CblasUnit = 132 };
enum { CblasLeft = 141, CblasRight };
void cblas_sgemm(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
void cblas_ssymm(int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
void cblas_ssyrk(int, int, int, int, int, float, const float *, int, float, float *, int);
void cblas_ssyr2k(int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
void cblas_strmm(int, int, int, int, int, int, int, float, const float *, int, float *, int);
void cblas_strsm(int, int, int, int, int, int, int, float, const float *, int, float *, int);

enum { kMost = 384 };
static float a[kMost * kMost], b[kMost * kMost], c[kMost * kMost];
static uint64_t hash = 14695981039346656037u;

static void add_to_hash(void) {
  const unsigned char *bytes = (const unsigned char *)c;
  for (size_t i = 0; i < sizeof c; ++i) hash = (hash ^ bytes[i]) * 1099511628211u;
}

static int threads(void) {
  int count = 0;
  DIR *tasks = opendir("/proc/self/task");
  for (struct dirent *entry; tasks != NULL && (entry = readdir(tasks)) != NULL;) count += entry->d_name[0] != '.';
  if (tasks != NULL) closedir(tasks);
  return count;
}

static void print_libraries(void) {
  char line[4600], last[4600] = "";
  FILE *maps = fopen("/proc/self/maps", "r");
  const char *separator = "";
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    char *path = strchr(line, '/');
    if (path == NULL) continue;
    path[strcspn(path, "\n")] = '\0';
    if (strcmp(path, last) == 0) continue;
    memcpy(last, path, strlen(path) + 1);
    printf("%s\"%s\"", separator, path);
    separator = ", ";
  }
  if (maps != NULL) fclose(maps);
}

int main(void) {
  const int sizes[] = {1, 5, 16, 33, 100, 257, kMost};
  for (int i = 0; i < kMost * kMost; ++i) {
    a[i] = (float)(rand() % 20001 - 10000) / 10000;
    b[i] = (float)(rand() % 20001 - 10000) / 10000;
  }
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
    const int n = sizes[s], k = sizes[(s + 3) % 7], ld = kMost;
    for (int layout = CblasRowMajor; layout <= CblasColMajor; ++layout) {
      for (int ta = CblasNoTrans; ta <= CblasTrans; ++ta) {
        for (int tb = CblasNoTrans; tb <= CblasTrans; ++tb) {
          cblas_sgemm(layout, ta, tb, n, sizes[(s + 1) % 7], k, 1.5f, a, ld, b, ld, 0.5f, c, ld);
          add_to_hash();
        }
        cblas_ssyrk(layout, CblasUpper, ta, n, k, 0.5f, a, ld, 0.5f, c, ld);
        cblas_ssyr2k(layout, CblasLower, ta, n, k, 0.25f, a, ld, b, ld, 0.5f, c, ld);
        cblas_strmm(layout, CblasLeft, CblasUpper, ta, CblasUnit, n, k, 0.125f, a, ld, c, ld);
        memcpy(c, b, sizeof c);
        cblas_strsm(layout, CblasRight, CblasLower, ta, CblasUnit, k, 1 + n / 64, 0.125f, a, ld, c, ld);
        add_to_hash();
        memcpy(c, b, sizeof c);
      }
      cblas_ssymm(layout, CblasLeft, CblasLower, n, k, 1, a, ld, b, ld, 0, c, ld);
      add_to_hash();
    }
  }
  printf("{\"bits\": \"%016llx\", \"threads\": %d, \"libraries\": [", (unsigned long long)hash, threads());
  print_libraries();
  printf("]}\n");
  return 0;
}
