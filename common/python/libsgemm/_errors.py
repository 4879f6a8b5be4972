"""The exceptions of the library's statuses, each with the library's own message."""


class Error(RuntimeError):
    """What the library refused or could not do; the message is its own."""

    status = 0


class InvalidArgument(Error, ValueError):
    """An argument is at fault; the message names it."""

    status = 1


class InvalidEnvironment(Error):
    """An environment variable has a value that is not valid; the message lists the valid ones."""

    status = 2


class Unavailable(Error):
    """The backend asked for cannot be used here; the message says why."""

    status = 4


class NotSupported(Error, NotImplementedError):
    """No permitted backend can do this call."""

    status = 5


class OutOfMemory(Error, MemoryError):
    """Of the host or of a device."""

    status = 6


class ExecutionFailed(Error):
    """A copy, a launch or a device failed."""

    status = 7


class VerificationFailed(Error, ArithmeticError):
    """The result was wrong and could not be replaced; the output is as it was before the call."""

    status = 8


_BY_STATUS = {kind.status: kind for kind in Error.__subclasses__()}


def raise_status(status, message):
    raise _BY_STATUS.get(status, Error)(message)
