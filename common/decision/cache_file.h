// Files in the user's cache: measurements of a machine, written by commands for the library.
#pragma once

#include <string>

namespace libsgemm {

// ${XDG_CACHE_HOME:-$HOME/.cache}/libsgemm; empty in a set-user-id process, and if neither is an absolute path.
std::string cache_folder();

// FOLDER/KIND-<hash of the key>.txt; empty if the folder is.
std::string cache_path(const std::string &kind, const std::string &key);

// A regular file of at most `most_bytes`. False, with the reason in *problem: "it is not a KIND".
bool read_cache_file(const std::string &path, const std::string &kind, size_t most_bytes, std::string *text,
                     std::string *problem);

// "1.2.3"; part of every key.
std::string library_version();

}  // namespace libsgemm
