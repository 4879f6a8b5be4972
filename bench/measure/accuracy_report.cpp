// The table and the JSON of `libsgemm bench --accuracy`.
#include <fmt/core.h>
#include <stdio.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "accuracy.h"

namespace command {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kColumn = 20;

bool is_measured(const AccuracyRow &row) { return row.state == Result::State::kMeasured; }

bool is_finite(const AccuracyRow &row) { return row.errors.elements > 0 && row.errors.not_finite == 0; }

const Engine *find_reference(const std::vector<Engine> &engines) {
  for (const Engine &engine : engines) {
    if (engine.peer != nullptr && engine.peer->precision().rounding == 0) return &engine;
  }
  return nullptr;
}

const AccuracyRow *find_row(const std::vector<AccuracyRow> &rows, const Engine *engine, const AccuracyRow &like) {
  for (const AccuracyRow &row : rows) {
    if (row.engine == engine && row.distribution == like.distribution &&
        shape_name(row.shape) == shape_name(like.shape))
      return &row;
  }
  return nullptr;
}

// Returns a negative ratio if the errors cannot be compared.
double over_reference(const AccuracyRow &row, const std::vector<AccuracyRow> &rows, const Engine *reference) {
  if (row.engine->peer != nullptr || !is_measured(row) || precision_of(row.math_mode).rounding != 0) return -1;
  const AccuracyRow *other = find_row(rows, reference, row);
  const bool comparable = other != nullptr && is_finite(row) && is_finite(*other) && other->errors.worst > 0;
  return comparable ? row.errors.worst / other->errors.worst : -1;
}

std::string number(double value) { return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value); }

// A longer problem is printed below the table.
std::string cell(const AccuracyRow &row) {
  if (row.errors.elements == 0) return row.problem.size() <= kColumn ? row.problem : state_word(row.state);
  if (is_finite(row)) return fmt::format("{} ({})", number(row.errors.worst), number(row.errors.rms));
  return fmt::format("{:.3g} % overflow",
                     100 * static_cast<double>(row.errors.not_finite) / static_cast<double>(row.errors.elements));
}

template <class CellOf>
void print_engine(const std::vector<AccuracyRow> &rows, const std::string &last, CellOf cell_of) {
  fmt::print("{:<18}", rows[0].engine->name());
  for (const AccuracyRow &row : rows) fmt::print(" {:>{}}", cell_of(row), kColumn);
  fmt::print("{}{}\n", last.empty() ? "" : "  ", last);
}

std::vector<std::vector<AccuracyRow>> by_engine(const std::vector<AccuracyRow> &rows) {
  std::vector<std::vector<AccuracyRow>> groups;
  for (const AccuracyRow &row : rows) {
    if (groups.empty() || groups.back()[0].engine != row.engine) groups.emplace_back();
    groups.back().push_back(row);
  }
  return groups;
}

Json row_json(const AccuracyRow &row, const AccuracyReport &report, const Engine *reference) {
  const Engine &engine = *row.engine;
  Json json = {{"m", row.shape.m},
               {"n", row.shape.n},
               {"k", row.shape.k},
               {"pad", row.shape.pad},
               {"transposes", report.transposes},
               {"distribution", row.distribution->name},
               {"engine", engine.name()}};
  if (engine.peer == nullptr) {
    json["backend"] = engine.backend;
    json["device"] = row.device;
    json["asked_math_mode"] = engine.way.math_mode;
    json["math_mode"] = row.math_mode;
    json["kernel"] = row.kernel;
    if (row.fp64_share >= 0) json["fp64_share"] = row.fp64_share;
  }
  json["state"] = state_word(row.state);
  if (!is_measured(row)) json["problem"] = row.problem;
  if (row.errors.elements == 0) return json;
  json["elements"] = row.errors.elements;
  json["exact_over_magnitude"] = row.errors.left;
  json["not_finite"] = row.errors.not_finite;
  json["worst"] = is_finite(row) ? Json(row.errors.worst) : Json();
  json["root_mean_square"] = is_finite(row) ? Json(row.errors.rms) : Json();
  json["error_over_bound"] = row.errors.over_bound;
  const double ratio = over_reference(row, report.rows, reference);
  if (ratio >= 0) json["worst_over_reference"] = ratio;
  return json;
}

}  // namespace

std::string Engine::name() const {
  if (peer != nullptr) return peer->name();
  return way.math_mode.empty() ? backend : backend + " " + way.math_mode;
}

void print_accuracy_header(const AccuracyReport &report) {
  print_machine(report.machine);
  for (const Engine &engine : report.engines) {
    if (engine.peer != nullptr) fmt::print("{}: {}\n", engine.name(), engine.peer->version());
  }
  fmt::print("worst (root mean square) of |error| / (|A||B|), in units of 2^-24\n");
  for (const Distribution &distribution : report.distributions) {
    fmt::print("  {}: {}\n", distribution.name, distribution.text);
  }
  fflush(stdout);
}

void print_accuracy(const std::vector<AccuracyRow> &rows, const AccuracyReport &report) {
  fmt::print("\n{:<18}", shape_name(rows[0].shape) + " " + report.transposes);
  for (const Distribution &distribution : report.distributions) fmt::print(" {:>{}}", distribution.name, kColumn);
  fmt::print("  kernel\n");
  const std::vector<std::vector<AccuracyRow>> groups = by_engine(rows);
  for (const std::vector<AccuracyRow> &group : groups) print_engine(group, group[0].kernel, cell);
  const Engine *reference = find_reference(report.engines);
  const auto ratio = [&](const AccuracyRow &row) { return over_reference(row, rows, reference); };
  const auto ratio_cell = [&](const AccuracyRow &row) {
    return ratio(row) >= 0 ? fmt::format("{:.3f}", ratio(row)) : "-";
  };
  bool first = true;
  for (const std::vector<AccuracyRow> &group : groups) {
    if (std::none_of(group.begin(), group.end(), [&](const AccuracyRow &row) { return ratio(row) >= 0; })) continue;
    if (first) fmt::print("worst error over that of {}:\n", reference->name());
    first = false;
    print_engine(group, "", ratio_cell);
  }
  for (const AccuracyRow &row : rows) {
    if (is_measured(row) || (row.state == Result::State::kNotSupported && row.problem.size() <= kColumn)) continue;
    fmt::print("{}: {}, {}: {}\n", state_word(row.state), row.engine->name(), row.distribution->name, row.problem);
  }
  fflush(stdout);
}

void write_json(const AccuracyReport &report, const std::string &path) {
  const Engine *reference = find_reference(report.engines);
  Json json = machine_json(report.machine);
  json["accuracy"] = {{"unit", "2^-24 |A||B|"}};
  if (reference != nullptr) json["accuracy"]["reference"] = reference->name();
  for (const Distribution &distribution : report.distributions) {
    json["accuracy"]["distributions"][distribution.name] = distribution.text;
  }
  json["peers"] = Json::object();
  for (const Engine &engine : report.engines) {
    if (engine.peer != nullptr) json["peers"][engine.name()] = engine.peer->version();
  }
  json["results"] = Json::array();
  for (const AccuracyRow &row : report.rows) json["results"].push_back(row_json(row, report, reference));
  write_json(json, path);
}

}  // namespace command
