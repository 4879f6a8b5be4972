"""Contents of the wheel: command, drop-in, types, documentation. Needs the installed package."""

import inspect
import os
import pathlib
import re
import subprocess
import sys

import pytest

import libsgemm

FOLDER = pathlib.Path(libsgemm.__file__).parent
INSTALLED = (FOLDER / "bin").is_dir()
needs_installed = pytest.mark.skipif(not INSTALLED, reason="not the installed package")


def run(*command):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LIBSGEMM_")}
    return subprocess.run(command, capture_output=True, text=True, env=environment)


@needs_installed
@pytest.mark.parametrize("command", [[sys.executable, "-m", "libsgemm"], [os.path.join(sys.prefix, "bin", "libsgemm")]])
def test_the_command(command):
    done = run(*command, "info")
    assert done.returncode == 0 and re.search(r"^  ref +", done.stdout, re.M), done
    assert run(*command, "no-such-thing").returncode == 2


@needs_installed
def test_the_drop_in():
    program = ("import numpy as np; a = np.ones((300, 300), np.float32); assert (a @ a == 300).all(); "
               "assert (a @ a.T == 300).all()")
    done = run(sys.executable, "-m", "libsgemm", "run", "--", sys.executable, "-c", program)
    assert done.returncode == 0, done
    assert re.search(r"sgemm", done.stderr) and re.search(r"ssyrk", done.stderr), done.stderr


@needs_installed
def test_nothing_but_the_package_is_needed():
    for library in ["lib/libsgemm.so", "lib/libsgemm_blas.so", "lib/libsgemm/libsgemm_openblas.so", "bin/libsgemm"]:
        needed = run("ldd", FOLDER / library).stdout
        assert "not found" not in needed, needed
        for line in needed.splitlines():
            if "libsgemm" in line and "=>" in line:
                assert str(FOLDER) in os.path.realpath(line.split()[2]), line


def test_types_are_told():
    assert (FOLDER / "py.typed").exists()
    stub = (FOLDER / "_core.pyi").read_text()
    for name in libsgemm.__all__:
        what = getattr(libsgemm, name)
        if not inspect.getmodule(what) or what.__module__ == "libsgemm._core":
            assert re.search(rf"^(def|class) {name}\b", stub, re.M), name


@pytest.mark.parametrize("name", libsgemm.__all__)
def test_everything_is_documented(name):
    assert inspect.getdoc(getattr(libsgemm, name))


@pytest.mark.parametrize("name", ["gemm", "gemm_batch", "syrk", "symm", "trmm", "trsm"])
def test_routines_tell_shapes_and_errors(name):
    text = getattr(libsgemm, name).__doc__
    assert re.search(r"Shapes: |each triple as in gemm\(\)", text) and re.search("Raises|errors as of", text)


def test_mypy(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "use.py").write_text(
        "import numpy as np\nimport libsgemm\n"
        "x = np.ones((2, 2), np.float32)\n"
        "libsgemm.gemm(x, libsgemm.Plan(x), out=x, mode='fp32')\n"
        "reveal_type(libsgemm.last_info().backend)\n"
        "libsgemm.gemm(x, x, alpha='2')\n")
    done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", tmp_path / "cache", tmp_path / "use.py"],
                          capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(FOLDER.parent)}
                          if not INSTALLED else None)
    assert 'Revealed type is "str"' in done.stdout or 'Revealed type is "builtins.str"' in done.stdout, done.stdout
    assert 'use.py:6: error: Argument "alpha"' in done.stdout and "Found 1 error" in done.stdout, done.stdout
