// Command-line completion of `libsgemm` for the shell (libsgemm.bash), from the definitions that parse the options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace command {

// `libsgemm __complete WORD...`: the words after `libsgemm` up to the one that is being typed, which may be empty.
constexpr const char *kCompleteWord = "__complete";

// Prints the candidates for the last word, one a line: none if it is a file's name or an argument of the program that
// `run` starts; ":program" if it is the name of that program. Returns the exit status, 0.
int complete(const CLI::App &app, const std::vector<std::string> &words);

// Returns the index of the program that `run` starts, among the words after `run`: of "--", or of the first word that
// is neither an option of `run` nor the value of one. CLI11 must not see the words from there on: it splits some of
// them.
size_t program_of_run(const CLI::App &run, const std::vector<std::string> &words);

}  // namespace command
