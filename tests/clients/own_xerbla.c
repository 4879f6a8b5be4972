/* A program with its own xerbla_ and cblas_xerbla, like test drivers and numerical packages. */
#include <stdio.h>
#include <string.h>

#include "bad_calls.h"

static struct {
  char routine[32];
  int position;
} reports[BAD_CALLS + 1];
static int report_count;

static void record(const char *routine, size_t length, int position) {
  if (report_count <= BAD_CALLS) {
    snprintf(reports[report_count].routine, sizeof reports[0].routine, "%.*s", (int)length, routine);
    reports[report_count].position = position;
  }
  ++report_count;
}

void xerbla_(const char *routine, const int *position, size_t length) { record(routine, length, *position); }

void cblas_xerbla(int position, const char *routine, const char *format, ...) {
  (void)format;
  record(routine, strlen(routine), position);
}

int main(void) {
  int wrong = 0;
  bad_calls_make();
  for (int i = 0; i < BAD_CALLS; ++i) {
    if (strcmp(reports[i].routine, bad_calls_expected[i].routine) != 0 ||
        reports[i].position != bad_calls_expected[i].position) {
      fprintf(stderr, "call %d: reported as '%s' %d, expected '%s' %d\n", i, reports[i].routine, reports[i].position,
              bad_calls_expected[i].routine, bad_calls_expected[i].position);
      wrong = 1;
    }
  }
  if (report_count != BAD_CALLS) {
    fprintf(stderr, "%d reports of %d bad calls\n", report_count, BAD_CALLS);
    wrong = 1;
  }
  if (!bad_calls_left_no_trace()) {
    fprintf(stderr, "a bad call changed C, or the good call after it failed\n");
    wrong = 1;
  }
  for (int i = 0; i < report_count && !wrong; ++i) printf("%s:%d\n", reports[i].routine, reports[i].position);
  return wrong;
}
