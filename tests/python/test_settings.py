"""Settings and reports: using(), verification, modes, last_info(), info(), threads."""

import asyncio
import contextvars
import os
import subprocess
import sys
import threading

import numpy
import pytest
from conftest import integers, reference

import libsgemm

X = numpy.ones((8, 8), numpy.float32)


def computed_by():
    libsgemm.gemm(X, X)
    return libsgemm.last_info().backend


def test_info():
    backends = {b.name: b for b in libsgemm.info()}
    assert backends["ref"].available and backends["ref"].reason == "" and len(backends["ref"].devices) == 1
    for b in backends.values():
        assert b.available or b.reason
        assert ("available=True" in repr(b)) == b.available
    assert libsgemm.__version__ == libsgemm.version()


def test_last_info_is_of_this_thread():
    libsgemm.gemm(X, X, backend="ref")
    seen = []
    thread = threading.Thread(target=lambda: seen.append(libsgemm.last_info()))
    thread.start()
    thread.join()
    assert seen[0].entry == "" and seen[0].backend == "none"
    info = libsgemm.last_info()
    assert (info.entry, info.backend, info.status, info.math_mode) == ("libsgemm_sgemm_h", "ref", 0, "fp32")


def test_using_nests_and_ends():
    default = computed_by()
    with libsgemm.using(backend="ref"):
        assert computed_by() == "ref"
        with libsgemm.using(mode="bf16"):
            assert computed_by() == "ref" and libsgemm.last_info().math_mode == "bf16"
            libsgemm.gemm(X, X, mode="fp32")
            assert libsgemm.last_info().math_mode == "fp32"
        assert computed_by() == "ref" and libsgemm.last_info().math_mode == "fp32"
    assert computed_by() == default
    with pytest.raises(KeyError):
        with libsgemm.using(backend="ref"):
            raise KeyError
    assert computed_by() == default


def test_using_decorates():

    @libsgemm.using(backend="ref")
    def work(depth):
        return computed_by() if depth == 0 else work(depth - 1)

    assert work(2) == "ref"


def test_using_is_of_its_context():
    with libsgemm.using(backend="ref"):
        inside = contextvars.copy_context()
        outside = contextvars.Context()
    assert inside.run(computed_by) == "ref"
    assert outside.run(lambda: libsgemm.last_info().backend) == "ref"
    outside.run(computed_by)
    assert "asked for" not in libsgemm.last_info().reason


def test_one_object_for_several_threads():
    fast, both_in, one_out = libsgemm.using(backend="ref"), threading.Barrier(2), threading.Event()
    seen = {}

    def work(name, leave):
        with fast:
            both_in.wait()
            leave()
            seen[name] = computed_by()
        seen[name, "after"] = libsgemm._core.settings.get()

    first = threading.Thread(target=work, args=("first", lambda: None))
    second = threading.Thread(target=work, args=("second", one_out.wait))
    first.start(), second.start()
    first.join()
    one_out.set()
    second.join()
    assert seen == {"first": "ref", ("first", "after"): None, "second": "ref", ("second", "after"): None}


def test_one_object_for_several_tasks():
    fast = libsgemm.using(backend="ref")

    async def work(turns):
        with fast:
            for _ in range(turns):
                await asyncio.sleep(0)
            inside = computed_by()
        return inside, libsgemm._core.settings.get()

    async def all_tasks():
        with fast:
            inner = await asyncio.gather(*map(work, (3, 1, 2)))
            return inner, computed_by()

    inner, outer = asyncio.run(all_tasks())
    assert [each[0] for each in inner] == 3 * ["ref"] and outer == "ref"
    assert all(each[1] is not None for each in inner)  # settings of the block that made the tasks
    assert libsgemm._core.settings.get() is None


def test_using_in_itself():
    fast = libsgemm.using(backend="ref")
    with fast, fast:
        assert computed_by() == "ref"
    assert libsgemm._core.settings.get() is None
    with pytest.raises(RuntimeError, match="did not begin"):
        fast.__exit__(None, None, None)


def test_using_decorates_nothing_that_runs_later():

    async def coroutine():
        pass

    def generator():
        yield

    async def both():
        yield

    for function in coroutine, generator, both:
        with pytest.raises(TypeError, match=rf"cannot decorate {function.__name__}\(\), whose body runs later"):
            libsgemm.using(backend="ref")(function)


def test_using_refuses_words():
    for options in [{"mode": "fast"}, {"verify": "maybe"}, {"verify": "full", "action": "shout"}]:
        with pytest.raises(ValueError, match="is not valid: use one of"):
            libsgemm.using(**options)


def test_modes_round(rng):
    a, b = (rng.standard_normal((64, 64), dtype=numpy.float32) for _ in range(2))
    exact = reference(a, b)
    errors = {mode: numpy.abs(libsgemm.gemm(a, b, mode=mode) - exact).max() for mode in ["fp32", "bf16", "fp64"]}
    assert errors["bf16"] > 100 * errors["fp32"] and errors["fp64"] <= errors["fp32"]


def test_verification(backend):
    libsgemm.gemm(X, X)
    assert libsgemm.last_info().verify_ratio < 0
    libsgemm.gemm(X, X, verify="full")
    assert 0 <= libsgemm.last_info().verify_ratio <= 1
    with libsgemm.using(verify="sample"):
        libsgemm.gemm(X, X)
        assert 0 <= libsgemm.last_info().verify_ratio <= 1
        libsgemm.gemm(X, X, verify="off")
        assert libsgemm.last_info().verify_ratio < 0


def test_a_backend_that_is_not_there():
    missing = [b.name for b in libsgemm.info() if not b.available]
    if not missing:
        pytest.skip("every backend is there")
    done = run(f"libsgemm.gemm(x, x, backend='{missing[0]}'); print(libsgemm.last_info().backend)")
    assert done.stdout.strip() in ("openblas", "ref") and f"{missing[0]} not available" in done.stderr
    done = run(f"libsgemm.gemm(x, x, backend='{missing[0]}')", LIBSGEMM_STRICT="1")
    assert f"libsgemm._errors.Unavailable: libsgemm_sgemm_h: {missing[0]}" in done.stderr


def run(code, **environment):
    return subprocess.run([sys.executable, "-c", "import libsgemm, numpy; x = numpy.ones((4, 4), 'f'); " + code],
                          env={**os.environ, **environment}, capture_output=True, text=True)


def test_the_environment_is_heard():
    done = run("libsgemm.gemm(x, x); print(libsgemm.last_info().backend)", LIBSGEMM_BACKEND="ref")
    assert done.stdout == "ref\n", done.stderr
    done = run("libsgemm.gemm(x, x)", LIBSGEMM_BACKEND="nobody")
    assert "libsgemm._errors.InvalidEnvironment: " in done.stderr and "LIBSGEMM_BACKEND=nobody" in done.stderr
    done = run("libsgemm.gemm(x, x, mode='fp32'); print(libsgemm.last_info().math_mode); "
               "libsgemm.gemm(x, x); print(libsgemm.last_info().math_mode)", LIBSGEMM_MATH_MODE="bf16")
    assert done.stdout == "fp32\nbf16\n", done.stderr


def test_numpys_openblas_serves_where_the_system_has_none(monkeypatch):
    from libsgemm import _cpu_blas
    monkeypatch.setattr(_cpu_blas, "_system_has_it", lambda: False)
    path = _cpu_blas.bundled()
    if path is None:
        pytest.skip("this NumPy brings no OpenBLAS")
    done = run("import os, libsgemm._cpu_blas as blas; blas._system_has_it = lambda: False; libsgemm.gemm(x, x); "
               "[b] = [b for b in libsgemm.info() if b.name == 'openblas']; "
               "print(b.version, open('/proc/self/maps').read().count(blas.bundled()) > 0, "
               "'LIBSGEMM_CPU_BLAS' in os.environ or bool(os.popen('echo $LIBSGEMM_CPU_BLAS').read().strip()))",
               LIBSGEMM_BACKEND="openblas", LIBSGEMM_STRICT="1")
    assert done.stdout.startswith("OpenBLAS") and done.stdout.endswith(" True False\n"), done


def test_threads(rng):
    a, b = integers(rng, 40, 50), integers(rng, 50, 30)
    expected, wrong = reference(a, b), []

    def work(backend):
        for _ in range(50):
            if not (libsgemm.gemm(a, b, backend=backend) == expected).all():
                wrong.append(backend)

    threads = [threading.Thread(target=work, args=(backend,)) for backend in 4 * ["ref", None]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_other_threads_run_during_a_call(rng):
    # The product takes long enough for a thread that needs only Python's lock to count.
    a = rng.standard_normal((1200, 1200), dtype=numpy.float32)
    counts, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counts[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    before = counts[0]
    out = numpy.empty_like(a)
    libsgemm.gemm(a, a, out=out, backend="ref")
    during = counts[0] - before
    done.set()
    thread.join()
    assert during > 1000
