// Writes log lines and statistics in a process that is not ours: a failed write must not end it. A write to a pipe
// without a reader raises SIGPIPE, and one beyond the limit of a file's size raises SIGXFSZ. Both end a process that
// has no handler.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace libsgemm {

// Like write(2), without signals.
ssize_t write_quietly(int file, const void *data, size_t bytes);

// Makes a file at least `bytes` bytes long and allocates all of it on its device. Writing to a mapping of the file then
// cannot fail, which would be SIGBUS. Returns 0 or the number of the error. Raises no signals.
int reserve_quietly(int file, size_t bytes);

}  // namespace libsgemm
