"""What differs between frameworks: streams, and how to make arrays. The core asks here for arrays that are neither
NumPy's nor, usually, PyTorch's, and for mixtures."""

import sys

import numpy

_HOST, _CUDA, _CUDA_MANAGED = 1, 2, 13


def _framework(array):
    name = type(array).__module__.partition(".")[0]
    return "jax" if name == "jaxlib" else name


def _current_stream(framework, index):
    """The framework's current stream; 0, the device's default stream, for frameworks without streams."""
    if framework == "torch":
        return sys.modules["torch"].cuda.current_stream(index).cuda_stream
    if framework == "cupy":
        cupy = sys.modules["cupy"]
        with cupy.cuda.Device(index):
            return cupy.cuda.get_current_stream().ptr
    return 0


def _refuse_grad(array, name):
    if getattr(array, "requires_grad", False):
        raise ValueError(f"{name} requires grad, and libsgemm does not support autograd: pass {name}.detach(), or use "
                         "libsgemm.torch")


def _capsule(array, name, written, **stream):
    _refuse_grad(array, name)
    framework = _framework(array)
    if written and framework == "jax":
        raise ValueError(f"{name} is a JAX array, which cannot be written: leave out={name} away")
    if framework == "torch" and (array.layout is not sys.modules["torch"].strided or array.is_neg()):
        raise ValueError(f"{name} cannot be used as it is: it is sparse, or a negated view ({name}.resolve_neg())")
    try:
        try:
            return array.__dlpack__(max_version=(1, 0), **stream)
        except TypeError:  # older than max_version
            return array.__dlpack__(**stream)
    except BufferError as error:
        raise ValueError(f"{name} cannot be used as it is: {error}") from error


def export(arrays, beside, kind, index):
    """Exports [(array, name, whether it is written)] on a device, in a call that also reads the arrays `beside`, which
    were taken before. Returns (stream, wait, capsules).

    The call is ordered on the current stream of the first array's framework. `wait` is True if a framework cannot know
    that stream."""
    if kind == _HOST:
        return 0, False, [_capsule(*each) for each in arrays]
    first = _framework(arrays[0][0])
    stream = _current_stream(first, index)
    # DLPack's streams: -1 asks for no waiting; CUDA's default stream is 1, since 0 could be either of two.
    other = 1 if stream == 0 and kind in (_CUDA, _CUDA_MANAGED) else stream
    has_stream = first in ("torch", "cupy")
    capsules, wait = [], not has_stream or any(_framework(array) != first for array in beside)
    for array, name, written in arrays:
        same = has_stream and _framework(array) == first
        wait = wait or not same
        capsules.append(_capsule(array, name, written, stream=-1 if same else other))
    return stream, wait, capsules


def make(like, shape, zero, on_host):
    """A new float32 array of the framework of `like`, on its device."""
    framework = _framework(like)
    if framework == "torch":
        torch = sys.modules["torch"]
        new = torch.zeros if zero else torch.empty
        return new(shape, dtype=torch.float32, device=like.device)
    if framework == "cupy":
        cupy = sys.modules["cupy"]
        with like.device:
            return (cupy.zeros if zero else cupy.empty)(shape, cupy.float32)
    if framework == "jax":
        jax = sys.modules["jax"]
        return jax.device_put(jax.numpy.zeros(shape, "float32"), next(iter(like.devices()))).block_until_ready()
    if on_host:
        return (numpy.zeros if zero else numpy.empty)(shape, numpy.float32)
    raise ValueError(f"out is needed, since libsgemm does not know how {framework} makes arrays")


def copy(array, name):
    """A copy with the same layout."""
    _refuse_grad(array, name)
    framework = _framework(array)
    if framework == "torch":
        return array.clone()
    if framework == "jax":
        return sys.modules["jax"].numpy.array(array, copy=True).block_until_ready()
    if hasattr(array, "copy"):
        return array.copy(order="K") if framework in ("numpy", "cupy") else array.copy()
    raise ValueError(f"out=b is needed, since libsgemm does not know how {framework} copies arrays")


def synchronize(array, kind, index):
    """Waits for the work of the framework's streams on a device."""
    framework = _framework(array)
    if framework == "torch":
        sys.modules["torch"].cuda.synchronize(index)
    elif framework == "cupy":
        sys.modules["cupy"].cuda.Device(index).synchronize()
