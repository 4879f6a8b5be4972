# Multiplies with an unchanged NumPy (and SciPy) under the drop-in, and checks which calls arrive.
#   numpy_client.py BUILD numpy|scipy BACKEND PYTHON [--packages DIR] [--runtime SANITIZER_RUNTIME]
# PYTHON imports NumPy from DIR (wheels unpacked by pip install --target), or from its own packages.
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import clientlib

HERE = pathlib.Path(__file__).resolve().parent
# Names of BLAS calls: plain, and those of the wheels' ILP64 and prefixed OpenBLAS.
CBLAS_NAMES = ['cblas_{}', 'cblas_{}64_', 'scipy_cblas_{}64_']
FORTRAN_NAMES = ['{}_', 'scipy_{}_']


def arrived_as(calls, names, routine):
    found = [(name.format(routine), calls[name.format(routine)]) for name in names if name.format(routine) in calls]
    if len(found) > 1:
        clientlib.fail(f'{routine} arrived under several names: {found}')
    return found[0] if found else (names[0].format(routine), 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('package', choices=['numpy', 'scipy'])
    parser.add_argument('backend')
    parser.add_argument('python')
    parser.add_argument('--packages', default='')
    parser.add_argument('--runtime', default='')
    args = parser.parse_args()
    clientlib.need_backend(args.build, args.backend)

    plain = {'PYTHONPATH': args.packages} if args.packages else {}
    if args.packages and not (pathlib.Path(args.packages) / args.package).is_dir():
        clientlib.skip(f'no {args.package} wheel in {args.packages}; tests/run.sh installs it')
    probe = subprocess.run([args.python, '-c', f'import {args.package}'], capture_output=True, text=True,
                           env=clientlib.environment(args.build, args.backend, **plain, LD_PRELOAD=''))
    if probe.returncode != 0:
        clientlib.skip(f'{args.python} cannot import {args.package}: {probe.stderr.strip().splitlines()[-1]}')

    with tempfile.TemporaryDirectory() as stats:
        env = clientlib.environment(args.build, args.backend, stats, args.runtime, **plain)
        done = subprocess.run([args.python, HERE / f'{args.package}_products.py'], env=env, capture_output=True,
                              text=True)
        if done.returncode != 0:
            clientlib.fail(f'{args.package}_products.py ended with {done.returncode}', done.stdout, done.stderr)
        report = json.loads(done.stdout)
        calls = clientlib.read_stats(stats)

    totals = clientlib.calls_by_entry(calls, args.backend)
    if args.packages and not report['file'].startswith(args.packages):
        clientlib.fail(f'{report["file"]} was imported, not the wheel in {args.packages}')
    names = CBLAS_NAMES if args.package == 'numpy' else FORTRAN_NAMES
    expected = {}
    for routine, count in report['calls'].items():
        name, arrived = arrived_as(totals, names, routine)
        expected[name] = count
        print(f'{args.package} {report["version"]} {args.backend}: {routine:6} {count} calls made, {arrived} arrived as '
              f'{name}')
    # FP64 products must not arrive.
    if totals != expected:
        clientlib.fail(f'expected {expected}, arrived {totals}')
    if calls != {key: n for key, n in calls.items() if key[1] == args.backend}:
        clientlib.fail(f'not every call was computed by {args.backend}: {calls}')


main()
