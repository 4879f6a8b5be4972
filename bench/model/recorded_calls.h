// Lists of calls: what `libsgemm run --record` writes and `libsgemm tune` reads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contract/call_class.h"

namespace command {

struct RecordedCall {
  libsgemm::CallClass call;
  uint64_t count;  // number of times that it was made
};

// Returns the calls that processes have counted in a folder (common/process/stats.h), if they began at `since`
// (time_of_day()) or later; each class once, those with the most operations first. Missing calls are reported in
// `problems`.
std::vector<RecordedCall> collect_calls(const std::string &folder, uint64_t since, std::vector<std::string> *problems);

// Returns lines "COUNT CALL" (see to_text()), after a comment. Lines that begin with # are comments.
std::string calls_to_text(const std::vector<RecordedCall> &calls);

// Returns the calls in the order of the file, each class once. Throws Error, "FILE:LINE: what".
std::vector<RecordedCall> read_calls(const std::string &path);

}  // namespace command
