#!/bin/bash
# Sets up a Debian machine, builds libsgemm and does its main job: multiplies two real matrices from disk on the best
# device found, and verifies the product. bench/run.sh [--all]: all 60000 x 10000 images of the data set (2.4 GB of
# product) instead of 10000 x 2000.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1-} in
  '') train=10000 test=2000 ;;
  --all) train=60000 test=10000 ;;
  *)
    echo "usage: bench/run.sh [--all]" >&2
    exit 2
    ;;
esac

packages=(cmake g++ make python3 python3-numpy libcli11-dev libfmt-dev nlohmann-json3-dev libopenblas0-pthread
  dataset-fashion-mnist)
# An AMD GPU: what its backend is built with, unless ROCm is there.
if [ -e /dev/kfd ] && ! command -v hipcc >/dev/null && [ ! -x /opt/rocm/bin/hipcc ]; then
  packages+=(hipcc libamdhip64-dev)
fi
tests/setup.sh "${packages[@]}"
cmake --preset release -DLIBSGEMM_BUILD_TESTS=OFF
cmake --build --preset release -j "$(nproc)"

/usr/bin/python3 bench/fashion_mnist.py convert .data "$train" "$test"
rm -f .data/similarity.npy
build/release/bin/libsgemm gemm .data/train.npy .data/test.npy --transb --verify -o .data/similarity.npy
/usr/bin/python3 bench/fashion_mnist.py classify .data
