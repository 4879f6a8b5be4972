// Messages for the operator: stderr, or the file of LIBSGEMM_LOG_PATH (%p: process id). Never stdout.
#pragma once

#include <new>
#include <string>

namespace libsgemm {

// If a program closes all descriptors and opens its own files, the log is opened again: no line gets into those. A line
// that cannot be written at once, to a full FIFO, is dropped.
void log_open(int verbose, const std::string &path);

// Levels: 0 warnings (always), 1 what was found, 2 each call, 3 each decision.
bool log_wants(int level);

// Lines of threads do not mix.
void log_line(int level, const std::string &text);

template <typename MakeText>
void log_message(int level, const MakeText &make_text) {
  if (!log_wants(level)) return;
  try {
    log_line(level, make_text());
  } catch (const std::bad_alloc &) {
  }
}

}  // namespace libsgemm
