# Runs overhead.c under the drop-in, on the machine's OpenBLAS or a NumPy wheel's.
#   overhead.py BUILD PROGRAM BAR WHEELS system|current|ilp64 [--runtime SANITIZER_RUNTIME]
import argparse
import pathlib
import subprocess

import clientlib

# (library, its cblas_sgemm, bits of its integers)
LIBRARIES = {'system': ('libopenblas.so.0', 'cblas_sgemm', '32'),
             'current': ('current/numpy.libs/libscipy_openblas64_*.so*', 'scipy_cblas_sgemm64_', '64'),
             'ilp64': ('ilp64/numpy.libs/libopenblas64_*.so*', 'cblas_sgemm64_', '64')}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('program')
    parser.add_argument('bar')
    parser.add_argument('wheels', type=pathlib.Path)
    parser.add_argument('which', choices=LIBRARIES)
    parser.add_argument('--runtime', default='')
    args = parser.parse_args()
    clientlib.need_backend(args.build, 'openblas')
    library, name, bits = LIBRARIES[args.which]
    if args.which != 'system':
        library = next((str(path) for path in args.wheels.glob(library)), None)
        if not library:
            clientlib.skip(f'no wheel of NumPy in {args.wheels / args.which}; tests/run.sh installs it')
    env = clientlib.environment(args.build, 'auto', None, args.runtime, OPENBLAS_NUM_THREADS='1',
                                LIBSGEMM_DEVICES='none')
    del env['LIBSGEMM_BACKEND'], env['LIBSGEMM_STRICT']
    if args.which != 'system':
        env['LD_LIBRARY_PATH'] = str(pathlib.Path(library).parent)  # the wheel's libgfortran is there
    done = subprocess.run([args.program, library, name, bits, args.bar], env=env, capture_output=True, text=True)
    print(done.stdout, done.stderr)
    if done.returncode != 0:
        clientlib.fail(f'{args.program} ended with {done.returncode}')


main()
