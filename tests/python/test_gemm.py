"""gemm: shapes, strides, dtypes, batches, refusals."""

import itertools

import numpy
import pytest
from conftest import integers, reference

import libsgemm


@pytest.mark.parametrize("trans", ["NN", "NT", "TN", "TT", "nt"])
@pytest.mark.parametrize("orders", list(itertools.product("CF", repeat=3)))
def test_orders_and_transpositions(backend, rng, trans, orders):
    m, n, k = 5, 3, 7
    a = integers(rng, *((k, m) if trans[0] in "Tt" else (m, k)), order=orders[0])
    b = integers(rng, *((n, k) if trans[1] in "Tt" else (k, n)), order=orders[1])
    out = numpy.full((m, n), numpy.nan, numpy.float32, order=orders[2])
    assert libsgemm.gemm(a, b, trans=trans, out=out) is out
    numpy.testing.assert_array_equal(out, reference(a, b, trans.upper()))
    assert libsgemm.last_info().backend == backend


@pytest.mark.parametrize("m,n,k", [(1, 1, 1), (1, 5, 3), (5, 1, 3), (5, 3, 1), (33, 17, 65), (0, 3, 2), (3, 0, 2), (3, 2, 0)])
def test_sizes(backend, rng, m, n, k):
    a, b = integers(rng, m, k), integers(rng, k, n)
    result = libsgemm.gemm(a, b)
    assert result.dtype == numpy.float32 and result.shape == (m, n) and type(result) is numpy.ndarray
    numpy.testing.assert_array_equal(result, reference(a, b))


def test_alpha_and_beta(backend, rng):
    a, b, c = integers(rng, 4, 6), integers(rng, 6, 5), integers(rng, 4, 5)
    expected = reference(a, b, alpha=2, beta=-3, c=c)
    libsgemm.gemm(a, b, alpha=2, beta=-3, out=c)
    numpy.testing.assert_array_equal(c, expected)


def test_beta_zero_does_not_read_out(backend, rng):
    a, b = integers(rng, 4, 6), integers(rng, 6, 5)
    out = numpy.full((4, 5), numpy.nan, numpy.float32)
    numpy.testing.assert_array_equal(libsgemm.gemm(a, b, out=out), reference(a, b))


def test_slices_are_used_where_they_are(backend, rng):
    whole_a, whole_b = integers(rng, 20, 30), integers(rng, 30, 40, order="F")
    out = numpy.full((9, 50), -7, numpy.float32)
    a, b, c = whole_a[2:10, 3:9], whole_b[1:7, 5:9], out[:8, 10:14]
    libsgemm.gemm(a, b, out=c)
    numpy.testing.assert_array_equal(c, reference(a, b))
    out[:8, 10:14] = -7
    assert (out == -7).all()  # nothing else was written


def test_a_row_and_a_column_of_a_matrix(rng):
    x = integers(rng, 6, 6)
    for a, b in [(x[:1, ::2], x[:3, :4]), (x[::2, :1], x[:1, ::2]), (x[:, 2:3], x[3:4, :])]:
        numpy.testing.assert_array_equal(libsgemm.gemm(a, b), reference(a, b))


def bfloat16():
    return pytest.importorskip("ml_dtypes").bfloat16


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("trans", ["NN", "TT"])
def test_16_bit_inputs(backend, rng, dtype, trans):
    dtype = bfloat16() if dtype == "bfloat16" else numpy.float16
    a, b = integers(rng, 6, 6, dtype=dtype), integers(rng, 6, 6, dtype=dtype, order="F")
    result = libsgemm.gemm(a, b, trans=trans)
    assert result.dtype == numpy.float32
    numpy.testing.assert_array_equal(result, reference(a, b, trans))
    numpy.testing.assert_array_equal(libsgemm.gemm(a[None], b[None], trans=trans)[0], result)


@pytest.mark.parametrize("trans", ["NN", "NT", "TN", "TT"])
def test_batches(backend, rng, trans):
    a, b = integers(rng, 4, 5, 5), integers(rng, 4, 5, 5)
    numpy.testing.assert_array_equal(libsgemm.gemm(a, b, trans=trans), reference(a, b, trans))
    numpy.testing.assert_array_equal(libsgemm.gemm(a[0], b, trans=trans), reference(a[0], b, trans))
    numpy.testing.assert_array_equal(libsgemm.gemm(a, b[:1], trans=trans), reference(a, b[:1], trans))
    out = integers(rng, 9, 5, 5)
    expected = reference(a, b, trans, alpha=2, beta=3, c=out[1::2])
    libsgemm.gemm(a, b, trans=trans, alpha=2, beta=3, out=out[1::2])
    numpy.testing.assert_array_equal(out[1::2], expected)


@pytest.mark.parametrize("counts", [(0, 0), (0, 1), (1, 0)])
def test_batches_of_none(counts):
    a, b = numpy.ones((counts[0], 3, 4), numpy.float32), numpy.ones((counts[1], 4, 5), numpy.float32)
    assert libsgemm.gemm(a, b).shape == (0, 3, 5)
    assert libsgemm.syrk(a[:0]).shape == (0, 3, 3)


def test_batch_of_heads(backend, rng):
    # A row holds all heads, as in attention.
    heads = integers(rng, 7, 3, 4)
    a = heads.transpose(1, 0, 2)
    numpy.testing.assert_array_equal(libsgemm.gemm(a, a, trans="NT"), reference(a, a, "NT"))


def test_groups(backend, rng):
    sizes = [(3, 4, 5), (1, 7, 2), (8, 8, 8)]
    a = [integers(rng, m, k, order="F") for m, _, k in sizes]
    b = [integers(rng, k, n) for _, n, k in sizes]
    for x, y, z in zip(a, b, libsgemm.gemm_batch(a, b)):
        numpy.testing.assert_array_equal(z, reference(x, y))
    out = [integers(rng, m, n) for m, n, _ in sizes]
    expected = [reference(x, y, alpha=2, beta=1, c=z) for x, y, z in zip(a, b, out)]
    result = libsgemm.gemm_batch(a, b, alpha=2, beta=1, out=out)
    assert all(x is y for x, y in zip(result, out))
    for x, y in zip(out, expected):
        numpy.testing.assert_array_equal(x, y)
    halves = libsgemm.gemm_batch([x.astype(numpy.float16) for x in a], [x.astype(numpy.float16) for x in b])
    numpy.testing.assert_array_equal(halves[2], reference(a[2], b[2]))
    assert libsgemm.gemm_batch([], []) == []


A = numpy.ones((3, 4), numpy.float32)
B = numpy.ones((4, 5), numpy.float32)


def read_only():
    out = numpy.zeros((3, 5), numpy.float32)
    out.flags.writeable = False
    return out


@pytest.mark.parametrize("error,words,a,b,options", [
    (TypeError, "a has dtype float64", A.astype(float), B, {}),
    (TypeError, "b has dtype int32", A, B.astype(numpy.int32), {}),
    (TypeError, "b has dtype >f4", A, B.astype(">f4"), {}),
    (TypeError, "a has dtype complex64", A.astype(numpy.complex64), B, {}),
    (TypeError, "a has dtype datetime64", A.astype("datetime64[s]"), B, {}),
    (TypeError, "a and b have different dtypes", A.astype(numpy.float16), B, {}),
    (TypeError, "out has dtype float16; it must be float32", A, B, {"out": numpy.zeros((3, 5), numpy.float16)}),
    (TypeError, "out has dtype float64", A, B, {"out": numpy.zeros((3, 5))}),
    (TypeError, "b is no array", A, [[1.0] * 5] * 4, {}),
    (ValueError, "a has 1 dimension", A[0], B, {}),
    (ValueError, "b has 4 dimension", A, B[None, None], {}),
    (ValueError, r"a \(3 x 4\) and b \(3 x 4\) do not fit: op\(a\) has 4 columns and op\(b\) 3 rows", A, A, {}),
    (ValueError, "out is 3 x 4; it must be 3 x 5", A, B, {"out": numpy.zeros((3, 4), numpy.float32)}),
    (ValueError, "out is read-only", A, B, {"out": read_only()}),
    (ValueError, r"out \(3 x 5\) has strides of 20 elements between rows and 2", A, B,
     {"out": numpy.zeros((6, 10), numpy.float32)[::2, ::2]}),
    (ValueError, r"pass numpy.ascontiguousarray\(b\)", A, numpy.ones((8, 10), numpy.float32)[::2, ::2], {}),
    (ValueError, "a .* has strides of -4", A[::-1], B, {}),
    (ValueError, "b .* has strides of 0", A, numpy.broadcast_to(B[:1], (4, 5)), {}),
    (ValueError, "a is not aligned", numpy.zeros(49, numpy.uint8)[1:].view(numpy.float32).reshape(3, 4), B, {}),
    (ValueError, r"a is a masked array, .*pass a.filled\(0\), or a.data", numpy.ma.array(A, mask=A > 0), B, {}),
    (ValueError, "b is a masked array", A, numpy.ma.array(B), {}),
    (ValueError, "out is a masked array", A, B, {"out": numpy.ma.zeros((3, 5), "f")}),
    (ValueError, "beta is not 0 but there is no out", A, B, {"beta": 1}),
    (ValueError, "trans='NX' is not valid", A, B, {"trans": "NX"}),
    (ValueError, "trans='N' is not valid: use two letters", A, B, {"trans": "N"}),
    (ValueError, "mode='tf3' is not valid: use one of fp32, ", A, B, {"mode": "tf3"}),
    (ValueError, "verify=1 is not valid", A, B, {"verify": 1}),
    (libsgemm.InvalidArgument, r'argument 2 \(backends\) is "opeblas"', A, B, {"backend": "opeblas"}),
    (ValueError, "a is a batch of 3 matrices and b one of 2|b is a batch of 2 matrices and a one of 3",
     numpy.ones((3, 3, 4), numpy.float32), numpy.ones((2, 4, 5), numpy.float32), {}),
    (ValueError, "out has fewer matrices", numpy.ones((3, 3, 4), numpy.float32), B,
     {"out": numpy.zeros((3, 5), numpy.float32)}),
])
def test_refused(error, words, a, b, options):
    with pytest.raises(error, match=words):
        libsgemm.gemm(a, b, **options)


def test_other_subclasses_are_arrays():

    class Subclass(numpy.ndarray):
        pass

    numpy.testing.assert_array_equal(libsgemm.gemm(A.view(Subclass), B), reference(A, B))


def test_overlap_is_the_librarys_to_refuse():
    square = numpy.ones((4, 4), numpy.float32)
    with pytest.raises(libsgemm.InvalidArgument, match=r"libsgemm_sgemm_h: argument 13 \(C\) overlaps A") as caught:
        libsgemm.gemm(square, square.copy(), out=square)
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, libsgemm.Error)
    assert libsgemm.last_info().argument == 13
    assert (square == 1).all()


def test_groups_refused():
    with pytest.raises(ValueError, match="an array of b is a masked array"):
        libsgemm.gemm_batch([A], [numpy.ma.array(B)])
    with pytest.raises(ValueError, match="same length"):
        libsgemm.gemm_batch([A], [B, B])
    with pytest.raises(TypeError, match="one dtype"):
        libsgemm.gemm_batch([A, A.astype(numpy.float16)], [B, B.astype(numpy.float16)])
    with pytest.raises(ValueError, match="stored by columns .* both must be stored alike"):
        libsgemm.gemm_batch([A, A], [B, B], out=[numpy.zeros((3, 5), "f"), numpy.zeros((3, 5), "f", order="F")])


def test_nothing_is_kept_of_a_refused_array():
    import sys
    a = A.astype(float)
    before = sys.getrefcount(a)
    for _ in range(10):
        with pytest.raises(TypeError):
            libsgemm.gemm(a, B)
        with pytest.raises(ValueError):
            libsgemm.gemm(A, A)
    assert sys.getrefcount(a) == before
