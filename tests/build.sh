# shellcheck shell=bash disable=SC2034
# What bench/run.sh and tests/run.sh share: sourced by them, in the root of the repository. Both build the preset release in
# build/release with the same architectures, so that neither throws away what the other built.
jobs=$(nproc)

# Seconds of one core: to build the library and its command; to build the tests and run them; to build the kernels of one
# architecture; all that CI does.
cpu_work=260
tests_work=1700
cuda_work=500
hip_work=80
all_work=5300

# architectures cuda|hip: what the environment says; else of the GPUs that are here; else the one whose machine code the
# tests read.
architectures() {
  local asked=LIBSGEMM_${1^^}_ARCHITECTURES found
  found=${!asked:-$(backends/native_architectures.sh "$1")}
  if [ -n "$found" ]; then
    echo "$found"
  elif [ "$1" = cuda ]; then
    echo 90a
  else
    echo gfx90a
  fi
}

# gpus: those that are here, in words.
gpus() {
  local cuda hip
  cuda=$(backends/native_architectures.sh cuda)
  hip=$(backends/native_architectures.sh hip)
  echo "${cuda:+NVIDIA $cuda}${cuda:+${hip:+ and }}${hip:+AMD $hip}"
}

# gpu_work cuda|hip: seconds of one core for the kernels of these architectures.
gpu_work() {
  local each=${1}_work list
  IFS=';' read -ra list <<<"$(architectures "$1")"
  echo $((${#list[@]} * ${!each}))
}

# about SECONDS: how long so much work of one core takes here, in words.
about() {
  echo "about $((($1 / jobs + 59) / 60)) min on $jobs cores"
}

# configure PRESET OPTION...: what CMake says is in build/PRESET.log, and shown if it fails. The preset release holds code for
# the architectures of this machine.
configure() {
  if command -v ninja >/dev/null; then
    export CMAKE_GENERATOR=Ninja # for a new folder; others keep theirs
  fi
  if [ "$1" = release ]; then
    set -- "$@" "-DLIBSGEMM_CUDA_ARCHITECTURES=$(architectures cuda)" "-DLIBSGEMM_HIP_ARCHITECTURES=$(architectures hip)"
  fi
  mkdir -p build
  cmake --preset "$@" >"build/$1.log" 2>&1 || {
    cat "build/$1.log" >&2
    return 1
  }
}

# build PRESET [TARGET...]: on a terminal one line that counts, elsewhere a line every tenth part, and what compilers say.
build() {
  local preset=$1
  shift
  export NINJA_STATUS='[%p %f/%t, %e s] '
  set -- --preset "$preset" -j "$jobs" ${1:+--target} "$@"
  if [ -t 1 ]; then
    cmake --build "$@"
  else
    cmake --build "$@" 2>&1 | awk -v next_part=10 '
      match($0, /^\[ *[0-9]+%/) {
        part = substr($0, 2, RLENGTH - 2) + 0
        if (part < next_part) next
        next_part = part - part % 10 + 10
      }
      {print; fflush()}'
  fi
}
