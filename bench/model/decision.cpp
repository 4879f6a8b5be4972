// `libsgemm bench --decision`: whether the library chooses the faster side for host memory. Each shape is timed on the
// CPU, on the GPU and without a choice. Exit status 1 if the chosen side is more than 10 % slower for over 5 % of the
// shapes.
#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/command.h"
#include "base/timing.h"
#include "inputs/routines.h"
#include "inputs/suite.h"
#include "measure/report.h"
#include "sides.h"

namespace command {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kTolerance = 1.1;
constexpr double kLeastRight = 0.95;
// The fastest round counts: the load of other guests changes within seconds.
constexpr Patience kPatience = {0.02, 0.1};  // for one round
constexpr size_t kRounds = 8;
constexpr double kMostSeconds = 2;  // no further round of a shape after that

std::vector<Shape> default_shapes() {
  std::vector<Shape> shapes;
  for (const int64_t n : {32, 45, 64, 91, 128, 181, 256, 362, 512, 724, 1024, 1448, 2048, 2896, 4096, 5793, 8192}) {
    shapes.push_back({n, n, n, 0, "square"});
  }
  for (const int64_t n : {16, 32, 64, 128, 256}) {
    for (const int64_t m : {1024, 4096, 8192}) shapes.push_back({m, n, m, 0, "skinny"});
  }
  for (const int64_t n : {32, 64, 128, 256}) {
    for (const int64_t k : {2048, 16384, 131072}) shapes.push_back({n, n, k, 0, "deep k"});
  }
  for (const int64_t k : {16, 32, 64, 128}) {
    for (const int64_t n : {512, 2048, 4096, 8192}) shapes.push_back({n, n, k, 0, "rank-k update"});
  }
  return shapes;
}

std::vector<Shape> wanted_shapes(const BenchOptions &options) {
  const bool named = !options.shapes.empty() || !options.sweep.empty() || !options.suite.empty() || options.random > 0;
  std::vector<Shape> shapes = named ? choose_shapes(options) : default_shapes();
  const auto unwanted = [&](const Shape &s) {
    const bool filtered =
        shape_name(s).find(options.filter) == std::string::npos && s.what.find(options.filter) == std::string::npos;
    return filtered || (options.max_flops > 0 && flops(Routine::kSgemm, s) > options.max_flops);
  };
  shapes.erase(std::remove_if(shapes.begin(), shapes.end(), unwanted), shapes.end());
  if (shapes.empty()) throw Error("--filter and --max-flops leave nothing to measure");
  return shapes;
}

size_t most_elements(const std::vector<Shape> &shapes, int64_t Shape::*rows, int64_t Shape::*columns) {
  size_t most = 0;
  for (const Shape &s : shapes) most = std::max(most, static_cast<size_t>(s.*rows) * static_cast<size_t>(s.*columns));
  return most;
}

struct Row {
  double cpu, gpu;
  bool on_gpu;
  std::string reason;

  double chosen() const { return on_gpu ? gpu : cpu; }
  bool right() const { return chosen() <= kTolerance * std::min(cpu, gpu); }
};

Row measure_shape(const Sides &sides, const Size &size, const Operands &x) {
  Row row = {};
  row.cpu = row.gpu = std::numeric_limits<double>::infinity();
  const double start = now();
  for (size_t round = 0; round < kRounds && (round == 0 || now() - start < kMostSeconds); ++round) {
    row.cpu = std::min(row.cpu, time_product(sides.on_cpu(), size, x, kPatience));
    let_threads_rest();
    row.gpu = std::min(row.gpu, time_product(sides.on_gpu(), size, x, kPatience));
  }
  time_product(sides.automatic(), size, x, {0, 0});
  const libsgemm_info_t info = last_info();
  row.on_gpu = std::string(info.backend) == sides.gpu().info.name;
  row.reason = info.reason;
  return row;
}

}  // namespace

int decision(const BenchOptions &options) {
  const std::vector<Shape> shapes = wanted_shapes(options);
  const Sides sides("");
  const PageableOperands x(most_elements(shapes, &Shape::m, &Shape::k), most_elements(shapes, &Shape::k, &Shape::n),
                           most_elements(shapes, &Shape::m, &Shape::n));
  fmt::print("{:>20}  {:>11}  {:>11}  {:>7}  {:>6}\n", "m x n x k", "CPU", "GPU", "chosen", "ratio");
  Json json = {{"cpu", sides.key().cpu}, {"gpu", sides.key().device}, {"rows", Json::array()}};
  size_t right = 0;
  for (const Shape &s : shapes) {
    const Row row = measure_shape(sides, {s.m, s.n, s.k}, x);
    right += row.right() ? 1 : 0;
    const double ratio = row.chosen() / std::min(row.cpu, row.gpu);
    fmt::print("{:>20}  {:>11}  {:>11}  {:>7}  {:>6.2f}{}  {}\n", shape_name(s), duration_text(row.cpu),
               duration_text(row.gpu), row.on_gpu ? "GPU" : "CPU", ratio, row.right() ? "" : "  WRONG", s.what);
    if (!row.right()) fmt::print("{:>20}  {}\n", "", row.reason);
    fflush(stdout);
    json["rows"].push_back({{"m", s.m},
                            {"n", s.n},
                            {"k", s.k},
                            {"what", s.what},
                            {"cpu_seconds", row.cpu},
                            {"gpu_seconds", row.gpu},
                            {"chosen", row.on_gpu ? "gpu" : "cpu"},
                            {"right", row.right()},
                            {"reason", row.reason}});
  }
  const bool pass = static_cast<double>(right) >= kLeastRight * static_cast<double>(shapes.size());
  fmt::print("within 10 % of the faster side: {} of {}; at least {:g} %: {}\n", right, shapes.size(), 100 * kLeastRight,
             pass ? "PASS" : "FAIL");
  json["right"] = right;
  json["pass"] = pass;
  write_json(json, options.json);
  return pass ? 0 : 1;
}

}  // namespace command
