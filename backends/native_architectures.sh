#!/bin/sh
# Prints the architectures of this machine's GPUs as LIBSGEMM_CUDA_ARCHITECTURES and LIBSGEMM_HIP_ARCHITECTURES name them,
# separated by semicolons; nothing where there is no GPU: native_architectures.sh cuda|hip [ROOT_OF_SYSFS]
set -eu

# 9.0 is 90a, whose instructions the kernels for Hopper need. Before 7.5 no kernel runs.
cuda() {
  nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
    awk '/^[0-9]+\.[0-9]$/ {sub(/\./, ""); if ($0 + 0 >= 75) print $0 == "90" ? "90a" : $0}'
}

# 90010 is gfx90a: version, minor version and stepping, the last two in hexadecimal. A CPU has 0.
hip() {
  cat "$1"/class/kfd/kfd/topology/nodes/*/properties 2>/dev/null |
    awk '$1 == "gfx_target_version" && $2 > 0 {printf "gfx%d%x%x\n", int($2 / 10000), int($2 / 100) % 100, $2 % 100}'
}

case ${1-} in
  cuda) found=$(cuda) ;;
  hip) found=$(hip "${2-/sys}") ;;
  *)
    echo "usage: native_architectures.sh cuda|hip [ROOT_OF_SYSFS]" >&2
    exit 2
    ;;
esac
echo "$found" | sort -u | paste -s -d ';' -
