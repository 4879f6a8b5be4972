"""PyTorch's float32 products by libsgemm: mm, addmm, bmm, baddbmm and what is made of them (linear, matmul, einsum), on
CPU and CUDA.

    libsgemm.torch.enable(mode="fp32_fast")     # and disable()
    with libsgemm.torch.enabled(mode="tf32"):

The kernels of these operators are replaced in PyTorch's dispatcher, below autograd and torch.compile, which go on as
before: gradients are products, too, and compiled code calls the same operators, but for those that it makes itself, as
with max-autotune. Tensors that are not float32 and strided, or whose strides would need a copy, go to PyTorch's own
kernels. Needs PyTorch 2.9.
"""

import contextlib

import torch

from . import Unavailable, info
from ._core import _gemm_at
from ._core import Settings as _Settings
from ._frameworks import current_torch_stream

__all__ = ["disable", "enable", "enabled"]

_library = None  # of the replacements, while they are registered
_mode = None
_KINDS = {"cpu": 1, "cuda": 10 if torch.version.hip else 2}  # as DLPack numbers them


def _where(device):
    if device.type == "cpu":
        return _KINDS["cpu"], 0, 0
    return _KINDS["cuda"], device.index, current_torch_stream(device.index)


def _fits(a, b, *others):
    """Whether all are float32 and strided, on one device, and a and b can be multiplied."""
    if a.ndim != b.ndim or a.shape[-1] != b.shape[-2] or a.shape[:-2] != b.shape[:-2]:
        return False  # the error is PyTorch's
    return all(
        x.dtype is torch.float32 and x.layout is torch.strided and x.device == a.device for x in (a, b, *others))


def _multiply(a, b, out, alpha=1.0, beta=0.0):
    arrays = ([x.data_ptr(), *x.shape, *x.stride()] for x in (a, b, out))
    return _gemm_at(_where(a.device), *arrays, float(alpha), float(beta), _mode)


def _shape(a, b):
    return (*a.shape[:-1], b.shape[-1])


def _product(original):
    """For mm and bmm."""

    def product(keys, a, b):
        if _fits(a, b):
            out = a.new_empty(_shape(a, b))
            if _multiply(a, b, out):
                return out
        return original.call_boxed(keys, a, b)

    return product


def _product_out(original):

    def product_out(keys, a, b, *, out):
        if _fits(a, b, out) and out.shape == _shape(a, b) and _apart(out, a, b) and _multiply(a, b, out):
            return out
        return original.call_boxed(keys, a, b, out=out)

    return product_out


def _sum(original):
    """For addmm and baddbmm."""

    def sum_(keys, c, a, b, *, beta=1, alpha=1):
        if _fits(a, b, c) and _expands(c, _shape(a, b)):
            # PyTorch's own kernels make this copy, too. beta = 0 does not read c.
            out = a.new_empty(_shape(a, b))
            if beta != 0:
                out.copy_(c.expand(out.shape))
            if _multiply(a, b, out, alpha, beta):
                return out
        return original.call_boxed(keys, c, a, b, beta=beta, alpha=alpha)

    return sum_


def _sum_out(original):

    def sum_out(keys, c, a, b, *, beta=1, alpha=1, out):
        shape = _shape(a, b)
        if _fits(a, b, c, out) and _expands(c, shape) and out.shape == shape and _apart(out, a, b):
            same = out.data_ptr() == c.data_ptr() and out.shape == c.shape and out.stride() == c.stride()
            if same or _apart(out, c):
                if beta != 0 and not same:
                    out.copy_(c.expand(shape))
                if _multiply(a, b, out, alpha, beta):
                    return out
        return original.call_boxed(keys, c, a, b, beta=beta, alpha=alpha, out=out)

    return sum_out


def _expands(c, shape):
    """Whether c can be expanded to it without being copied."""
    return c.ndim <= len(shape) and all(x in (1, y) for x, y in zip(reversed(c.shape), reversed(shape)))


def _apart(out, *others):
    """Whether it shares no storage with any of them; where it does, PyTorch says what is to be."""
    storage = out.untyped_storage().data_ptr()
    return all(x.untyped_storage().data_ptr() != storage for x in others)


_REPLACEMENTS = {
    "mm": _product, "mm.out": _product_out,
    "bmm": _product, "bmm.out": _product_out,
    "addmm": _sum, "addmm.out": _sum_out,
    "baddbmm": _sum, "baddbmm.out": _sum_out,
}


def _devices():
    keys = ["CPU"]
    if torch.cuda.is_available():
        name = "hip" if torch.version.hip else "cuda"
        backend = next(b for b in info() if b.name == name)
        if not backend.available:
            raise Unavailable(f"PyTorch has a GPU, and libsgemm's backend {name} cannot be used: {backend.reason}")
        keys.append("CUDA")
    return keys


def enable(mode=None):
    """Lets libsgemm compute PyTorch's float32 products from now on, in all threads.

    mode: the arithmetic, as `libsgemm.gemm` takes it; None: what libsgemm.using() has in force, or else the environment.
    Raises ValueError: no such mode; libsgemm.Unavailable: PyTorch has a GPU that libsgemm cannot use.
    """
    global _library, _mode
    _Settings().changed(mode, None, None, None)
    if _library is None:
        library = torch.library.Library("aten", "IMPL")
        for key in _devices():
            for name, replacement in _REPLACEMENTS.items():
                original = torch.library.get_kernel(f"aten::{name}", key)
                library.impl(name, replacement(original), key, with_keyset=True)
        _library = library
    _mode = mode


def disable():
    """Gives the products back to PyTorch."""
    global _library, _mode
    if _library is not None:
        _library._destroy()
    _library = _mode = None


@contextlib.contextmanager
def enabled(mode=None):
    """enable() for a block, after which it is as before."""
    before = _library is not None, _mode
    enable(mode)
    try:
        yield
    finally:
        if before[0]:
            enable(before[1])
        else:
            disable()
