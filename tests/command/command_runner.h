// Running the `libsgemm` command, and .npy files for it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "support/process.h"

namespace sgemm_test {

// A temporary directory to write files into.
class Folder : public TemporaryDirectory {
 public:
  std::string file(const std::string &name) const { return path() + "/" + name; }
  // Gives the full path.
  std::string write(const std::string &name, const std::string &bytes) const;
  std::vector<std::string> list() const;  // names, sorted
};

// Runs `libsgemm ARGUMENTS`.
Outcome command(std::vector<std::string> arguments, const Environment &environment = {});

// What `libsgemm ARGUMENTS --json FILE`, which must succeed, writes.
nlohmann::json json_of(const Folder &folder, std::vector<std::string> arguments, const Environment &environment);

// That `libsgemm bench` failed for a bad argument, with one line that begins so.
void require_bench_error(const Outcome &outcome, const std::string &what);

// `libsgemm ARGUMENTS` of a process that permission bits bind even if this one is root's.
Outcome unprivileged_command(const std::vector<std::string> &arguments);

// True if the command lists the backend as available; otherwise prints that the tests of it are skipped.
bool has_backend(const std::string &name);

// A .npy file: version, the header's text as given (without length, padding or line end), data.
std::string npy(const std::string &dict, const std::string &data, int version = 1);

// The bytes of `values`.
std::string bytes_of(const std::vector<float> &values);

// A matrix of small multiples of 1/8, so that products are exact.
struct Matrix {
  Matrix(int64_t row_count, int64_t column_count, int seed);
  double at(int64_t row, int64_t column) const { return values[static_cast<size_t>(row * columns + column)]; }
  // As a .npy file.
  std::string file(bool fortran_order) const;

  int64_t rows, columns;
  std::vector<float> values;  // row by row
};

// The matrix in a file that the command wrote; fails the test unless the file is a C-ordered .npy file, bytes and all.
Matrix read_matrix(const std::string &path);

}  // namespace sgemm_test
