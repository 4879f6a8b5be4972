# NumPy's products, and SciPy's BLAS, for same_blas.py.
import importlib.util
import pathlib

import numpy as np

from same_blas_report import add, matrix, print_report


def products():
    for m, n, k in [(1, 9, 5), (64, 48, 80), (33, 257, 100), (500, 300, 700), (300, 1, 300)]:
        a, b = matrix(m, k), matrix(k, n)
        add(a @ b, b.T @ a.T, np.asfortranarray(a) @ b, a @ a.T, a.T @ a, a[:, ::1][: m // 2 + 1] @ b)
    # Uses only this NumPy's SciPy: a wheel's NumPy may find the machine's, which has another BLAS.
    scipy = importlib.util.find_spec('scipy')
    if scipy is None or pathlib.Path(scipy.origin).parents[1] != pathlib.Path(np.__file__).parents[1]:
        return
    from scipy.linalg import blas
    a, b = matrix(200, 300), matrix(300, 100)
    triangle = np.asfortranarray(np.triu(matrix(100, 100)) + 8 * np.eye(100, dtype=np.float32))
    add(blas.sgemm(1, a, b), blas.ssyrk(1, a), blas.ssyr2k(1, a, a), blas.ssymm(1, triangle, b, side=1),
        blas.strmm(1, triangle, b, side=1), blas.strsm(1, triangle, b, side=1))


def limit():
    from threadpoolctl import threadpool_limits
    return threadpool_limits(1)


def load():
    a = matrix(1200, 1200)
    for _ in range(4):
        a @ a


print_report(products, limit, load)
