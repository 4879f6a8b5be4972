"""A CuPy program that does not know libsgemm: FP32 products and systems. Prints times and errors."""

import sys

import cupy


def timed(f, repetitions=20):
    f()
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    begin.record()
    for _ in range(repetitions):
        result = f()
    end.record()
    end.synchronize()
    return cupy.cuda.get_elapsed_time(begin, end) / repetitions, result


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 4096
    rng = cupy.random.RandomState(1)
    a, b = (rng.standard_normal((n, n), dtype=cupy.float32) for _ in range(2))
    exact = a.astype(float) @ b.astype(float)
    ms, c = timed(lambda: a @ b)
    print(f"a @ b: {ms:.3f} ms, worst error {float(abs(c - exact).max() / abs(exact).max()):.2e}")
    batch = a[:1024].reshape(-1, 256, 256)
    ms, c = timed(lambda: batch @ batch)
    exact = batch.astype(float) @ batch.astype(float)
    print(f"batch: {ms:.3f} ms, worst error {float(abs(c - exact).max() / abs(exact).max()):.2e}")
    ms, x = timed(lambda: cupy.linalg.solve(a, b), 3)
    residual = abs(a.astype(float) @ x.astype(float) - b).max() / (abs(a).sum(axis=1).max() * abs(x).max())
    print(f"linalg.solve: {ms:.3f} ms, residual {float(residual):.2e}")


if __name__ == "__main__":
    main()
