// `libsgemm run` of a program, and the calls in its report.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command_runner.h"

namespace sgemm_test {

// Of a program that has to end with exit status 0.
struct Run {
  Run(const std::vector<std::string> &program, const Environment &environment);

  // Of all rows of a backend.
  double seconds(const std::string &backend) const;
  // Calls of an entry point in rows of the report: 0 if there is none.
  int calls(const std::string &entry, const std::string &backend, const std::string &why = "") const;

  Outcome outcome;
  nlohmann::json json;
};

}  // namespace sgemm_test
