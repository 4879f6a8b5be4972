"""Runs test_configure.py's cases: fakes all that CMake looks for, and records which commands of CMake files a case runs.
"""
from __future__ import annotations

import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from typing import NamedTuple


class Case(NamedTuple):
    name: str
    options: str      # NAME=VALUE; name=VALUE sets LIBSGEMM_NAME; other arguments of cmake
    says: str         # pattern of the output
    status: int = 0
    env: str = ''     # read by SCRIPTS: UNKNOWN, an architecture; SMI and KFD, the GPU; RUNTIME, a sanitizer's library
    makes: str = ''   # pattern of the rules and tests that CMake writes
    source: str = ''
    times: int = 1    # runs of CMake in one folder


SCRIPTS = {
    'c++': 'case $1 in -print-file-name=*) echo ${{RUNTIME:-{prefix}/lib/libasan.so}} ;; *) exec {cxx} "$@" ;; esac',
    'nvcc': 'case "$*" in *--dryrun*${{UNKNOWN:-nothing}}*) exit 1 ;; *--dryrun*) exit 0 ;; *) exit 1 ;; esac',
    'hipcc': 'case "$*" in *${{UNKNOWN:-nothing}}*) exit 1 ;; esac',
    'llvm-dis-19': 'echo "constant i32 500, constant i32 10300,"',
    'llvm-as-19': 'cp "$1" "$3"',
    'clang++-19': 'echo /nowhere',
    'pkg-config': 'case "$*" in *version*) echo 4.1 ;; esac',
    'nvidia-smi': 'echo $SMI',
    'cat': 'echo "gfx_target_version ${{KFD:-0}}"',
    **dict.fromkeys(('ld.lld-19', 'f95', 'zig', 'readelf', 'ptxas', 'mpirun'), ''),
}
PACKAGE = 'foreach(target {0})\n  if(NOT TARGET ${{target}})\n    add_library(${{target}} INTERFACE IMPORTED)\n  endif()\nendforeach()\n'
FILES = {
    **{f'lib/{name}': '' for name in (
        'libamdhip64.so', 'libopenblas.so.0', 'libblas.so.3', 'libboost_context.so', 'libasan.so', 'libcublas.so', 'libcublasLt.so',
        'libcudart_static.a', 'libscalapack-openmpi.so')},
    **{f'include/{name}': '' for name in ('hip/hip_runtime.h', 'boost/context/detail/fcontext.hpp', 'cublasLt.h')},
    **{f'include/amdgcn/bitcode/oclc_{name}.bc': '' for name in ('isa_version_1030', 'abi_version_500')},
    'include/hip/hip_version.h': '#define HIP_VERSION_MAJOR 6\n#define HIP_VERSION_MINOR 3\n',
    'other/hip/hip_version.h': '#define HIP_VERSION_MAJOR 5\n#define HIP_VERSION_MINOR 1\n',
    'modules/FindCUDAToolkit.cmake': PACKAGE.format('CUDA::cudart'),
    'modules/FindPython.cmake': 'set(Python_EXECUTABLE false)\nset(Python_NumPy_INCLUDE_DIRS)\n',
    **{f'lib/cmake/{name}/{name}Config.cmake': PACKAGE.format(targets) for name, targets in (
        ('Catch2', 'Catch2::Catch2'), ('CLI11', 'CLI11::CLI11'), ('fmt', 'fmt::fmt fmt::fmt-header-only'),
        ('nlohmann_json', 'nlohmann_json::nlohmann_json'), ('hwy', 'hwy::hwy'), ('libsgemm', 'libsgemm::sgemm libsgemm::sgemm_blas'))},
    'lib/cmake/Catch2/Catch2ConfigVersion.cmake': 'set(PACKAGE_VERSION 3.4.0)\n',
    'other/catch2/Catch2Config.cmake': PACKAGE.format('Catch2::Catch2'),
    'other/catch2/Catch2ConfigVersion.cmake': 'set(PACKAGE_VERSION 2.13.10)\n',
    'other/nanobind/nanobindConfig.cmake': '''function(nanobind_add_module name)
  add_library(${name} MODULE module.cpp)
endfunction()
function(nanobind_add_stub name)
  add_custom_target(${name})
endfunction()
''',
    # CMake's files on compilers: made once by CMake for C and C++, written here for the others, which are fakes.
    'compilers/CMakeLists.txt': '''cmake_minimum_required(VERSION 3.22)
project(compilers LANGUAGES C CXX)
set(CMAKE_CUDA_COMPILER ${MADE}/bin/nvcc)
set(CMAKE_CUDA_COMPILER_ID NVIDIA)
set(CMAKE_CUDA_COMPILER_VERSION [[${NVCC}]])
set(CMAKE_CUDA_STANDARD_COMPUTED_DEFAULT 17)
set(CMAKE_CUDA_EXTENSIONS_COMPUTED_DEFAULT ON)
set(CMAKE_Fortran_COMPILER ${MADE}/bin/f95)
set(CMAKE_Fortran_COMPILER_ID GNU)
foreach(language CUDA Fortran)
  set(notes CMake${language}Compiler.cmake)
  configure_file(${CMAKE_ROOT}/Modules/${notes}.in ${CMAKE_PLATFORM_INFO_DIR}/${notes} @ONLY)
endforeach()
''',
}


class World:
    """Runs cases with a prefix that holds fakes of all that the project looks for."""

    def __init__(self, prefix: pathlib.Path, cmake: str, cc: str, cxx: str) -> None:
        self.cmake, self.prefix = cmake, prefix
        for name, text in FILES.items():
            (prefix / name).parent.mkdir(parents=True, exist_ok=True)
            (prefix / name).write_text(text)
        (prefix / 'bin').mkdir()
        for name, text in SCRIPTS.items():
            (prefix / 'bin' / name).write_text('#!/bin/sh\n' + text.format(prefix=prefix, cxx=cxx) + '\n')
            (prefix / 'bin' / name).chmod(0o755)
        # On a disk the links of tests/simt take several times as long.
        memory = '/dev/shm'
        self.builds = memory if os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2**28 else None
        kept = {name: os.environ[name] for name in ('HOME', 'TMPDIR', 'LD_LIBRARY_PATH') if name in os.environ}
        self.env = {**kept, 'PATH': f'{prefix}/bin:{os.environ["PATH"]}', 'PIP_NO_INDEX': '1',
                    **dict.fromkeys(('CUDA_PATH', 'ROCM_PATH', 'HIP_PATH'), str(prefix))}
        self.options = {
            'CMAKE_PREFIX_PATH': prefix, 'CMAKE_MODULE_PATH': prefix / 'modules', 'CMAKE_MAKE_PROGRAM': shutil.which('ninja'),
            'COMPILER': 'GNU', 'CROSS': 'FALSE', 'NVCC': '13.0.88', 'CMAKE_CUDA_COMPILER': prefix / 'bin/nvcc',
            'CMAKE_Fortran_COMPILER': prefix / 'bin/f95', 'CMAKE_HAVE_LIBC_PTHREAD': 1, 'CMAKE_EXECUTABLE_FORMAT': 'ELF',
            'LIBSGEMM_ZIG': prefix / 'bin/zig', 'Python3_EXECUTABLE': sys.executable,
            **dict.fromkeys(('CUDAToolkit_ROOT', 'ROCM_PATH'), prefix),
            **dict.fromkeys(('CMAKE_CXX_COMPILER_LAUNCHER', 'CMAKE_CUDA_COMPILER_LAUNCHER'), '')}
        done = self.run(prefix / 'compilers', prefix / 'found', self.env,
                        [f'-DMADE={prefix}', f'-DCMAKE_C_COMPILER={cc}', f'-DCMAKE_CXX_COMPILER={prefix}/bin/c++'])
        if done.returncode != 0:
            sys.exit(done.stdout)
        # The compiler's identity and target depend on the case.
        for notes in (prefix / 'found/CMakeFiles').glob('*/CMake*.cmake'):
            notes.write_text(re.sub(r'(set\(CMAKE_CX*_COMPILER_ID) "\w+"', r'\1 "${COMPILER}"',
                                    notes.read_text().replace('CROSSCOMPILING "FALSE"', 'CROSSCOMPILING "${CROSS}"')))

    def run(self, source: pathlib.Path, build: pathlib.Path, env: dict[str, str],
            arguments: list[str]) -> subprocess.CompletedProcess[str]:
        command = [self.cmake, '-S', str(source), '-B', str(build), '-G', 'Ninja',
                   *(f'-D{name}={value}' for name, value in self.options.items()), *arguments]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env, check=False)

    def problem(self, case: Case, source: pathlib.Path, files: dict[str, File]) -> str:
        """Configures, and records in `files` what ran. Returns the fault or "", and CMake's output."""
        arguments = ['--warn-uninitialized', '--no-warn-unused-cli']
        for word in case.options.format(prefix=self.prefix, source=source).split():
            name = word.partition('=')[0]
            if name.islower() and word[0] != '-':
                word = f'LIBSGEMM_{name.upper()}{word[len(name):]}'
            arguments.append(word if word[0] == '-' else '-D' + word)
        env = {**self.env, **dict(word.split('=') for word in case.env.split())}
        with tempfile.TemporaryDirectory(dir=self.builds) as folder:
            build, trace = pathlib.Path(folder), pathlib.Path(folder) / 'trace'
            shutil.copytree(self.prefix / 'found/CMakeFiles', build / 'CMakeFiles')
            (build / 'CMakeCache.txt').write_text('CMAKE_PLATFORM_INFO_INITIALIZED:INTERNAL=1\n')
            if files:
                arguments += ['--trace', '--trace-format=json-v1', f'--trace-redirect={trace}']
            for _ in range(case.times):
                done = self.run(source / case.source, build, env, arguments)
                if files:
                    read_trace(trace, source, files, case)
            made = ''.join(file.read_text() for file in sorted(build.glob('build.ninja')) + sorted(build.rglob('CTestTestfile.cmake')))
        text = ' '.join(done.stdout.split())
        for wrong, what in ((done.returncode != case.status, f'status {done.returncode}, not {case.status}'),
                            (text.count('CMake Error') != case.status, 'errors'),
                            ('uninitialized variable' in text, 'a variable is not set'),
                            (not re.search(case.says, text), f'does not say: {case.says}'),
                            (not re.search(case.makes, made, re.DOTALL), f'does not make: {case.makes}')):
            if wrong:
                return f'{what}\n{done.stdout}'
        return ''


class File:
    """The commands of a CMake file, and the cases that ran them."""

    def __init__(self, path: pathlib.Path) -> None:
        self.text = path.read_text()
        self.commands: dict[int, str] = {}  # by line, without `if` and similar
        self.blocks: list[tuple[int, list[int]]] = [(1, [])]  # branches and functions: first line, own commands
        self.ends: dict[int, int] = {}  # end of each if without else, by the line of its last condition
        self.ran: dict[int, set[str]] = collections.defaultdict(set)  # case names by line
        self.passed: set[int] = set()  # keys of `ends` whose condition was false
        depth, within, conditions = 0, [self.blocks[0]], []
        for token in re.finditer(r'#[^\n]*|"(?:\\.|[^"\\])*"|[A-Za-z_]\w*(?=\s*\()|[()]', self.text):
            word, line = token[0], self.text.count('\n', 0, token.start()) + 1
            depth += (word == '(') - (word == ')')
            if depth > 0 or word[0] in '#"()' or word in ('foreach', 'endforeach'):
                continue
            if word in ('else', 'elseif', 'endif', 'endfunction', 'endmacro'):
                within.pop()
            if word == 'if':
                conditions.append(line)
            elif word in ('else', 'elseif'):
                conditions[-1] = line if word == 'elseif' else 0
            elif word == 'endif':
                self.ends[conditions.pop()] = line
            if word in ('if', 'else', 'elseif', 'function', 'macro'):
                within.append((line, []))
                self.blocks.append(within[-1])
            elif not word.startswith('end'):
                self.commands[line] = word
                within[-1][1].append(line)
        self.ends.pop(0, None)

    def line(self, number: int) -> str:
        return self.text.split('\n')[number - 1].strip()


def read_trace(trace: pathlib.Path, source: pathlib.Path, files: dict[str, File], case: Case) -> None:
    condition = None  # the last command, if it is in `ends`; the next command shows whether it was true
    with trace.open(encoding='utf-8') as lines:
        for text in lines:
            record = json.loads(text) if f'"{source}/' in text else {}
            file = files.get(os.path.relpath(record.get('file', '/'), source))
            if not file:
                continue
            line = record['line']
            if condition and not (condition[0] is file and condition[1] < line < file.ends[condition[1]]):
                condition[0].passed.add(condition[1])
            condition = (file, line) if line in file.ends else None
            file.ran[line].add(case.name)
