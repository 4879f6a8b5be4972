#include <fmt/core.h>
#include <stdio.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "peers/nvml.h"
#include "probe/probe.h"

namespace command {
namespace {

using Json = nlohmann::ordered_json;

std::string throttle_of(const Telemetry &telemetry) {
  return telemetry.reasons_known ? throttle_text(telemetry.throttle_reasons) : "-";
}

std::string number_or_dash(double value, const char *form) {
  return value > 0 ? fmt::format(fmt::runtime(form), value) : "-";
}

const Figure *find(const std::vector<Figure> &figures, const Figure &wanted) {
  const auto found = std::find_if(figures.begin(), figures.end(), [&](const Figure &x) {
    return x.backend == wanted.backend && x.group == wanted.group && x.what == wanted.what;
  });
  return found == figures.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::string> probe_groups() {
  return {"fma", "arithmetic", "tensor", "shared", "memory", "latency", "launch", "copies", "sgemm"};
}

void print_figure_header() {
  fmt::print("{:<10} {:<50} {:>9} {:<7} {:>7} {:>5} {:>4}  {}\n", "group", "what", "figure", "unit", "share", "MHz",
             "W", "clocks limited by");
}

void print_figure(const Figure &x) {
  fmt::print("{:<10} {:<50} {:>9.4g} {:<7} {:>7} {:>5} {:>4}  {}\n", x.group, x.what, x.value, x.unit,
             number_or_dash(x.ceiling > 0 ? 100 * x.value / x.ceiling : 0, "{:.1f} %"), number_or_dash(x.mhz, "{:.0f}"),
             number_or_dash(x.telemetry.most_watts, "{:.0f}"), throttle_of(x.telemetry));
  fflush(stdout);
}

Json figures_json(const std::vector<Figure> &figures) {
  Json list = Json::array();
  for (const Figure &x : figures) {
    Json json = {{"backend", x.backend}, {"group", x.group}, {"what", x.what}, {"value", x.value}, {"unit", x.unit}};
    if (x.ceiling > 0) json["ceiling"] = x.ceiling;
    if (x.mhz > 0) json["mhz"] = x.mhz;
    if (x.telemetry.most_watts > 0) json["watts"] = {x.telemetry.least_watts, x.telemetry.most_watts};
    if (x.telemetry.reasons_known) json["throttle_reasons"] = throttle_of(x.telemetry);
    if (x.bytes > 0) json["bytes"] = x.bytes;
    if (x.intensity > 0) json["flops_per_byte"] = x.intensity;
    list.push_back(json);
  }
  return list;
}

std::vector<Figure> read_figures(const std::string &path) {
  std::ifstream file(path);
  if (!file) throw Error(fmt::format("--compare {}: cannot be read", path));
  std::vector<Figure> figures;
  try {
    const Json json = Json::parse(file);
    for (const Json &x : json.at("figures")) {
      Figure figure;
      figure.backend = x.at("backend");
      figure.group = x.at("group");
      figure.what = x.at("what");
      figure.unit = x.at("unit");
      figure.value = x.at("value");
      figure.ceiling = x.value("ceiling", 0.0);
      figures.push_back(figure);
    }
  } catch (const nlohmann::json::exception &error) {
    throw Error(fmt::format("--compare {}: is no --json of libsgemm probe: {}", path, error.what()));
  }
  return figures;
}

// Compares shares of known ceilings: under a power limit the clock varies.
static double ratio_of(const Figure &x, const Figure &before) {
  const bool shares = x.ceiling > 0 && before.ceiling > 0;
  return x.value / before.value * (shares ? before.ceiling / x.ceiling : 1);
}

int compare_figures(const std::vector<Figure> &figures, const std::vector<Figure> &earlier, double tolerance) {
  int different = 0, common = 0;
  fmt::print("\n{:<10} {:<50} {:>9} {:>9} {:>7}\n", "group", "what", "earlier", "figure", "ratio");
  for (const Figure &x : figures) {
    const Figure *before = find(earlier, x);
    if (before == nullptr || before->unit != x.unit || !(before->value > 0)) continue;
    const double ratio = ratio_of(x, *before);
    const bool differs = !(100 * std::abs(ratio - 1) <= tolerance);
    ++common;
    different += differs ? 1 : 0;
    fmt::print("{:<10} {:<50} {:>9.4g} {:>9.4g} {:>7.3f}{}\n", x.group, x.what, before->value, x.value, ratio,
               differs ? "  differs" : "");
  }
  if (common == 0) throw Error("--compare: none of these figures is in the file");
  fmt::print("{} of {} figures differ by more than {:g} %\n", different, common, tolerance);
  return different;
}

}  // namespace command
