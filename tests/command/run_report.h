// Runs a program with `libsgemm run`, and reads the calls in its report.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command_runner.h"

namespace sgemm_test {

// A run of a program that must end with exit status 0, and its report.
struct Run {
  Run(const std::vector<std::string> &program, const Environment &environment);

  // Total seconds of all calls on a backend.
  double seconds(const std::string &backend) const;
  // Number of calls of an entry point in the report's rows; 0 if there is no row.
  int calls(const std::string &entry, const std::string &backend, const std::string &why = "") const;

  Outcome outcome;
  nlohmann::json json;
};

}  // namespace sgemm_test
