// Writing for the operator, log lines and statistics, in a process that is not ours: what cannot be written must not
// end the process that makes the calls. A write to a pipe without a reader raises SIGPIPE, and one beyond the limit of
// a file's size SIGXFSZ, and both end a process that has no handler.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace libsgemm {

// As write(2), without signals.
ssize_t write_quietly(int file, const void *data, size_t bytes);

// Makes a file at least so long, with room for all of it on its device: writing to a mapping of it cannot fail then,
// which would be SIGBUS. 0, or the number of the error. Without signals.
int reserve_quietly(int file, size_t bytes);

}  // namespace libsgemm
