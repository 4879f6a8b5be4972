// Files that commands leave in the user's cache for the library: what is measured of a machine.
#pragma once

#include <string>

namespace libsgemm {

// ${XDG_CACHE_HOME:-$HOME/.cache}/libsgemm; empty in a set-user-id process and where neither variable is an absolute
// path.
std::string cache_folder();

// FOLDER/KIND-<hash of the key>.txt in it; likewise empty.
std::string cache_path(const std::string &kind, const std::string &key);

// A regular file, whole, of at most so many bytes. False with the reason in *problem: "it is not a KIND".
bool read_cache_file(const std::string &path, const std::string &kind, size_t most_bytes, std::string *text,
                     std::string *problem);

// Of this library: "1.2.3", part of every key.
std::string library_version();

}  // namespace libsgemm
