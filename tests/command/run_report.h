// Runs a program with `libsgemm run` and reads the report's calls.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command_runner.h"

namespace sgemm_test {

// A run that must exit with 0, and its report.
struct Run {
  Run(const std::vector<std::string> &program, const Environment &environment);

  double seconds(const std::string &backend) const;
  // Calls of an entry point; 0 without a row.
  int calls(const std::string &entry, const std::string &backend, const std::string &why = "") const;

  Outcome outcome;
  nlohmann::json json;
};

}  // namespace sgemm_test
