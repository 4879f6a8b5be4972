// Measurements in the user's cache: commands write them, the library reads them.
#pragma once

#include <string>

namespace libsgemm {

// ${XDG_CACHE_HOME:-$HOME/.cache}/libsgemm. Empty in a set-user-id process, or if neither is an absolute path.
std::string cache_folder();

// FOLDER/KIND-<hash of the key>.txt; empty if the folder is.
std::string cache_path(const std::string &kind, const std::string &key);

// False if it is no regular file of at most `most_bytes`; *problem: "it is not a KIND".
bool read_cache_file(const std::string &path, const std::string &kind, size_t most_bytes, std::string *text,
                     std::string *problem);

std::string library_version();  // "1.2.3"; part of every key

}  // namespace libsgemm
