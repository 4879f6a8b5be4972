# libsgemm as part of another CMake project: installs nothing by default; a static library is refused.
#   subproject.py BUILD SOURCE CMAKE CC CXX
import pathlib
import subprocess
import sys
import tempfile

import clientlib

HERE = pathlib.Path(__file__).resolve().parent
_, _, SOURCE, CMAKE, CC, CXX = sys.argv


def configure(folder, *options):
    return subprocess.run([CMAKE, '-S', HERE / 'parent', '-B', folder, f'-DLIBSGEMM={SOURCE}', '-DLIBSGEMM_BACKENDS=openblas',
                           f'-DCMAKE_C_COMPILER={CC}', f'-DCMAKE_CXX_COMPILER={CXX}', *options],
                          capture_output=True, text=True)


def need(condition, message, done):
    if not condition:
        clientlib.fail(message, done.stdout, done.stderr)


def installed(folder, prefix):
    done = subprocess.run([CMAKE, '--install', folder, '--prefix', prefix], capture_output=True, text=True)
    return done, sorted(str(path.relative_to(prefix)) for path in prefix.rglob('*') if path.is_file())


with tempfile.TemporaryDirectory() as scratch:
    scratch = pathlib.Path(scratch)
    done = configure(scratch / 'unasked')
    need(done.returncode == 0, 'the project cannot be configured', done)
    for target in ['libsgemm_command', 'test_api']:
        helped = subprocess.run([CMAKE, '--build', scratch / 'unasked', '--target', 'help'], capture_output=True, text=True)
        need(target not in helped.stdout, f'{target} is built unasked', helped)
    done, files = installed(scratch / 'unasked', scratch / 'prefix')
    need(done.returncode == 0 and files == ['share/parent/CMakeLists.txt'], f'installed: {files}', done)

    done = configure(scratch / 'asked', '-DLIBSGEMM_INSTALL=ON')
    need(done.returncode == 0, 'the project cannot be configured with LIBSGEMM_INSTALL', done)
    done, files = installed(scratch / 'asked', scratch / 'prefix_asked')
    # Nothing is built, so installing fails at its first file, and the message names it.
    need(done.returncode != 0 and 'libsgemm' in done.stderr, 'with LIBSGEMM_INSTALL=ON nothing of libsgemm is installed', done)

    done = configure(scratch / 'static', '-DBUILD_SHARED_LIBS=OFF')
    need(done.returncode != 0 and 'BUILD_SHARED_LIBS=OFF: libsgemm is a shared library only' in done.stderr,
         'BUILD_SHARED_LIBS=OFF is not refused', done)
    done = configure(scratch / 'shared', '-DBUILD_SHARED_LIBS=ON')
    need(done.returncode == 0, 'BUILD_SHARED_LIBS=ON is refused', done)
print('nothing is installed unasked, and a static library is refused')
