#!/bin/bash
# Sets up a Debian machine, builds and runs all tests: tests/run.sh [PRESET...], PRESET as in CMakePresets.json, default
# release. tests/run.sh all: the static checks and the presets clang, tsan, asan and release, as CI does.
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=$(nproc)
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

# Only the preset release has GPU code. A few architectures are enough to test: all of them take long to compile. With
# all presets, as in CI, even fewer, and the CPU runs CUDA's device code once, under AddressSanitizer.
build() {
  local options=(-DLIBSGEMM_BUILD_TESTS=ON -DLIBSGEMM_FAULT_INJECTION=ON) cuda='80;90a' hip='gfx906;gfx908;gfx90a;gfx1030'
  if [ -n "$static" ]; then
    cuda='90a'
  fi
  if [ "$1" = release ]; then
    options+=("-DLIBSGEMM_CUDA_ARCHITECTURES=${LIBSGEMM_CUDA_ARCHITECTURES:-$cuda}"
      "-DLIBSGEMM_HIP_ARCHITECTURES=${LIBSGEMM_HIP_ARCHITECTURES:-$hip}")
    [ -z "$static" ] || options+=(-DLIBSGEMM_TEST_DEVICE_CODE=hip)
  fi
  # Backend hip on an NVIDIA GPU runs nowhere else.
  [ -e /dev/nvidiactl ] || options+=(-DLIBSGEMM_TEST_HIP_ON_CUDA=OFF)
  cmake --preset "$1" "${options[@]}" && cmake --build --preset "$1" -j "$jobs"
}

build_and_test() {
  # shellcheck disable=SC2046
  local part=()
  [ -z "$static" ] || [ "$1" = release ] || part=(LIBSGEMM_TEST_PART=4)
  build "$1" && env "${part[@]}" ctest --preset "$1" -j "$jobs" $(excluded_labels "$1")
}

sources() {
  git ls-files --cached --others --exclude-standard -- "$@"
}

check_format() {
  sources '*.h' '*.c' '*.cpp' '*.cu' '*.cuh' '*.hip' | xargs clang-format --dry-run -Werror
}

# On the compile commands of the preset clang.
check_tidy() {
  build clang >/dev/null && sources 'common/**.cpp' 'backends/openblas/**.cpp' |
    xargs -P "$jobs" -n 1 clang-tidy --quiet --warnings-as-errors='*' -p build/clang 2>&1 |
    sed '/warnings generated\.$/d'
}

packages=(cmake g++ make pkg-config python3 python3-numpy python3-pip libcli11-dev libfmt-dev nlohmann-json3-dev catch2
  libopenblas0-pthread libblas3 libblas-test libboost-context-dev
  libscalapack-openmpi-dev libopenmpi-dev)
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
    # What backend hip is built with, unless ROCm is there, and what the checks of its machine code need.
    release)
      command -v hipcc >/dev/null || [ -x /opt/rocm/bin/hipcc ] || packages+=(hipcc libamdhip64-dev)
      packages+=(clang-19 lld-19 llvm-19)
      ;;
    debug | asan | tsan) ;;
    clang) packages+=(clang) ;;
    *) usage ;;
  esac
done

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
