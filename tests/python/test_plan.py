"""Plans of arrays in host memory, which keep no splits; plans on devices: test_device.py."""

import numpy
import pytest
from conftest import integers, reference

import libsgemm


@pytest.mark.parametrize("trans", ["NN", "NT", "TN", "TT"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("mode", [None, "fp16x3", "fp32_fast"])
def test_products(backend, rng, trans, order, mode):
    a, b = integers(rng, 6, 6, order=order), integers(rng, 6, 6, order=order)
    with libsgemm.Plan(a, side="left", trans=trans[0], mode=mode) as left, \
            libsgemm.Plan(b, trans=trans[1], mode=mode) as right:
        assert not left.keeps_something
        for x, y in [(left, b), (a, right), (left, right)]:
            numpy.testing.assert_array_equal(libsgemm.gemm(x, y, trans=trans), reference(a, b, trans))
        out = integers(rng, 6, 6)
        expected = reference(a, b, trans, alpha=2, beta=3, c=out)
        libsgemm.gemm(left, right, trans=trans, alpha=2, beta=3, out=out)
        numpy.testing.assert_array_equal(out, expected)


X = numpy.ones((4, 4), numpy.float32)


def test_refused():
    plan = libsgemm.Plan(X)
    with pytest.raises(ValueError, match="side='right', and stands for a"):
        libsgemm.gemm(plan, X)
    with pytest.raises(ValueError, match="another transposition"):
        libsgemm.gemm(X, plan, trans="NT")
    with pytest.raises(ValueError, match="out must be stored by rows"):
        libsgemm.gemm(X, plan, out=numpy.zeros((4, 4), numpy.float32, order="F"))
    with pytest.raises(ValueError, match="arrays must have 2 dimensions"):
        libsgemm.gemm(X[None], plan)
    plan.close()
    plan.close()
    with pytest.raises(ValueError, match="the plan is closed"):
        libsgemm.gemm(X, plan)
    with pytest.raises(ValueError, match="x must have 2 dimensions"):
        libsgemm.Plan(X[None])
    with pytest.raises(TypeError, match="plans are of float32"):
        libsgemm.Plan(X.astype(numpy.float16))
    with pytest.raises(ValueError, match="side='up'"):
        libsgemm.Plan(X, side="up")


def test_a_plan_keeps_its_array():
    plan = libsgemm.Plan(integers(numpy.random.default_rng(3), 50, 50))
    expected = libsgemm.gemm(numpy.eye(50, dtype=numpy.float32), plan)
    filler = [numpy.full((50, 50), i, numpy.float32) for i in range(20)]  # would reuse its memory, were it gone
    numpy.testing.assert_array_equal(libsgemm.gemm(numpy.eye(50, dtype=numpy.float32), plan), expected)
    assert len(filler) == 20
