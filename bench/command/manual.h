// The manual page of the command, libsgemm.1, from the definitions that parse its options. The build
// prints it with `libsgemm __manual`.
#pragma once

#include <CLI/CLI.hpp>

namespace command {

constexpr const char *kManualWord = "__manual";

// Prints the page. Returns the exit status, 0.
int print_manual(const CLI::App &app);

}  // namespace command
