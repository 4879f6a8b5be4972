// Output files that appear complete or not at all: written under a temporary name in the same folder, then renamed. An
// existing file stays as it is until then, and for good if anything fails.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace command {

struct Piece {
  const void *data;
  size_t bytes;
};

// Throws Error unless write_output(path, ...) is likely to succeed; creates and removes a temporary file to find out.
void check_output(const std::string &path);

// Writes the pieces one after another. An existing file keeps its permissions. A symbolic link is followed, also if the
// file it points to does not exist yet.
void write_output(const std::string &path, const std::vector<Piece> &pieces);

// Lock for reading a file, changing it and writing it: one process holds it at a time. It locks the folder, since each
// write replaces the file. On a file system without locks it does nothing.
class UpdateLock {
 public:
  explicit UpdateLock(const std::string &path);
  ~UpdateLock();
  UpdateLock(const UpdateLock &) = delete;
  UpdateLock &operator=(const UpdateLock &) = delete;

 private:
  int folder_;
};

// Removes the file and prints that it did, or that there is no such file.
void remove_output(const std::string &path);

// Returns the name of a file kept for later runs: the requested one, or else its place in the user's cache, which is
// empty if the user has no cache (decision/cache_file.h).
std::string output_or_cached(const std::string &asked, const std::string &cached);

}  // namespace command
