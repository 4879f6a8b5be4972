// Output files that appear complete or not at all: they are written under a temporary name in the same folder and
// renamed. If anything fails, an existing file stays.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace command {

struct Piece {
  const void *data;
  size_t bytes;
};

// Throws Error if write_output(path, ...) is likely to fail. Creates and removes a temporary file.
void check_output(const std::string &path);

// Writes the pieces. An existing file keeps its permissions. A symbolic link is followed, even to a file that does not
// exist yet.
void write_output(const std::string &path, const std::vector<Piece> &pieces);

// Lock of one process for reading, changing and writing a file. It locks the folder, since a write replaces the file.
// Without effect on a file system without locks.
class UpdateLock {
 public:
  explicit UpdateLock(const std::string &path);
  ~UpdateLock();
  UpdateLock(const UpdateLock &) = delete;
  UpdateLock &operator=(const UpdateLock &) = delete;

 private:
  int folder_;
};

void remove_output(const std::string &path);

// Returns `asked`, or else the place in the user's cache; empty if there is no cache (decision/cache_file.h).
std::string output_or_cached(const std::string &asked, const std::string &cached);

}  // namespace command
