// Messages for the operator: stderr, or the file of LIBSGEMM_LOG_PATH (%p is the process id). Never stdout.
#pragma once

#include <new>
#include <string>

namespace libsgemm {

// Opens the log when the environment is known. A program may close all descriptors and open files of its own. Then the
// log is opened again, so that no lines get into those files. A line that cannot be written at once, such as to a full
// FIFO, is dropped.
void log_open(int verbose, const std::string &path);

// True if messages of this level are logged: 0 warnings (always), 1 what was found, 2 each call, 3 each decision.
bool log_wants(int level);

// Writes "libsgemm: TEXT" as one line, in one write, so that lines of several threads do not mix.
void log_line(int level, const std::string &text);

// Logs the text that make_text() returns, which is called only if this level is logged. Without memory for the text
// nothing is logged, so that the call can continue.
template <typename MakeText>
void log_message(int level, const MakeText &make_text) {
  if (!log_wants(level)) return;
  try {
    log_line(level, make_text());
  } catch (const std::bad_alloc &) {
  }
}

}  // namespace libsgemm
