"""What a call from NumPy costs above the call of the C library, for a product of 8 x 8."""

import ctypes
import os
import pathlib
import shutil
import statistics
import subprocess
import time

import numpy
import pytest

import libsgemm

FOLDER = pathlib.Path(libsgemm.__file__).parent
LIBRARY = FOLDER / "lib/libsgemm.so"
CALLS, PAIRS = 500, 101

# A loop in C, so that nothing of Python is in its time.
LOOP = """
#include <time.h>
#include <stdint.h>
int libsgemm_sgemm(int, int, int, int64_t, int64_t, int64_t, float, const float *, int64_t, const float *, int64_t, float,
                   float *, int64_t);
double cpu_seconds(int calls, const float *a, const float *b, float *c) {
  struct timespec start, end;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
  for (int i = 0; i < calls; ++i) libsgemm_sgemm(101, 111, 111, 8, 8, 8, 1, a, 8, b, 8, 0, c, 8);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  return (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
}
"""


@pytest.fixture
def in_c(tmp_path):
    if shutil.which("cc") is None or not LIBRARY.exists():
        pytest.skip("needs a C compiler and the installed package")
    (tmp_path / "loop.c").write_text(LOOP)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", tmp_path / "loop.so", tmp_path / "loop.c", LIBRARY,
                    f"-Wl,-rpath,{LIBRARY.parent}"], check=True)
    loop = ctypes.CDLL(str(tmp_path / "loop.so")).cpu_seconds
    loop.restype = ctypes.c_double
    return loop


@pytest.mark.parametrize("given", [True, False], ids=["out", "no out"])
def test_overhead(in_c, given):
    a, b, out = (numpy.random.default_rng(1).random((8, 8), numpy.float32) for _ in range(3))
    gemm, options = libsgemm.gemm, {"out": out} if given else {}
    pointers = [ctypes.c_void_p(x.ctypes.data) for x in (a, b, out)]

    def in_python():
        start = time.thread_time()
        for _ in range(CALLS):
            gemm(a, b, **options)
        return time.thread_time() - start

    in_python()
    # In turns, in CPU time, so that what else runs on the machine hardly counts.
    more = statistics.median(in_python() - in_c(CALLS, *pointers) for _ in range(PAIRS)) / CALLS * 1e6
    bar = float(os.environ.get("LIBSGEMM_TEST_OVERHEAD_US", "1.5"))
    print(f"{more:.2f} us above the C call; at most {bar}")
    assert more <= bar
