"""Builds the wheel of the Python package, installs it into a new virtual environment, and runs tests/python. Arguments:
BUILD SOURCE MOCK SHIM TORCH: the mock GPU, if built, and its memory for Python; PyTorch's folder, if there is one.

Skipped if pip cannot get what it needs. Tools stay in BUILD/python-tools, CMake's files in BUILD/wheel.
"""
import os
import pathlib
import shutil
import subprocess
import sys

from clientlib import fail, skip

WHEEL_BYTES = 3 << 20
TOOLS = ['scikit-build-core', 'nanobind', 'ninja', 'numpy']
TESTED_WITH = ['numpy', 'ml_dtypes', 'pytest']
# -O0 compiles in a third of the time: speed is not tested. The command takes as long as all the rest, so its tests are
# skipped unless LIBSGEMM_TEST_WHEEL=whole.
SETTINGS = {'build-type': 'MinSizeRel', 'define.CMAKE_CXX_FLAGS_MINSIZEREL': '-O0', 'define.LIBSGEMM_BACKENDS': 'openblas',
            'define.LIBSGEMM_BUILD_BENCH': 'ON' if os.environ.get('LIBSGEMM_TEST_WHEEL') == 'whole' else 'OFF'}


def run(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)


def make_venv(folder):
    shutil.rmtree(folder, ignore_errors=True)
    done = run(sys.executable, '-m', 'venv', folder)
    if done.returncode:
        skip(f'no virtual environment can be made: {done.stdout}{done.stderr}')
    return folder / 'bin/python'


def pip(python, *arguments):
    return run(python, '-m', 'pip', '--disable-pip-version-check', *arguments)


def need(python, packages):
    done = pip(python, 'install', '--quiet', *packages)
    if done.returncode:
        skip(f'pip cannot get {" ".join(packages)}: {done.stderr.strip().splitlines()[-1]}')


def tools(build):
    python = build / 'python-tools/bin/python'
    if not python.exists() or run(python, '-c', 'import nanobind, numpy, scikit_build_core').returncode:
        python = make_venv(build / 'python-tools')
        need(python, TOOLS)
    return python


def build_wheel(build, source):
    python = tools(build)
    wheels = build / 'wheel'
    for old in wheels.glob('*.whl'):
        old.unlink()
    options = [f'--config-settings=cmake.{name}={value}' for name, value in SETTINGS.items()]
    environment = dict(os.environ, PATH=f'{python.parent}:{os.environ["PATH"]}')
    done = run(python, '-m', 'pip', '--disable-pip-version-check', 'wheel', source, '--no-deps', '--no-build-isolation',
               '--wheel-dir', wheels, f'--config-settings=build-dir={wheels}/cmake', *options, env=environment)
    found = list(wheels.glob('*.whl'))
    if done.returncode or len(found) != 1:
        fail('the wheel cannot be built', done.stdout, done.stderr)
    if found[0].stat().st_size > WHEEL_BYTES:
        fail(f'{found[0]} has {found[0].stat().st_size} bytes, more than {WHEEL_BYTES}')
    print(f'{found[0].name}: {found[0].stat().st_size} bytes')
    return found[0]


def run_tests(python, source, *tests, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(('LIBSGEMM_', 'PYTHON'))}
    environment.update(variables, PYTHONDONTWRITEBYTECODE='1')
    done = run(python, '-m', 'pytest', '-q', '-rs', '-p', 'no:cacheprovider', *(source / 'tests/python' / t for t in tests),
               env=environment, cwd='/')
    print(done.stdout)
    if done.returncode:
        fail('tests of the Python package failed', done.stderr)


build, source, mock, shim, torch = (pathlib.Path(argument) for argument in sys.argv[1:6])
wheel = build_wheel(build, source)
python = make_venv(build / 'python-venv')
need(python, TESTED_WITH)
done = pip(python, 'install', '--quiet', '--no-deps', wheel)
if done.returncode:
    fail('the wheel cannot be installed', done.stdout, done.stderr)
# A bar of 15 us a call finds searches and copies; the real one needs an idle machine and optimised code.
run_tests(python, source, '', LIBSGEMM_TEST_OVERHEAD_US='15')
if mock.exists():
    run_tests(python, source, 'test_device.py', LIBSGEMM_BACKEND_PATH=str(mock), LIBSGEMM_TEST_MOCK_GPU=str(shim))
if torch.exists():
    run_tests(python, source, 'test_torch.py', PYTHONPATH=str(torch))
