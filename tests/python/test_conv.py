"""Compares conv2d and its gradients with the definition."""

import numpy
import pytest
from conftest import integers

import libsgemm

CASES = [
    dict(),
    dict(stride=2, padding=1),
    dict(stride=(1, 3), padding=(2, 0), dilation=(1, 2)),
    dict(padding=(0, 1, 2, 3), groups=2),
]


def numbers(value, count):
    return (value,) * count if isinstance(value, int) else tuple(value)


def windows(x, f_shape, stride=1, padding=0, dilation=1, groups=1):
    """For each tap (r, s): its pixels of the padded x, n x c x p x q, as a view; and the padded x."""
    (sh, sw), (dh, dw) = numbers(stride, 2), numbers(dilation, 2)
    pad = numbers(padding, 4) if not isinstance(padding, int) and len(padding) == 4 else numbers(padding, 2) * 2
    padded = numpy.pad(x, ((0, 0), (0, 0), (pad[0], pad[2]), (pad[1], pad[3])))
    r, s = f_shape[2:]
    p = 1 + (padded.shape[2] - dh * (r - 1) - 1) // sh
    q = 1 + (padded.shape[3] - dw * (s - 1) - 1) // sw
    taps = {(i, j): padded[:, :, i * dh:i * dh + (p - 1) * sh + 1:sh, j * dw:j * dw + (q - 1) * sw + 1:sw]
            for i in range(r) for j in range(s)}
    inside = padded[:, :, pad[0]:pad[0] + x.shape[2], pad[1]:pad[1] + x.shape[3]]
    return taps, inside


def split(x, groups, axis):
    return numpy.split(x, groups, axis)


def forward(x, f, **window):
    groups = window.get("groups", 1)
    x, f = x.astype(float), f.astype(float)
    parts = []
    for xs, fs in zip(split(x, groups, 1), split(f, groups, 0)):
        taps, _ = windows(xs, f.shape, **window)
        parts.append(sum(numpy.einsum("ncpq,kc->nkpq", view, fs[:, :, i, j]) for (i, j), view in taps.items()))
    return numpy.concatenate(parts, 1)


def data_gradient(dy, f, shape, **window):
    groups = window.get("groups", 1)
    parts = []
    for dys, fs in zip(split(dy.astype(float), groups, 1), split(f.astype(float), groups, 0)):
        taps, inside = windows(numpy.zeros((shape[0], shape[1] // groups, *shape[2:])), f.shape, **window)
        for (i, j), view in taps.items():
            view += numpy.einsum("nkpq,kc->ncpq", dys, fs[:, :, i, j])
        parts.append(inside)
    return numpy.concatenate(parts, 1)


def weight_gradient(x, dy, shape, **window):
    groups = window.get("groups", 1)
    parts = []
    for xs, dys in zip(split(x.astype(float), groups, 1), split(dy.astype(float), groups, 1)):
        taps, _ = windows(xs, shape, **window)
        part = numpy.zeros((shape[0] // groups, *shape[1:]))
        for (i, j), view in taps.items():
            part[:, :, i, j] = numpy.einsum("ncpq,nkpq->kc", view, dys)
        parts.append(part)
    return numpy.concatenate(parts, 0)


def channels_last(x):
    return numpy.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)


@pytest.mark.parametrize("window", CASES, ids=str)
@pytest.mark.parametrize("last", [False, True], ids=["nchw", "nhwc"])
def test_all_directions(backend, rng, window, last):
    x, f = integers(rng, 2, 4, 9, 11), integers(rng, 6, 4 // window.get("groups", 1), 3, 2)
    y = forward(x, f, **window)
    dy = integers(rng, *y.shape)
    stored = channels_last if last else numpy.ascontiguousarray
    result = libsgemm.conv2d(stored(x), stored(f), **window)
    numpy.testing.assert_array_equal(result, y)
    assert (result.strides[1] == 4) == last
    dx = libsgemm.conv2d_data_gradient(stored(dy), stored(f), x.shape, **window)
    numpy.testing.assert_array_equal(dx, data_gradient(dy, f, x.shape, **window))
    df = libsgemm.conv2d_weight_gradient(stored(x), stored(dy), f.shape, **window)
    numpy.testing.assert_array_equal(df, weight_gradient(x, dy, f.shape, **window))
    assert libsgemm.last_info().entry == "libsgemm_sconv2d_h"


def test_out(backend, rng):
    x, f = integers(rng, 2, 3, 6, 6), integers(rng, 5, 3, 3, 3)
    y = forward(x, f, padding=1)
    whole = integers(rng, 2, 8, 6, 6)
    before = whole.copy()
    out = whole[:, 1:6]
    assert libsgemm.conv2d(x, f, padding=1, alpha=2, beta=-1, out=out) is out
    numpy.testing.assert_array_equal(out, 2 * y - before[:, 1:6])
    numpy.testing.assert_array_equal(whole[:, [0, 6, 7]], before[:, [0, 6, 7]])
    dx = integers(rng, *x.shape)
    old = dx.copy()
    libsgemm.conv2d_data_gradient(whole[:, 1:6], f, padding=1, beta=1, out=dx)
    numpy.testing.assert_array_equal(dx, old + data_gradient(whole[:, 1:6], f, x.shape, padding=1))


@pytest.mark.parametrize("x_shape,f_shape", [
    ((0, 3, 6, 6), (5, 3, 3, 3)), ((2, 0, 6, 6), (5, 0, 3, 3)), ((2, 3, 6, 6), (0, 3, 3, 3)),
], ids=["no images", "no channels", "no filters"])
def test_empty(backend, rng, x_shape, f_shape):
    x, f = integers(rng, *x_shape), integers(rng, *f_shape)
    dy = integers(rng, x_shape[0], f_shape[0], 4, 4)
    numpy.testing.assert_array_equal(libsgemm.conv2d(x, f), forward(x, f))
    numpy.testing.assert_array_equal(libsgemm.conv2d_data_gradient(dy, f, x.shape), data_gradient(dy, f, x.shape))
    numpy.testing.assert_array_equal(libsgemm.conv2d_weight_gradient(x, dy, f.shape), weight_gradient(x, dy, f.shape))
    out = integers(rng, *dy.shape)
    expected = forward(x, f) + 2 * out
    numpy.testing.assert_array_equal(libsgemm.conv2d(x, f, beta=2, out=out), expected)


@pytest.mark.parametrize("message, call", [
    ("x is a masked array", lambda x, f: libsgemm.conv2d(numpy.ma.array(x), f)),
    ("x has 3 dimension", lambda x, f: libsgemm.conv2d(x[0], f)),
    (r"stride=\(1, 2, 3\) is not valid", lambda x, f: libsgemm.conv2d(x, f, stride=(1, 2, 3))),
    ("padding='same' is not valid", lambda x, f: libsgemm.conv2d(x, f, padding="same")),
    ("groups must be 1 or more", lambda x, f: libsgemm.conv2d(x, f, groups=0)),
    (r"with 2 group\(s\) their second sizes do not fit", lambda x, f: libsgemm.conv2d(x, f, groups=2)),
    ("out is 2 x 5 x 6 x 6: it must be 2 x 5 x 4 x 4", lambda x, f: libsgemm.conv2d(x, f, out=numpy.zeros((2, 5, 6, 6), "f"))),
    ("beta is not 0 but there is no out", lambda x, f: libsgemm.conv2d(x, f, beta=1)),
    ("shape or out is needed", lambda x, f: libsgemm.conv2d_data_gradient(x, f)),
    ("shape=7 is not valid", lambda x, f: libsgemm.conv2d_data_gradient(x, f, 7)),
    ("dy is 2 x 3 x 6 x 6: it must be 2 x 5 x 4 x 4", lambda x, f: libsgemm.conv2d_weight_gradient(x, x, f.shape)),
    ("x has one element for all", lambda x, f: libsgemm.conv2d(numpy.broadcast_to(x[:1, :1, :1, :1], x.shape), f)),
])
def test_refused(rng, message, call):
    with pytest.raises(ValueError, match=message):
        call(integers(rng, 2, 3, 6, 6), integers(rng, 5, 3, 3, 3))


def test_refused_by_the_library(rng):
    with pytest.raises(libsgemm.InvalidArgument, match="stride_h"):
        libsgemm.conv2d(integers(rng, 1, 1, 4, 4), integers(rng, 1, 1, 1, 1), stride=0)
    with pytest.raises(TypeError, match="f has dtype float64"):
        libsgemm.conv2d(integers(rng, 1, 1, 4, 4), numpy.ones((1, 1, 1, 1)))
