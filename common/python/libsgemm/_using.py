"""Settings for the calls of a block."""

import contextlib

from . import _core


class using(contextlib.ContextDecorator):
    """Makes the calls of a block, or of a function that it decorates, with these settings; None leaves one as it is.

    mode: the arithmetic of products, as `gemm` takes it. backend: who computes, as LIBSGEMM_BACKEND. verify: 'off',
    'sample' or 'full'; action: what happens to a wrong result: 'error' (the default here: VerificationFailed, and the
    output is as before), 'retry', 'warn'. Blocks nest, and hold for this thread or task (a context variable). What a call
    says for itself goes before.

    Raises ValueError: a word is not valid. The library checks the backend when it is called.
    """

    def __init__(self, mode=None, *, backend=None, verify=None, action=None):
        self._changes = (mode, backend, verify, action)
        _core.Settings().changed(*self._changes)
        self._tokens = []

    def _recreate_cm(self):
        return using(self._changes[0], backend=self._changes[1], verify=self._changes[2], action=self._changes[3])

    def __enter__(self):
        current = _core.settings.get(None) or _core.Settings()
        self._tokens.append(_core.settings.set(current.changed(*self._changes)))
        return self

    def __exit__(self, *_):
        _core.settings.reset(self._tokens.pop())
