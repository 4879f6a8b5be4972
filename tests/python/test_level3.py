"""syrk, symm, trmm and trsm."""

import numpy
import pytest
from conftest import integers, reference

import libsgemm


def triangle(x, uplo):
    return numpy.tril(x) if uplo == "lower" else numpy.triu(x)


def other_triangle(x, uplo):
    return numpy.triu(x, 1) if uplo == "lower" else numpy.tril(x, -1)


@pytest.mark.parametrize("uplo", ["lower", "upper", "L", "u"])
@pytest.mark.parametrize("trans", ["N", "T"])
@pytest.mark.parametrize("orders", ["CC", "CF", "FC", "FF"])
def test_syrk(backend, rng, uplo, trans, orders):
    whole = {"l": "lower", "u": "upper"}[uplo[0].lower()]
    a = integers(rng, 4, 6, order=orders[0])
    n = 6 if trans == "T" else 4
    c = integers(rng, n, n, order=orders[1])
    expected = triangle(reference(a, a, "NT" if trans == "N" else "TN", alpha=2, beta=-1, c=c), whole)
    expected += other_triangle(c, whole)
    assert libsgemm.syrk(a, uplo=uplo, trans=trans, alpha=2, beta=-1, out=c) is c
    numpy.testing.assert_array_equal(c, expected)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_syrk_makes_a_result(backend, rng, dtype):
    if dtype == "bfloat16":
        dtype = pytest.importorskip("ml_dtypes").bfloat16
    a = integers(rng, 3, 4, 5, dtype=dtype)
    numpy.testing.assert_array_equal(libsgemm.syrk(a[0]), numpy.tril(reference(a[0], a[0], "NT")))
    numpy.testing.assert_array_equal(libsgemm.syrk(a, uplo="upper"), numpy.triu(reference(a, a, "NT")))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("uplo", ["lower", "upper"])
@pytest.mark.parametrize("orders", ["CCC", "FCC", "CFF", "FFF", "CF-", "FC-"])
def test_symm(backend, rng, side, uplo, orders):
    b = integers(rng, 4, 6, order=orders[1])
    full = integers(rng, *(2 * [4 if side == "left" else 6]))
    full = full + full.T
    a = numpy.array(triangle(full, uplo), order=orders[0])
    a[other_triangle(numpy.ones_like(a), uplo) == 1] = numpy.nan  # must not be read
    out = None if orders[2] == "-" else numpy.full((4, 6), numpy.nan, numpy.float32, order=orders[2])
    result = libsgemm.symm(a, b, side=side, uplo=uplo, alpha=2, out=out)
    numpy.testing.assert_array_equal(result, reference(*((full, b) if side == "left" else (b, full)), alpha=2))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("uplo", ["lower", "upper"])
@pytest.mark.parametrize("trans", ["N", "T"])
@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("orders", ["CC", "FC", "CF", "FF"])
def test_triangular(backend, rng, side, uplo, trans, unit, orders):
    b = integers(rng, 4, 6, order=orders[1])
    n = 4 if side == "left" else 6
    full = triangle(integers(rng, n, n), uplo)
    numpy.fill_diagonal(full, 1 if unit else 2)
    a = numpy.array(full, order=orders[0])
    a[other_triangle(numpy.ones_like(a), uplo) == 1] = numpy.nan
    if unit:
        numpy.fill_diagonal(a, numpy.nan)
    op = full.T if trans == "T" else full
    options = {"side": side, "uplo": uplo, "trans": trans, "unit": unit}
    product = reference(*((op, b) if side == "left" else (b, op)), alpha=3)
    before = b.copy()
    numpy.testing.assert_array_equal(libsgemm.trmm(a, b, alpha=3, **options), product)
    numpy.testing.assert_array_equal(b, before)
    x = libsgemm.trsm(a, b, **options)
    numpy.testing.assert_array_equal(b, before)
    numpy.testing.assert_allclose(op @ x if side == "left" else x @ op, b, rtol=0, atol=1e-3 * numpy.abs(x).max())
    assert libsgemm.trmm(a, b, alpha=3, out=b, **options) is b
    numpy.testing.assert_array_equal(b, product)


@pytest.mark.parametrize("routine", [libsgemm.trmm, libsgemm.trsm])
def test_triangular_batches(backend, rng, routine):
    a = numpy.tril(integers(rng, 3, 5, 5)) + 8 * numpy.eye(5, dtype=numpy.float32)
    b = integers(rng, 3, 5, 4)
    result = routine(a, b)
    for i in range(3):
        numpy.testing.assert_allclose(result[i], routine(a[i], b[i].copy()), rtol=1e-6)
    numpy.testing.assert_allclose(routine(a[0], b)[2], routine(a[0], b[2]), rtol=1e-6)


SQUARE = numpy.ones((4, 4), numpy.float32)
WIDE = numpy.ones((4, 6), numpy.float32)


@pytest.mark.parametrize("error,words,call", [
    (ValueError, "out is 4 x 6; it must be 4 x 4", lambda: libsgemm.syrk(SQUARE, out=WIDE.copy())),
    (ValueError, "a is 4 x 4; it must be 6 x 6 to multiply b from the right",
     lambda: libsgemm.symm(SQUARE, WIDE, side="right")),
    (ValueError, "both must be stored alike",
     lambda: libsgemm.symm(SQUARE, WIDE, out=numpy.zeros((4, 6), numpy.float32, order="F"))),
    (ValueError, "a is 4 x 6; it must be 4 x 4", lambda: libsgemm.trsm(WIDE, SQUARE.copy())),
    (ValueError, "out must be b itself", lambda: libsgemm.trsm(SQUARE, WIDE, out=WIDE.copy())),
    (ValueError, "b is a masked array", lambda: libsgemm.trsm(SQUARE, numpy.ma.array(WIDE))),
    (ValueError, "side='up' is not valid", lambda: libsgemm.trmm(SQUARE, WIDE, side="up")),
    (ValueError, "uplo='left' is not valid", lambda: libsgemm.trmm(SQUARE, WIDE, uplo="left")),
    (ValueError, "trans='NN' is not valid", lambda: libsgemm.trmm(SQUARE, WIDE, trans="NN")),
    (TypeError, "a must be float32", lambda: libsgemm.trmm(SQUARE.astype(numpy.float16), WIDE)),
    (TypeError, "b has dtype float16", lambda: libsgemm.trmm(SQUARE, WIDE.astype(numpy.float16))),
    (TypeError, "b must be float32", lambda: libsgemm.symm(SQUARE, WIDE.astype(numpy.float16))),
])
def test_refused(error, words, call):
    with pytest.raises(error, match=words):
        call()
