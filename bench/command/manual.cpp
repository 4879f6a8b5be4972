// The manual page. The texts of options are in their definitions.
#include "manual.h"

#include <fmt/core.h>
#include <libsgemm.h>

#include <string>

#include "base/library.h"
#include "process/env.h"

namespace command {
namespace {

// Escapes "\", "-", which roff would print as another hyphen, and a leading "." or "'", which would begin a request.
std::string roff(const std::string &text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result[0] == '.' || result[0] == '\'' ? "\\&" + result : result;
}

constexpr const char *kDescription =
    R"(.SH DESCRIPTION
libsgemm is a library of the single-precision level-3 BLAS, with batches and products of 16-bit inputs, that runs on
whatever the machine has: an NVIDIA or AMD GPU, or the CPU.
This command shows the available backends and what would be chosen, multiplies matrices in files, measures, and runs
programs on the library without a change to them.
)";

constexpr const char *kEnd =
    R"(.SH EXIT STATUS
0; 1 after an error; 2 after bad usage. Of
.B run
that of the program, 126 or 127 if it cannot be started, 128 and the number of the signal that ended it.
.SH EXAMPLES
.nf
libsgemm info
libsgemm gemm A.npy B.npy \-\-transb \-o C.npy \-\-verify
libsgemm bench \-\-shape 1024x1024x1024 \-\-peer openblas
libsgemm run \-\-backend cuda,openblas python3 script.py
libsgemm run \-\-record calls.txt python3 script.py
libsgemm tune calls.txt
.fi
.SH FILES
.TP
.I $XDG_CACHE_HOME/libsgemm/
What
.B libsgemm calibrate
and
.B libsgemm tune
measured, by machine and by GPU; in
.I ~/.cache
if the variable is not set.
.SH SEE ALSO
The comments of
.IR libsgemm.h ,
which describe the library's functions, and the documents next to its README.
)";

void print_option(const CLI::Option &option) {
  std::string names;
  for (const std::string &name : option.get_snames()) names += fmt::format("\\fB\\-{}\\fR, ", name);
  for (const std::string &name : option.get_lnames()) names += fmt::format("\\fB\\-\\-{}\\fR, ", roff(name));
  if (names.empty()) {
    names = fmt::format("\\fI{}\\fR", option.get_name());
  } else {
    names.resize(names.size() - 2);
    const std::string type = option.get_type_name();
    if (option.get_items_expected_max() > 0) names += fmt::format(" \\fI{}\\fR", type.substr(0, type.find(':')));
  }
  const std::string initial = option.get_default_str();
  fmt::print(".TP\n{}\n{}{}.\n", names, roff(option.get_description()),
             initial.empty() ? "" : fmt::format(" (default: {})", roff(initial)));
}

void print_subcommand(const CLI::App &app) {
  std::string operands;
  for (const CLI::Option *option : app.get_options()) {
    if (option->nonpositional()) continue;
    operands += fmt::format(option->get_required() ? " {}" : " [{}]", option->get_name());
  }
  if (app.get_name() == "run") operands = " PROGRAM [ARGUMENT...]";
  fmt::print(".SS \"libsgemm {} [OPTIONS]{}\"\n{}.\n", app.get_name(), operands, roff(app.get_description()));
  for (const CLI::Option *option : app.get_options()) {
    if (option->get_name() != "--help") print_option(*option);
  }
  if (!app.get_footer().empty()) fmt::print(".PP\n{}\n", roff(app.get_footer()));
}

}  // namespace

int print_manual(const CLI::App &app) {
  fmt::print(".TH LIBSGEMM 1 \"\" \"libsgemm {}\"\n.SH NAME\nlibsgemm \\- {}\n", version_text(LIBSGEMM_VERSION),
             roff(app.get_description()));
  fmt::print(".SH SYNOPSIS\n.B libsgemm\n.I SUBCOMMAND\n[\\fIOPTIONS\\fR]\n.br\n.B libsgemm\n");
  fmt::print("\\fB\\-\\-version\\fR | [\\fISUBCOMMAND\\fR] \\fB\\-\\-help\\fR\n{}", kDescription);
  fmt::print(".SH SUBCOMMANDS\n");
  for (const CLI::App *subcommand : app.get_subcommands(nullptr)) print_subcommand(*subcommand);
  fmt::print(
      ".SH ENVIRONMENT\nThese variables are described in\n.I environment.md\n"
      "among the library's documents.\n.PP\n");
  for (const std::string &name : libsgemm::read_environment().names) fmt::print(".B {}\n.br\n", name);
  fmt::print("{}", kEnd);
  return 0;
}

}  // namespace command
