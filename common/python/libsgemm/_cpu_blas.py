"""Finds the OpenBLAS that computes on the CPU: the system's, or else the one of NumPy's wheel."""

import ctypes
import glob
import os
import sys

_SYSTEM = "libopenblas.so.0"


def _system_has_it():
    folders = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    if any(folder and os.path.exists(os.path.join(folder, _SYSTEM)) for folder in folders):
        return True
    try:
        with open("/etc/ld.so.cache", "rb") as cache:
            return _SYSTEM.encode() + b"\0" in cache.read()
    except OSError:
        return False


def bundled():
    """The path of NumPy's OpenBLAS; None if the library finds one by itself, or the user has named one."""
    if "LIBSGEMM_CPU_BLAS" in os.environ or _system_has_it():
        return None
    # Under the drop-in, the program's own BLAS computes.
    if hasattr(ctypes.CDLL(None), "libsgemm_blas_version"):
        return None
    import numpy

    site = os.path.dirname(os.path.dirname(numpy.__file__))
    found = glob.glob(os.path.join(glob.escape(site), "numpy.libs", "*openblas*.so*"))
    return found[0] if found and sys.platform == "linux" else None
