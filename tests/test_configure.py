#!/usr/bin/env python3
"""test_configure.py SOURCE CMAKE CC CXX [--branches | --mutants | CASE...]: CMake's files for any installed packages.

Each case configures the project in its own folder and builds nothing. What the project looks for is made here (empty
libraries and headers, small scripts, CMake's notes on a compiler), so that a case is the same on every machine. All
cases together must run every command and pass over every if without else.

--branches shows the case of each branch. --mutants puts a fault into each branch, one at a time; its case must fail.
"""
from __future__ import annotations

import concurrent.futures
import os
import pathlib
import queue
import re
import shutil
import sys
import tempfile
import time
from typing import Iterator

from configure_world import Case, File, World

SKIPPED = 77

# OFF: not looked for. A case has the minimum: library and backends, those of one GPU, the command; tests, those of one
# GPU.
ALONE = 'build_tests=OFF build_bench=OFF '
NVIDIA = ALONE + 'LIBSGEMM_HIPCC=OFF '
AMD = ALONE + 'LIBSGEMM_NVCC=OFF CMAKE_CUDA_COMPILER=OFF '
COMMAND = 'build_tests=OFF backends=ref '
PARENT = 'tests/clients/parent'
SIMT = 'backends=openblas build_bench=OFF '
SMALL = SIMT + 'test_device_code= '
CUDA = SMALL.replace('openblas', 'cuda')
HIP = SMALL.replace('openblas', 'hip') + 'hip_architectures=gfx90a test_hip_code=all '
NO_HIP = 'backend hip left out: no HIP toolkit here'
NO_NVCC = 'backend cuda left out: no CUDA compiler works here'
NO_CODE = "no clang 19, lld 19, llvm 19 or device library, so the HIP kernels' code for gfx906 .* is not checked"
CASES = [
    Case('everything', 'test_hip_code=all fault_injection=ON', 'nvcc 13.0.88, code for 75 .* PTX for 100 120 .* HIP 6.3, code for gfx906 '
         '.* backends: cpu;cuda;hip;openblas ref (?!.*left out)', makes='CATCH2_V3.*examples.multiply_f90.*check_amdgpu'),
    Case('device code of each kind', 'backends=cuda build_bench=OFF simt_code=kinds', 'no backend hip, so'),
    Case('device loops', SIMT + 'simt_code=loops CMAKE_CXX_COMPILER_LAUNCHER=ccache', 'no backend cuda, so'),
    Case('twice', HIP + 'test_device_code=hip', 'backend hip: HIP 6.3, code for gfx90a -- .* backends: hip ref', times=2),
    Case('nothing', 'CMAKE_CUDA_COMPILER=OFF CMAKE_Fortran_COMPILER=OFF CMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON ' + ' '.join(
        f'LIBSGEMM_{name}=OFF' for name in ('NVCC', 'HIPCC', 'BOOST_CONTEXT', 'OPENBLAS', 'READELF', 'PTXAS', 'SYSTEM_BLAS', 'CUBLAS_INCLUDE')),
         f'{NO_NVCC}.*{NO_HIP}.*no readelf.*no libopenblas.*no backend hip.*no Boost.*no backend cuda.*no ptxas.*no libblas.*no cuBLAS'),
    Case('unknown backend', ALONE + 'backends=rocm', 'no backend rocm; there are auto, native, ref, cpu;cuda;hip;openblas', 1),
    Case('native backends', ALONE + 'backends=native', 'backends: openblas;cpu;cuda ref', env='SMI=9.0'),
    Case('no Highway', AMD + 'CMAKE_DISABLE_FIND_PACKAGE_hwy=ON', 'backend cpu left out: Highway not found'),
    Case('no nvcc', AMD, NO_NVCC),
    Case('no nvcc, asked for', AMD + 'backends=cuda', 'LIBSGEMM_BACKENDS asks for cuda: no CUDA compiler works here', 1),
    Case('nvcc does not work', NVIDIA + '-UCMAKE_CUDA_COMPILER', NO_NVCC),
    Case('old nvcc', NVIDIA + 'NVCC=12.4.131', 'backend cuda left out: it needs nvcc 12.8 or newer, found NVIDIA 12.4.131'),
    Case('nvcc without an architecture', NVIDIA, 'has no architecture 120: left out .* code for 75 80 86 89 90a 100,', env='UNKNOWN=sm_120'),
    Case('nvcc without all', NVIDIA + 'cuda_architectures=120', 'backend cuda left out: nvcc has none of', env='UNKNOWN=sm_120'),
    Case('native, new NVIDIA', NVIDIA + 'cuda_architectures=native', 'code for 89, PTX for 89', env='SMI=12.0 UNKNOWN=sm_1[02]0'),
    Case('native, no NVIDIA', NVIDIA + 'cuda_architectures=native', 'backend cuda left out: .*nvidia-smi shows no GPU'),
    Case('PTX for none', CUDA + 'cuda_architectures=90a', 'code for 90a, PTX for none'),
    Case('code for old NVIDIA', CUDA + 'cuda_architectures=80', 'code for 80, PTX for 80'),
    Case('compressed code', CUDA + 'cuda_compress=ON test_hip_on_cuda=OFF', 'LIBSGEMM_CUDA_COMPRESS is on, so the check .* is left out'),
    Case('no hipcc', AMD + 'LIBSGEMM_HIPCC=OFF', NO_HIP),
    Case('no HIP headers', AMD + 'LIBSGEMM_HIP_INCLUDE=OFF', NO_HIP),
    Case('no libamdhip64', AMD + 'LIBSGEMM_AMDHIP64=OFF', NO_HIP),
    Case('old HIP', AMD + 'LIBSGEMM_HIP_INCLUDE={prefix}/other', 'backend hip left out: it needs HIP 5.2 or newer, found 5.1'),
    Case('features of AMD', ALONE + 'backends=hip hip_architectures=gfx90a:xnack+', 'name architectures without features', 1),
    Case('hipcc without an architecture', AMD, 'gfx1151; its compiler cannot do gfx1200 gfx1201', env='UNKNOWN=gfx120'),
    Case('hipcc without all', AMD + 'hip_architectures=gfx1201', 'hipcc can compile for none of gfx1201', env='UNKNOWN=gfx1201'),
    Case('native, no AMD', AMD + 'hip_architectures=native', "backend hip left out: .*the kernel's amdgpu driver shows no GPU"),
    Case('native AMD', AMD + 'hip_architectures=native', 'code for gfx90a --', env='KFD=90010'),
    *(Case(f'no {name}', COMMAND + f'CMAKE_DISABLE_FIND_PACKAGE_{name}=ON', f'the libsgemm command needs {name}', 1)
      for name in ('CLI11', 'fmt', 'nlohmann_json')),
    Case('python package', COMMAND + 'build_python=ON SKBUILD=ON nanobind_DIR={prefix}/other/nanobind', 'backends: ref'),
    Case('python module', ALONE + 'backends=ref build_python=ON nanobind_ROOT={prefix}/other/nanobind', 'backends: ref'),
    Case('no nanobind', ALONE + 'backends=ref build_python=ON CMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF', 'file provided by "nanobind"', 1),
    Case('packages', '--preset=package', 'backends: cpu;cuda;hip;openblas ref'),
    Case('absolute folders', ALONE + 'backends=ref CMAKE_INSTALL_LIBDIR=/opt/lib', 'backends: ref'),
    Case('static', ALONE + 'BUILD_SHARED_LIBS=OFF', 'BUILD_SHARED_LIBS=OFF: libsgemm is a shared library only', 1),
    Case('part of a project', 'LIBSGEMM={source} backends=openblas build_bench=ON', 'backends: openblas ref', source=PARENT),
    Case('installed with a project', 'LIBSGEMM={source} backends=openblas install=ON', 'backends: openblas ref', source=PARENT),
    Case('for another machine', 'backends=openblas test_device_code= CROSS=TRUE', '', makes=r'\A(?!.*test_probe_code)'),
    Case('by Clang', SMALL + 'COMPILER=Clang sanitize=address', '', makes=r'\A(?!.*Wno-maybe-uninitialized)'),
    Case('examples alone', '', '', source='examples', makes='multiply_f90'),
    Case('no Catch2', SMALL + 'CMAKE_DISABLE_FIND_PACKAGE_Catch2=ON', 'module Catch2 called with REQUIRED', 1),
    Case('Catch2 2', SMALL + 'Catch2_DIR={prefix}/other/catch2', '', makes=r'\A(?!.*CATCH2_V3)'),
    Case('no libopenblas', 'backends=openblas test_device_code= LIBSGEMM_OPENBLAS=OFF', 'no libopenblas.so.0, so'),
    Case('no readelf', SMALL + 'LIBSGEMM_READELF=OFF', 'no readelf, so'),
    Case('no libblas', SMALL + 'LIBSGEMM_SYSTEM_BLAS=OFF', 'under another BLAS are left out: no libblas.so.3'),
    Case('no ptxas', 'backends=openblas test_device_code= LIBSGEMM_PTXAS=OFF', 'no ptxas, so'),
    Case('no Fortran', SMALL + 'CMAKE_Fortran_COMPILER=OFF', '', makes=r'\A(?!.*multiply_f90)'),
    Case('no CUDA toolkit', SMALL + 'CMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON', '', makes=r'\A(?!.*on_stream)'),
    Case('no cuBLAS', SMALL + 'LIBSGEMM_CUBLAS_INCLUDE=OFF', 'no cuBLAS, so its random calls'),
    *(Case(f'no {name}', SMALL + f'{variable}', '', makes=r'\A(?!.*scalapack_products)') for name, variable in (
        ('mpirun', 'LIBSGEMM_MPIRUN=OFF'), ('ScaLAPACK', 'LIBSGEMM_SCALAPACK=OFF'), ('pkg-config', 'CMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON'))),
    Case('no python', CUDA + 'CMAKE_DISABLE_FIND_PACKAGE_Python3=ON',
         'no Python 3.9, so the kernels of sm_90 .* no Python 3.9, so the checks of .*module Python3 called with REQUIRED', 1),
    Case('debug', '--preset=debug', ''),
    Case('asan', '--preset=asan', 'no cuBLAS', makes='fsanitize=address'),
    Case('asan of one code', '--preset=asan build_bench=OFF test_device_code=hip simt_code=gfx_fma_64x64x8_ping_pong', ''),
    Case('asan of loops', '--preset=asan build_bench=OFF simt_code=loops', ''),
    Case('tsan', '--preset=tsan', 'no cuBLAS', makes='fsanitize=thread'),
    Case('no libasan', SMALL + 'sanitize=address', 'has no shared libasan.so, which preloading needs', 1, env='RUNTIME=libasan.so'),
    Case('no Boost.Context', SIMT + 'LIBSGEMM_BOOST_CONTEXT=OFF', 'no Boost.Context, so'),
    Case('code of NVIDIA', SIMT + 'test_device_code=cuda simt_code=sm75_ffma_128x128x8_register8x8', '', makes='test_simt.sm75_ffma'),
    Case('code of AMD', SIMT + 'simt_code=gfx_fma_64x64x8_ping_pong', '', makes='test_simt_mutant.barrier'),
    Case('other code of AMD', SIMT + 'simt_code=gfx_fma_128x128x8_ping_pong', '', makes=r'\A(?!.*test_simt_mutant)'),
    Case('no code', SIMT + 'simt_code=none', '', makes=r'\A(?!.*test_simt_gfx90a)'),
    *(Case(f'no {name}', HIP + f'LIBSGEMM_{name}=OFF', NO_CODE, makes='check_amdgpu.gfx950.*--unchecked')
      for name in ('CLANG19', 'LLD19', 'LLVM_DIS19', 'LLVM_AS19', 'BITCODE')),
    Case('no PyPI', HIP + 'LIBSGEMM_ZIG=/nowhere', 'ziglang 0.17.1, whose clang 22 knows gfx950 .*, cannot be installed'),
    Case('no clang, not asked for', HIP + 'test_hip_code= LIBSGEMM_CLANG19=OFF', r'\A(?!.*not checked)'),
    Case('unknown AMD', HIP + 'hip_architectures=gfx1101 test_hip_code=', 'knows none of gfx1101, so it is left out'),
    Case('unknown AMD, no clang', HIP + 'hip_architectures=gfx1101 LIBSGEMM_CLANG19=OFF', 'knows none of gfx1101, so it is left out'),
]
# These detect that sources no longer fit the tests. No case runs them.
NOT_RUN = ('common/process/env.h has no list', 'no longer has what the mutant', 'holds no constant')
VARIABLE = re.compile(r'(?<!\\)(\$\{[A-Za-z]\w*)\}')


def gaps(files: dict[str, File]) -> Iterator[str]:
    for name, file in files.items():
        for line in file.commands:
            if not file.ran[line] and not any(text in file.line(line) for text in NOT_RUN):
                yield f'{name}:{line}: no case runs {file.line(line)}'
        for condition in set(file.ends) - file.passed:
            yield f'{name}:{condition}: no case passes over {file.line(condition)}'


def faults(file: File) -> Iterator[tuple[int, str, str]]:
    """For each branch: a fault's line, the file's text with it, and CMake's expected message."""
    for _, commands in file.blocks:
        ran = [line for line in commands if file.ran[line]]
        line = next((line for line in ran if VARIABLE.search(file.line(line))), ran[0] if ran else 0)
        rows = file.text.split('\n')
        old = rows[line - 1]
        if VARIABLE.search(old):
            rows[line - 1] = VARIABLE.sub(r'\1_unset}', old, count=1)
            yield line, '\n'.join(rows), 'uninitialized variable'
        elif ran:
            rows[line - 1] = old.replace(file.commands[line], file.commands[line] + '_misspelt', 1)
            yield line, '\n'.join(rows), 'Unknown CMake command'


def main() -> int:
    source, cmake, cc, cxx, *rest = sys.argv[1:]
    if not shutil.which('ninja'):
        print('SKIPPED: no ninja')
        return SKIPPED
    asked = [case for case in CASES if case.name in rest]
    workers = min(2, os.cpu_count() or 1)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(workers) as pool:
        root = pathlib.Path(folder).resolve()
        copies: queue.SimpleQueue[pathlib.Path] = queue.SimpleQueue()
        for i in range(workers):  # a copy of the project for each concurrent fault
            others = shutil.ignore_patterns('.*', 'build', 'results', '__pycache__')
            copies.put(shutil.copytree(source, root / str(i), ignore=others))
        world = World(root / 'world', cmake, cc, cxx)
        files = {str(path.relative_to(root / '0')): File(path) for pattern in ('CMakeLists.txt', '*.cmake')
                 for path in sorted((root / '0').rglob(pattern)) if path.parent.name != 'consumer'}
        seconds: dict[str, float] = {}

        def configure(case: Case) -> str:
            start = time.monotonic()
            problem = world.problem(case, root / '0', files)
            seconds[case.name] = time.monotonic() - start
            print(f'{seconds[case.name]:4.1f} s  {case.name}{problem and ": " + problem}', flush=True)
            return problem and case.name

        def not_found(name: str, line: int, text: str, words: str) -> str:
            # The fastest case; CMake warns of variables only in the project that it configures.
            case = min((case for case in CASES if case.name in files[name].ran[line]),
                       key=lambda case: (not name.startswith(case.source), seconds[case.name]))
            copy = copies.get()
            (copy / name).write_text(text)
            found = words in world.problem(case, copy, {})
            (copy / name).write_text(files[name].text)
            copies.put(copy)
            return '' if found else f'{name}:{line}: {case.name} does not find a fault in {files[name].line(line)}'

        problems = [name for name in pool.map(configure, asked or CASES) if name]
        problems += [] if asked else gaps(files)
        if '--branches' in rest:
            for name, file in files.items():
                for start, commands in file.blocks:
                    cases = sorted({case for line in commands for case in file.ran[line]}, key=lambda case: seconds[case])
                    print(f'{name}:{start}: {file.line(start)}: {", ".join(cases[:3])}, {len(cases)} cases')
        if '--mutants' in rest and not problems:
            mutants = [(name, *fault) for name, file in files.items() for fault in faults(file)]
            problems += filter(None, pool.map(not_found, *zip(*mutants)))
            print(f'{len(mutants) - len(problems)} of {len(mutants)} faults are found')
    print(*problems, f'{len(problems)} problems', sep='\n')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
