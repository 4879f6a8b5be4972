# Client of numpy_client.py: NumPy products, checked against FP64. Prints the numbers of BLAS calls of the FP32 ones as
# JSON.
import json
import sys

import numpy as np

rng = np.random.default_rng(7)
UNIT = 2.0 ** -24


def matrix(rows, columns, dtype=np.float32):
    return rng.uniform(-1, 1, (rows, columns)).astype(dtype)


def check(result, a, b, what):
    """Componentwise FP32 bound for length k: 2 sqrt(k + 2) u |A||B|."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    bound = 2 * np.sqrt(a.shape[-1] + 2) * UNIT * (np.abs(a) @ np.abs(b))
    error = np.abs(result.astype(np.float64) - a @ b)
    if result.dtype != np.float32 or not np.all(error <= bound):
        sys.exit(f'{what}: error {error.max()} exceeds the bound')


def main():
    calls = {'sgemm': 0, 'ssyrk': 0}
    for m, n, k in [(64, 48, 80), (5, 7, 3), (130, 2, 257)]:
        a, b = matrix(m, k), matrix(k, n)
        check(a @ b, a, b, 'a @ b')
        check(np.dot(a, b), a, b, 'np.dot')
        check(b.T @ a.T, b.T, a.T, 'transposed operands')
        check(np.asfortranarray(a) @ b, a, b, 'Fortran order')
        calls['sgemm'] += 4
        check(a @ a.T, a, a.T, 'a @ a.T')
        check(a.T @ a, a.T, a, 'a.T @ a')
        calls['ssyrk'] += 2
    # Large enough for TMA.
    a, b = matrix(1024, 1100), matrix(1100, 1030)
    check(a @ b, a, b, 'a large product')
    calls['sgemm'] += 1
    parts = matrix(20, 60)
    check(parts[:, 10:40] @ parts[:, 20:50].T, parts[:, 10:40], parts[:, 20:50].T, 'views with a leading dimension')
    calls['sgemm'] += 1
    stack, one = np.stack([matrix(9, 8) for _ in range(5)]), matrix(8, 7)
    check(stack @ one, stack, one, 'a stack of matrices')
    calls['sgemm'] += len(stack)

    poisoned = matrix(6, 4)
    poisoned[2, 1] = np.nan
    product = poisoned @ matrix(4, 5)
    if not (np.isnan(product[2]).all() and np.isfinite(np.delete(product, 2, 0)).all()):
        sys.exit('NaN spread wrongly')
    calls['sgemm'] += 1

    a, b = matrix(64, 80, np.float64), matrix(80, 48, np.float64)
    for result, exact in [(a @ b, np.einsum('ik,kj', a, b)), (a @ a.T, np.einsum('ik,jk', a, a))]:
        if not np.allclose(result, exact, rtol=1e-13, atol=1e-13):
            sys.exit('the FP64 product is wrong')
    json.dump({'version': np.__version__, 'file': np.__file__, 'calls': calls}, sys.stdout)


main()
