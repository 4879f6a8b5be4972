#!/bin/bash
# Follows the README in an empty Debian: tests/fresh.sh [--cuda] [--keep] [bookworm|trixie], default bookworm. A minimal
# root gets a clone of HEAD, in which bench/run.sh and tests/run.sh run twice. --cuda: the root has this machine's
# /usr/local/cuda and no GPU. --keep: the root stays. Needs root, the network, and gigabytes in TMPDIR (default
# /var/tmp, since /tmp may be memory). Logs are in build/fresh-SUITE.
set -euo pipefail
umask 022
cd "$(dirname "$0")/.."

# The commands' environment: how to reach the network.
passed_on=(http_proxy https_proxy no_proxy all_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY
  PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_TRUSTED_HOST PIP_PROXY PIP_FIND_LINKS PIP_NO_INDEX PIP_DEFAULT_TIMEOUT PIP_RETRIES
  PIP_CERT SSL_CERT_FILE REQUESTS_CA_BUNDLE CURL_CA_BUNDLE)
certificate_variables=(PIP_CERT SSL_CERT_FILE REQUESTS_CA_BUNDLE CURL_CA_BUNDLE)
debian_certificates=/etc/ssl/certs/ca-certificates.crt
toolkit=/usr/local/cuda

suite=bookworm
cuda=
keep=
work=  # the root and temporary files of this run
job=   # waits for the process inside
unshare=(unshare --mount --pid --ipc --fork --kill-child --mount-proc)

usage() {
  echo "usage: tests/fresh.sh [--cuda] [--keep] [bookworm|trixie]" >&2
  exit 2
}

fail() {
  echo "fresh.sh: $*" >&2
  exit 1
}

# Prints lines 'URI SUITE' of this machine's Debian archives.
repositories() {
  # shellcheck disable=SC2016
  local format='$(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN)'
  { apt-get indextargets --format "$format" 'Created-By: Packages' 2>/dev/null || true; } |
    awk '$3 == "main" && ($4 == "Debian" || $4 == "$(ORIGIN)") {print $1, $2}'
}

# mirror PATTERN DEFAULT: the first archive whose suite matches the extended regular expression.
mirror() {
  repositories | awk -v pattern="^($1)\$" -v default_uri="$2" '
    !uri && $2 ~ pattern {uri = $1}
    END {print uri ? uri : default_uri}'
}

sources() {
  local suites='bullseye|bookworm|trixie|forky|duke|sid|oldstable|stable|testing|unstable' main security
  main=$(mirror "$suites" http://deb.debian.org/debian/)
  security=$(mirror "($suites)-security" http://deb.debian.org/debian-security/)
  echo "deb $main $suite main"
  echo "deb $main $suite-updates main"
  echo "deb $security $suite-security main"
}

# This machine's apt settings, without a proxy finder, which the root lacks.
apt_settings() {
  apt-config dump 2>/dev/null | grep -E '^Acquire::(https?::|Check-(Valid-Until|Date) |Retries )' |
    grep -v 'Proxy-Auto-Detect' || true
}

make_root() {
  local lines uri
  mapfile -t lines < <(sources)
  apt_settings >"$work/apt.conf"
  if command -v mmdebstrap >/dev/null; then
    TMPDIR=$work/tmp mmdebstrap --mode=root --variant=minbase --format=directory --aptopt="$work/apt.conf" \
      "$suite" "$root" "${lines[@]}" || return
  else
    read -r _ uri _ <<<"${lines[0]}"
    TMPDIR=$work/tmp debootstrap --variant=minbase --components=main "$suite" "$root" "$uri" || return
    printf '%s\n' "${lines[@]}" >"$root/etc/apt/sources.list"
    cp "$work/apt.conf" "$root/etc/apt/apt.conf.d/99fresh"
    rm -rf --one-file-system "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
  fi
  # dpkg does not wait for the disk, as in Debian's container images.
  echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/fresh"
}

bind() {
  mkdir -p "$root$1"
  mount -o bind,ro "$1" "$root$1"
}

# Mounts end with this process's namespace. Devices are a container's: no GPUs.
mount_all() {
  local device place
  mount -t proc proc "$root/proc"
  mount -t sysfs -o ro sysfs "$root/sys"
  mount -t tmpfs -o mode=755 tmpfs "$root/dev"
  for device in null zero full random urandom; do
    : >"$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
  done
  ln -s /proc/self/fd "$root/dev/fd"
  ln -s /proc/self/fd/0 "$root/dev/stdin"
  ln -s /proc/self/fd/1 "$root/dev/stdout"
  ln -s /proc/self/fd/2 "$root/dev/stderr"
  mkdir "$root/dev/pts" "$root/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
  ln -s pts/ptmx "$root/dev/ptmx"
  # Docker's size must suffice for MPI's ranks.
  mount -t tmpfs -o mode=1777,size=64m tmpfs "$root/dev/shm"
  for place in ${PIP_FIND_LINKS-}; do
    [[ $place != /* ]] || [ ! -d "$place" ] || bind "$place"
  done
  if [ -n "$cuda" ]; then
    place=$(realpath "$toolkit")
    bind "$place"
    [ "$place" = "$toolkit" ] || ln -s "$place" "$root$toolkit"
  fi
}

# Copies network settings, under the same names.
copy_settings() {
  local name file files=()
  for name in "${certificate_variables[@]}"; do
    files+=("${!name-}")
  done
  mapfile -t -O ${#files[@]} files < <(sed -n 's/^Acquire::.*::CaInfo "\(.*\)";$/\1/p' "$work/apt.conf")
  ! sources | grep '^deb https:' >/dev/null || files+=("$debian_certificates")
  files+=(/etc/pip.conf /etc/resolv.conf /etc/hosts)
  for file in "${files[@]}"; do
    [ ! -f "$file" ] || install -D -m 644 "$file" "$root$file"
  done
  # Package ca-certificates writes that file from Mozilla's certificates and those here.
  if [ -f "$root$debian_certificates" ]; then
    install -D -m 644 "$debian_certificates" "$root/usr/local/share/ca-certificates/fresh.crt"
  fi
}

# in_root COMMAND...: runs it in the clone, as in a container. A relative path is below the clone.
in_root() {
  local name settings=(HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
  for name in "${passed_on[@]}"; do
    [ -z "${!name-}" ] || settings+=("$name=${!name}")
  done
  chroot "$root" /usr/bin/env -i -C /root/libsgemm "${settings[@]}" "$@" </dev/null
}

installed() {
  # shellcheck disable=SC2016
  in_root dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' | sed -n 's/^ii *//p' | LC_ALL=C sort -u
}

# try COMMAND first|second: runs it and adds its result to the table.
try() {
  local command=$1 log status=0 start seconds added result=passed
  log=$logs/${command%/*}-$2.log
  echo "== $command, $2 run (log: $log)"
  installed >"$work/before"
  start=$SECONDS
  in_root "$command" >"$log" 2>&1 || status=$?
  seconds=$((SECONDS - start))
  mapfile -t added < <(installed | LC_ALL=C comm -13 "$work/before" -)
  [ "$status" = 0 ] || result="FAILED, exit status $status"
  echo "Its last lines:"
  tail -n 15 "$log" | sed 's/.*\r\(.\)/\1/; s/^/    /'  # last state of a progress line
  echo "Debian packages that it installed: ${#added[@]}"
  [ ${#added[@]} = 0 ] || echo "${added[*]}" | fold -s -w 120 | sed 's/^/    /; s/ $//'
  echo "== $command, $2 run: $seconds s, exit status $status"
  table+=("$(printf '%-14s %-7s %6d s %5d packages  %s' "$command" "$2" "$seconds" ${#added[@]} "$result")")
  [ "$status" = 0 ] || failed=yes
}

# The end of the namespaces' first process kills and unmounts everything.
inside() {
  local run
  root=$work/root
  logs=build/fresh-$suite
  table=()
  failed=
  mkdir -p "$logs" "$work/tmp"
  rm -f "$logs"/*.log
  echo "Debian $suite in $root (log: $logs/root.log)"
  make_root >"$logs/root.log" 2>&1 </dev/null || {
    cat "$logs/root.log" >&2
    fail "no root could be made"
  }
  git clone --quiet --no-local --depth 1 "$PWD" "$root/root/libsgemm"
  copy_settings
  mount_all
  for run in first second; do
    try bench/run.sh "$run"
    try tests/run.sh "$run"
  done
  echo "== Debian $suite, $(git log -1 --format='%h %s')"
  printf '%s\n' "${table[@]}"
  [ -z "$failed" ]
}

# The job ends after its child, the namespaces' first process: nothing writes after it.
# shellcheck disable=SC2317
end_job() {
  local first=
  { read -r first _ <"/proc/$job/task/$job/children"; } 2>/dev/null || true
  kill -KILL "${first:-$job}" 2>/dev/null || true
  wait "$job" 2>/dev/null || true
}

# Nothing is mounted in the root here.
# shellcheck disable=SC2317
finish() {
  local status=$?
  trap '' INT TERM HUP
  if [ -n "$job" ]; then
    echo "fresh.sh: stopped; it cleans up, which takes a while" >&2
    end_job
  fi
  if [ -z "$keep" ]; then
    rm -rf --one-file-system "$work"
  else
    echo "The root stays in $work/root; rm -rf --one-file-system $work removes it"
  fi
  exit "$status"
}

outside() {
  local status=0
  [ "$(id -u)" = 0 ] || fail "not root; a root of Debian is made and mounted by root only"
  [ -z "$cuda" ] || [ -x "$toolkit/bin/nvcc" ] || fail "--cuda: there is no $toolkit/bin/nvcc here"
  command -v mmdebstrap >/dev/null || command -v debootstrap >/dev/null || tests/setup.sh mmdebstrap
  command -v mmdebstrap >/dev/null || command -v debootstrap >/dev/null || fail "this needs mmdebstrap or debootstrap"
  [ -z "$(git status --porcelain)" ] ||
    echo "fresh.sh: changes that are not committed, and new files, are not included: it takes HEAD" >&2
  "${unshare[@]}" true || fail "no namespaces can be made here, in which it would mount"
  work=$(mktemp -d "${TMPDIR:-/var/tmp}/libsgemm-fresh.XXXXXX")
  trap finish EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  chmod 755 "$work"  # for apt's own user
  # A job in its own group gets no SIGINT from the terminal. Other background commands, and so the tests, ignore it.
  # unshare's own stderr is dropped: it would report that its child was killed.
  set -m
  setpriv --pdeathsig KILL "${unshare[@]}" \
    bash tests/fresh.sh --inside "$work" "${cuda:---no-cuda}" "$suite" </dev/null 3>&2 2>/dev/null &
  job=$!
  wait "$job" || status=$?
  job=
  exit "$status"
}

# Elsewhere than in a namespace's first process, mounts would stay.
if [ "${1-}" = --inside ] && [ $$ = 1 ]; then
  work=$2
  cuda=${3#--no-cuda}
  suite=$4
  exec 2>&3 3>&-
  inside
  exit
fi
for argument; do
  case $argument in
    --cuda) cuda=--cuda ;;
    --keep) keep=--keep ;;
    bookworm | trixie) suite=$argument ;;
    *) usage ;;
  esac
done
outside
