#!/bin/sh
# Installs missing Debian packages: tests/setup.sh PACKAGE...
set -eu

if ! command -v dpkg-query >/dev/null; then
  echo "setup.sh: no Debian system; this needs the equivalents of: $*" >&2
  exit 0
fi
missing=
for package; do
  status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) || status=
  [ "$status" = 'install ok installed' ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "Installing the Debian packages:$missing" >&2
if [ "$(id -u)" = 0 ]; then
  sudo=
elif command -v sudo >/dev/null; then
  sudo=sudo
else
  echo "setup.sh: not root and no sudo; install them and run this again" >&2
  exit 1
fi
$sudo apt-get update -q >&2
# shellcheck disable=SC2086
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing </dev/null >&2
