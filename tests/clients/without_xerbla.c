/* A program without xerbla_, for xerbla.py. */
#include <stdio.h>

#include "bad_calls.h"

int main(void) {
  bad_calls_make();
  if (!bad_calls_left_no_trace()) {
    printf("a bad call changed C, or the good call after it failed\n");
    return 1;
  }
  for (int i = 0; i < BAD_CALLS; ++i) printf("%s:%d\n", bad_calls_expected[i].routine, bad_calls_expected[i].position);
  return 0;
}
