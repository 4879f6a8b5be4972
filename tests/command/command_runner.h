// Runs the `libsgemm` command, and makes .npy files for it.
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
  // Writes a file, and returns its full path.
  std::string write(const std::string &name, const std::string &bytes) const;
  std::vector<std::string> list() const;  // names, sorted
};

// Runs `libsgemm ARGUMENTS`.
Outcome command(std::vector<std::string> arguments, const Environment &environment = {});

// Runs `libsgemm ARGUMENTS --json FILE`, which must succeed, and returns what it writes.
nlohmann::json json_of(const Folder &folder, std::vector<std::string> arguments, const Environment &environment);

// Requires that `libsgemm bench` failed for a bad argument, with one line that begins with `what`.
void require_bench_error(const Outcome &outcome, const std::string &what);

// Runs `libsgemm ARGUMENTS` in a process to which permission bits apply, even if this process is root's.
Outcome unprivileged_command(const std::vector<std::string> &arguments);

// True if the command lists the backend as available; otherwise prints that its tests are skipped.
bool has_backend(const std::string &name);

// Returns a .npy file of a version, the header's text (without length, padding or line end), and data.
std::string npy(const std::string &dict, const std::string &data, int version = 1);

// The bytes of `values`.
std::string bytes_of(const std::vector<float> &values);

// A matrix of small multiples of 1/8, so that products are exact.
struct Matrix {
  Matrix(int64_t row_count, int64_t column_count, int seed);
  double at(int64_t row, int64_t column) const { return values[static_cast<size_t>(row * columns + column)]; }
  // Returns the matrix as a .npy file.
  std::string file(bool fortran_order) const;

  int64_t rows, columns;
  std::vector<float> values;  // row by row
};

// Reads a matrix from a file that the command wrote. Fails the test unless every byte is that of a C-ordered .npy file.
Matrix read_matrix(const std::string &path);

}  // namespace sgemm_test
