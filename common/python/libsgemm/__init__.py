"""Single-precision level-3 BLAS on whatever the machine has: an NVIDIA GPU, an AMD GPU, or a CPU.

The functions take NumPy arrays and whatever else has DLPack (PyTorch, CuPy, JAX). Memory of a GPU stays there; calls on
it are ordered on the framework's current stream. Nothing is copied unless requested.
"""

from ._core import (
    BackendInfo,
    CallInfo,
    DeviceInfo,
    Plan,
    conv2d,
    conv2d_data_gradient,
    conv2d_weight_gradient,
    gemm,
    gemm_batch,
    info,
    last_info,
    symm,
    syrk,
    trmm,
    trsm,
    version,
)
from ._errors import (
    Error,
    ExecutionFailed,
    InvalidArgument,
    InvalidEnvironment,
    NotSupported,
    OutOfMemory,
    Unavailable,
    VerificationFailed,
)
from ._using import using

__version__ = version()

__all__ = [
    "BackendInfo", "CallInfo", "DeviceInfo", "Error", "ExecutionFailed", "InvalidArgument", "InvalidEnvironment",
    "NotSupported", "OutOfMemory", "Plan", "Unavailable", "VerificationFailed", "conv2d", "conv2d_data_gradient",
    "conv2d_weight_gradient", "gemm", "gemm_batch", "info", "last_info", "symm", "syrk", "trmm", "trsm", "using", "version",
]
