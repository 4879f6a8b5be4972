#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command_runner.h"

namespace sgemm_test {

// The run must exit with 0.
struct Run {
  Run(const std::vector<std::string> &program, const Environment &environment);

  double seconds(const std::string &backend) const;
  // Returns 0 for an entry point without a row.
  int calls(const std::string &entry, const std::string &backend, const std::string &why = "") const;

  Outcome outcome;
  nlohmann::json json;
};

}  // namespace sgemm_test
