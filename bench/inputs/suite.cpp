#include "suite.h"

#include <fmt/core.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <sstream>
#include <utility>

#include "base/command.h"
#include "base/library.h"
#include "random.h"

namespace command {
namespace {

std::string next_field(std::string *rest, bool *found, char separator = ',') {
  const size_t at = rest->find(separator);
  *found = at != std::string::npos;
  std::string field = rest->substr(0, at);
  *rest = *found ? rest->substr(at + 1) : "";
  return field;
}

int64_t parse_size(const std::string &field, const char *name, int64_t least) {
  constexpr int64_t kMost = int64_t{1} << 31;
  errno = 0;
  char *end = nullptr;
  const long long value = strtoll(field.c_str(), &end, 10);
  while (*end == ' ' || *end == '\r') ++end;
  if (field.empty() || *end != '\0' || errno != 0 || value < least || value > kMost) {
    throw Error(fmt::format("{} is '{}'; a number from {} to {} is wanted", name, field, least, kMost));
  }
  return value;
}

// In a file a description follows the pad; --shape ends with k or pad.
Shape parse_fields(std::string text, bool has_description) {
  Shape shape{0, 0, 0, 0, ""};
  bool comma = false;
  const std::string m = next_field(&text, &comma);
  const std::string n = next_field(&text, &comma);
  const std::string k = next_field(&text, &comma);
  shape.m = parse_size(m, "m", 1);
  shape.n = parse_size(n, "n", 1);
  shape.k = parse_size(k, "k", 1);
  if (!comma) return shape;
  shape.pad = parse_size(next_field(&text, &comma), "pad", 0);
  if (comma && !has_description) throw Error("something follows the pad");
  shape.what = text;
  return shape;
}

std::pair<int64_t, int64_t> parse_sizes(const std::string &text) {
  try {
    std::string rest = text;
    bool colon = false;
    const int64_t least = parse_size(next_field(&rest, &colon, ':'), "least", 1);
    const int64_t most = parse_size(next_field(&rest, &colon, ':'), "most", least);
    if (colon) throw Error("something follows the most");
    return {least, most};
  } catch (const Error &error) {
    throw Error(fmt::format("--sizes {}: {}; least:most is wanted", text, error.what()));
  }
}

}  // namespace

Shape parse_shape(const std::string &text) {
  try {
    std::string fields = text;
    if (fields.find(',') == std::string::npos) {
      std::replace(fields.begin(), fields.end(), 'x', ',');
      std::replace(fields.begin(), fields.end(), '+', ',');
    }
    return parse_fields(fields, false);
  } catch (const Error &error) {
    throw Error(
        fmt::format("--shape {}: {}; m,n,k or m,n,k,pad, or mxnxk or mxnxk+pad, is wanted", text, error.what()));
  }
}

std::vector<Shape> parse_sweep(const std::string &text) {
  try {
    std::string rest = text;
    bool colon = false;
    const int64_t first = parse_size(next_field(&rest, &colon, ':'), "first", 1);
    const int64_t last = parse_size(next_field(&rest, &colon, ':'), "last", first);
    const int64_t step = parse_size(next_field(&rest, &colon, ':'), "step", 1);
    if (colon) throw Error("something follows the step");
    std::vector<Shape> shapes;
    for (int64_t size = first; size <= last; size += step) shapes.push_back({size, size, size, 0, "sweep"});
    return shapes;
  } catch (const Error &error) {
    throw Error(fmt::format("--sweep {}: {}; first:last:step is wanted", text, error.what()));
  }
}

std::vector<Shape> read_suite(const std::string &path) {
  std::ifstream file(path);
  if (!file) throw Error(fmt::format("{}: cannot be opened: {}", path, strerror(errno)));
  std::vector<Shape> shapes;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line[0] == '#' || (shapes.empty() && line.rfind("m,n,k", 0) == 0)) continue;
    try {
      shapes.push_back(parse_fields(line, true));
    } catch (const Error &error) {
      throw Error(fmt::format("{}:{}: {}", path, number, error.what()));
    }
  }
  if (file.bad()) throw Error(fmt::format("{}: cannot be read", path));
  if (shapes.empty()) throw Error(fmt::format("{}: has no shape", path));
  return shapes;
}

std::vector<Shape> random_shapes(int count, uint64_t seed, int64_t least, int64_t most, double most_flops) {
  constexpr int kMostDraws = 1000;  // for one shape
  uint64_t state = seed;
  const double range = std::log(static_cast<double>(most + 1) / static_cast<double>(least));
  const auto draw = [&](int64_t multiple) {
    const double size = std::floor(static_cast<double>(least) * std::exp(range * uniform_random(&state)));
    const int64_t whole = std::clamp(static_cast<int64_t>(size), least, most), rounded = whole / multiple * multiple;
    return rounded >= least ? rounded : whole;
  };
  std::vector<Shape> shapes;
  while (static_cast<int>(shapes.size()) < count) {
    Shape shape{};
    // The choice is random: transposes alternate, so an alternating choice would give each only rounded shapes, or
    // none.
    const bool rounds = next_random(&state) % 2 == 0;
    for (int draws = 0; shape.m == 0; ++draws) {
      if (draws == kMostDraws) {
        throw Error(fmt::format("--max-flops {:g}: hardly a product of sizes from {} to {} has so few", most_flops,
                                least, most));
      }
      const int64_t multiple = rounds ? int64_t{8} << next_random(&state) % 4 : 1;
      const int64_t m = draw(multiple), n = draw(multiple), k = draw(multiple);
      if (most_flops > 0 &&
          2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) > most_flops) {
        continue;
      }
      shape = {m, n, k, 0, fmt::format("random, seed {}", seed)};
    }
    shapes.push_back(shape);
  }
  return shapes;
}

std::string default_suite() {
  const std::string here = executable_folder();
  for (const char *place : {LIBSGEMM_SUITE_INSTALLED, LIBSGEMM_SUITE_BUILT}) {
    std::string path = here + "/" + place;
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  throw Error(fmt::format("{}/{}: not found; name a suite with --suite", here, LIBSGEMM_SUITE_INSTALLED));
}

std::vector<Shape> choose_shapes(const BenchOptions &options) {
  std::vector<Shape> shapes;
  for (const std::string &text : options.shapes) shapes.push_back(parse_shape(text));
  if (!options.sweep.empty()) {
    const std::vector<Shape> squares = parse_sweep(options.sweep);
    shapes.insert(shapes.end(), squares.begin(), squares.end());
  }
  if (options.random > 0) {
    const auto [least, most] = parse_sizes(options.sizes);
    shapes = random_shapes(options.random, options.seed, least, most, options.max_flops);
  } else if (!options.suite.empty() || shapes.empty()) {
    const std::vector<Shape> suite = read_suite(options.suite.empty() ? default_suite() : options.suite);
    shapes.insert(shapes.end(), suite.begin(), suite.end());
  }
  const auto unwanted = [&options](const Shape &shape) {
    return shape_name(shape).find(options.filter) == std::string::npos &&
           shape.what.find(options.filter) == std::string::npos;
  };
  shapes.erase(std::remove_if(shapes.begin(), shapes.end(), unwanted), shapes.end());
  return shapes;
}

std::string shape_name(const Shape &shape) {
  return fmt::format("{}x{}x{}{}", shape.m, shape.n, shape.k, shape.pad != 0 ? fmt::format("+{}", shape.pad) : "");
}

}  // namespace command
