# The client of same_blas.py: products by NumPy, and by SciPy where it is there; prints as JSON their bits, the threads
# of the process, what is mapped into it, and CPU time over time with one thread asked for before the first product.
import hashlib
import importlib.util
import json
import os
import pathlib
import sys
import time

import numpy as np

limited = len(sys.argv) > 1 and sys.argv[1] == 'limited'
rng = np.random.default_rng(3)
digest = hashlib.sha256()


def matrix(rows, columns):
    return rng.uniform(-1, 1, (rows, columns)).astype(np.float32)


def products():
    for m, n, k in [(1, 9, 5), (64, 48, 80), (33, 257, 100), (500, 300, 700), (300, 1, 300)]:
        a, b = matrix(m, k), matrix(k, n)
        for result in (a @ b, b.T @ a.T, np.asfortranarray(a) @ b, a @ a.T, a.T @ a, a[:, ::1][: m // 2 + 1] @ b):
            digest.update(result.tobytes())
    # Beside this NumPy. A wheel's may find the SciPy of the machine, whose BLAS is another.
    scipy = importlib.util.find_spec('scipy')
    if scipy is None or pathlib.Path(scipy.origin).parents[1] != pathlib.Path(np.__file__).parents[1]:
        return
    from scipy.linalg import blas
    a, b = matrix(200, 300), matrix(300, 100)
    triangle = np.asfortranarray(np.triu(matrix(100, 100)) + 8 * np.eye(100, dtype=np.float32))
    for result in (blas.sgemm(1, a, b), blas.ssyrk(1, a), blas.ssyr2k(1, a, a), blas.ssymm(1, triangle, b, side=1),
                   blas.strmm(1, triangle, b, side=1), blas.strsm(1, triangle, b, side=1)):
        digest.update(result.tobytes())


def load():
    a = matrix(1200, 1200)
    start, cpu = time.perf_counter(), time.process_time()
    for _ in range(4):
        a @ a
    return (time.process_time() - cpu) / (time.perf_counter() - start)


report = {}
if limited:
    from threadpoolctl import threadpool_limits
    with threadpool_limits(1):
        report['cpus'] = load()
else:
    products()
    report['bits'] = digest.hexdigest()
report['threads'] = len(os.listdir('/proc/self/task'))
with open('/proc/self/maps') as maps:
    report['libraries'] = sorted({line[line.index('/'):].strip() for line in maps if '/' in line})
print(json.dumps(report))
