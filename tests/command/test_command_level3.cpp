#include <map>
#include <nlohmann/json.hpp>

#include "command_runner.h"
#include "support/catch.h"

namespace sgemm_test {
namespace {

using Json = nlohmann::json;

Environment mock_environment(const std::string &fault = "") {
  return {{"LIBSGEMM_BACKEND_PATH", MOCK_FOLDER "/gpu"},
          {"LD_LIBRARY_PATH", MOCK_FOLDER "/cuda_stack"},
          {"MOCK_SYRK", "1"},
          {"MOCK_CUDA", fault}};
}

Outcome bench(std::vector<std::string> arguments, const Environment &environment = mock_environment()) {
  arguments.insert(arguments.begin(), {"bench", "--min-time", "0", "--reps", "1"});
  return command(arguments, environment);
}

Json report_of(const Folder &folder, std::vector<std::string> arguments,
               const Environment &environment = mock_environment()) {
  arguments.insert(arguments.begin(), {"bench", "--min-time", "0", "--reps", "1"});
  return json_of(folder, arguments, environment);
}

std::map<std::string, std::vector<std::string>> forms_of(const Json &report) {
  std::map<std::string, std::vector<std::string>> forms;
  for (const Json &row : report["results"]) {
    INFO(row.dump());
    CHECK(row["state"] == "measured");
    CHECK(row["error_over_bound"] <= 1);
    REQUIRE(row.contains("ratio"));
    CHECK(row["peer_error_over_bound"] <= 1);
    forms[row["routine"]].push_back(row["form"]);
  }
  return forms;
}

const std::string kRoutines = "ssymm,ssyrk,ssyr2k,strmm,strsm,sgemmtr";
using Forms = std::vector<std::string>;

}  // namespace

// The mock computes what it is asked; it refuses STRMM in place and wrong sizes.
TEST_CASE("bench: every routine in every form beside cuBLAS's") {
  const Folder folder;
  const Json json = report_of(folder, {"--peer", "cublas", "--routine", kRoutines, "--side", "left,right", "--uplo",
                                       "lower,upper", "--shape", "13,10,17,3"});
  auto forms = forms_of(json);
  CHECK(forms["ssymm"] == Forms{"left lower", "left upper", "right lower", "right upper"});
  CHECK(forms["ssyrk"] == Forms{"lower N", "lower T", "upper N", "upper T"});
  CHECK(forms["ssyr2k"] == forms["ssyrk"]);
  CHECK(forms["strmm"] == Forms{"left lower N", "left lower T", "left upper N", "left upper T", "right lower N",
                                "right lower T", "right upper N", "right upper T"});
  CHECK(forms["strsm"] == forms["strmm"]);
  CHECK(forms["sgemmtr"] ==
        Forms{"lower NN", "lower NT", "lower TN", "lower TT", "upper NN", "upper NT", "upper TN", "upper TT"});
  CHECK(json["geometric_mean_ratio_by_transposes"].contains("cuda strsm right lower T"));
  for (const Json &row : json["results"]) {
    INFO(row.dump());
    const std::string routine = row["routine"], form = row["form"];
    CHECK(row.contains("side") == (routine == "ssymm" || routine == "strmm" || routine == "strsm"));
    if (row.contains("side")) CHECK(form.find(row["side"].get<std::string>()) == 0);
    CHECK(form.find(row["uplo"].get<std::string>()) != std::string::npos);
    CHECK(!row.contains("batch"));
    CHECK((row["transposes"] == "-" || form.find(row["transposes"].get<std::string>()) != std::string::npos));
    // In-place calls use each set once in a sample.
    CHECK(row["sets"] >= 2);
    if (routine == "strmm" || routine == "strsm") CHECK(row["calls"] == row["sets"]);
    const bool stands_in = routine == "sgemmtr";
    REQUIRE(row.contains("peer_stand_in") == stands_in);
    if (stands_in) CHECK(row["peer_stand_in"] == "cublasSgemm, which computes all of C");
    const double k = form.find("right") == 0 ? 10 : 13;
    if (routine == "strsm") CHECK(row["flops"] == 13 * 10 * k);
  }
}

TEST_CASE("bench: forms and what the peer lacks are in the table") {
  const Outcome outcome = bench({"--peer", "cublas", "--routine", "sgemmtr,strsm,sgemm", "--uplo", "lower", "--side",
                                 "right", "--transposes", "TN", "--shape", "9,8,7"});
  INFO(outcome.description());
  CHECK(outcome.exit_status == 0);
  CHECK_THAT(outcome.out, Contains("sgemmtr  9x8x7              lower TN      fp32") &&
                              Contains("strsm    9x8x7              right lower T fp32") &&
                              Contains("sgemm    9x8x7              TN            fp32") &&
                              Contains("\ncublas for sgemmtr: cublasSgemm, which computes all of C\n"));
  const Outcome without = bench({"--peer", "cublaslt", "--routine", "strsm", "--shape", "9,8,7"});
  INFO(without.description());
  CHECK(without.exit_status == 0);
  CHECK_THAT(without.out, Contains("strsm    9x8x7              left upper N fp32") &&
                              Contains("\ncublaslt does no strsm\n") && !Contains("ratio cuda"));
}

TEST_CASE("bench: SYRK of 16-bit inputs beside the product that cuBLAS has") {
  const Folder folder;
  for (const std::string batch : {"1", "12"}) {
    const Json json = report_of(folder, {"--peer", "cublas", "--routine", "shsyrk,sbsyrk", "--batch", batch, "--uplo",
                                         "lower,upper", "--shape", "13,10,17,3"});
    auto forms = forms_of(json);
    CHECK(forms["shsyrk"].size() == 4);
    CHECK(forms["sbsyrk"] == forms["shsyrk"]);
    for (const Json &row : json["results"]) {
      INFO(row.dump());
      CHECK(row["flops"] == std::stoi(batch) * 10 * 11 * 17);
      CHECK(row["peer_stand_in"] == (batch == "1" ? "cublasGemmEx, which computes all of C"
                                                  : "a loop of cublasGemmEx, which computes all of C"));
    }
  }
}

TEST_CASE("bench: a wrong result of cuBLAS in any routine is seen") {
  for (const std::string routine :
       {"sgemm", "ssymm", "ssyrk", "ssyr2k", "strmm", "strsm", "sgemmtr", "shsyrk", "sbsyrk"}) {
    for (const std::string uplo : {"lower", "upper"}) {
      if (routine == "sgemm" && uplo == "lower") continue;
      INFO(routine);
      std::vector<std::string> arguments = {"--peer",  "cublas", "--routine",    routine,
                                            "--shape", "9,9,7",  "--transposes", "TN"};
      if (routine != "sgemm") arguments.insert(arguments.end(), {"--uplo", uplo});
      const Outcome outcome = bench(arguments, mock_environment("wrong"));
      require_bench_error(outcome, "1 of 1 results are wrong");
      CHECK_THAT(outcome.out, Contains("wrong: the result of cublas is off by"));
    }
  }
}

TEST_CASE("bench --batch: matrices by strides, beside cuBLAS's batches") {
  const Folder folder;
  const Json json = report_of(
      folder, {"--peer", "cublas", "--routine", "sgemm,shgemm", "--batch", "12", "--shape", "13,10,17,3", "--regret"});
  auto forms = forms_of(json);
  CHECK(forms["sgemm"] == Forms{"NN x 12", "NT x 12", "TN x 12", "TT x 12"});
  CHECK(forms["shgemm"] == forms["sgemm"]);
  for (const Json &row : json["results"]) {
    INFO(row.dump());
    CHECK(row["batch"] == 12);
    CHECK(row["flops"] == 12 * 2 * 13 * 10 * 17);
    CHECK(!row.contains("peer_stand_in"));
    CHECK(row.contains("best_kernel"));
  }
  const Json triangles = report_of(folder, {"--peer", "cublas", "--routine", "ssyrk,strmm,strsm", "--batch", "12",
                                            "--side", "left,right", "--uplo", "lower,upper", "--shape", "13,10,17,3"});
  forms = forms_of(triangles);
  CHECK(forms["ssyrk"] == Forms{"lower N x 12", "lower T x 12", "upper N x 12", "upper T x 12"});
  CHECK(forms["strmm"].size() == 8);
  CHECK(forms["strsm"] == forms["strmm"]);
  std::map<std::string, std::string> stand_ins = {{"ssyrk", "a loop of cublasSsyrk"},
                                                  {"strmm", "a loop of cublasStrmm"},
                                                  {"strsm", "cublasStrsmBatched, with arrays of pointers"}};
  for (const Json &row : triangles["results"]) CHECK(row["peer_stand_in"] == stand_ins[row["routine"]]);
  for (const std::string routine : {"ssyrk", "strmm", "strsm"}) {
    require_bench_error(
        bench({"--peer", "cublas", "--batch", "3", "--shape", "9,9,7", "--transposes", "NN", "--routine", routine},
              mock_environment("wrong")),
        "1 of 1 results are wrong");
  }
  const Outcome wrong =
      bench({"--peer", "cublas", "--batch", "3", "--shape", "9,9,7", "--transposes", "NN"}, mock_environment("wrong"));
  require_bench_error(wrong, "1 of 1 results are wrong");
  const Outcome without = bench({"--peer", "cublaslt", "--batch", "3", "--shape", "9,9,7", "--transposes", "NN"});
  CHECK(without.exit_status == 0);
  CHECK_THAT(without.out, Contains("NN x 3 fp32") && Contains("\ncublaslt does no sgemm in batches\n"));
}

TEST_CASE("bench --beta: C is read, beside cuBLAS's") {
  const Folder folder;
  const Json json = report_of(folder, {"--peer", "cublas", "--routine", "sgemm,shgemm,ssyrk,ssymm,ssyr2k,sgemmtr",
                                       "--beta", "-0.5", "--shape", "13,10,17,3", "--transposes", "NT", "--regret"});
  auto forms = forms_of(json);
  CHECK(forms["sgemm"] == Forms{"NT beta -0.5"});
  CHECK(forms["shgemm"] == forms["sgemm"]);
  CHECK(forms["ssyrk"] == Forms{"upper N beta -0.5"});
  CHECK(forms["ssymm"] == Forms{"left upper beta -0.5"});
  CHECK(json["results"].size() == 6);
  for (const Json &row : json["results"]) {
    INFO(row.dump());
    CHECK(row["error_over_bound"] <= 1);
  }
  const Json batch = report_of(folder, {"--peer", "cublas", "--batch", "4", "--beta", "2", "--shape", "9,9,7"});
  CHECK(forms_of(batch)["sgemm"].size() == 4);
  const Outcome wrong =
      bench({"--peer", "cublas", "--beta", "1", "--shape", "9,9,7", "--transposes", "NN"}, mock_environment("wrong"));
  require_bench_error(wrong, "1 of 1 results are wrong");
  require_bench_error(bench({"--beta", "1", "--routine", "sgemm,strmm"}), "--beta 1: strmm has none");
}

TEST_CASE("bench: every form on the CPU, beside OpenBLAS's") {
  if (!has_backend("openblas")) return;
  const Folder folder;
  const Json json =
      report_of(folder,
                {"--backend", "openblas,ref", "--peer", "openblas", "--routine", "ssymm,ssyrk,ssyr2k,strmm,strsm",
                 "--side", "left,right", "--uplo", "lower,upper", "--shape", "13,10,17,3"},
                {});
  CHECK(forms_of(json)["strsm"].size() == 2 * 8);
  const Json batch =
      report_of(folder,
                {"--backend", "openblas,ref", "--peer", "openblas", "--batch", "12", "--shape", "13,10,17,3",
                 "--routine", "sgemm,ssyrk,strmm,strsm", "--side", "left,right", "--uplo", "lower,upper"},
                {});
  CHECK(forms_of(batch)["sgemm"].size() == 2 * 4);
  CHECK(forms_of(batch)["strsm"].size() == 2 * 8);
  CHECK(batch["results"][0]["peer_stand_in"] == "a loop of cblas_sgemm");
}

TEST_CASE("bench --random and --regret: each form in turn") {
  const Folder folder;
  const Json json =
      report_of(folder, {"--peer", "cublas", "--routine", "strsm,sgemm", "--side", "right,left", "--uplo",
                         "lower,upper", "--transposes", "NN,TN", "--random", "9", "--sizes", "5:20", "--regret"});
  auto forms = forms_of(json);
  CHECK(forms["strsm"] == Forms{"right lower N", "right lower T", "right upper N", "right upper T", "left lower N",
                                "left lower T", "left upper N", "left upper T", "right lower N"});
  CHECK(forms["sgemm"] == Forms{"NN", "TN", "NN", "TN", "NN", "TN", "NN", "TN", "NN"});
  for (const Json &row : json["results"]) CHECK(row["loss"] >= 0);
}

TEST_CASE("bench: sides, triangles and batches that cannot be are named") {
  require_bench_error(bench({"--side", "middle", "--routine", "strsm"}), "--side middle: of left, right");
  require_bench_error(bench({"--uplo", "lower,left", "--routine", "strsm"}), "--uplo left: of upper, lower");
  require_bench_error(bench({"--side", "right"}), "--side right: only ssymm, strmm, strsm have one");
  require_bench_error(bench({"--side", "right", "--routine", "sgemm,ssyrk"}),
                      "--side right: only ssymm, strmm, strsm have");
  require_bench_error(bench({"--uplo", "upper", "--routine", "sgemm,sbgemm"}),
                      "--uplo upper: only ssymm, ssyrk, ssyr2k, strmm, strsm, sgemmtr, shsyrk, sbsyrk have one");
  require_bench_error(bench({"--batch", "2", "--routine", "sgemm,ssymm"}),
                      "--batch 2: ssymm has no batches by strides; only sgemm, ");
  CHECK(bench({"--batch", "0"}).exit_status == 2);
  CHECK(bench({"--batch", "2", "--plan", "a"}).exit_status == 2);
  for (const std::vector<std::string> &mode :
       {std::vector<std::string>{"--accuracy"}, {"--ladder"}, {"--overhead"}, {"--host", "pinned"}, {"--decision"}}) {
    for (const std::vector<std::string> &option :
         {std::vector<std::string>{"--side", "left"}, {"--uplo", "upper"}, {"--batch", "2"}}) {
      std::vector<std::string> arguments = mode;
      arguments.insert(arguments.end(), option.begin(), option.end());
      const Outcome outcome = bench(arguments);
      INFO(outcome.description());
      CHECK(outcome.exit_status == 2);
      CHECK_THAT(outcome.err, Contains("excludes"));
    }
  }
}

TEST_CASE("bench --groups: all at once, one call a group, and the peer") {
  const auto groups = [](std::vector<std::string> arguments, Environment environment = mock_environment()) {
    arguments.insert(arguments.begin(), {"bench", "--min-time", "0", "--reps", "1"});
    return command(arguments, environment);
  };
  const Outcome outcome =
      groups({"--groups", "uniform:5,zipf:3,empty:9", "--shape", "20,8,16", "--transposes", "TN", "--seed", "3"});
  INFO(outcome.description());
  CHECK(outcome.exit_status == 0);
  CHECK_THAT(outcome.out, Contains("zipf:3 of 20x8x16 TN, seed 3: 3 products, 9.216e-06 GFLOP") &&
                              Contains("libsgemm (cuda_mock_") && Contains("libsgemm, one call a group") &&
                              Contains("  cublas  ") && Contains("empty:9 of "));
  const Outcome narrow =
      groups({"--groups", "uniform:5", "--shape", "20,8,16", "--transposes", "NT", "--routine", "shgemm,sbgemm"});
  INFO(narrow.description());
  CHECK(narrow.exit_status == 0);
  CHECK_THAT(narrow.out, Contains("shgemm, uniform:5 of 20x8x16 NT") && Contains("sbgemm, uniform:5 of 20x8x16 NT"));
  require_bench_error(groups({"--groups", "zipf:2", "--routine", "strsm"}), "--routine strsm: groups are of products");
  const Outcome alone =
      groups({"--groups", "zipf:3", "--peer", "none", "--kernel", "cuda_mock_plain", "--shape", "9,8,7,3"});
  INFO(alone.description());
  CHECK(alone.exit_status == 0);
  CHECK_THAT(alone.out, Contains("libsgemm (cuda_mock_plain)") && !Contains("one call a group"));
  Environment wrong = mock_environment();
  wrong["MOCK_CUDA"] = "wrong";
  require_bench_error(groups({"--groups", "zipf:1", "--shape", "4,4,4"}, wrong),
                      "zipf:1: the result of cublas is off by");
  require_bench_error(groups({"--groups", "even:3"}),
                      "--groups even:3: it wants one of uniform, zipf, empty and how many");
  require_bench_error(groups({"--groups", "zipf:0"}), "--groups zipf:0: it wants");
  require_bench_error(groups({"--groups", "zipf:2", "--shape", "4,4,4", "--peer", "cublaslt"}),
                      "--peer cublaslt: it has no call for groups");
  require_bench_error(groups({"--groups", "zipf:2", "--peer", "openblas"}),
                      "--peer openblas: groups are timed on a GPU");
  CHECK(groups({"--groups", "zipf:2", "--ladder"}).exit_status == 2);
  CHECK(groups({"--groups", "zipf:2", "--batch", "2"}).exit_status == 2);
}

TEST_CASE("tune: sides, triangles and batches") {
  const Folder folder;
  Environment environment = mock_environment();
  environment["XDG_CACHE_HOME"] = folder.path();
  environment["MOCK_SLOW"] = "splitk";
  const std::vector<std::string> arguments = {"tune",  "--routine",    "strsm,ssyrk", "--side", "right", "--uplo",
                                              "lower", "--transposes", "TN",          "--reps", "3",     "--shape"};
  const auto with_shape = [&](const std::string &shape) {
    std::vector<std::string> all = arguments;
    all.push_back(shape);
    return command(all, environment);
  };
  const Outcome outcome = with_shape("16,24,8");
  INFO(outcome.description());
  CHECK(outcome.exit_status == 0);
  CHECK_THAT(outcome.out, Contains(" of 2 calls have a faster kernel"));
  CHECK(outcome.err == "");
  CHECK_THAT(with_shape("16,2000000000,2000000000").err,
             Contains("strsm op=T side=R uplo=L diag=N m=16 n=2000000000 k=2000000000 ") &&
                 Contains("ssyrk op=T uplo=L m=2000000000 n=2000000000 k=2000000000 "));
  const Outcome batch = command({"tune", "--batch", "6", "--transposes", "NN", "--shape", "16,24,8"}, environment);
  INFO(batch.description());
  CHECK(batch.exit_status == 0);
  CHECK_THAT(batch.out, Contains("sgemm_batch_strided op=NN m=16 n=24 k=8 batch=6 "));
  CHECK(command({"tune", "calls", "--uplo", "lower"}, environment).exit_status == 2);
}

TEST_CASE("table.py and plot.py: forms of level 3") {
  const std::string python = PYTHON;
  if (python.empty()) return;
  const Folder folder;
  report_of(folder, {"--peer", "cublas", "--routine", "ssymm,sgemmtr", "--side", "left,right", "--transposes", "NT",
                     "--sweep", "8:16:8"});
  const Outcome table = run_program({python, BENCH_FOLDER "/table.py", folder.file("out.json")}, {});
  INFO(table.description());
  CHECK(table.exit_status == 0);
  CHECK_THAT(table.out, Contains("| m | n | k |  | left upper | right upper |\n|---|") &&
                            Contains("| m | n | k |  | upper NT |\n|---|") &&
                            Contains("\ncublas: cublasSgemm, which computes all of C.\n"));
  const Outcome nothing = run_program(
      {python, BENCH_FOLDER "/plot.py", folder.file("out.json"), "--routine", "ssymm", "--uplo", "lower"}, {});
  CHECK(nothing.exit_status == 1);
  CHECK_THAT(nothing.err, Contains("has no square ssymm lower\n"));
  if (run_program({python, "-c", "import matplotlib"}, {}).exit_status != 0) return;
  const Outcome plot = run_program(
      {python, BENCH_FOLDER "/plot.py", folder.file("out.json"), "--routine", "ssymm", "--side", "right"}, {});
  INFO(plot.description());
  CHECK(plot.exit_status == 0);
  CHECK_THAT(read_text(folder.file("out.svg")), Contains(">SSYMM right upper, Mock GPU, "));
}

}  // namespace sgemm_test
