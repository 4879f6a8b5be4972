// Runs the `libsgemm` command, and makes .npy files for it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "support/process.h"

namespace sgemm_test {

class Folder : public TemporaryDirectory {
 public:
  std::string file(const std::string &name) const { return path() + "/" + name; }
  std::string write(const std::string &name, const std::string &bytes) const;
  std::vector<std::string> list() const;  // sorted names
};

Outcome command(std::vector<std::string> arguments, const Environment &environment = {});

nlohmann::json json_of(const Folder &folder, std::vector<std::string> arguments, const Environment &environment);

void require_bench_error(const Outcome &outcome, const std::string &what);

// To this command permission bits apply, even if root runs this process.
Outcome unprivileged_command(const std::vector<std::string> &arguments);

// Prints a skip if the backend is not available.
bool has_backend(const std::string &name);

// `dict`: header text without length, padding and line end.
std::string npy(const std::string &dict, const std::string &data, int version = 1);

std::string bytes_of(const std::vector<float> &values);

// Its values are small multiples of 1/8, so that products are exact.
struct Matrix {
  Matrix(int64_t row_count, int64_t column_count, int seed);
  double at(int64_t row, int64_t column) const { return values[static_cast<size_t>(row * columns + column)]; }
  std::string file(bool fortran_order) const;

  int64_t rows, columns;
  std::vector<float> values;  // row-major
};

// The output must be exactly a C-ordered .npy file.
Matrix read_matrix(const std::string &path);

}  // namespace sgemm_test
