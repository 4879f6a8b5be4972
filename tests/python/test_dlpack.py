"""Other frameworks' arrays in host memory; refused ones on devices."""

import dlpack
import numpy
import pytest
from conftest import integers, reference

import libsgemm


@pytest.mark.parametrize("kind", [dlpack.Array, dlpack.OldArray])
@pytest.mark.parametrize("versioned", [False, True])
def test_operands_and_output(backend, rng, kind, versioned):
    a, b, out = integers(rng, 3, 4), integers(rng, 5, 4, order="F"), numpy.zeros((3, 5), numpy.float32)
    x, y, z = (kind.of(each, versioned=versioned) for each in (a, b, out))
    assert libsgemm.gemm(x, y, trans="NT", out=z) is z
    numpy.testing.assert_array_equal(out, reference(a, b, "NT"))
    result = libsgemm.gemm(x, b, trans="NT")  # with a NumPy array; the result is NumPy's
    assert type(result) is numpy.ndarray
    numpy.testing.assert_array_equal(result, out)
    assert dlpack.exported() == 0


def test_bfloat16(backend, rng):
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    a, b = integers(rng, 3, 4, dtype=bfloat16), integers(rng, 4, 5, dtype=bfloat16)
    numpy.testing.assert_array_equal(libsgemm.gemm(dlpack.Array.of(a), b), reference(a, b))
    assert libsgemm.last_info().entry == "libsgemm_sbgemm_h"


X = numpy.ones((4, 4), numpy.float32)


def test_read_only_is_for_reading():
    x = dlpack.Array.of(X, flags=dlpack.READ_ONLY)
    numpy.testing.assert_array_equal(libsgemm.gemm(x, x), reference(X, X))
    with pytest.raises(ValueError, match="out is read-only"):
        libsgemm.gemm(X, X, out=x)
    assert dlpack.exported() == 0


class RequiresGrad(dlpack.Array):
    requires_grad = True

    def copy(self):
        return dlpack.Array.of(self.owner.copy())


class Refuses(dlpack.Array):

    def __dlpack__(self, **_):
        raise BufferError("it is conjugated")


class OfJax(dlpack.Array):
    __module__ = "jaxlib._jax"


@pytest.mark.parametrize("error,words,call", [
    (TypeError, "a has dtype float64", lambda: libsgemm.gemm(dlpack.Array.of(X.astype(float)), X)),
    (TypeError, "out has dtype float16", lambda: libsgemm.gemm(X, X, out=dlpack.Array.of(X.astype(numpy.float16)))),
    (ValueError, "b has 1 dimension", lambda: libsgemm.gemm(X, dlpack.Array.of(X[0]))),
    (ValueError, r"b requires grad.*b.detach\(\)", lambda: libsgemm.gemm(X, RequiresGrad.of(X))),
    (ValueError, r"b requires grad.*b.detach\(\)", lambda: libsgemm.trmm(X, RequiresGrad.of(X))),
    (ValueError, r"b requires grad.*b.detach\(\)", lambda: libsgemm.trsm(X, RequiresGrad.of(X))),
    (ValueError, r"a requires grad.*a.detach\(\)", lambda: libsgemm.trsm(RequiresGrad.of(X), X)),
    (ValueError, "a cannot be used as it is: it is conjugated", lambda: libsgemm.gemm(Refuses.of(X), X)),
    (ValueError, "out is a JAX array", lambda: libsgemm.gemm(X, X, out=OfJax.of(X.copy()))),
    (ValueError, "b is in cuda:1 and a in host memory; the arrays of a call must all be in one place",
     lambda: libsgemm.gemm(X, dlpack.Array.of(X, device=(dlpack.CUDA, 1)))),
    (ValueError, "a is in cuda:0 and out in cuda:1",
     lambda: libsgemm.gemm(dlpack.Array.of(X, device=(dlpack.CUDA, 0)), X, out=dlpack.Array.of(X, device=(dlpack.CUDA, 1)))),
    (ValueError, "out is needed, since libsgemm does not know how dlpack makes arrays",
     lambda: libsgemm.gemm(*2 * [dlpack.Array.of(X, device=(dlpack.CUDA, 0))])),
    (ValueError, "no backend for arrays in a device of DLPack's kind 8",
     lambda: libsgemm.gemm(*2 * [dlpack.Array.of(X, device=(8, 0))], out=dlpack.Array.of(X, device=(8, 0)))),
    (ValueError, "out=b is needed", lambda: libsgemm.trsm(X, dlpack.Array.of(X))),
])
def test_refused(error, words, call):
    with pytest.raises(error, match=words):
        call()
    assert dlpack.exported() == 0


def test_a_gpu_that_the_library_cannot_use():
    if any(b.name == "cuda" and b.available for b in libsgemm.info()):
        pytest.skip("backend cuda is available")
    x = dlpack.Array.of(X, device=(dlpack.CUDA, 0))  # must not be taken for host memory
    with pytest.raises(libsgemm.Unavailable, match="arrays are in cuda:0, and backend cuda cannot be used: "):
        libsgemm.gemm(x, x, out=dlpack.Array.of(X.copy(), device=(dlpack.CUDA, 0)))
