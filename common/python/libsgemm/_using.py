"""Settings for the calls of a block."""

import contextlib
import contextvars
import inspect

from . import _core

# The settings before each block that this thread or task is in. Not in the objects: several threads and tasks may share
# one.
_before = contextvars.ContextVar("libsgemm.before", default=())
_RUN_LATER = (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction)


class using(contextlib.ContextDecorator):
    """Makes the calls of a block, or of a decorated function, with these settings; None leaves a setting unchanged.

    mode: as `gemm` takes it. backend: as LIBSGEMM_BACKEND. verify: 'off', 'sample' or 'full'. action on a wrong result,
    wherever verification was requested: 'error' (VerificationFailed, the output is unchanged; the default if Python
    requests verification), 'retry', 'warn'. Blocks nest, and hold for this thread or task (a context variable); one
    object may serve many. A call's own arguments take precedence.

    Raises ValueError: a word is not valid; TypeError: a coroutine or a generator is decorated, whose body runs later. The
    library checks the backend when it is called.
    """

    def __init__(self, mode=None, *, backend=None, verify=None, action=None):
        self._changes = (mode, backend, verify, action)
        _core.Settings().changed(*self._changes)

    def __call__(self, function):
        if any(runs_later(function) for runs_later in _RUN_LATER):
            raise TypeError(f"using() cannot decorate {function.__name__}(), whose body runs later: write "
                            "`with libsgemm.using(...):` in the body")
        return super().__call__(function)

    def __enter__(self):
        before = _core.settings.get()
        _before.set((*_before.get(), before))
        _core.settings.set((before or _core.Settings()).changed(*self._changes))
        return self

    def __exit__(self, *_):
        if not _before.get():
            raise RuntimeError("using() ends in a thread or task in which it did not begin")
        *others, before = _before.get()
        _before.set(tuple(others))
        _core.settings.set(before)
