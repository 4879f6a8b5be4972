// Messages for the operator: stderr, or the file of LIBSGEMM_LOG_PATH (%p is the process id). Never stdout.
#pragma once

#include <new>
#include <string>

namespace libsgemm {

// Called when the environment is known. The file is the log's for good: a program that closes all descriptors and opens
// files of its own does not find lines in them, as the log is opened anew then. What cannot be written at once, such as
// to a FIFO that is full, is left out.
void log_open(int verbose, const std::string &path);

// Whether messages of this level are wanted: 0 warnings (always), 1 what was found, 2 each call, 3 each decision.
bool log_wants(int level);

// Writes "libsgemm: TEXT" as one line, in one write, so that lines of several threads do not mix.
void log_line(int level, const std::string &text);

// The same for what make_text() returns, if it is wanted. For a call that goes on: without memory for the text it does
// so untold.
template <typename MakeText>
void log_message(int level, const MakeText &make_text) {
  if (!log_wants(level)) return;
  try {
    log_line(level, make_text());
  } catch (const std::bad_alloc &) {
  }
}

}  // namespace libsgemm
