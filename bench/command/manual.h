// The manual page libsgemm.1, from the definitions of the options. The build prints it with `libsgemm __manual`.
#pragma once

#include <CLI/CLI.hpp>

namespace command {

constexpr const char *kManualWord = "__manual";

int print_manual(const CLI::App &app);

}  // namespace command
