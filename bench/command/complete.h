// What may follow on a command line of `libsgemm`, for the shell that completes it (libsgemm.bash), by the definitions
// that parse it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace command {

// `libsgemm __complete WORD...`: the words behind `libsgemm` up to the one that is being written, which may be empty.
constexpr const char *kCompleteWord = "__complete";

// Prints the candidates for the last word, one a line; none where a file's name, or a program's argument, is wanted;
// ":program" where the name of a program is. Returns the exit status, 0.
int complete(const CLI::App &app, const std::vector<std::string> &words);

// Where the program begins that `run` starts, among the words behind `run`: at "--", or at the first word that is
// neither an option of `run` nor the value of one. The words from there on are not for the parser, which takes some of
// them apart.
size_t program_of_run(const CLI::App &run, const std::vector<std::string> &words);

}  // namespace command
