# Helpers of the tests that run client programs under the drop-in.
import ctypes
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

SKIPPED = 77  # CTest's SKIP_RETURN_CODE

# StatsFile and StatsRecord of common/process/stats.h.
HEADER = struct.Struct('<8sIIII112sQQQQQ')
BLAS = struct.Struct('<I68s440s')
BLAS_COUNT = 8
RECORD = struct.Struct('<II40s24s72sQQQQQQ')
READY = 2


def skip(reason):
    print(f'SKIPPED: {reason}')
    sys.exit(SKIPPED)


def fail(message, *outputs):
    print(f'FAILED: {message}')
    for text in outputs:
        print(text)
    sys.exit(1)


def text(raw):
    return raw.split(b'\0', 1)[0].decode()


def read_stats(directory):
    """{(entry, backend, kernel): calls} of all processes that wrote to `directory`."""
    calls = {}
    for path in pathlib.Path(directory).glob('*.stats'):
        data = path.read_bytes()
        magic, record_count, _, _, _, _, lost, _, _, _, _ = HEADER.unpack_from(data)
        if magic != b'lsgemmS3':
            fail(f'{path} does not begin with the magic of a statistics file')
        if lost:
            fail(f'{path}: {lost} calls found no free row')
        for i in range(record_count):
            at = HEADER.size + BLAS_COUNT * BLAS.size + i * RECORD.size
            state, _, entry, backend, kernel, n, _, _, _, _, _ = RECORD.unpack_from(data, at)
            if state == READY:
                key = (text(entry), text(backend), text(kernel))
                calls[key] = calls.get(key, 0) + n
    return calls


def calls_by_entry(calls, computed_by):
    """{entry: calls} without failed calls. Each must be computed by `computed_by`, or need no backend ("none")."""
    totals = {}
    for (entry, backend, _), n in calls.items():
        if backend == 'error':
            continue
        if backend not in (computed_by, 'none'):
            fail(f'{n} calls of {entry} were computed by {backend}, not by {computed_by}')
        totals[entry] = totals.get(entry, 0) + n
    return totals


def calls_computed(calls, backend):
    totals = {}
    for (entry, name, _), n in calls.items():
        if name == backend:
            totals[entry] = totals.get(entry, 0) + n
    return totals


def backend_missing(build, backend):
    """Why `backend` cannot be used (plugin not built, its library missing), or None."""
    if backend == 'ref':
        return None
    if not (build / 'lib/libsgemm' / f'libsgemm_{backend}.so').exists():
        return f'the backend {backend} is not part of this build'
    if backend != 'openblas':
        info = subprocess.run([build / 'bin/libsgemm', 'info'], capture_output=True, text=True).stdout
        reason = re.search(rf'^  {backend} +not available: (.*)', info, re.M)
        return f'{backend}: {reason.group(1)}' if reason else None
    try:
        ctypes.CDLL('libopenblas.so.0')
    except OSError as error:
        return f'OpenBLAS is not installed ({error})'
    return None


def need_backend(build, backend):
    reason = backend_missing(build, backend)
    if reason:
        skip(reason)


def environment(build, backend, stats=None, sanitizer_runtime='', **more):
    """An environment that preloads the drop-in (after its sanitizer's runtime), forces `backend`, forbids fallbacks."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(('LIBSGEMM_', 'LD_'))}
    preload = [p for p in sanitizer_runtime.split(':') if p] + [str(build / 'lib/libsgemm_blas.so')]
    env.update(LD_PRELOAD=' '.join(preload), LIBSGEMM_BACKEND=backend, LIBSGEMM_STRICT='1')
    # Clients (an interpreter, a Fortran library) leak by design.
    env['ASAN_OPTIONS'] = 'detect_leaks=0'
    if stats:
        env['LIBSGEMM_STATS_DIR'] = str(stats)
    env.update(more)
    return env


def bindings(command, env, **options):
    """Runs `command` under LD_DEBUG=bindings. Returns the process and {symbol: libraries} for the program and its
    modules."""
    with tempfile.TemporaryDirectory() as folder:
        env = dict(env, LD_DEBUG='bindings', LD_DEBUG_OUTPUT=f'{folder}/ld')
        done = subprocess.run(command, env=env, **options)
        found = {}
        for log in pathlib.Path(folder).iterdir():
            for line in log.read_text(errors='replace').splitlines():
                match = re.search(r"binding file (\S+) \[\d+\] to (\S+) \[\d+\]: normal symbol `([^']+)'", line)
                if match:
                    source, target, symbol = match.groups()
                    found.setdefault(symbol, set()).add((os.path.basename(source), os.path.basename(target)))
        return done, found
