#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "command_runner.h"
#include "support/catch.h"

namespace sgemm_test {
namespace {

using sgemm_test::Contains;
using Json = nlohmann::json;

const Environment kMockGpu = {{"LIBSGEMM_BACKEND_PATH", MOCK_FOLDER "/gpu"},
                              {"LD_LIBRARY_PATH", MOCK_FOLDER "/cuda_stack"}};

Outcome bench(std::vector<std::string> arguments, const Environment &environment = {}) {
  arguments.insert(arguments.begin(), "bench");
  return command(arguments, environment);
}

Json report_of(const Folder &folder, std::vector<std::string> arguments, const Environment &environment = {}) {
  arguments.insert(arguments.begin(), "bench");
  return json_of(folder, arguments, environment);
}

std::map<std::string, Json> by_name(const Json &report) {
  std::map<std::string, Json> rows;
  for (const Json &row : report["results"]) {
    rows[row["engine"].get<std::string>() + " " + row["distribution"].get<std::string>()] = row;
  }
  return rows;
}

bool is_near(double value, double wanted) { return std::fabs(value - wanted) <= 1e-6 * std::fabs(wanted); }

const std::vector<std::string> kDistributions = {"normal", "positive", "wide", "cancellation"};

}  // namespace

TEST_CASE("bench --accuracy: every mode of the CPU backends, each as exact as its inputs and no more") {
  const Folder folder;
  const bool has_openblas = has_backend("openblas");
  const std::string transposes = GENERATE("NN", "TN", "NT", "TT");
  const Json json = report_of(folder, {"--accuracy", "--shape", "40,33,64,3", "--transposes", transposes, "--peer",
                                       has_openblas ? "openblas" : "none"});
  CHECK(json["accuracy"]["distributions"].size() == kDistributions.size());
  auto rows = by_name(json);
  const auto of_cpu = [](const auto &row) {
    return row.first.rfind("openblas ", 0) == 0 || row.first.rfind("ref ", 0) == 0;
  };
  CHECK(static_cast<size_t>(std::count_if(rows.begin(), rows.end(), of_cpu)) ==
        kDistributions.size() * (has_openblas ? 17 : 8));
  for (const std::string backend : {"openblas", "ref"}) {
    if (backend == "openblas" && !has_openblas) continue;
    for (const std::string &name : kDistributions) {
      const std::string text = backend + " fp32 " + name;
      INFO(text);
      const Json fp32 = rows[text];
      CHECK(fp32["state"] == "measured");
      CHECK(fp32["math_mode"] == "fp32");
      CHECK(fp32["elements"] == 40 * 33);
      const double left = fp32["exact_over_magnitude"];
      if (name == "positive") CHECK(left == 1);
      if (name == "normal" || name == "wide") CHECK((left > 0.03 && left < 0.99));
      if (name == "cancellation") CHECK((left > 0x1p-25 && left < 0x1p-19));
      // The bound 2 sqrt(k + 2) is 16.2.
      CHECK((fp32["worst"] > 0.1 && fp32["worst"] < 16.3));
      CHECK((fp32["root_mean_square"] > 0.01 && fp32["root_mean_square"] < fp32["worst"]));
      CHECK(is_near(fp32["error_over_bound"], fp32["worst"].get<double>() / (2 * std::sqrt(64 + 2))));
      // The bound is half a unit of an element, at most the sum of its products' magnitudes.
      const Json fp64 = rows[backend + " fp64 " + name];
      CHECK(fp64["math_mode"] == "fp64");
      CHECK(fp64["worst"] <= 1);
      CHECK(fp64["worst"] < fp32["worst"]);
      for (const std::string mode : {"bf16x6", "fp16x3"}) {
        const Json row = rows[backend + " " + mode + " " + name];
        CHECK((row["state"] == "not supported" && row["problem"] == "fp32 ran"));
        CHECK(row["asked_math_mode"] == mode);
      }
      if (name == "cancellation") continue;  // the inputs' rounding cancels, too
      // An input's unit is 2^13 or 2^16 output units.
      const Json tf32 = rows[backend + " tf32 " + name], bf16 = rows[backend + " bf16 " + name];
      CHECK((tf32["worst"] > 1000 && tf32["worst"] < 16500));
      CHECK((bf16["worst"] > 8000 && bf16["worst"] < 8 * 16500));
      CHECK(bf16["worst"] > 4 * tf32["worst"].get<double>());
      const Json fp16 = rows[backend + " fp16 " + name];
      CHECK(fp16["state"] == "measured");
      CHECK((fp16["not_finite"] > 0) == (name == "wide"));
      CHECK(fp16["worst"].is_null() == (name == "wide"));
    }
  }
  if (!has_openblas) return;
  CHECK(json["accuracy"]["reference"] == "openblas");
  CHECK(rows["openblas fp32 normal"]["worst_over_reference"] == 1);
  for (const std::string &name : kDistributions) {
    const double ours = rows["ref fp32 " + name]["worst"], theirs = rows["openblas " + name]["worst"];
    CHECK(is_near(rows["ref fp32 " + name]["worst_over_reference"], ours / theirs));
  }
  CHECK(!rows["openblas tf32 normal"].contains("worst_over_reference"));
  CHECK(rows["openblas normal"]["worst"] == rows["openblas fp32 normal"]["worst"]);
}

TEST_CASE(
    "bench --accuracy --distribution: FP32 keeps its bound for operands of every kind, zeros and denormal ones too") {
  const Folder folder;
  const auto measure = [&](const std::string &which) {
    return report_of(folder, {"--accuracy", "--distribution", which, "--shape", "40,33,64,3", "--shape", "3,200,5",
                              "--math", "fp32,fp64", "--backend", "ref", "--peer", "none"});
  };
  const Json all = measure("all");
  CHECK(all["accuracy"]["distributions"].size() == 12);
  CHECK(all["results"].size() == 2 * 2 * 12);
  for (const Json &row : all["results"]) {
    INFO(row.dump());
    CHECK(row["state"] == "measured");
    CHECK((row["worst"] > 0 && row["error_over_bound"] <= 1));
    CHECK(row["not_finite"] == 0);
    if (row["asked_math_mode"] == "fp64") CHECK(row["worst"] <= 1.001);
  }
  const Json two = measure("tiny,normal");
  CHECK(two["accuracy"]["distributions"].size() == 2);
  const Outcome odd = bench({"--accuracy", "--distribution", "odd"}), alone = bench({"--distribution", "tiny"});
  CHECK((odd.exit_status == 2 && alone.exit_status == 2));
  CHECK_THAT(odd.err, Contains("--distribution: odd not in {normal,"));
  CHECK_THAT(alone.err, Contains("--distribution requires --accuracy"));
}

TEST_CASE("bench --accuracy: one product an element is off by half a unit, and the units are those of FP32") {
  const Folder folder;
  auto rows = by_name(report_of(folder, {"--accuracy", "--shape", "200,1,1", "--backend", "ref", "--peer", "none"}));
  for (const std::string &name : kDistributions) {
    INFO(name);
    const Json fp32 = rows["ref fp32 " + name];
    CHECK(fp32["elements"] == 128);
    CHECK((fp32["worst"] > 0.5 && fp32["worst"] <= 1));
    CHECK((rows["ref tf32 " + name]["worst"] > 4096 && rows["ref tf32 " + name]["worst"] <= 16388));
  }
}

TEST_CASE("bench --accuracy: a wrong element is found, whoever computes it") {
  const Folder folder;
  const Outcome outcome = bench({"--accuracy", "--shape", "20,30,2000", "--backend", "openblas,ref", "--math",
                                 "fp32,tf32,fp16", "--json", folder.file("out.json")},
                                {{"LIBSGEMM_CPU_BLAS", FAULTY_BLAS}});
  require_bench_error(outcome, "");
  CHECK_THAT(outcome.err, Contains(" of 28 results are wrong"));
  CHECK_THAT(outcome.out, Contains("wrong: openblas, normal: off by "));
  auto rows = by_name(Json::parse(read_text(folder.file("out.json"))));
  for (const std::string engine : {"openblas fp32", "openblas tf32", "openblas"}) {
    CHECK(rows[engine + " normal"]["state"] == "wrong");
    CHECK(rows[engine + " normal"]["error_over_bound"] > 1);
  }
  // The result is 0 instead of infinite.
  CHECK(rows["openblas fp16 wide"]["state"] == "wrong");
  CHECK(rows["openblas fp16 wide"]["error_over_bound"].is_null());
  for (const std::string engine : {"ref fp32", "ref tf32", "ref fp16"})
    CHECK(rows[engine + " normal"]["state"] == "measured");
}

TEST_CASE("bench --accuracy on a GPU: beside cuBLAS in FP32 and TF32") {
  const Folder folder;
  const Json json = report_of(folder, {"--accuracy", "--shape", "40,33,64,1", "--backend", "cuda"}, kMockGpu);
  CHECK(json["gpu"]["name"] == "Mock GPU");
  CHECK(json["accuracy"]["reference"] == "cublas");
  CHECK(json["peers"]["cublas-tf32"] == "cuBLAS 13.12.11, TF32, 32 MiB of workspace");
  auto rows = by_name(json);
  for (const std::string engine : {"cuda fp32", "cuda tf32", "cublas", "cublas-tf32"}) {
    INFO(engine);
    CHECK(rows[engine + " normal"]["state"] == "measured");
    CHECK((rows[engine + " normal"]["worst"] > 0.1 && rows[engine + " normal"]["worst"] < 16.3));
  }
  // The mock GPU adds two half sums; the mock cuBLAS computes one sum.
  CHECK((rows["cuda fp32 normal"]["worst_over_reference"] > 0.2 &&
         rows["cuda fp32 normal"]["worst_over_reference"] <= 1));
  CHECK(rows["cuda tf32 normal"]["kernel"] == "cuda_mock_tf32");
  CHECK(rows["cuda bf16 normal"]["problem"] == "fp32 ran");

  auto forced = by_name(
      report_of(folder, {"--accuracy", "--shape", "8,8,8", "--kernel", "cuda_mock_plain", "--peer", "none"}, kMockGpu));
  CHECK(forced.size() == kDistributions.size());
  CHECK(forced["cuda normal"]["kernel"] == "cuda_mock_plain");

  Environment wrong = kMockGpu;
  wrong["MOCK_CUDA"] = "wrong";
  const Outcome outcome = bench({"--accuracy", "--shape", "20,20,20", "--backend", "cuda", "--math", "fp32"}, wrong);
  require_bench_error(outcome, "8 of ");
  CHECK_THAT(outcome.out, Contains("wrong: cublas, wide: off by ") && Contains("wrong: cublas-tf32, normal: off by "));

  Environment no_driver = kMockGpu;
  no_driver["LD_LIBRARY_PATH"] = folder.path();
  folder.write("libcuda.so.1", "this is not a shared object\n");
  const Outcome without = bench({"--accuracy", "--shape", "8,8,8", "--math", "fp32"}, no_driver);
  INFO(without.description());
  CHECK(without.exit_status == 0);
  CHECK_THAT(without.out, Contains("without cuda: the NVIDIA driver cannot be loaded") && Contains("ref fp32"));
  require_bench_error(bench({"--accuracy", "--backend", "cuda"}, no_driver), "the NVIDIA driver cannot be loaded");
}

TEST_CASE("bench --math: a row a mode, what ran where the mode is missing, and means that do not mix them") {
  const Folder folder;
  const std::vector<std::string> arguments = {"--shape",    "33,20,41",  "--transposes", "NN",     "--backend",
                                              "ref",        "--routine", "sgemm,shgemm", "--math", "fp32,bf16,fp16x3",
                                              "--min-time", "0"};
  const Json json = report_of(folder, arguments);
  REQUIRE(json["results"].size() == 4);  // shgemm has one row
  const std::vector<std::string> asked = {"fp32", "bf16", "fp16x3"}, ran = {"fp32", "bf16", "fp32"};
  for (size_t i = 0; i < asked.size(); ++i) {
    CHECK(json["results"][i]["asked_math_mode"] == asked[i]);
    CHECK(json["results"][i]["math_mode"] == ran[i]);
    CHECK(json["results"][i]["state"] == "measured");
  }
  CHECK(!json["results"][3].contains("asked_math_mode"));
  if (has_backend("openblas")) CHECK(json["geometric_mean_ratio"]["ref bf16"] > 0);
  CHECK_THAT(bench(arguments).out, Contains("ref was asked for fp16x3, 33x20x41, NN: fp32 ran\n"));
  const Json set = report_of(folder, {"--shape", "8,8,8", "--backend", "ref", "--peer", "none", "--min-time", "0"},
                             {{"LIBSGEMM_MATH_MODE", "bf16"}});
  CHECK(set["results"][0]["math_mode"] == "bf16");
}

TEST_CASE("bench --plan: products whose operands are kept") {
  const Folder folder;
  const std::vector<std::string> arguments = {"--peer",       "cublas", "--shape",    "2,3,60000",
                                              "--transposes", "TN",     "--min-time", "0"};
  const auto with = [&](std::initializer_list<std::string> more) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), more);
    return all;
  };
  for (const std::string plan : {"a", "b"}) {
    const Json json = report_of(folder, with({"--math", "fp16x3", "--plan", plan}), kMockGpu);
    CHECK(json["results"][0]["state"] == "measured");
    CHECK(json["results"][0]["plans"] == 1);
    CHECK(json["notes"] == Json::array({"sgemm with " + std::string(plan == "a" ? "A" : "B") +
                                        " kept as plans, whose making is not timed"}));
  }
  const std::vector<std::string> both =
      with({"--math", "fp16x3,fp32", "--routine", "sgemm,shgemm", "--plan", "ab", "--json", folder.file("ab.json")});
  const Outcome outcome = bench(both, kMockGpu);
  INFO(outcome.description());
  CHECK(outcome.exit_status == 0);
  CHECK_THAT(outcome.out, Contains("cuda fp32, 2x3x60000, TN: 0 of 2 operands came from plans"));
  const Json json = Json::parse(read_text(folder.file("ab.json")));
  REQUIRE(json["results"].size() == 3);
  CHECK(json["results"][0]["plans"] == 2);
  CHECK(json["results"][0]["error_over_bound"] <= 1);
  CHECK(json["results"][1]["plans"] == 0);
  CHECK(!json["results"][2].contains("plans"));
  CHECK(bench({"--plan", "c"}).exit_status != 0);
  CHECK(bench({"--plan", "a", "--accuracy"}).exit_status != 0);
}

TEST_CASE("bench on a GPU: products of 16-bit inputs and TF32 beside cuBLAS's") {
  const Folder folder;
  for (const std::string peer : {"cublas", "cublas-default", "cublas-tf32"}) {
    const Json json = report_of(folder,
                                {"--peer", peer, "--shape", "33,20,41,3", "--routine", "sgemm,shgemm,sbgemm",
                                 "--transposes", "NN,TT", "--workspace", "128", "--min-time", "0"},
                                kMockGpu);
    CHECK(json["notes"] == Json::array({"at most 128 MiB of workspace for libsgemm"}));
    REQUIRE(json["results"].size() == 6);
    for (const Json &row : json["results"]) {
      INFO(row.dump());
      CHECK(row["state"] == "measured");
      CHECK(row["kernel"] == (row["routine"] == "sgemm" ? "cuda_mock_splitk" : "cuda_mock_plain"));
      CHECK(row["peer_error_over_bound"] <= 1);
      CHECK(row["ratio"] > 0);
    }
  }
}

TEST_CASE("bench --workspace bounds what the library allocates") {
  const auto state = [](const char *mebibytes) {
    const Folder folder;
    const Json json = report_of(folder,
                                {"--peer", "cublas", "--shape", "8,8,8", "--routine", "shgemm", "--transposes", "NN",
                                 "--workspace", mebibytes, "--min-time", "0"},
                                kMockGpu);
    return json["results"][0]["state"].get<std::string>();
  };
  CHECK(state("2") == "measured");
  CHECK(state("1") == "not supported");
}

TEST_CASE("bench --ladder of 16-bit inputs") {
  const Outcome outcome = bench({"--ladder", "--routine", "sbgemm", "--size", "32", "--min-time", "0"}, kMockGpu);
  INFO(outcome.description());
  CHECK(outcome.exit_status == 0);
  CHECK_THAT(outcome.out,
             Contains("sbgemm 32x32x32 NT") && Contains("sm75_wmma_16x16x16_warp") && Contains("cuda_mock_plain"));
  require_bench_error(bench({"--ladder", "--routine", "ssyrk"}, kMockGpu), "--routine ssyrk: cuda has no ladder of it");
  require_bench_error(bench({"--ladder", "--routine", "sgemm,shgemm"}, kMockGpu),
                      "--routine sgemm,shgemm: a ladder wants one");
}

TEST_CASE("bench: options of modes that are wrong or exclude each other") {
  const std::string modes =
      "--math abacus: there is no such mode; there are fp64, fp32, fp32_fast, bf16x6, fp16x3, tf32, fp16, bf16";
  require_bench_error(bench({"--accuracy", "--math", "abacus"}), modes);
  require_bench_error(bench({"--shape", "8,8,8", "--math", "abacus"}), modes);
  require_bench_error(bench({"--accuracy", "--transposes", "NN,TN"}),
                      "--transposes NN,TN: --accuracy wants one of NN, NT, TN, TT");
  require_bench_error(bench({"--accuracy", "--kernel", "abacus"}), "--kernel abacus: no available backend has it");
  require_bench_error(bench({"--accuracy", "--backend", "abacus"}), "no backend is called 'abacus'");
  require_bench_error(bench({"--accuracy", "--peer", "abacus"}), "--peer abacus: there is no such peer");
  require_bench_error(bench({"--accuracy", "--max-flops", "10"}), "--filter and --max-flops leave nothing to measure");
  CHECK(bench({"--accuracy", "--ladder"}).exit_status == 2);
  CHECK(bench({"--accuracy", "--overhead"}).exit_status == 2);
  CHECK(bench({"--workspace", "0"}).exit_status == 2);
}

TEST_CASE("table.py and plot.py of --accuracy and of modes") {
  const std::string python = PYTHON;
  const auto has = [&](const std::string &module) {
    return !python.empty() && run_program({python, "-c", "import " + module}, {}).exit_status == 0;
  };
  if (!has("json")) {
    std::printf("SKIPPED: no python3 here\n");
    return;
  }
  const Folder folder;
  report_of(folder, {"--accuracy", "--shape", "16,16,512", "--shape", "8,9,32,1", "--backend", "ref"});
  const std::string results = folder.file("out.json");
  const Outcome table = run_program({python, BENCH_FOLDER "/table.py", results}, {});
  INFO(table.description());
  CHECK(table.exit_status == 0);
  CHECK_THAT(table.out,
             Contains("16 x 16 x 512 NN: worst error in units of 2^-24") && Contains("8 x 9 x 32, ld + 1 NN: ") &&
                 Contains("of 256 elements:\n") && Contains("|  | normal | positive | wide | cancellation |\n|---|") &&
                 Contains("\n| ref fp32 | ") && Contains("\n| ref fp16x3 | fp32 ran | ") && Contains(" % overflow |"));
  const std::string times = folder.write("times.json", "");
  std::vector<std::string> arguments = {"bench",     "--sweep", "16:32:16",     "--math", "fp32,tf32,fp16x3",
                                        "--backend", "ref",     "--transposes", "NN",     "--min-time",
                                        "0",         "--json",  times};
  CHECK(command(arguments).exit_status == 0);
  arguments[arguments.size() - 1] = results;
  arguments.insert(arguments.begin() + 1, "--accuracy");
  CHECK(command(arguments).exit_status == 0);
  const Outcome modes = run_program({python, BENCH_FOLDER "/table.py", "--modes", times, results}, {});
  INFO(modes.description());
  CHECK(modes.exit_status == 0);
  CHECK_THAT(modes.out, Contains("|  | 16, GFLOP/s | 32, GFLOP/s | error at 32, normal | error at 32, positive |") &&
                            Contains("\n| ref tf32 | ") &&
                            Contains("\n| ref fp16x3 | fp32 ran | fp32 ran | fp32 ran |"));
  CHECK(run_program({python, BENCH_FOLDER "/table.py", "--modes"}, {}).exit_status == 2);
  if (!has("matplotlib")) {
    std::printf("SKIPPED: no python3 with matplotlib here\n");
    return;
  }
  const Outcome plot = run_program({python, BENCH_FOLDER "/plot.py", results}, {});
  INFO(plot.description());
  CHECK(plot.exit_status == 0);
  CHECK_THAT(read_text(folder.file("out.svg")), Contains("<svg") && Contains("cancellation"));
  CHECK(run_program({python, BENCH_FOLDER "/plot.py", times}, {}).exit_status == 0);
  CHECK_THAT(read_text(folder.file("times.svg")), Contains("libsgemm (ref tf32)"));
}

}  // namespace sgemm_test
