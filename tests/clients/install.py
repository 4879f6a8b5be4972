# Installs a build into a temporary prefix, builds and runs consumer/ against it, moves the prefix and repeats.
#   install.py BUILD cmake|pkg-config CMAKE CC CXX [--flags=-fsanitize=...]
import argparse
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

import clientlib

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = {'consumer_c': 'libsgemm_sgemm', 'consumer_cpp': 'libsgemm_sgemm_h', 'consumer_blas': 'cblas_sgemm'}


def run(command, **options):
    command = [str(part) for part in command]
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        clientlib.fail(f'{shlex.join(command)} ended with {done.returncode}', done.stdout, done.stderr)
    return done.stdout


def clean_environment(**more):
    """Drops variables that help to find a library."""
    drop = ('LD_', 'LIBSGEMM_', 'CMAKE_PREFIX_PATH', 'PKG_CONFIG', 'CFLAGS', 'CXXFLAGS', 'LDFLAGS')
    return {**{k: v for k, v in os.environ.items() if not k.startswith(drop)}, **more}


def build_by_cmake(args, prefix, folder):
    run([args.cmake, '-S', HERE / 'consumer', '-B', folder, f'-DCMAKE_PREFIX_PATH={prefix}',
         f'-DCMAKE_C_COMPILER={args.cc}', f'-DCMAKE_CXX_COMPILER={args.cxx}', f'-DCMAKE_C_FLAGS={args.flags}',
         f'-DCMAKE_CXX_FLAGS={args.flags}', '-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF'], env=clean_environment())
    cache = (folder / 'CMakeCache.txt').read_text()
    found = re.search(r'^libsgemm_DIR:PATH=(.*)$', cache, re.M)
    if not found or not pathlib.Path(found.group(1)).is_relative_to(prefix):
        clientlib.fail(f'find_package found {found and found.group(1)}, not {prefix}')
    run([args.cmake, '--build', folder], env=clean_environment())
    return clean_environment()


def build_by_pkg_config(args, prefix, folder):
    folder.mkdir()
    pc = next(prefix.rglob('libsgemm.pc'))
    env = clean_environment(PKG_CONFIG_PATH=str(pc.parent))
    for program, source, compiler, module in [
            ('consumer_c', 'consumer.c', [args.cc, '-std=c99'], 'libsgemm'),
            ('consumer_cpp', 'consumer.cpp', [args.cxx, '-std=c++17'], 'libsgemm'),
            ('consumer_blas', 'consumer_blas.c', [args.cc, '-std=c99'], 'libsgemm_blas')]:
        flags = shlex.split(run(['pkg-config', '--cflags', '--libs', module], env=env))
        if not any(str(prefix) in flag for flag in flags):
            clientlib.fail(f'pkg-config gives {flags}, nothing of {prefix}')
        run([*compiler, *shlex.split(args.flags), HERE / 'consumer' / source, '-o', folder / program, *flags],
            env=clean_environment())
    libdir = run(['pkg-config', '--variable=libdir', 'libsgemm'], env=env).strip()
    return clean_environment(LD_LIBRARY_PATH=libdir)


def run_programs(folder, env, prefix, backends):
    for backend in backends:
        for program, entry in PROGRAMS.items():
            with tempfile.TemporaryDirectory() as stats:
                output = run([folder / program], env=dict(env, LIBSGEMM_BACKEND=backend, LIBSGEMM_STRICT='1',
                                                          LIBSGEMM_STATS_DIR=stats))
                calls = clientlib.read_stats(stats)
            computed = clientlib.calls_computed(calls, backend)
            if computed != {entry: 1}:
                clientlib.fail(f'{program}: expected one call of {entry} by {backend}, statistics say {calls}', output)
            if program != 'consumer_blas' and f'backend={backend} ' not in output:
                clientlib.fail(f'{program}: last_info does not name {backend}', output)
            print(f'{prefix.name}: {program}: {output.strip()} ({backend})')


def build_examples(args, prefix, folder):
    source = prefix / 'share/doc/libsgemm/examples'
    run([args.cmake, '-S', source, '-B', folder, f'-DCMAKE_PREFIX_PATH={prefix}', f'-DCMAKE_C_COMPILER={args.cc}',
         *[f'-DCMAKE_{language}_FLAGS={args.flags}' for language in ('C', 'Fortran')]], env=clean_environment())
    run([args.cmake, '--build', folder], env=clean_environment())
    ran = run(['ctest', '--test-dir', folder, '--output-on-failure', '--no-tests=error'], env=clean_environment())
    if 'examples.multiply' not in ran:
        clientlib.fail('the examples did not run', ran)
    print(f'{prefix.name}: {ran.strip().splitlines()[-1]}')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('way', choices=['cmake', 'pkg-config'])
    parser.add_argument('cmake')
    parser.add_argument('cc')
    parser.add_argument('cxx')
    parser.add_argument('--flags', default='')
    args = parser.parse_args()
    if args.way == 'pkg-config' and not shutil.which('pkg-config'):
        clientlib.skip('pkg-config is not installed')
    build = build_by_cmake if args.way == 'cmake' else build_by_pkg_config
    backends = ['ref'] + (['openblas'] if clientlib.backend_missing(args.build, 'openblas') is None else [])

    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch).resolve()
        first, second = scratch / 'first', scratch / 'moved/second'
        run([args.cmake, '--install', args.build, '--prefix', first], env=clean_environment())
        env = build(args, first, scratch / 'build1')
        run_programs(scratch / 'build1', env, first, backends)

        second.parent.mkdir()
        first.rename(second)
        env = build(args, second, scratch / 'build2')
        run_programs(scratch / 'build2', env, second, backends)
        if args.way == 'cmake':
            build_examples(args, second, scratch / 'examples')
        command = second / 'bin/libsgemm'
        if command.exists():
            if 'ref' not in run([command, 'info'], env=clean_environment()):
                clientlib.fail('libsgemm info of the moved prefix does not name ref')
            print(f'{second.name}: libsgemm info runs')
            for file in ('share/bash-completion/completions/libsgemm', 'share/man/man1/libsgemm.1',
                         'share/doc/libsgemm/README.md', 'share/doc/libsgemm/LICENSE',
                         'share/doc/libsgemm/docs/environment.md'):
                if (second / file).stat().st_size == 0:
                    clientlib.fail(f'{file} is empty')


main()
