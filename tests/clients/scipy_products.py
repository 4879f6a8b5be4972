# Client of numpy_client.py: the six FP32 level-3 routines of scipy.linalg.blas, checked against FP64. Prints its calls
# as JSON.
import json
import sys

import numpy as np
import scipy
from scipy.linalg import blas

rng = np.random.default_rng(11)
N, M, K = 37, 23, 41


def matrix(rows, columns):
    return np.asfortranarray(rng.uniform(-1, 1, (rows, columns)).astype(np.float32))


def check(result, exact, what):
    error = np.abs(result.astype(np.float64) - exact).max()
    if result.dtype != np.float32 or not error <= 2e-5 * max(1.0, np.abs(exact).max()):
        sys.exit(f'{what}: error {error}')


def main():
    a, b, c = matrix(N, K), matrix(K, M), matrix(N, M)
    a64, b64, c64 = (x.astype(np.float64) for x in (a, b, c))
    check(blas.sgemm(1.5, a, b, beta=0.5, c=c), 1.5 * a64 @ b64 + 0.5 * c64, 'sgemm')
    check(blas.sgemm(1, b, a, trans_a=1, trans_b=1), b64.T @ a64.T, 'sgemm of transposes')

    s = matrix(N, N)
    full = np.tril(s) + np.tril(s, -1).T
    check(blas.ssymm(1, s, c, lower=1), full.astype(np.float64) @ c64, 'ssymm')
    check(np.triu(blas.ssyrk(2, a)), np.triu(2 * a64 @ a64.T), 'ssyrk')
    d = matrix(N, K)
    d64 = d.astype(np.float64)
    check(np.triu(blas.ssyr2k(1, a, d)), np.triu(a64 @ d64.T + d64 @ a64.T), 'ssyr2k')

    triangle = np.asfortranarray(np.triu(s) + 8 * np.eye(N, dtype=np.float32))
    check(blas.strmm(1, triangle, c), triangle.astype(np.float64) @ c64, 'strmm')
    check(blas.strsm(1, triangle, c), np.linalg.solve(triangle.astype(np.float64), c64), 'strsm')

    if not np.allclose(blas.dgemm(1, a64, b64), np.einsum('ik,kj', a64, b64), rtol=1e-13, atol=1e-13):
        sys.exit('dgemm is wrong')
    calls = {'sgemm': 2, 'ssymm': 1, 'ssyrk': 1, 'ssyr2k': 1, 'strmm': 1, 'strsm': 1}
    json.dump({'version': scipy.__version__, 'file': scipy.__file__, 'calls': calls}, sys.stdout)


main()
