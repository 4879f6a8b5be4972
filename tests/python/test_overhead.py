"""Cost of a Python call above the C library's, or PyTorch's, for a product of 8 x 8."""

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
CALLS, PAIRS, BAR = 500, 101, 1.5

# In C, without any Python in its time.
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


def seconds(call, *operands, **options):
    start = time.thread_time()
    for _ in range(CALLS):
        call(*operands, **options)
    return time.thread_time() - start


def in_turns(one, other):
    """Median microseconds of CPU time by which `one` exceeds `other`: CPU time hardly depends on other load."""
    one(), other()
    return statistics.median(one() - other() for _ in range(PAIRS)) / CALLS * 1e6


def check(more, than, bar=BAR):
    bar = float(os.environ.get("LIBSGEMM_TEST_OVERHEAD_US", bar))
    print(f"{more:.2f} us above {than}; at most {bar}")
    assert more <= bar


@pytest.mark.parametrize("given", [True, False], ids=["out", "no out"])
def test_overhead(in_c, given):
    a, b, out = (numpy.random.default_rng(1).random((8, 8), numpy.float32) for _ in range(3))
    options = {"out": out} if given else {}
    pointers = [ctypes.c_void_p(x.ctypes.data) for x in (a, b, out)]
    check(in_turns(lambda: seconds(libsgemm.gemm, a, b, **options), lambda: in_c(CALLS, *pointers)), "the C call")


def test_overhead_of_tensors(in_c):
    torch = pytest.importorskip("torch", minversion="2.10")
    a, b, out = (torch.rand(8, 8) for _ in range(3))
    pointers = [ctypes.c_void_p(x.data_ptr()) for x in (a, b, out)]
    # A tensor answers more questions than an array: requires_grad, negated elements.
    check(in_turns(lambda: seconds(libsgemm.gemm, a, b, out=out), lambda: in_c(CALLS, *pointers)), "the C call", 2 * BAR)


@pytest.mark.parametrize("given", [True, False], ids=["out", "no out"])
def test_tensors_on_a_gpu_beside_pytorch(given):
    torch = pytest.importorskip("torch", minversion="2.10")
    if not torch.cuda.is_available():
        pytest.skip("PyTorch has no GPU")
    a, b, out = (torch.rand(8, 8, device="cuda") for _ in range(3))
    options = {"out": out} if given else {}
    more = in_turns(lambda: seconds(libsgemm.gemm, a, b, **options), lambda: seconds(torch.mm, a, b, **options))
    print(f"{more:.2f} us above torch.mm; at most 0")
    assert more <= 0
