#include "items.h"

#include <fmt/format.h>

#include <algorithm>

#include "command.h"

namespace command {
namespace {

libsgemm_op_t parse_op(char letter, const std::string &text) {
  if (letter == 'N') return LIBSGEMM_NO_TRANS;
  if (letter == 'T') return LIBSGEMM_TRANS;
  throw Error(fmt::format("--transposes {}: of NN, NT, TN, TT", text));
}

std::vector<std::string> choose_transposes(const BenchOptions &options) {
  if (options.transposes.empty()) return {"NN", "NT", "TN", "TT"};
  for (const std::string &text : options.transposes) {
    if (text.size() != 2) throw Error(fmt::format("--transposes {}: of NN, NT, TN, TT", text));
    parse_op(text[0], text);
    parse_op(text[1], text);
  }
  return options.transposes;
}

// The transposes that a routine has, in its own words: "NT", "T", "-"; without repetition.
std::vector<std::string> transposes_of(Routine routine, const std::vector<std::string> &transposes) {
  std::vector<std::string> own;
  for (const std::string &text : transposes) {
    const Traits &t = traits(routine);
    const std::string name = t.has_transb ? text : t.has_transa ? text.substr(0, 1) : "-";
    if (std::find(own.begin(), own.end(), name) == own.end()) own.push_back(name);
  }
  return own;
}

}  // namespace

Item make_item(Routine routine, const Shape &shape, const std::string &transposes) {
  const auto op = [](char letter) { return letter == 'T' ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS; };
  return {routine, shape, op(transposes[0]), transposes.size() > 1 ? op(transposes[1]) : LIBSGEMM_NO_TRANS, transposes};
}

std::vector<Item> choose_items(const BenchOptions &options) {
  const std::vector<std::string> transposes = choose_transposes(options);
  const std::vector<Shape> shapes = choose_shapes(options);
  std::vector<Item> items;
  for (const Routine routine : parse_routines(options.routines)) {
    const std::vector<std::string> own = transposes_of(routine, transposes);
    for (size_t i = 0; i < shapes.size(); ++i) {
      if (options.max_flops > 0 && flops(routine, shapes[i]) > options.max_flops) continue;
      const bool in_turn = options.random > 0;
      for (size_t t = in_turn ? i % own.size() : 0; t < own.size(); ++t) {
        items.push_back(make_item(routine, shapes[i], own[t]));
        if (in_turn) break;
      }
    }
  }
  if (items.empty()) throw Error("--filter and --max-flops leave nothing to measure");
  return items;
}

}  // namespace command
