// `libsgemm bench` on device pointers, with mock GPU, driver and vendor's libraries (plugins/).
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "command_runner.h"
#include "support/catch.h"

namespace sgemm_test {
namespace {

using Catch::Matchers::StartsWith;
using sgemm_test::Contains;
using Json = nlohmann::json;

Environment mock_environment(const std::string &fault = "") {
  return {{"LIBSGEMM_BACKEND_PATH", MOCK_FOLDER "/gpu"},
          {"LD_LIBRARY_PATH", MOCK_FOLDER "/cuda_stack"},
          {"MOCK_CUDA", fault}};
}

Environment mock_hip_environment(const std::string &fault = "") {
  return {{"LIBSGEMM_BACKEND_PATH", MOCK_FOLDER "/second_gpu"},
          {"LD_LIBRARY_PATH", MOCK_FOLDER "/hip_stack"},
          {"MOCK_HIP", fault}};
}

Outcome bench(std::vector<std::string> arguments, const Environment &environment = mock_environment()) {
  arguments.insert(arguments.begin(), "bench");
  return command(arguments, environment);
}

Json report_of(const Folder &folder, std::vector<std::string> arguments,
               const Environment &environment = mock_environment()) {
  arguments.insert(arguments.begin(), "bench");
  arguments.insert(arguments.end(), {"--min-time", "0"});
  return json_of(folder, arguments, environment);
}

Outcome script(const std::string &name, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {PYTHON, BENCH_FOLDER "/" + name});
  return run_program(arguments, {});
}

bool has_python(const std::string &module) {
  const std::string python = PYTHON;
  if (!python.empty() && run_program({python, "-c", "import " + module}, {}).exit_status == 0) return true;
  std::printf("SKIPPED: no python3 with %s here\n", module.c_str());
  return false;
}

}  // namespace

TEST_CASE("bench on a GPU: every vendor's library, table and JSON") {
  const Folder folder;
  for (const std::string peer : {"cublas", "cublas-default", "cublaslt"}) {
    INFO(peer);
    const Json json = report_of(folder, {"--peer", peer, "--shape", "33,20,41,3", "--shape", "1,64,9"});
    CHECK(json["peer"]["name"] == peer);
    CHECK(json["gpu"]["name"] == "Mock GPU");
    CHECK(json["gpu"]["driver"] == "580.1 (CUDA 13.0)");
    CHECK(json["gpu"]["peak_gflops"] > 0);
    CHECK(json["geometric_mean_ratio"]["cuda"] > 0);
    CHECK(json["geometric_mean_ratio_by_transposes"].size() == 4);
    REQUIRE(json["results"].size() == 8);
    for (const Json &row : json["results"]) {
      INFO(row.dump());
      CHECK(row["state"] == "measured");
      CHECK(row["backend"] == "cuda");
      CHECK(row["kernel"] == "cuda_mock_splitk");
      CHECK(row["ratio"] > 0);
      CHECK(row["error_over_bound"] <= 1);
      CHECK(row["peer_error_over_bound"] <= 1);
      // Operand sets exceed three times the 64 KiB cache; each sample uses all.
      CHECK(row["sets"] >= 2);
      CHECK(row["calls"] >= row["sets"]);
    }
  }
  const Outcome outcome = bench({"--peer", "cublas", "--sweep", "16:48:16", "--transposes", "TN", "--min-time", "0.1"});
  INFO(outcome.description());
  CHECK(outcome.exit_status == 0);
  CHECK_THAT(outcome.out, Contains("16x16x16") && Contains("32x32x32") && Contains("48x48x48") && Contains("TFLOP/s") &&
                              Contains("measured FP32 peak") && Contains("geometric mean of the ratio cuda / cublas") &&
                              Contains("worst ratio: ") && Contains("results below 0.95: ") &&
                              Contains("1980..1980 MHz, 456..456 W, at most 55 C, clocks limited by: power cap"));
}

TEST_CASE("bench --random: the shapes of a seed, and their transposes in turn") {
  const Folder folder;
  const auto drawn = [&](const std::string &seed, const std::string &routine) {
    return report_of(folder, {"--peer", "cublas", "--random", "6", "--seed", seed, "--sizes", "5:40", "--reps", "1",
                              "--max-flops", "60000", "--routine", routine})["results"];
  };
  const auto sizes = [](const Json &rows) {
    std::vector<int64_t> all;
    for (const Json &row : rows) all.insert(all.end(), {row["m"], row["n"], row["k"]});
    return all;
  };
  const Json rows = drawn("7", "sgemm");
  REQUIRE(rows.size() == 6);
  const char *const turns[] = {"NN", "NT", "TN", "TT", "NN", "NT"};
  for (size_t i = 0; i < rows.size(); ++i) {
    INFO(rows[i].dump());
    CHECK(rows[i]["state"] == "measured");
    CHECK(rows[i]["transposes"] == turns[i]);
    CHECK(rows[i]["what"] == "random, seed 7");
    CHECK(rows[i]["flops"] <= 60000);
    for (const char *size : {"m", "n", "k"}) {
      CHECK(rows[i][size] >= 5);
      CHECK(rows[i][size] <= 40);
    }
  }
  CHECK(sizes(rows) == std::vector<int64_t>{5, 33, 17, 13, 9, 6, 6, 37, 34, 15, 31, 9, 24, 20, 6, 12, 33, 37});
  CHECK(sizes(drawn("7", "sgemm")) == sizes(rows));
  CHECK(sizes(drawn("8", "sgemm")) != sizes(rows));
  const Json triangles = drawn("7", "ssyrk");
  CHECK(triangles[0]["transposes"] == "N");
  CHECK(triangles[1]["transposes"] == "T");
}

TEST_CASE("bench --regret: every kernel that can do a call, by force") {
  const Folder folder;
  const Json json = report_of(folder, {"--peer", "cublas", "--shape", "33,20,41", "--shape", "8,8,8", "--transposes",
                                       "NN", "--regret", "--routine", "sgemm,shgemm,strsm"});
  REQUIRE(json["results"].size() == 6);
  for (const Json &row : json["results"]) {
    INFO(row.dump());
    REQUIRE(row["state"] == "measured");
    const Json &forced = row["forced"];
    CHECK(forced.size() == (row["routine"] == "sgemm" ? 2 : 1));
    // The mock's 16-bit kernel reports that another kernel multiplied.
    CHECK(forced.contains(row["kernel"].get<std::string>()) == (row["routine"] != "shgemm"));
    CHECK((row["best_kernel"] == row["kernel"] || forced.contains(row["best_kernel"].get<std::string>())));
    CHECK(row["best_seconds"] > 0);
    CHECK(row["loss"] >= 0);
    if (row["best_kernel"] == row["kernel"]) CHECK(row["loss"] == 0);
  }
  CHECK(json["loss"]["geometric_mean"] >= 0);
  CHECK(json["loss"]["most"] >= json["loss"]["percentile_95"]);
  CHECK(json["percentile_5_ratio"] > 0);
  // The plain kernel is slower only by its cost, so measurement may find it faster.
  const Outcome outcome = bench({"--peer", "cublas", "--shape", "64,64,64", "--transposes", "NN", "--regret"});
  INFO(outcome.description());
  CHECK(outcome.exit_status == 0);
  CHECK_THAT(outcome.out, Contains("lost by the choice, in time: geometric mean ") && Contains("95th percentile ") &&
                              Contains("the ratio with the fastest kernels: geometric mean ") &&
                              Contains("5th percentile of the ratio: "));
}

TEST_CASE("bench on an AMD GPU: every vendor's library, ladder and overhead") {
  const Folder folder;
  for (const std::string peer : {"rocblas", "hipblaslt"}) {
    INFO(peer);
    const Json json =
        report_of(folder, {"--peer", peer, "--shape", "33,20,41,3", "--shape", "1,64,9"}, mock_hip_environment());
    CHECK(json["peer"]["name"] == peer);
    CHECK(json["gpu"]["arch"] == "gfx90a");
    CHECK(json["gpu"]["driver"] == "unknown (HIP 6.2)");
    CHECK(json["gpu"]["peak_gflops"] > 0);
    REQUIRE(json["results"].size() == 8);
    for (const Json &row : json["results"]) {
      INFO(row.dump());
      CHECK(row["state"] == "measured");
      CHECK(row["backend"] == "hip");
      CHECK(row["kernel"] == "hip_mock_splitk");
      CHECK(row["ratio"] > 0);
      CHECK(row["peer_error_over_bound"] <= 1);
      CHECK(row["sets"] >= 2);
    }
  }
  const Outcome ladder =
      bench({"--ladder", "--peer", "rocblas", "--size", "32", "--min-time", "0"}, mock_hip_environment());
  INFO(ladder.description());
  CHECK(ladder.exit_status == 0);
  CHECK_THAT(ladder.out, Contains("peer rocblas: rocBLAS 4.2.1.mock") && Contains("gfx_fma_128x128x8_ping_pong") &&
                             Contains("clocks and power are not known: ") && Contains("what the cost model chooses"));
  const Outcome overhead =
      bench({"--overhead", "--peer", "hipblaslt", "--overhead-bar", "1e9"}, mock_hip_environment());
  INFO(overhead.description());
  CHECK(overhead.exit_status == 0);
  CHECK_THAT(overhead.out, Contains("hipBLASLt 0.10.2, FP32") && Contains("stream busy: libsgemm (hip_mock_splitk)"));
}

TEST_CASE("bench on an AMD GPU: clocks and power from /sys, and no compiler") {
  const Folder folder;
  const std::string sensors = folder.path() + "/hwmon/hwmon3";
  std::filesystem::create_directories(sensors);
  folder.write("hwmon/hwmon3/freq1_input", "1700000000\n");
  folder.write("hwmon/hwmon3/power1_average", "295000000\n");
  folder.write("hwmon/hwmon3/temp1_input", "61000\n");
  const std::vector<std::string> arguments = {"--peer", "rocblas", "--shape", "16,16,16", "--min-time", "0.1"};
  const Outcome outcome = bench(arguments, mock_hip_environment("sensors=" + folder.path()));
  INFO(outcome.description());
  CHECK(outcome.exit_status == 0);
  CHECK_THAT(outcome.out, Contains("GPU during the samples: 1700..1700 MHz, 295..295 W, at most 61 C\n"));

  const Outcome bare = bench(arguments, mock_hip_environment("no_compiler"));
  INFO(bare.description());
  CHECK(bare.exit_status == 0);
  CHECK_THAT(bare.out, Contains("the stream is not held while calls are enqueued, and the peak is not known: hiprtc "
                                "refuses the bench's kernels for gfx90a: bench.hip:1:1: error: nothing pleases it\n") &&
                           Contains("hip_mock_splitk"));
  require_bench_error(bench({"--overhead", "--peer", "rocblas"}, mock_hip_environment("no_compiler")),
                      "the stream is not held while calls are enqueued");
}

TEST_CASE("bench on an AMD GPU: what is missing or wrong is named") {
  const Folder folder;
  for (const int version : {5, 6, 7}) folder.write("libamdhip64.so." + std::to_string(version), "no shared object\n");
  Environment no_runtime = mock_hip_environment();
  no_runtime["LD_LIBRARY_PATH"] = no_runtime["ROCM_PATH"] = folder.path();
  for (const std::vector<std::string> &arguments : {std::vector<std::string>{"--peer", "rocblas"},
                                                    {"--peer", "hipblaslt"},
                                                    {"--ladder", "--backend", "hip", "--peer", "none"},
                                                    {"--overhead", "--peer", "rocblas"}}) {
    require_bench_error(bench(arguments, no_runtime),
                        "the HIP runtime cannot be loaded: " + folder.file("libamdhip64.so.7"));
  }
  require_bench_error(bench({"--peer", "rocblas"}, mock_hip_environment("no_device")),
                      "the HIP runtime finds no GPU (hipErrorNoDevice)");
  Environment no_blas = mock_hip_environment();
  for (const char *name : {"libamdhip64.so.6", "libhiprtc.so.6"}) {
    std::filesystem::create_symlink(std::string(MOCK_FOLDER "/hip_stack/") + name,
                                    folder.file(name + std::string("x")));
    std::filesystem::rename(folder.file(name + std::string("x")), folder.file(name));
  }
  std::filesystem::remove(folder.file("libamdhip64.so.7"));
  no_blas["LD_LIBRARY_PATH"] = no_blas["ROCM_PATH"] = folder.path();
  require_bench_error(bench({"--peer", "rocblas"}, no_blas), "rocBLAS cannot be loaded: librocblas.so.5: ");
  require_bench_error(bench({"--peer", "hipblaslt"}, no_blas), "hipBLASLt cannot be loaded: libhipblaslt.so.1: ");
  const Outcome wrong = bench({"--peer", "rocblas", "--shape", "20,20,20", "--transposes", "NN", "--min-time", "0"},
                              mock_hip_environment("wrong"));
  require_bench_error(wrong, "1 of 1 results are wrong");
  CHECK_THAT(wrong.out, Contains("wrong: the result of rocblas is off by"));
  require_bench_error(bench({"--ladder", "--backend", "abacus", "--peer", "none"}, mock_hip_environment()),
                      "--backend abacus: the ladder is one of cuda or hip");
}

TEST_CASE("bench on a GPU: a wrong result, and operands that do not fit") {
  for (const std::string peer : {"cublas", "cublaslt"}) {
    const Outcome outcome = bench({"--peer", peer, "--shape", "20,20,20", "--transposes", "NN", "--min-time", "0"},
                                  mock_environment("wrong"));
    require_bench_error(outcome, "1 of 1 results are wrong");
    CHECK_THAT(outcome.out, Contains("wrong: the result of " + peer + " is off by"));
  }
  const Outcome small =
      bench({"--peer", "cublas", "--shape", "9000,400,2", "--shape", "8,8,8", "--transposes", "NN", "--min-time", "0"},
            mock_environment("small"));
  INFO(small.description());
  CHECK(small.exit_status == 0);
  CHECK_THAT(small.out, Contains("not supported: not enough memory") && Contains("cuda_mock_splitk"));
}

TEST_CASE("bench on a GPU: what is missing or cannot be is named") {
  const Folder folder;
  folder.write("libcuda.so.1", "this is not a shared object\n");
  Environment no_driver = mock_environment();
  no_driver["LD_LIBRARY_PATH"] = folder.path();
  for (const std::vector<std::string> &arguments : {std::vector<std::string>{"--peer", "cublas"},
                                                    {"--peer", "cublaslt"},
                                                    {"--ladder"},
                                                    {"--ladder", "--peer", "none"},
                                                    {"--overhead", "--peer", "cublas"}}) {
    const Outcome outcome = bench(arguments, no_driver);
    require_bench_error(outcome, "the NVIDIA driver cannot be loaded: " + folder.file("libcuda.so.1"));
    CHECK(outcome.out == "");
  }
  require_bench_error(bench({"--peer", "cublas"}, mock_environment("no_device")),
                      "the NVIDIA driver fails: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected");
  Environment no_plugin = mock_environment();
  no_plugin["LIBSGEMM_BACKEND"] = "ref";
  require_bench_error(
      bench({"--peer", "cublas", "--backend", "ref"}, no_plugin),
      "--backend ref: cannot compute on the operands of --peer cublas, which lie in the memory of cuda");
  require_bench_error(bench({"--peer", "cublas", "--device", "3"}), "--device 3: there are 1 GPUs, counted from 0");
  require_bench_error(bench({"--peer", "cublas", "--kernel", "abacus"}),
                      "--kernel abacus: no available backend has it");
  require_bench_error(bench({"--ladder", "--peer", "openblas"}),
                      "--peer openblas: does not compute on a GPU, as the ladder does");
  require_bench_error(bench({"--ladder", "--transposes", "NN,TN"}),
                      "--transposes NN,TN: a ladder wants one of NN, NT, TN, TT");
  require_bench_error(bench({"--sweep", "64:32:1"}), "--sweep 64:32:1: last is '32'; a number from 64 to");
  require_bench_error(bench({"--sweep", "64:128"}), "--sweep 64:128: step is ''");
  require_bench_error(bench({"--sweep", "1:2:1:1"}), "--sweep 1:2:1:1: something follows the step");
  require_bench_error(bench({"--random", "2", "--sizes", "64:32"}), "--sizes 64:32: most is '32'; a number from 64 to");
  require_bench_error(bench({"--random", "2", "--sizes", "64"}), "--sizes 64: most is ''");
  require_bench_error(bench({"--random", "2", "--max-flops", "100"}),
                      "--max-flops 100: hardly a product of sizes from 16 to 20000 has so few");
  CHECK(bench({"--ladder", "--overhead"}).exit_status == 2);
  CHECK(bench({"--random", "2", "--shape", "1,2,3"}).exit_status == 2);
  CHECK(bench({"--random", "0"}).exit_status == 2);
  CHECK(bench({"--seed", "2"}).exit_status == 2);
  CHECK(bench({"--regret", "--kernel", "cuda_mock_plain"}).exit_status == 2);
  CHECK(bench({"--regret", "--ladder"}).exit_status == 2);
  CHECK(bench({"--size", "64"}).exit_status == 2);
}

TEST_CASE("bench --host: pageable and page-locked memory, beside other ways") {
  const Folder folder;
  const Outcome outcome = bench({"--host", "pageable,pinned", "--shape", "70,60,50,1", "--transposes", "NT", "--peer",
                                 "copy,cublasxt", "--reps", "2", "--json", folder.file("out.json")});
  INFO(outcome.description());
  REQUIRE(outcome.exit_status == 0);
  const Json json = Json::parse(read_text(folder.file("out.json")));
  CHECK(json["link"]["up"] > 0);
  REQUIRE(json["results"].size() == 6);
  for (const Json &row : json["results"]) {
    CHECK(row["calls"] == 2);
    CHECK(row["median"] > 0);
    CHECK(row["error_over_bound"] <= 1);
  }
  CHECK(json["results"][1]["way"] == "copy");
  CHECK(json["results"][3]["memory"] == "pinned");
  const Outcome others = bench({"--host", "pageable,pinned", "--shape", "70,60,50,1", "--peer", "none", "--reps", "1",
                                "--routine", "ssymm,ssyr2k,strmm,strsm,sgemmtr,sgemm"});
  INFO(others.description());
  CHECK(others.exit_status == 0);
  CHECK_THAT(others.out, Contains("strsm   ") && Contains("sgemmtr "));
  require_bench_error(bench({"--host", "pinned", "--shape", "9,9,9", "--peer", "openblas"}), "--peer openblas: ");
  for (const std::string peer : {"copy", "cublasxt"}) {
    require_bench_error(bench({"--host", "pinned", "--shape", "9,9,9", "--peer", peer, "--routine", "ssymm"}),
                        "--peer " + peer + ": with --host it is there for sgemm");
  }
  CHECK(bench({"--host", "swapped"}).exit_status == 2);
}

TEST_CASE("bench without cuBLAS says so") {
  const Folder folder;
  std::filesystem::create_symlink(MOCK_FOLDER "/cuda_stack/libcuda.so.1", folder.file("libcuda.so.1"));
  for (const char *name : {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"}) {
    folder.write(name, "this is not a shared object\n");
  }
  Environment environment = mock_environment();
  environment["LD_LIBRARY_PATH"] = folder.path();
  environment["CUDA_HOME"] = folder.path();
  require_bench_error(bench({"--peer", "cublas"}, environment),
                      "cuBLAS cannot be loaded: " + folder.file("libcublasLt.so.13"));
}

TEST_CASE("bench --ladder: each step, or that it is missing; table of it") {
  const Folder folder;
  const Outcome outcome = bench({"--ladder", "--size", "32", "--min-time", "0", "--json", folder.file("out.json")});
  INFO(outcome.description());
  REQUIRE(outcome.exit_status == 0);
  CHECK_THAT(outcome.out, Contains("32x32x32 NT") && Contains("of peer") && Contains("of peak") &&
                              Contains("not in this build") && Contains("what the cost model chooses"));
  const Json json = Json::parse(read_text(folder.file("out.json")));
  REQUIRE(json["results"].size() == 1);
  CHECK(json["ladder"] == Json::array({"what the cost model chooses"}));
  CHECK(json["results"][0]["ratio"] > 0);
  const Outcome alone = bench({"--ladder", "--size", "32", "--min-time", "0", "--peer", "none", "--transposes", "TT"});
  INFO(alone.description());
  CHECK(alone.exit_status == 0);
  CHECK_THAT(alone.out, Contains("32x32x32 TT"));
  if (!has_python("json")) return;
  const Outcome table = script("table.py", {folder.file("out.json")});
  INFO(table.description());
  CHECK(table.exit_status == 0);
  CHECK_THAT(table.out, Contains("| kernel | adds | TFLOP/s | of cublas | of the peak |") &&
                            Contains("| `cuda_mock_splitk` | what the cost model chooses | "));
}

TEST_CASE("bench --overhead on a GPU: measures, and its exit status tells of a missed bar") {
  const Outcome pass = bench({"--overhead", "--peer", "cublas", "--overhead-bar", "1e9"});
  INFO(pass.description());
  CHECK(pass.exit_status == 0);
  CHECK_THAT(pass.out, Contains("stream busy: libsgemm (cuda_mock_splitk)") && Contains("at most 1e+09 ns: PASS"));
  const Outcome fail = bench({"--overhead", "--peer", "cublas", "--overhead-bar", "-1e9"});
  INFO(fail.description());
  CHECK(fail.exit_status == 1);
  CHECK_THAT(fail.out, Contains("at most -1e+09 ns: FAIL"));
}

TEST_CASE("table.py, compact.py and plot.py: Markdown, a CSV table and a picture of results, and what is no result") {
  if (!has_python("json")) return;
  const Folder folder;
  report_of(folder, {"--peer", "cublas", "--sweep", "16:48:16", "--shape", "16,8,4,1"});
  const std::string results = folder.file("out.json");
  const Outcome table = script("table.py", {results});
  INFO(table.description());
  CHECK(table.exit_status == 0);
  CHECK_THAT(table.out, Contains("on Mock GPU (sm_90), driver 580.1 (CUDA 13.0), ") &&
                            Contains("`sgemm` by `cuda`, TFLOP/s (ratio to cublas):") &&
                            Contains("| m | n | k |  | NN | NT | TN | TT |\n|---|") &&
                            Contains("\n| 16 | 16 | 16 | ") && Contains("\n| 16 | 8 | 4 | ld + 1 | ") &&
                            Contains("geometric mean of the ratio: "));
  const std::string csv = folder.file("page.csv");
  const std::string commented = "# run: Mock GPU, driver 580.1 (CUDA 13.0); ";
  std::string once;
  for (int again = 0; again < 2; ++again) {  // the second time replaces rows
    const Outcome compact = script("compact.py", {csv, "run=" + results + "@1234567", "other=" + results + "@1234567"});
    INFO(compact.description());
    CHECK(compact.exit_status == 0);
    CHECK_THAT(read_text(csv), StartsWith(commented) && Contains("; commit 1234567\n# other: ") &&
                                   Contains("\nrun,sgemm,TN,16x8x4+1,") && Contains("\nother,sgemm,NN,16x16x16,"));
    if (again == 0) once = read_text(csv);
  }
  CHECK(read_text(csv) == once);
  CHECK(script("compact.py", {csv, "run=" + folder.file("none.json") + "@1"}).exit_status == 1);
  CHECK(read_text(csv) == once);
  const std::string bad = folder.write("bad.json", "{\"results\": []}");
  for (const char *name : {"table.py", "plot.py"}) {
    const Outcome refused = script(name, {bad});
    CHECK(refused.exit_status == 1);
    CHECK_THAT(refused.err, StartsWith(std::string(name) + ": " + bad + ": "));
  }
  CHECK(script("table.py", {}).exit_status == 2);
  if (!has_python("matplotlib")) {
    const Outcome refused = script("plot.py", {results});
    CHECK(refused.exit_status == 1);
    CHECK(refused.err == "plot.py: needs matplotlib (Debian: python3-matplotlib)\n");
    return;
  }
  const Outcome plot = script("plot.py", {results, "--transposes", "TN"});
  INFO(plot.description());
  CHECK(plot.exit_status == 0);
  CHECK_THAT(read_text(folder.file("out.svg")),
             Contains("<svg") && Contains(">measured FP32 peak<") && Contains(">TFLOP/s<") && !Contains("GFLOP/s"));
  CHECK(script("plot.py", {results, "-o", folder.file("out.png")}).exit_status == 0);
  CHECK_THAT(read_text(folder.file("out.png")), StartsWith("\x89PNG"));
}

}  // namespace sgemm_test
