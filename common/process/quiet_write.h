// Writes that must not end the program by SIGPIPE or SIGXFSZ.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace libsgemm {

ssize_t write_quietly(int file, const void *data, size_t bytes);

// Allocates at least `bytes` of a file: writing to a mapping cannot fail with SIGBUS. Returns 0 or an errno.
int reserve_quietly(int file, size_t bytes);

}  // namespace libsgemm
