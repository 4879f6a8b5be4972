"""The exceptions of the library's statuses, with its messages."""


class Error(RuntimeError):
    """The library's error; the message is its own."""

    status = 0


class InvalidArgument(Error, ValueError):
    """An argument is at fault; the message names it."""

    status = 1


class InvalidEnvironment(Error):
    """An environment variable is not valid; the message lists the valid values."""

    status = 2


class Unavailable(Error):
    """The requested backend cannot be used here; the message says why."""

    status = 4


class NotSupported(Error, NotImplementedError):
    """No permitted backend can do this call."""

    status = 5


class OutOfMemory(Error, MemoryError):
    """Host or device memory is short."""

    status = 6


class ExecutionFailed(Error):
    """A copy, a launch or a device failed."""

    status = 7


class VerificationFailed(Error, ArithmeticError):
    """The result was wrong and could not be replaced; the output is unchanged."""

    status = 8


_BY_STATUS = {kind.status: kind for kind in Error.__subclasses__()}


def raise_status(status, message):
    raise _BY_STATUS.get(status, Error)(message)
