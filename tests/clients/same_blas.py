# Preloading the drop-in must not change what computes on the CPU: the same BLAS, bits and threads, nothing on stderr.
#   same_blas.py BUILD numpy|torch|program PROGRAM [--packages DIR] [--runtime SANITIZER_RUNTIME]
# PROGRAM: a Python with packages in DIR or its own; or a program that prints a report as same_blas_report.py does.
import argparse
import json
import pathlib
import re
import subprocess
import tempfile

import clientlib

HERE = pathlib.Path(__file__).resolve().parent


def environment(args, preloaded, **more):
    env = clientlib.environment(args.build, 'auto', None, args.runtime, **more)
    del env['LIBSGEMM_BACKEND'], env['LIBSGEMM_STRICT']
    # A GPU's results have other bits.
    env['LIBSGEMM_DEVICES'] = 'none'
    if not preloaded:
        env['LD_PRELOAD'] = args.runtime.replace(':', ' ')  # a sanitizer may have a thread of its own
    if args.packages:
        env['PYTHONPATH'] = args.packages
    return env


def run(args, arguments, preloaded, **more):
    script = [] if args.kind == 'program' else [HERE / f'same_blas_{args.kind}.py']
    command = [args.program, *script, *arguments]
    done = subprocess.run(command, env=environment(args, preloaded, **more), capture_output=True, text=True)
    if done.returncode != 0 or done.stderr:
        clientlib.fail(f'{command} {"with" if preloaded else "without"} the drop-in ended with {done.returncode}',
                       done.stdout, done.stderr)
    return json.loads(done.stdout)


def blas_of(report):
    """Libraries that are or contain a BLAS; wheels hide it under other names."""
    return {path for path in report['libraries'] if re.search(r'/lib((scipy_)?(open)?blas|torch_cpu|mkl)[^/]*\.so', path)}


def check_same(args, alone, **more):
    preloaded = run(args, [], True, **more)
    for what in ('bits', 'threads'):
        if alone[what] != preloaded[what]:
            clientlib.fail(f'{what} with {more}: {alone[what]} alone, {preloaded[what]} preloaded')
    if not blas_of(alone) or blas_of(alone) != blas_of(preloaded):
        clientlib.fail(f'the BLAS with {more}: {blas_of(alone)} alone, {blas_of(preloaded)} preloaded')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('kind', choices=['numpy', 'torch', 'program'])
    parser.add_argument('program')
    parser.add_argument('--packages', default='')
    parser.add_argument('--runtime', default='')
    args = parser.parse_args()
    clientlib.need_backend(args.build, 'openblas')
    if args.packages and not (pathlib.Path(args.packages) / args.kind).is_dir():
        clientlib.skip(f'no {args.kind} wheel in {args.packages}; tests/run.sh installs it')
    if args.kind != 'program' and subprocess.run([args.program, '-c', f'import {args.kind}'], capture_output=True,
                                                 env=environment(args, False)).returncode != 0:
        clientlib.skip(f'{args.program} cannot import {args.kind}')

    one = {'OPENBLAS_NUM_THREADS': '1'}
    check_same(args, run(args, [], False, **one), **one)
    alone = run(args, [], False)
    with tempfile.TemporaryDirectory() as folder:
        # The log names each call's BLAS.
        log = pathlib.Path(folder) / 'log'
        more = {'LIBSGEMM_VERBOSE': '3', 'LIBSGEMM_LOG_PATH': str(log)}
        # A file that is no library hides OpenBLAS from the loader, as on a machine without it. Programs that need it
        # cannot start.
        if args.packages:
            (pathlib.Path(folder) / 'libopenblas.so.0').write_text('hidden')
            more['LD_LIBRARY_PATH'] = folder
        check_same(args, alone, **more)
        lines = [line for line in log.read_text().splitlines() if re.search(' -> (openblas|program) ', line)]
        for line in lines:
            if ' -> program ' in line:  # the function that the program would call
                continue
            own = re.search(r"the program's own [^(]*\((\S+)\)", line)
            if not own or own.group(1) not in {str(pathlib.Path(path).resolve()) for path in blas_of(alone)}:
                clientlib.fail(f'not the program\'s own BLAS ({blas_of(alone)}): {line}')
        if not lines:
            clientlib.fail('no call arrived', log.read_text())
    print(f'{args.program}: {len(lines)} calls by {blas_of(alone)}, {alone["threads"]} threads: the same preloaded')

    if args.kind == 'torch' or args.packages and (pathlib.Path(args.packages) / 'threadpoolctl.py').exists():
        limited = run(args, ['limited'], True)
        if limited['cpus'] > 1.2:
            clientlib.fail(f'limited to one thread before the first product: {limited["cpus"]:.2f} CPUs')
        print(f'{args.program}: limited to one thread {limited["cpus"]:.2f} CPUs')


main()
