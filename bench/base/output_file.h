// Output files that appear complete or not at all: written under a temporary name in the same folder and renamed.
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

// An existing file keeps its permissions. A symbolic link is followed, even to a missing file.
void write_output(const std::string &path, const std::vector<Piece> &pieces);

// Excludes other processes while a file is read, changed and written, if the file system has locks. It locks the
// folder, since a write replaces the file.
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

// Returns `asked`, or `cached` (decision/cache_file.h) if that is empty. Throws Error if both are.
std::string output_or_cached(const std::string &asked, const std::string &cached);

}  // namespace command
