#!/bin/bash
# Sets up a Debian machine, builds and tests: tests/run.sh [PART...]
#
#   no PART  what this machine can run, with the backends of its GPUs, in preset release
#   kernels  code for GPUs that may be missing: compiled, its machine code checked, and run on the CPU
#   checks   format, docs, clang-tidy, and CMake with programs and packages missing
#   debug, clang, asan, tsan
#            that preset's tests
#   ci       CI's additions: checks, and short forms of tsan, asan and kernels
#   all      everything, in full
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/build.sh

failed=()
times=()
summary=

usage() {
  sed -n '/^# Sets up/,/^set/{s/^# \?//p}' "$0" >&2
  exit 2
}

# step NAME COMMAND...: runs COMMAND, and records time and failure.
step() {
  local name=$1 start=$SECONDS result=passed
  shift
  echo "== $name (after $SECONDS s)"
  if ! "$@"; then
    result=FAILED
    failed+=("$name")
    echo "== $name FAILED" >&2
  fi
  times+=("$(printf '%6d s  %s: %s' $((SECONDS - start)) "$name" $result)")
}

# Without these wheels the client tests are skipped.
install_wheels() {
  local set target list
  for set in "${wheels[@]}"; do
    target=build/wheels/$set
    list=tests/clients/wheels/$set.txt
    cmp -s "$list" "$target/installed.txt" && continue
    rm -rf "$target"
    if /usr/bin/python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-cache-dir \
        --no-compile --only-binary :all: --target "$target" -r "$list"; then
      cp "$list" "$target/installed.txt"
    else
      rm -rf "$target"
      echo "run.sh: the wheels of $list cannot be installed here; their tests will be skipped" >&2
    fi
  done
}

# shape PART: sets how it is built and tested. `short`: CI's form.
shape() {
  options=(-DLIBSGEMM_BUILD_TESTS=ON -DLIBSGEMM_BUILD_BENCH=ON -DLIBSGEMM_FAULT_INJECTION=ON)
  targets=()
  tests=()
  variables=()
  local left_out=slow
  case $1 in
    release)
      options+=(-DLIBSGEMM_TEST_DEVICE_CODE= -DLIBSGEMM_TEST_HIP_ON_CUDA=OFF)
      variables=(LIBSGEMM_TEST_PART=4)  # part of the longest series of calls
      if [ -n "$all" ]; then
        variables=(LIBSGEMM_TEST_WHEEL=whole)
        local available
        available=$(awk '/^MemAvailable/ {print int($2 / 1048576)}' /proc/meminfo)
        if [ "$available" -ge 16 ]; then
          left_out=
        else
          echo "run.sh: $available GiB of memory are available and the tests labelled slow need 16: left out" >&2
        fi
      fi
      ;;
    kernels)
      left_out=
      [ -e /dev/nvidiactl ] || options+=(-DLIBSGEMM_TEST_HIP_ON_CUDA=OFF)
      if [ -n "$short" ]; then
        options+=(-DLIBSGEMM_TEST_DEVICE_CODE= -DLIBSGEMM_TEST_HIP_CODE=)  # preset asan covers it
      else
        # An AMD chip for each kind of instruction.
        options+=('-DLIBSGEMM_TEST_DEVICE_CODE=cuda;hip' '-DLIBSGEMM_TEST_HIP_CODE=gfx942;gfx1100')
        # Preset asan has run all of these: each kind has one tile.
        [ -z "$all" ] || tests=(-E '^test_simt_gfx90a\.gfx90')
      fi
      ;;
    clang)
      # `all` compares results, where another compiler's errors show; `clang` runs every test.
      if [ -n "$all" ]; then
        left_out+='|programs|again'
        targets=(libsgemm_openblas libsgemm_cpu libsgemm_blas libsgemm_cublas libsgemm_rocblas backend_tests)
        tests=(-R '\.(openblas|cpu|ref)$')
        variables=(LIBSGEMM_TEST_PART=16)
      fi
      ;;
    asan | tsan)
      # Every kernel that the sanitizer can watch runs on the CPU; in `all` the smallest of each kind; in CI
      # AddressSanitizer watches one of each device loop, and ThreadSanitizer the library alone.
      local device_code='cuda;hip' simt_code=
      [ "$1" = asan ] || options+=(-DLIBSGEMM_BUILD_BENCH=OFF)
      if [ -n "$all" ]; then
        simt_code=kinds
        # Preset release tests the command, which spends little time in the library.
        options+=(-DLIBSGEMM_BUILD_BENCH=OFF)
        left_out+='|command|again'
        variables=(LIBSGEMM_TEST_PART=16)
      fi
      if [ -n "$short" ]; then
        simt_code=loops
        [ "$1" = asan ] || device_code='' targets=(thread_tests libsgemm_openblas libsgemm_cpu)
      fi
      options+=("-DLIBSGEMM_TEST_DEVICE_CODE=$device_code" "-DLIBSGEMM_SIMT_CODE=$simt_code")
      ;;
  esac
  [ -z "$left_out" ] || tests+=(-LE "$left_out")
}

test_part() {
  local options targets tests variables
  shape "$1"
  configure "$1" "${options[@]}" && build "$1" "${targets[@]}" || return 1
  local status=0
  env "${variables[@]}" ctest --preset "$1" -j "$jobs" --output-junit "$PWD/build/$1.xml" "${tests[@]}" |
    tee "build/$1.ctest" || status=$?
  summary=$(grep 'tests passed, ' "build/$1.ctest")
  /usr/bin/python3 tests/report.py "build/$1.xml"
  return $status
}

sources() {
  git ls-files --cached --others --exclude-standard -- "$@"
}

check_format() {
  sources '*.h' '*.c' '*.cpp' '*.cu' '*.cuh' '*.hip' | xargs clang-format --dry-run -Werror
}

# Takes preset clang's compile commands, without tests (which compile library files again) and common/python.
check_tidy() {
  configure clang -DLIBSGEMM_BUILD_TESTS=OFF -DLIBSGEMM_BUILD_BENCH=OFF &&
    sources 'common/**.cpp' ':!common/python' 'backends/openblas/**.cpp' 'backends/cpu/**.cpp' | xargs python3 -B tests/tidy.py build/clang
}

# Checks every branch of CMake's files that depends on packages; except in CI, also that faults in them are found.
check_configure() {
  local mutants=--mutants
  [ -z "$short" ] || mutants=
  python3 -B tests/test_configure.py "$PWD" "$(command -v cmake)" "$(command -v gcc)" "$(command -v g++)" $mutants >build/configure.log ||
    { cat build/configure.log && return 1; }
  tail -n 2 build/configure.log
}

run_part() {
  case $1 in
    checks)
      step format check_format
      step docs python3 tests/check_docs.py
      step site docs/build.sh
      step clang-tidy check_tidy
      step configure check_configure
      ;;
    *) step "$1" test_part "$1" ;;
  esac
}

packages=(cmake g++ ninja-build pkg-config python3 python3-numpy python3-scipy python3-pip python3-venv python3-dev
  libcli11-dev libfmt-dev nlohmann-json3-dev catch2 libhwy-dev
  libopenblas0-pthread libblas3 libblas-test
  libscalapack-openmpi-dev libopenmpi-dev
  dpkg-dev file)
# Seconds of a core, without packages and ccache.
declare -A part_work=([release]=800 [checks]=300 [kernels]=2600 [debug]=800 [clang]=400 [asan]=1400 [tsan]=500)
wheels=(current ilp64)
parts=("$@")
work=0
short=
all=
case $* in
  '')
    parts=(release)
    for vendor in cuda hip; do
      found=$(here $vendor)
      [ -z "$found" ] || work=$((work + $(gpu_work $vendor "$found")))
    done
    ;;
  ci) parts=(checks tsan asan kernels) short=yes all=yes ;;
  all)
    parts=(release checks clang tsan asan kernels) all=yes
    wheels+=(torch)  # 3 GB
    ;;
esac
for part in "${parts[@]}"; do
  [ -n "${part_work[$part]-}" ] || usage
  work=$((work + part_work[$part]))
  case $part in
    kernels)
      # Backend hip needs these packages unless ROCm is there; LLVM's tools read its machine code.
      command -v hipcc >/dev/null || [ -x /opt/rocm/bin/hipcc ] || packages+=(hipcc libamdhip64-dev)
      packages+=(libboost-context-dev llvm-19)
      [ -n "$short" ] || packages+=(clang-19 lld-19)
      ;;
    asan | tsan) packages+=(libboost-context-dev) ;;
    clang) packages+=(clang) ;;
    checks) packages+=(clang clang-format clang-tidy git) ;;
  esac
done
[ -z "$short" ] || work=$((work / 2))

gpus=$(gpus)
echo "run.sh: builds and tests ${parts[*]} (GPUs here: ${gpus:-none}). The first time $(about $work), and what installing" \
  'packages takes'
tests/setup.sh "${packages[@]}"
install_wheels
for part in "${parts[@]}"; do
  run_part "$part"
done

echo '== what took how long'
printf '%s\n' "${times[@]}"
[ ${#failed[@]} -eq 0 ] || echo "FAILED: ${failed[*]}"
echo "$summary"  # ctest's summary of the last part comes last in the log
[ ${#failed[@]} -eq 0 ]
