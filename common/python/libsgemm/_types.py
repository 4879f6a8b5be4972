"""What the functions take as an array."""

from typing import Any, Protocol, Union

import numpy


class _HasDlpack(Protocol):
    def __dlpack__(self, *, stream: Any = ...) -> Any: ...

    def __dlpack_device__(self) -> Any: ...


Array = Union["numpy.ndarray[Any, Any]", _HasDlpack]
