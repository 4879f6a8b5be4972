"""Arrays with DLPack only: of NumPy's memory, or at any address of any device."""

import ctypes

import numpy

HOST, CUDA = 1, 2
READ_ONLY = 1
_CODES = {"float16": (2, 16), "float32": (2, 32), "float64": (2, 64), "bfloat16": (4, 16)}


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("kind", ctypes.c_int32), ("index", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("offset", ctypes.c_uint64)]


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Old(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]


class _Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", _Deleter), ("flags", ctypes.c_uint64), ("tensor", Tensor)]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_exported = {}  # tensors that consumers hold, by address
_gone = _Deleter(lambda address: _exported.pop(address, None) and None)


class Array:
    """`strides` in elements. For NumPy's memory: Array.of(x)."""

    def __init__(self, address, shape, strides, dtype="float32", device=(HOST, 0), flags=0, versioned=True, owner=None):
        self.address, self.shape, self.strides, self.dtype = address, tuple(shape), tuple(strides), dtype
        self.place, self.flags, self.versioned, self.owner = device, flags, versioned, owner
        self.streams = []

    @classmethod
    def of(cls, x, **options):
        strides = [s // x.itemsize for s in x.strides]
        return cls(x.ctypes.data, x.shape, strides, dtype=x.dtype.name, owner=x, **options)

    def __dlpack_device__(self):
        return self.place

    def described(self):
        """DLPack's structure and its targets."""
        integers = ctypes.c_int64 * len(self.shape)
        shape, strides = integers(*self.shape), integers(*self.strides)
        code, bits = _CODES[self.dtype]
        return Tensor(self.address, *self.place, len(self.shape), code, bits, 1, shape, strides, 0), (shape, strides)

    def _capsule(self, stream):
        self.streams.append(stream)
        tensor, kept = self.described()
        whole = _Versioned(1, 0, None, _gone, self.flags, tensor) if self.versioned else _Old(tensor, None, _gone)
        _exported[ctypes.addressof(whole)] = whole, kept, self
        name = b"dltensor_versioned" if self.versioned else b"dltensor"
        return new_capsule(ctypes.addressof(whole), name, None)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        return self._capsule(stream)


class OldArray(Array):
    """Without DLPack versions."""

    def __dlpack__(self, *, stream=None):
        return self._capsule(stream)


def exported():
    """Tensors that consumers hold."""
    return len(_exported)
