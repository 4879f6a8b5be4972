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

// For reading a file, changing it and writing it: one process holds it at a time. It locks the folder, since the file
// is another one after each write. On a file system without locks it does nothing.
class UpdateLock {
 public:
  explicit UpdateLock(const std::string &path);
  ~UpdateLock();
  UpdateLock(const UpdateLock &) = delete;
  UpdateLock &operator=(const UpdateLock &) = delete;

 private:
  int folder_;
};

// Removes the file and prints that, or that there is none.
void remove_output(const std::string &path);

// The name of a file kept for later runs: the one asked for, or else its place in the user's cache, which is empty
// where there is none (decision/cache_file.h).
std::string output_or_cached(const std::string &asked, const std::string &cached);

}  // namespace command
