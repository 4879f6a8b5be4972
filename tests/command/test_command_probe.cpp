// `libsgemm probe` on the CPU and on a mock GPU (plugins/) whose kernels take no time. gpu_code/test_probe_code.py
// tests its device code.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "command_runner.h"
#include "support/catch.h"

namespace sgemm_test {
namespace {

using Catch::Matchers::StartsWith;
using sgemm_test::Contains;
using Json = nlohmann::json;
using Names = std::vector<std::string>;

const Environment kCuda = {{"LIBSGEMM_BACKEND_PATH", MOCK_FOLDER "/gpu"},
                           {"LD_LIBRARY_PATH", MOCK_FOLDER "/cuda_stack"}};
const Environment kHip = {{"LIBSGEMM_BACKEND_PATH", MOCK_FOLDER "/second_gpu"},
                          {"LD_LIBRARY_PATH", MOCK_FOLDER "/hip_stack"}};

Outcome probe(Names arguments, const Environment &environment = {}) {
  arguments.insert(arguments.begin(), "probe");
  arguments.insert(arguments.end(), {"--time", "0.01"});
  return command(arguments, environment);
}

std::map<std::string, double> figures_of(const Json &json) {
  std::map<std::string, double> figures;
  for (const Json &figure : json["figures"]) {
    INFO(figure.dump());
    CHECK(figure["value"].get<double>() > 0);
    figures[figure["what"]] = figure["value"];
  }
  return figures;
}

constexpr int kRuns = 5;  // other programs may slow one down

// The best of several runs.
std::map<std::string, double> best_figures(const Json &first, const std::function<Json()> &run) {
  std::map<std::string, double> best = figures_of(first);
  for (int i = 1; i < kRuns; ++i) {
    for (const auto &[what, value] : figures_of(run())) best[what] = std::max(best[what], value);
  }
  return best;
}

// True if no product is faster than the ceiling allows.
bool keep_to_ceilings(const Json &json) {
  return std::all_of(json["figures"].begin(), json["figures"].end(), [](const Json &figure) {
    return figure["group"] != "sgemm" || figure["value"].get<double>() < 1.1 * figure["ceiling"].get<double>();
  });
}

void require_error(const Outcome &outcome, int status, const std::string &what) {
  INFO(outcome.description());
  CHECK(outcome.exit_status == status);
  CHECK_THAT(outcome.err, Contains(what));
}

}  // namespace

TEST_CASE("probe: figures of the CPU, plausible and in order") {
  const Folder folder;
  const auto run = [&] {
    return json_of(folder, {"probe", "--backend", "cpu", "--time", "0.02", "--only", "fma,memory"}, {});
  };
  const Json json = run();
  CHECK(json["cpu"].is_string());
  CHECK(json["sgemm"].empty());
  std::map<std::string, double> figures = best_figures(json, run);
  if (figures.empty()) {
    WARN("SKIPPED: this CPU has no multiply-add that the probe knows");
    return;
  }
  const double scalar = figures["FMA, scalar, 1 thread"];
  CHECK(scalar > 1);
  CHECK(scalar < 100);
  CHECK(figures["FMA, 128 bits, 1 thread"] > 2 * scalar);
#if defined(__x86_64__)
  CHECK(figures["FMA, 256 bits, 1 thread"] > 4 * scalar);
#endif
#ifndef LIBSGEMM_TEST_SANITIZED
  CHECK(figures["L1 cache, read, 1 thread"] > figures["memory, read, 1 thread"]);
#endif
}

TEST_CASE("probe: SGEMM beside the ceiling") {
  if (!has_backend("openblas")) return;
  const Folder folder;
  const auto run = [&] {
    return json_of(folder, {"probe", "--backend", "cpu", "--time", "0.02", "--only", "sgemm", "--size", "512"}, {});
  };
  Json json = run();
  for (int i = 1; i < kRuns && !keep_to_ceilings(json); ++i) json = run();
  CHECK(keep_to_ceilings(json));
  REQUIRE(json["sgemm"].size() == 1);
  CHECK_THAT(json["sgemm"][0].get<std::string>(), StartsWith("SGEMM reaches ") &&
                                                      Contains(" % of this FMA ceiling by 1 thread") &&
                                                      Contains("(512 x 512 x 512)"));
  int products = 0;
  for (const Json &figure : json["figures"]) {
    CHECK((figure["group"] == "fma" || figure["group"] == "sgemm"));
    if (figure["group"] != "sgemm") continue;
    INFO(figure.dump());
    ++products;
    CHECK(std::abs(figure["flops_per_byte"].get<double>() - 2 * 512 / 12.0) < 1e-6);
  }
  CHECK(products >= 1);
}

TEST_CASE("probe: SGEMM on a GPU and of its vendor") {
  const Folder folder;
  const Json json =
      json_of(folder, {"probe", "--backend", "cuda", "--time", "0.001", "--only", "sgemm", "--size", "64"}, kCuda);
  REQUIRE(json["sgemm"].size() == 1);
  CHECK_THAT(json["sgemm"][0].get<std::string>(),
             StartsWith("SGEMM reaches ") && Contains(" % of this FFMA ceiling (64 x 64 x 64), cuBLAS "));
  std::set<std::string> products;
  for (const Json &figure : json["figures"]) {
    if (figure["group"] == "sgemm") products.insert(figure["what"].get<std::string>().substr(0, 8));
  }
  CHECK(products == std::set<std::string>{"libsgemm", "cublas, "});
}

TEST_CASE("probe --compare: equal figures pass, a changed one does not") {
  const Folder folder;
  const std::string file = folder.file("earlier.json");
  const Names arguments = {"--backend", "cpu", "--only", "fma", "--compare", file};
  const auto compare = [&](const std::string &tolerance) {
    Names all = arguments;
    all.insert(all.end(), {"--tolerance", tolerance});
    return probe(all);
  };
  REQUIRE(probe({"--backend", "cpu", "--only", "fma", "--json", file}).exit_status == 0);
  Json json = Json::parse(read_text(file));
  if (json["figures"].empty()) {
    WARN("SKIPPED: this CPU has no multiply-add that the probe knows");
    return;
  }
  const std::string count = std::to_string(json["figures"].size());
  const Outcome same = compare("1000");
  INFO(same.description());
  CHECK(same.exit_status == 0);
  CHECK_THAT(same.out, Contains("\n0 of " + count + " figures differ by more than 1000 %\n"));

  json["figures"][0]["value"] = json["figures"][0]["value"].get<double>() / 100;
  folder.write("earlier.json", json.dump());
  const Outcome changed = compare("1000");
  INFO(changed.description());
  CHECK(changed.exit_status == 1);
  CHECK_THAT(changed.out, Contains("  differs\n") && Contains("\n1 of " + count + " figures differ by more"));

  json["figures"][0]["what"] = "something else";
  folder.write("earlier.json", json.dump());
  CHECK_THAT(compare("1000").out, Contains("\n0 of " + std::to_string(json["figures"].size() - 1) + " figures differ"));
  json["figures"] = Json::array();
  folder.write("earlier.json", json.dump());
  require_error(compare("1000"), 1, "libsgemm probe: --compare: none of these figures is in the file\n");
}

TEST_CASE("probe: bad options are named") {
  const Folder folder;
  const std::string bad = folder.write("bad.json", "{}");
  require_error(probe({"--compare", folder.file("none")}), 1,
                "libsgemm probe: --compare " + folder.file("none") + ": cannot be read\n");
  require_error(probe({"--compare", bad}), 1,
                "libsgemm probe: --compare " + bad + ": is no --json of libsgemm probe: ");
  require_error(probe({"--json", folder.file("no/file")}), 1, "libsgemm probe: " + folder.file("no/file"));
  require_error(probe({"--backend", "cpu", "--only", "shared"}), 1,
                "libsgemm probe: --only shared: there is no such probe of cpu\n");
  require_error(probe({"--backend", "cuda", "--device", "7"}, kCuda), 1,
                "libsgemm probe: --device 7: there are 1 GPUs, counted from 0\n");
  require_error(probe({"--only", "nothing"}), 2, "--only: ");
  require_error(probe({"--backend", "ref"}), 2, "--backend: ");
  require_error(probe({"--tolerance", "3"}), 2, "--tolerance requires --compare");
  require_error(command({"probe", "--time", "0"}), 2, "--time: ");
}

TEST_CASE("probe of a GPU: every group, and a note of what cannot be had") {
  const Folder folder;
  const auto groups_of = [&](const std::string &backend, const Environment &environment) {
    const Json json = json_of(
        folder,
        {"probe", "--backend", backend, "--time", "0.001", "--only", "fma,arithmetic,tensor,shared,memory,launch"},
        environment);
    std::map<std::string, int> groups;
    for (const Json &figure : json["figures"]) {
      CHECK(figure["backend"] == backend);
      ++groups[figure["group"]];
    }
    CHECK(json["gpu"]["name"] == "Mock GPU");
    return std::pair{groups, json["notes"].dump()};
  };
  const auto [cuda, cuda_notes] = groups_of("cuda", kCuda);
  CHECK(cuda == std::map<std::string, int>{
                    {"fma", 10}, {"arithmetic", 6}, {"tensor", 24}, {"shared", 8}, {"memory", 7}, {"launch", 2}});
  // The mock driver has no linker and no graphs.
  CHECK_THAT(cuda_notes, Contains("FFMA, 3 operands change, one bank, no reuse is left out: libcuda.so.1: has no "
                                  "cuLinkCreate_v2"));
  const auto [hip, hip_notes] = groups_of("hip", kHip);
  CHECK(hip == std::map<std::string, int>{
                   {"fma", 6}, {"arithmetic", 1}, {"tensor", 7}, {"shared", 8}, {"memory", 7}, {"launch", 2}});
}

TEST_CASE("probe: walks through memory are whole rounds of all threads, far longer than the cache") {
  // From the mock GPUs' descriptions.
  constexpr int kCache = 1 << 16, kMultiprocessors = 4;
  for (const auto &[backend, environment, blocks] : {std::tuple{"cuda", kCuda, 1}, std::tuple{"hip", kHip, 2}}) {
    const Folder folder;
    const Json json =
        json_of(folder, {"probe", "--backend", backend, "--time", "0.001", "--only", "memory"}, environment);
    REQUIRE(json["figures"].size() == 7);
    for (const Json &figure : json["figures"]) {
      if (figure["what"] == "device memory, the driver's copy") continue;
      INFO(figure.dump());
      const auto bytes = figure["bytes"].get<int64_t>();
      CHECK(bytes % (kMultiprocessors * blocks * 1024 * 16) == 0);
      const bool in_memory = figure["what"].get<std::string>().rfind("device memory", 0) == 0;
      CHECK(bytes >= (in_memory ? 32 * kCache : 1));
    }
  }
}

TEST_CASE("probe: what is above a ceiling is no figure, but a fault") {
  const Folder folder;
  const std::string file = folder.file("probe.json");
  Environment environment = kCuda;
  environment["MOCK_CUDA"] = "slow_memory";
  const Outcome outcome = probe({"--backend", "cuda", "--only", "memory", "--json", file}, environment);
  require_error(outcome, 1, "libsgemm probe: device memory, read: a fault of the probe: ");
  CHECK_THAT(outcome.err, Contains(" % of what this GPU can do (2e-06)\n"));
  const Json json = Json::parse(read_text(file));
  CHECK(json["faults"].size() == 3);
  const std::map<std::string, double> figures = figures_of(json);
  CHECK(figures.size() == 4);
  CHECK(figures.count("L2 cache, read") == 1);
}

TEST_CASE("plot.py: the roofline of a probe") {
  const std::string python = PYTHON;
  if (python.empty()) return;
  const Folder folder;
  Json json = {{"cpu", "a CPU"}, {"date", "2026-01-01T00:00:00Z"}, {"notes", Json::array()}, {"sgemm", Json::array()}};
  const auto add = [&json](const char *group, const char *what, double value, const char *unit) -> Json & {
    json["figures"].push_back(
        {{"backend", "cuda"}, {"group", group}, {"what", what}, {"value", value}, {"unit", unit}});
    return json["figures"].back();
  };
  const auto plot = [&] {
    const std::string file = folder.write("probe.json", json.dump());
    return run_program({python, BENCH_FOLDER "/plot.py", file}, {});
  };
  add("latency", "pointers through 32 KiB", 20, "ns");
  CHECK_THAT(plot().err, StartsWith("plot.py: ") && Contains("has no ceiling"));
  add("fma", "FFMA, 16 chains, 4 warps a scheduler", 66.1, "TFLOP/s");
  add("tensor", "wgmma f16, m64n256k16, A from registers", 800, "TFLOP/s");
  add("memory", "device memory, read", 3000, "GB/s");
  add("sgemm", "libsgemm, 8192 x 8192 x 8192, row", 62, "TFLOP/s")["flops_per_byte"] = 1365;
  const Outcome drawn = plot();
  INFO(drawn.description());
  if (drawn.err == "plot.py: needs matplotlib (Debian: python3-matplotlib)\n") return;
  CHECK(drawn.exit_status == 0);
  CHECK_THAT(read_text(folder.file("probe.svg")),
             Contains(">FFMA, 66.1 TFLOP/s<") && Contains(">wgmma f16, 800 TFLOP/s<") &&
                 Contains(">device memory, 3000 GB/s<") && Contains(">libsgemm, row, 62 TFLOP/s<"));
}

}  // namespace sgemm_test
