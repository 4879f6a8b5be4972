#!/bin/bash
# Sets up a Debian machine, builds libsgemm and does its main job: multiplies two real matrices on the best device and
# verifies the product. bench/run.sh [--all]: all 60000 x 10000 images (2.4 GB of product), not 10000 x 2000.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/build.sh

case ${1-} in
  '') train=10000 test=2000 ;;
  --all) train=60000 test=10000 ;;
  *)
    echo "usage: bench/run.sh [--all]" >&2
    exit 2
    ;;
esac

packages=(cmake g++ ninja-build python3 python3-numpy libcli11-dev libfmt-dev nlohmann-json3-dev libopenblas0-pthread
  dataset-fashion-mnist)
targets=(libsgemm_command)
backends='openblas'
work=$cpu_work
for vendor in cuda hip; do
  found=$(here $vendor)
  [ -n "$found" ] || continue
  backends+=" $vendor"
  work=$((work + $(gpu_work $vendor "$found")))
  # Backend hip needs it unless ROCm is there.
  if [ $vendor = hip ] && ! command -v hipcc >/dev/null && [ ! -x /opt/rocm/bin/hipcc ]; then
    packages+=(hipcc libamdhip64-dev)
  fi
done
gpus=$(gpus)
echo "run.sh: builds in build/release for the CPU and ${gpus:-no GPU, as none is here}. The first time $(about $work), and what" \
  "installing packages takes; later what changed"
tests/setup.sh "${packages[@]}"
# Keeps what tests/run.sh has configured.
tests=
[ -e build/release/CMakeCache.txt ] || tests=-DLIBSGEMM_BUILD_TESTS=OFF
configure release $tests
for backend in $backends; do
  if grep -q "^-- libsgemm: backends: .*\b$backend\b" build/release.log; then
    targets+=("libsgemm_$backend")
  else
    grep "^-- libsgemm: backend $backend" build/release.log  # the reason
  fi
done
build release "${targets[@]}"

/usr/bin/python3 bench/fashion_mnist.py convert .data "$train" "$test"
rm -f .data/similarity.npy
build/release/bin/libsgemm gemm .data/train.npy .data/test.npy --transb --verify -o .data/similarity.npy
/usr/bin/python3 bench/fashion_mnist.py classify .data
