// Lists of calls: what `libsgemm run --record` writes and `libsgemm tune` reads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contract/call_class.h"

namespace command {

struct RecordedCall {
  libsgemm::CallClass call;
  uint64_t count;  // how often it was made
};

// Those that processes have counted in a folder (common/process/stats.h), of processes that began at `since`
// (time_of_day()) or later; each class once, those with the most operations first. Calls that are missing are told of
// in `problems`.
std::vector<RecordedCall> collect_calls(const std::string &folder, uint64_t since, std::vector<std::string> *problems);

// Lines "COUNT CALL" (see to_text()), and one that begins with #, as others may.
std::string calls_to_text(const std::vector<RecordedCall> &calls);

// In the order of the file, each class once. Throws Error, "FILE:LINE: what".
std::vector<RecordedCall> read_calls(const std::string &path);

}  // namespace command
