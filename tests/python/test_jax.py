"""Operands are JAX arrays on the CPU. Needs jax."""

import numpy
import pytest
from conftest import integers, reference

import libsgemm

jax = pytest.importorskip("jax")


@pytest.fixture(autouse=True)
def on_cpu():
    with jax.default_device(jax.devices("cpu")[0]):
        yield


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_products(rng, dtype):
    a, b = integers(rng, 3, 4), integers(rng, 4, 5)
    x, y = jax.numpy.asarray(a, dtype), jax.numpy.asarray(b, dtype)
    result = libsgemm.gemm(x, y)
    assert isinstance(result, jax.Array) and result.dtype == numpy.float32
    numpy.testing.assert_array_equal(result, reference(a, b))
    numpy.testing.assert_array_equal(x.astype("float32"), a)
    numpy.testing.assert_array_equal(libsgemm.syrk(x), numpy.tril(reference(a, a, "NT")))


def test_what_is_overwritten_is_a_copy(rng):
    a, b = numpy.tril(integers(rng, 4, 4)), integers(rng, 4, 5)
    y = jax.numpy.asarray(b)
    numpy.testing.assert_array_equal(libsgemm.trmm(jax.numpy.asarray(a), y), reference(a, b))
    numpy.testing.assert_array_equal(y, b)


def test_results_are_not_each_others_memory(rng):
    x = jax.numpy.asarray(integers(rng, 4, 4))
    first = libsgemm.gemm(x, x)
    before = numpy.array(first)
    second = libsgemm.gemm(x, x, alpha=2)
    numpy.testing.assert_array_equal(first, before)
    numpy.testing.assert_array_equal(second, 2 * before)


def test_out_is_refused(rng):
    x = jax.numpy.asarray(integers(rng, 4, 4))
    with pytest.raises(ValueError, match="out is a JAX array"):
        libsgemm.gemm(x, x, out=x + 1)
    with pytest.raises(ValueError, match="b is a JAX array"):
        libsgemm.trsm(x, x, out=x)
