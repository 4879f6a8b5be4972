"""Fixtures of the Python package's tests."""

import numpy
import pytest

import libsgemm

USABLE = [b.name for b in libsgemm.info() if b.available and not b.is_gpu]


@pytest.fixture(params=USABLE)
def backend(request):
    """Each CPU backend in turn; the test's calls use it."""
    with libsgemm.using(backend=request.param):
        yield request.param


@pytest.fixture
def rng():
    return numpy.random.default_rng(1)


def integers(rng, *shape, dtype=numpy.float32, order="C"):
    """Small integers: sums are exact and compared for equality."""
    return numpy.asarray(rng.integers(-4, 5, shape), dtype=dtype, order=order)


def reference(a, b, trans="NN", alpha=1, beta=0, c=0):
    """In FP64."""
    a, b = (numpy.asarray(x, numpy.float64) for x in (a, b))
    a, b = (x.swapaxes(-1, -2) if t == "T" else x for x, t in zip((a, b), trans))
    return alpha * (a @ b) + (beta * numpy.asarray(c, numpy.float64) if beta else 0)
