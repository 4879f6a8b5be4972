// Lists of calls: `libsgemm run --record` writes them, `libsgemm tune` reads them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contract/call_class.h"

namespace command {

struct RecordedCall {
  libsgemm::CallClass call;
  uint64_t count;
};

// Returns the calls of processes that began at `since` (time_of_day()) or later (common/process/stats.h): each class
// once, most operations first. Reports missing calls in `problems`.
std::vector<RecordedCall> collect_calls(const std::string &folder, uint64_t since, std::vector<std::string> *problems);

// Returns a comment and lines "COUNT CALL" (to_text()). # begins a comment line.
std::string calls_to_text(const std::vector<RecordedCall> &calls);

// Returns each class once, in the file's order. Throws Error "FILE:LINE: what".
std::vector<RecordedCall> read_calls(const std::string &path);

}  // namespace command
