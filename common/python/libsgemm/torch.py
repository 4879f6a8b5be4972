"""PyTorch's float32 products by libsgemm: mm, addmm, bmm, baddbmm and what is made of them (linear, matmul, einsum), on
CPU and CUDA.

    libsgemm.torch.enable(mode="fp32_fast")     # and disable()
    with libsgemm.torch.enabled(mode="tf32"):

The kernels of these operators are replaced in PyTorch's dispatcher, below autograd and torch.compile: gradients are
products, too, and compiled code calls the same operators, except those that it makes itself, as with max-autotune.
Tensors that are not float32 and strided, or whose strides would need a copy, go to PyTorch's own kernels. Needs PyTorch
2.10.
"""

import contextlib
import threading

import torch

from . import Unavailable, info
from ._core import Settings as _Settings
from ._core import _knows_torch, _torch_product
from ._core import settings as _in_force

__all__ = ["disable", "enable", "enabled"]

if not _knows_torch(torch.empty(0)):
    raise ImportError(f"libsgemm.torch needs PyTorch 2.10 or newer; this is {torch.__version__}")

_library = None  # registered replacements, or None
# A pair: settings of the products; the caller's settings by using(), for threads without their own.
_settings = None
# The latest request outside blocks (key None) and in each open enabled() block: _settings, or None for PyTorch's own.
_said = {None: None}
_lock = threading.Lock()


def _product(original):
    """mm and bmm."""

    def product(keys, a, b):
        result = _torch_product(a, b, None, None, 1.0, 0.0, *_settings)
        return original.call_boxed(keys, a, b) if result is None else result

    return product


def _product_out(original):

    def product_out(keys, a, b, *, out):
        result = _torch_product(a, b, None, out, 1.0, 0.0, *_settings)
        return original.call_boxed(keys, a, b, out=out) if result is None else result

    return product_out


def _sum(original):
    """addmm and baddbmm."""

    def sum_(keys, c, a, b, *, beta=1, alpha=1):
        result = _torch_product(a, b, c, None, alpha, beta, *_settings)
        return original.call_boxed(keys, c, a, b, beta=beta, alpha=alpha) if result is None else result

    return sum_


def _sum_out(original):

    def sum_out(keys, c, a, b, *, beta=1, alpha=1, out):
        result = _torch_product(a, b, c, out, alpha, beta, *_settings)
        return original.call_boxed(keys, c, a, b, beta=beta, alpha=alpha, out=out) if result is None else result

    return sum_out


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


def _register():
    library = torch.library.Library("aten", "IMPL")
    for key in _devices():
        for name, replacement in _REPLACEMENTS.items():
            original = torch.library.get_kernel(f"aten::{name}", key)
            library.impl(name, replacement(original), key, with_keyset=True)
    return library


def _update(change):
    """Lets `change` change the requests, then applies the newest one."""
    global _library, _said, _settings
    with _lock:
        said = dict(_said)
        change(said)
        newest = next(reversed(said.values()))
        if newest is None:
            if _library is not None:
                _library._destroy()
            _library = None
        else:
            _settings = newest
            if _library is None:
                _library = _register()
        _said = said


def _settings_with(mode, backend, verify, action):
    return _Settings().changed(mode, backend, verify, action), _in_force.get() or _Settings()


def enable(mode=None, *, backend=None, verify=None, action=None):
    """Lets libsgemm compute PyTorch's float32 products from now on, in all threads, also those of autograd, which compute
    gradients on a GPU.

    Settings as in libsgemm.using(). None: those of libsgemm.using() in the thread that computes, else those in force
    here and now, else the environment's.
    Raises ValueError: a word is not valid; libsgemm.Unavailable: PyTorch has a GPU that libsgemm cannot use.
    """
    settings = _settings_with(mode, backend, verify, action)
    _update(lambda said: said.update({next(reversed(said)): settings}))


def disable():
    """Gives the products back to PyTorch."""
    _update(lambda said: said.update({next(reversed(said)): None}))


@contextlib.contextmanager
def enabled(mode=None, *, backend=None, verify=None, action=None):
    """enable() for a block. If blocks are open in several threads, the newest holds."""
    settings, block = _settings_with(mode, backend, verify, action), object()
    _update(lambda said: said.update({block: settings}))
    try:
        yield
    finally:
        _update(lambda said: said.pop(block))
