#!/bin/bash
# Sets up a Debian machine, builds and runs all tests: tests/run.sh [PRESET...], PRESET as in CMakePresets.json, default
# release. tests/run.sh all: the static checks and the presets clang, tsan, asan and release, as CI does.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/build.sh

failed=()

usage() {
  echo "usage: tests/run.sh [release|debug|clang|asan|tsan]... | all" >&2
  exit 2
}

# step NAME COMMAND...: runs COMMAND and remembers NAME if it fails.
step() {
  local name=$1
  shift
  echo "== $name (after $SECONDS s)"
  if ! "$@"; then
    echo "== $name FAILED" >&2
    failed+=("$name")
  fi
}

# The NumPy and SciPy wheels of the client tests, kept in build/wheels. Without them those tests are skipped.
install_wheels() {
  local set target list
  for set in current ilp64; do
    target=build/wheels/$set
    list=tests/clients/wheels-$set.txt
    cmp -s "$list" "$target/installed.txt" && continue
    rm -rf "$target"
    if /usr/bin/python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-cache-dir \
        --only-binary :all: --target "$target" -r "$list"; then
      cp "$list" "$target/installed.txt"
    else
      rm -rf "$target"
      echo "run.sh: the wheels of $list cannot be installed here; their tests will be skipped" >&2
    fi
  done
}

# Labels that this machine or this preset leaves out, as arguments of ctest.
excluded_labels() {
  local available
  available=$(awk '/^MemAvailable/ {print int($2 / 1048576)}' /proc/meminfo)
  if [ "$1" = clang ]; then
    echo "-LE slow|programs|again"  # a compiler's faults show in the results, which the other tests compare
  elif [ "$1" != release ] && [ -n "$static" ]; then
    echo "-LE slow|command|again"  # takes as long as a fifth of all others, most of it not in the library
  elif [ "$1" != release ]; then
    echo "-LE slow"
  elif [ "$available" -lt 16 ]; then
    echo "run.sh: $available GiB of memory are available and the tests labelled slow need 16: left out" >&2
    echo "-LE slow"
  fi
}

# With all presets, as in CI, the CPU runs CUDA's device code once, under AddressSanitizer, where the command, whose tests
# are left out there, is not built. The sanitizers watch one kernel of each kind; `tests/run.sh asan` has them all.
configure_tests() {
  local options=(-DLIBSGEMM_BUILD_TESTS=ON -DLIBSGEMM_FAULT_INJECTION=ON)
  if [ "$1" = asan ] && [ -n "$static" ]; then
    options+=(-DLIBSGEMM_BUILD_BENCH=OFF)
  elif [ "$1" != tsan ]; then
    options+=(-DLIBSGEMM_BUILD_BENCH=ON)
  fi
  if [[ "$1" = [at]san ]]; then
    options+=("-DLIBSGEMM_SIMT_ROWS=${static:+kinds}")
  fi
  if [ "$1" = release ] && [ -n "$static" ]; then
    # One of AMD's chips for each kind of instructions, with the one that the plugin is built for.
    options+=(-DLIBSGEMM_TEST_DEVICE_CODE=hip '-DLIBSGEMM_TEST_HIP_CODE=gfx942;gfx1100')
  fi
  # Backend hip on an NVIDIA GPU runs nowhere else.
  [ -e /dev/nvidiactl ] || options+=(-DLIBSGEMM_TEST_HIP_ON_CUDA=OFF)
  configure "$1" "${options[@]}"
}

# CI has Clang's warnings about the library, and the results of what it compiles; `tests/run.sh clang` builds and runs all.
# Its wheel is without the command; that of `tests/run.sh` has it.
build_and_test() {
  local less=() targets=() tests=()
  if [ -n "$static" ]; then
    less=(LIBSGEMM_TEST_WHEEL=library)
    [ "$1" = release ] || less+=(LIBSGEMM_TEST_PART=16)
  fi
  if [ "$1" = clang ] && [ -n "$static" ]; then
    targets=(libsgemm_openblas libsgemm_blas libsgemm_cublas libsgemm_rocblas backend_tests)
    tests=(-R '\.(openblas|ref)$')
  elif [ "$1" = release ] && [ -n "$static" ]; then
    # AMD's rows of matrix instructions, one tile each, have all run under AddressSanitizer.
    tests=(-E '^test_simt_gfx(90a\.gfx90|908\.|1100\.)')
  fi
  # shellcheck disable=SC2046
  configure_tests "$1" && build "$1" "${targets[@]}" &&
    env "${less[@]}" ctest --preset "$1" -j "$jobs" "${tests[@]}" $(excluded_labels "$1")
}

sources() {
  git ls-files --cached --others --exclude-standard -- "$@"
}

check_format() {
  sources '*.h' '*.c' '*.cpp' '*.cu' '*.cuh' '*.hip' | xargs clang-format --dry-run -Werror
}

# On the compile commands of the preset clang, which need not be built; without the tests, which compile many files of the
# library once more: a file is analysed for each of its commands. They have none of common/python.
check_tidy() {
  configure clang -DLIBSGEMM_BUILD_TESTS=OFF -DLIBSGEMM_BUILD_BENCH=OFF &&
    sources 'common/**.cpp' ':!common/python' 'backends/openblas/**.cpp' |
    xargs -P "$jobs" -n 1 clang-tidy --quiet --warnings-as-errors='*' -p build/clang 2>&1 |
    sed '/warnings generated\.$/d'
}

packages=(cmake g++ ninja-build pkg-config python3 python3-numpy python3-scipy python3-pip python3-venv python3-dev
  libcli11-dev libfmt-dev nlohmann-json3-dev catch2
  libopenblas0-pthread libblas3 libblas-test libboost-context-dev
  libscalapack-openmpi-dev libopenmpi-dev
  dpkg-dev file)
presets=("$@")
[ $# -gt 0 ] || presets=(release)
static=
if [ "${presets[*]}" = all ]; then
  static=yes
  presets=(clang tsan asan release)
  packages+=(clang-format clang-tidy git)
fi
for preset in "${presets[@]}"; do
  case $preset in
    # What backend hip is built with, unless ROCm is there, and what the checks of its machine code need: LLVM's tools, and
    # for architectures that it is not built for a compiler.
    release)
      command -v hipcc >/dev/null || [ -x /opt/rocm/bin/hipcc ] || packages+=(hipcc libamdhip64-dev)
      packages+=(llvm-19)
      [ -z "$static" ] || packages+=(clang-19 lld-19)
      ;;
    debug | asan | tsan) ;;
    clang) packages+=(clang) ;;
    *) usage ;;
  esac
done

code='no GPU code'
if [ -n "$static" ]; then
  work=$all_work
elif [ "${presets[*]}" = release ]; then
  work=$((cpu_work + tests_work + $(gpu_work cuda) + $(gpu_work hip)))
else
  work=$(((cpu_work + tests_work) * ${#presets[@]}))
fi
case " ${presets[*]} " in
  *' release '*)
    here=$(gpus)
    code="GPU code for ${here:-$(architectures cuda) and $(architectures hip), which are checked; no GPU is here}"
    ;;
esac
echo "run.sh: builds and tests ${presets[*]} ($code). The first time $(about $work), and what installing packages takes"
tests/setup.sh "${packages[@]}"
install_wheels
if [ -n "$static" ]; then
  step 'format' check_format
  step 'docs' python3 tests/check_docs.py
  step 'clang-tidy' check_tidy
fi
for preset in "${presets[@]}"; do
  step "preset $preset" build_and_test "$preset"
done

if [ ${#failed[@]} -gt 0 ]; then
  echo "FAILED: ${failed[*]}" >&2
  exit 1
fi
