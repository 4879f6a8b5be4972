// Output files that appear complete or not at all: written under a temporary name beside their place, then renamed.
// A file of that name stays as it is until then, and stays for good if anything fails.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace command {

struct Piece {
  const void *data;
  size_t bytes;
};

// Throws Error unless write_output(path, ...) has good prospects; creates and removes a temporary file to find out.
void check_output(const std::string &path);

// Writes the pieces one after another. An existing file keeps its permissions; a symbolic link keeps pointing to it,
// also if it leads to a file that is not there yet.
void write_output(const std::string &path, const std::vector<Piece> &pieces);

}  // namespace command
