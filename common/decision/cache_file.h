// Files in the user's cache that commands write for the library: measurements of a machine.
#pragma once

#include <string>

namespace libsgemm {

// Returns ${XDG_CACHE_HOME:-$HOME/.cache}/libsgemm; empty in a set-user-id process, and if neither variable is an
// absolute path.
std::string cache_folder();

// Returns FOLDER/KIND-<hash of the key>.txt in it; empty if the folder is.
std::string cache_path(const std::string &kind, const std::string &key);

// Reads a whole regular file of at most `most_bytes` bytes. False, with the reason in *problem: "it is not a KIND".
bool read_cache_file(const std::string &path, const std::string &kind, size_t most_bytes, std::string *text,
                     std::string *problem);

// Version of this library: "1.2.3", part of every key.
std::string library_version();

}  // namespace libsgemm
