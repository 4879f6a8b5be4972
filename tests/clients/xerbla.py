# Runs own_xerbla or without_xerbla and checks the reports of bad calls: the program's xerbla, or a line on stderr, gets
# routine and position. libsgemm must see all calls.
#   xerbla.py BUILD own|without PROGRAM [--preload LIBRARY_DIR] [--runtime SANITIZER_RUNTIME]
# --preload: the program is linked to LIBRARY_DIR's libblas.so.3 and gets the drop-in by LD_PRELOAD.
import argparse
import pathlib
import subprocess
import tempfile

import clientlib

parser = argparse.ArgumentParser()
parser.add_argument('build', type=pathlib.Path)
parser.add_argument('xerbla', choices=['own', 'without'])
parser.add_argument('program', type=pathlib.Path)
parser.add_argument('--preload', type=pathlib.Path)
parser.add_argument('--runtime', default='')
args = parser.parse_args()

with tempfile.TemporaryDirectory() as stats:
    env = clientlib.environment(args.build, 'ref', stats, args.runtime)
    if args.preload:
        if not (args.preload / 'libblas.so.3').exists():
            clientlib.skip(f'no libblas.so.3 in {args.preload}')
        env['LD_LIBRARY_PATH'] = str(args.preload)
    else:
        del env['LD_PRELOAD']
    done = subprocess.run([args.program], env=env, capture_output=True, text=True)
    calls = clientlib.read_stats(stats)
if done.returncode != 0:
    clientlib.fail(f'{args.program.name} ended with {done.returncode}', done.stdout, done.stderr)

bad_calls = [line.split(':') for line in done.stdout.splitlines()]
errors = sum(n for (_, backend, _), n in calls.items() if backend == 'error')
good = clientlib.calls_by_entry(calls, 'ref')
if not bad_calls or errors != len(bad_calls) or good != {'sgemm_': 1}:
    clientlib.fail(f'{len(bad_calls)} bad calls and a good sgemm_ were made, statistics say {calls}', done.stderr)

lines = done.stderr.splitlines()
expected = bad_calls if args.xerbla == 'without' else []
if len(lines) != len(expected):
    clientlib.fail(f'{len(expected)} lines expected on stderr', done.stderr)
for (routine, position), line in zip(expected, lines):
    if routine.strip().lower() not in line.lower() or position not in line.replace(',', ' ').replace(':', ' ').split():
        clientlib.fail(f'the line of {routine} position {position} does not name them: {line}')
print(f'{len(bad_calls)} bad calls returned;', f'the first line: {lines[0]}' if lines else "reported to the program's own")
