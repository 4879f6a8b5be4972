"""Stand-in for PyTorch on unknown devices: tensors with DLPack's exchange API, the table of C functions since PyTorch
2.10."""

import ctypes

import dlpack

_View = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(dlpack.Tensor))
_Stream = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))


class _Table(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("older", ctypes.c_void_p),
                ("allocate", ctypes.c_void_p), ("export", ctypes.c_void_p), ("import_", ctypes.c_void_p),
                ("view", _View), ("stream", _Stream)]


def table(stream_of):
    """The capsule and what must live as long; stream_of(index): a device's current stream."""

    def view(tensor, out):
        out[0], tensor.kept = tensor.described()
        return 0

    def stream(kind, index, out):
        out[0] = stream_of(index)
        return 0

    newest = _Table(1, 3, None, None, None, None, _View(view), _Stream(stream))
    unknown = _Table(2, 0, ctypes.addressof(newest), None, None, None, _View(), _Stream())  # a future version
    return dlpack.new_capsule(ctypes.addressof(unknown), b"dlpack_exchange_api", None), (newest, unknown)
