#include "command_runner.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "support/catch.h"
#include "support/numbers.h"

namespace sgemm_test {

std::string Folder::write(const std::string &name, const std::string &bytes) const {
  std::ofstream stream(file(name), std::ios::binary);
  stream << bytes;
  if (!stream.flush()) throw std::runtime_error(file(name) + ": cannot be written");
  return file(name);
}

std::vector<std::string> Folder::list() const {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(path())) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

Outcome command(std::vector<std::string> arguments, const Environment &environment) {
  arguments.insert(arguments.begin(), LIBSGEMM_COMMAND);
  return run_program(arguments, environment);
}

nlohmann::json json_of(const Folder &folder, std::vector<std::string> arguments, const Environment &environment) {
  arguments.insert(arguments.end(), {"--json", folder.file("out.json")});
  const Outcome outcome = command(arguments, environment);
  INFO(outcome.description());
  REQUIRE(outcome.exit_status == 0);
  return nlohmann::json::parse(read_text(folder.file("out.json")));
}

void require_bench_error(const Outcome &outcome, const std::string &what) {
  INFO(outcome.description());
  CHECK(outcome.exit_status == 1);
  CHECK_THAT(outcome.err, Catch::Matchers::StartsWith("libsgemm bench: " + what));
  CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
}

Outcome unprivileged_command(const std::vector<std::string> &arguments) {
  if (geteuid() != 0) return command(arguments);
  std::vector<std::string> all = {"/usr/bin/setpriv", "--bounding-set", "-dac_override,-dac_read_search",
                                  LIBSGEMM_COMMAND};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run_program(all, {});
}

bool has_backend(const std::string &name) {
  const Outcome outcome = command({"info", "--json"});
  if (outcome.exit_status != 0) throw std::runtime_error("libsgemm info: " + outcome.description());
  const nlohmann::json json = nlohmann::json::parse(outcome.out);
  for (const auto &backend : json["backends"]) {
    if (backend["name"] == name && backend["available"] == true) return true;
  }
  std::printf("SKIPPED: backend %s is not available here\n", name.c_str());
  return false;
}

std::string npy(const std::string &dict, const std::string &data, int version) {
  const size_t length_bytes = version == 1 ? 2 : 4;
  std::string header = dict;
  while ((8 + length_bytes + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string file = "\x93NUMPY";
  file += {static_cast<char>(version), '\0'};
  for (size_t i = 0; i < length_bytes; ++i) file += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return file + header + data;
}

std::string bytes_of(const std::vector<float> &values) {
  return std::string(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(float));
}

Matrix::Matrix(int64_t row_count, int64_t column_count, int seed) : rows(row_count), columns(column_count) {
  Random random(static_cast<uint64_t>(seed));
  for (int64_t i = 0; i < rows * columns; ++i) values.push_back(static_cast<float>(random.integer(-32, 32)) / 8);
}

std::string Matrix::file(bool fortran_order) const {
  std::vector<float> stored = values;
  for (int64_t i = 0; i < rows && fortran_order; ++i) {
    for (int64_t j = 0; j < columns; ++j) stored[static_cast<size_t>(i + j * rows)] = static_cast<float>(at(i, j));
  }
  const std::string order = fortran_order ? "True" : "False";
  return npy("{'descr': '<f4', 'fortran_order': " + order + ", 'shape': (" + std::to_string(rows) + ", " +
                 std::to_string(columns) + "), }",
             bytes_of(stored));
}

Matrix read_matrix(const std::string &path) {
  const std::string file = read_text(path);
  const size_t shape = file.find("'shape': (");
  REQUIRE(shape != std::string::npos);
  long long rows = -1, columns = -1;
  REQUIRE(std::sscanf(file.c_str() + shape, "'shape': (%lld, %lld)", &rows, &columns) == 2);
  Matrix matrix(rows, columns, 0);
  const size_t bytes = matrix.values.size() * sizeof(float);
  REQUIRE(file.size() >= bytes);
  if (bytes > 0) std::memcpy(matrix.values.data(), file.data() + file.size() - bytes, bytes);
  REQUIRE(file == matrix.file(false));
  return matrix;
}

}  // namespace sgemm_test
