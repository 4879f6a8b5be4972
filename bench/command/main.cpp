// The `libsgemm` command. Exit status: 0, 1 after an error, 2 after bad usage, the program's for `run`.
#include <fmt/format.h>
#include <stdio.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <functional>
#include <new>

#include "base/library.h"
#include "complete.h"
#include "manual.h"
#include "options.h"
#include "probe/probe_code.h"
#include "process/nearest.h"

namespace {

using namespace command;

int report_error(const std::string &subcommand, const char *what) {
  fmt::print(stderr, "libsgemm {}: {}\n", subcommand, what);
  return 1;
}

int guarded(const std::string &name, const std::function<int()> &subcommand) {
  try {
    const int status = subcommand();
    if (fflush(stdout) != 0) throw Error(fmt::format("stdout: {}", strerror(errno)));
    return status;
  } catch (const std::bad_alloc &) {
    return report_error(name, "not enough memory");
  } catch (const std::exception &error) {
    return report_error(name, error.what());
  }
}

std::vector<std::string> option_names(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options()) {
    for (const std::string &name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> subcommand_names(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::App *subcommand : app.get_subcommands(nullptr)) names.push_back(subcommand->get_name());
  return names;
}

// Suggests the option that may be meant. Returns the exit status.
int report_usage(const CLI::App &app, const CLI::ParseError &error) {
  const int status = app.exit(error);
  if (status == 0) return 0;
  const auto chosen = app.get_subcommands();
  const CLI::App &at = chosen.empty() ? app : *chosen.front();
  for (const std::string &word : at.remaining(true)) {
    const std::string near = libsgemm::nearest_name(word.substr(0, word.find('=')), option_names(at));
    if (word[0] == '-' && !near.empty()) fmt::print(stderr, "{}: did you mean {}?\n", word, near);
  }
  return 2;
}

int refuse_subcommand(const std::vector<std::string> &names, const std::string &word) {
  fmt::print(stderr, "libsgemm: there is no subcommand {}{}\nThere are {}; libsgemm --help has more.\n", word,
             libsgemm::did_you_mean(word, names), fmt::join(names, ", "));
  return 2;
}

int run_bench(const CLI::App &app, const Options &o) {
  const bool conv = o.bench.routines == std::vector<std::string>{kConvRoutine};
  if (!conv && app.count("--layer") + app.count("--direction") + app.count("--layout") > 0) {
    throw Error("--layer, --direction and --layout are for --routine sconv2d alone");
  }
  if (conv) return conv_bench(o.conv, o.bench);
  if (o.modes.accuracy) return accuracy(o.bench);
  if (o.modes.ladder) return ladder(o.ladder, o.bench);
  if (o.modes.decision) return decision(o.bench);
  if (o.modes.overhead) return overhead(o.overhead, o.bench);
  if (!o.modes.groups.empty()) return groups_bench(o.modes.groups, o.bench);
  if (!o.host.memories.empty()) return host_bench(o.host, o.bench);
  return bench(o.bench);
}

struct Subcommand {
  const char *name, *purpose;
  std::function<void(CLI::App *)> add;
  std::function<int(const CLI::App &)> act;
};

std::vector<Subcommand> subcommands(Options *o) {
  using App = CLI::App;
  return {
      {"info", "Available backends, devices and kernels, and what `auto` would choose",
       [o](App *app) { add_info(app, &o->info); }, [o](const App &) { return info(o->info); }},
      {"gemm", "C = alpha op(A) op(B) + beta C on .npy files", [o](App *app) { add_gemm(app, &o->gemm); },
       [o](const App &) { return gemm(o->gemm); }},
      {"bench", "Time the routines, compared with another library", [o](App *app) { add_bench(app, o); },
       [o](const App &app) { return run_bench(app, *o); }},
      {"calibrate", "Measure this machine, so that host data go to a GPU when that is faster",
       [o](App *app) { add_calibrate(app, &o->calibrate); }, [o](const App &) { return calibrate(o->calibrate); }},
      {"tune", "Measure which kernel is the fastest for repeated calls, and store it for programs",
       [o](App *app) { add_tune(app, &o->tune); }, [o](const App &) { return tune(o->tune); }},
      {"probe", "Measure what the chip can do, and how much of it the library's SGEMM reaches",
       [o](App *app) { add_probe(app, &o->probe); }, [o](const App &) { return probe(o->probe); }},
      {"run", "Run a program on this library's BLAS and report its calls", [o](App *app) { add_run(app, &o->run); },
       [o](const App &) { return run(o->run); }},
      {"stats", "Report the calls that programs have counted in a folder", [o](App *app) { add_stats(app, &o->stats); },
       [o](const App &) { return stats(o->stats); }},
  };
}

// The words after the options of `run` are the program's. Returns argc without them.
int take_program(const CLI::App &run, int argc, char **argv, std::vector<std::string> *program) {
  const std::vector<std::string> words(argv + 2, argv + argc);
  const size_t begin = program_of_run(run, words);
  const bool separated = begin < words.size() && words[begin] == "--";
  program->assign(words.begin() + static_cast<ptrdiff_t>(begin + (separated ? 1 : 0)), words.end());
  return static_cast<int>(begin) + 2;
}

int act_on(const CLI::App &app, const std::vector<Subcommand> &all, const Options &options) {
  const CLI::App &chosen = *app.get_subcommands().front();
  const std::string &name = chosen.get_name();
  if (name != "info") print_stray_variables();  // `info` prints them with the environment
  if (name == "run" && options.run.program.empty()) {
    fmt::print(stderr, "libsgemm run: no program is given; use libsgemm run [options] PROGRAM arguments\n");
    return 2;
  }
  const auto subcommand = std::find_if(all.begin(), all.end(), [&](const Subcommand &x) { return x.name == name; });
  return guarded(name, [&] { return subcommand->act(chosen); });
}

int parse_and_run(int argc, char **argv) {
  CLI::App app("Single-precision level-3 BLAS on GPUs and CPUs: backends, products, measurements, programs",
               "libsgemm");
  app.set_version_flag("--version", "libsgemm " + version_text(libsgemm_version()));
  app.require_subcommand(1);
  Options options;
  const std::vector<Subcommand> all = subcommands(&options);
  for (const Subcommand &x : all) x.add(app.add_subcommand(x.name, x.purpose));

  if (argc > 1 && strcmp(argv[1], kCompleteWord) == 0) return complete(app, {argv + 2, argv + argc});
  if (argc == 2 && strcmp(argv[1], kManualWord) == 0) return print_manual(app);
  if (argc > 1 && strcmp(argv[1], kProbeCodeWord) == 0) {
    return guarded(kProbeCodeWord, [&] { return probe_code({argv + 2, argv + argc}); });
  }
  const std::vector<std::string> names = subcommand_names(app);
  if (argc > 1 && argv[1][0] != '-' && std::find(names.begin(), names.end(), argv[1]) == names.end()) {
    return refuse_subcommand(names, argv[1]);
  }
  if (argc > 1 && strcmp(argv[1], "run") == 0) {
    argc = take_program(*app.get_subcommand("run"), argc, argv, &options.run.program);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return report_usage(app, error);
  }
  return act_on(app, all, options);
}

}  // namespace

int main(int argc, char **argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (const std::exception &error) {
    fprintf(stderr, "libsgemm: %s\n", error.what());
    return 1;
  }
}
