#include "complete.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/library.h"
#include "inputs/distributions.h"
#include "inputs/precision.h"
#include "inputs/routines.h"
#include "peers/peers.h"
#include "probe/probe.h"

namespace command {
namespace {

using Names = std::vector<std::string>;

Names backend_names() {
  Names names;
  for (int i = 0; i < libsgemm_backend_count(); ++i) names.emplace_back(libsgemm_backend_name(i));
  return names;
}

// Returns the possible words of an option; empty for a number, a file or free text.
Names values_of(const std::string &subcommand, const std::string &option) {
  if (subcommand == "probe" && option == "--backend") return {"cuda", "hip", "cpu"};
  if (option == "--only") return probe_groups();
  if (option == "--backend") {
    Names names = backend_names();
    names.emplace_back("auto");
    return names;
  }
  if (option == "--kernel") return kernel_names();
  if (option == "--math") return math_mode_names();
  if (option == "--distribution") return distribution_names();
  if (option == "--routine") return routine_names();
  if (option == "--transposes") return {"NN", "NT", "TN", "TT"};
  if (option == "--side") return {"left", "right"};
  if (option == "--uplo") return {"lower", "upper"};
  if (option == "--host") return {"pageable", "pinned"};
  if (option == "--plan") return {"a", "b", "ab"};
  if (option == "--peer") {
    Names names = peer_names();
    names.emplace_back("none");
    return names;
  }
  return {};
}

// Repeats what precedes the last comma: shells replace the whole word.
Names after_comma(const std::string &word, Names values) {
  const size_t comma = word.rfind(',');
  const std::string before = comma == std::string::npos ? "" : word.substr(0, comma + 1);
  for (std::string &value : values) value.insert(0, before);
  return values;
}

Names option_names(const CLI::App &app) {
  Names names;
  for (const CLI::Option *option : app.get_options()) {
    for (const std::string &name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string &name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

// Returns NULL if the last word is no option's value. Bash makes the "=" before a value a word of its own.
const CLI::Option *option_before(const CLI::App &app, const Names &words) {
  size_t at = words.size() - 1;
  if (at > 0 && words[at] != "=" && words[at - 1] == "=") --at;
  if (at == 0 || words[at - 1].size() < 2 || words[at - 1][0] != '-') return nullptr;
  const CLI::Option *option = app.get_option_no_throw(words[at - 1]);
  return option != nullptr && option->get_items_expected_max() > 0 ? option : nullptr;
}

Names candidates(const CLI::App &app, const Names &words) {
  const std::string &word = words.back();
  if (words.size() == 1) {
    Names names = option_names(app);
    for (const CLI::App *subcommand : app.get_subcommands(nullptr)) names.push_back(subcommand->get_name());
    return names;
  }
  const auto named = app.get_subcommands([&](const CLI::App *x) { return x->get_name() == words.front(); });
  if (named.empty()) return {};
  const CLI::App *subcommand = named.front();
  if (subcommand->get_name() == "run") {
    const size_t begin = program_of_run(*subcommand, {words.begin() + 1, words.end() - 1}) + 1;
    const size_t last = words.size() - 1;
    const size_t program = begin < last && words[begin] == "--" ? begin + 1 : begin;
    if (program < last) return {};
    const bool wants_value = option_before(*subcommand, words) != nullptr;
    if (program == last && !wants_value && (begin < last || word[0] != '-')) return {":program"};
  }
  const CLI::Option *option = option_before(*subcommand, words);
  if (option != nullptr)
    return after_comma(word == "=" ? "" : word, values_of(subcommand->get_name(), option->get_name()));
  return word.rfind('-', 0) == 0 ? option_names(*subcommand) : Names{};
}

}  // namespace

int complete(const CLI::App &app, const std::vector<std::string> &words) {
  if (words.empty()) return 0;
  const std::string word = words.back() == "=" ? "" : words.back();
  for (const std::string &name : candidates(app, words)) {
    if (name[0] == ':' || name.rfind(word, 0) == 0) fmt::print("{}\n", name);
  }
  return 0;
}

size_t program_of_run(const CLI::App &run, const Names &words) {
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string &word = words[i];
    if (word == "--" || word[0] != '-' || word == "-") return i;
    const std::string name = word[1] == '-' ? word.substr(0, word.find('=')) : word.substr(0, 2);
    const CLI::Option *option = run.get_option_no_throw(name);
    if (option != nullptr && option->get_items_expected_max() > 0 && name == word) ++i;
  }
  return words.size();
}

}  // namespace command
