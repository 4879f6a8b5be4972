#!/bin/sh
# Tests backends/native_architectures.sh with a fake nvidia-smi and sysfs.
set -eu
script=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# expect WHAT EXPECTED ACTUAL
expect() {
  if [ "$2" != "$3" ]; then
    echo "$1: expected '$2', got '$3'"
    failed=1
  fi
}

# nvidia_smi TEXT STATUS: makes an nvidia-smi that prints TEXT and exits with STATUS.
nvidia_smi() {
  printf '#!/bin/sh\nprintf "%s"\nexit %s\n' "$1" "$2" >"$folder/nvidia-smi"
  chmod +x "$folder/nvidia-smi"
}

# node NUMBER VERSION: makes a node of the amdgpu driver.
node() {
  mkdir -p "$folder/class/kfd/kfd/topology/nodes/$1"
  printf 'simd_count 304\ngfx_target_version %s\nvendor_id 4098\n' "$2" >"$folder/class/kfd/kfd/topology/nodes/$1/properties"
}

PATH=$folder:$PATH
nvidia_smi '9.0\\n9.0\\n' 0
expect 'two H100' 90a "$("$script" cuda)"
nvidia_smi '8.9\\n7.5\\n7.0\\n12.0\\n' 0
expect 'four kinds, one before Turing' '120;75;89' "$("$script" cuda)"
nvidia_smi "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\\\\n" 9
expect 'no driver' '' "$("$script" cuda)"

expect 'no amdgpu driver' '' "$("$script" hip "$folder")"
node 0 0
expect 'a CPU alone' '' "$("$script" hip "$folder")"
node 1 90010
node 2 90402
node 3 110001
node 4 90010
expect 'a CPU and four GPUs' 'gfx1101;gfx90a;gfx942' "$("$script" hip "$folder")"

if "$script" intel 2>/dev/null; then
  echo 'a vendor that is not known ends with 0'
  failed=1
fi
exit $failed
