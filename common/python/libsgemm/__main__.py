"""The command `libsgemm`, which is in the package."""

import os
import sys


def main():
    command = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "libsgemm")
    if not os.path.exists(command):
        sys.exit("libsgemm: this package was built without the command (LIBSGEMM_BUILD_BENCH=OFF)")
    os.execv(command, ["libsgemm", *sys.argv[1:]])


if __name__ == "__main__":
    main()
