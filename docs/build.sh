#!/bin/bash
# Makes the documentation's web site in build/docs/html: docs/build.sh. Installs what it needs: Doxygen from Debian, Sphinx
# and its extensions from PyPI. Warnings are errors, and so are links to nowhere within the site.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/build.sh

built=build/docs
tests/setup.sh doxygen python3-venv g++ cmake ninja-build libopenblas0-pthread
mkdir -p $built
[ -x $built/venv/bin/sphinx-build ] || {
  python3 -m venv $built/venv
  $built/venv/bin/pip install -q -r docs/site/requirements.txt
}
# The Python reference comes from the installed package: the wheel that tests/run.sh has built, or one made here.
wheels=(build/release/wheel/libsgemm-*.whl)
package=${wheels[0]}
[ -e "$package" ] || package=.
$built/venv/bin/pip install -q --force-reinstall --no-deps -C cmake.define.LIBSGEMM_BACKENDS=openblas "$package"

rm -rf $built/doxygen $built/html
(cat docs/site/Doxyfile && echo "OUTPUT_DIRECTORY = $built/doxygen") | doxygen -
LIBSGEMM_DOXYGEN=$PWD/$built/doxygen/xml $built/venv/bin/sphinx-build -q -W --keep-going -c docs/site docs $built/html
echo "build.sh: the site is in $built/html"
