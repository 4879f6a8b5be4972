# shellcheck shell=bash disable=SC2034
# Sourced by bench/run.sh and tests/run.sh in the root of the repository. Both build preset release with equal options,
# so that neither rebuilds the other's files.
jobs=$(nproc)

# Seconds of a core: the library and its command; kernels of one architecture.
cpu_work=120
cuda_work=700
hip_work=300

# Relative paths let another clone reuse ccache's results. Compilers' include notes avoid preprocessing. Users of a
# precompiled header are cached only if its date may differ.
launcher=
if command -v ccache >/dev/null; then
  launcher=ccache
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
  export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
fi
export CMAKE_C_COMPILER_LAUNCHER=$launcher CMAKE_CXX_COMPILER_LAUNCHER=$launcher CMAKE_CUDA_COMPILER_LAUNCHER=$launcher

# here cuda|hip: architectures of this machine.
here() {
  backends/native_architectures.sh "$1"
}

# checked cuda|hip: architectures whose machine code `tests/run.sh kernels` checks, by default one.
checked() {
  local asked=LIBSGEMM_${1^^}_ARCHITECTURES default=90a
  [ "$1" = cuda ] || default=gfx90a
  echo "${!asked:-$default}"
}

gpus() {
  local cuda hip
  cuda=$(here cuda)
  hip=$(here hip)
  echo "${cuda:+NVIDIA $cuda}${cuda:+${hip:+ and }}${hip:+AMD $hip}"
}

# gpu_work cuda|hip ARCHITECTURES: seconds of a core.
gpu_work() {
  local each=${1}_work list
  IFS=';' read -ra list <<<"$2"
  echo $((${#list[@]} * ${!each}))
}

# about SECONDS: the duration here, in words, of this work of one core.
about() {
  echo "about $((($1 / jobs + 59) / 60)) min on $jobs cores"
}

# configure PRESET OPTION...: shows CMake's output on failure only. Preset release has backends of this machine's GPUs,
# preset kernels all.
configure() {
  local preset=$1 language
  if command -v ninja >/dev/null; then
    export CMAKE_GENERATOR=Ninja # for new folders; others keep theirs
  fi
  for language in C CXX CUDA; do
    set -- "$@" "-DCMAKE_${language}_COMPILER_LAUNCHER=$launcher"
  done
  case $preset in
    release)
      set -- "$@" -DLIBSGEMM_BACKENDS=native "-DLIBSGEMM_CUDA_ARCHITECTURES=$(here cuda)" "-DLIBSGEMM_HIP_ARCHITECTURES=$(here hip)"
      ;;
    kernels)
      set -- "$@" "-DLIBSGEMM_CUDA_ARCHITECTURES=$(checked cuda)" "-DLIBSGEMM_HIP_ARCHITECTURES=$(checked hip)"
      ;;
  esac
  mkdir -p build
  cmake --preset "$@" >"build/$preset.log" 2>&1 || {
    cat "build/$preset.log" >&2
    return 1
  }
}

# build PRESET [TARGET...]: shows a counting line on a terminal, otherwise a line every tenth part, and compilers'
# messages.
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
