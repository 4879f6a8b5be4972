// Shell completion of `libsgemm` (libsgemm.bash), from the definitions of its options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace command {

// `libsgemm __complete WORD...`: the words up to the one being typed, which may be empty.
constexpr const char *kCompleteWord = "__complete";

// Prints the candidates for the last word, one a line: none for a file name or an argument of the program that `run`
// starts, ":program" for that program. Returns 0.
int complete(const CLI::App &app, const std::vector<std::string> &words);

// Returns the index of "--", or of the first word that is neither an option of `run` nor its value. CLI11 would split
// some of the program's words.
size_t program_of_run(const CLI::App &run, const std::vector<std::string> &words);

}  // namespace command
