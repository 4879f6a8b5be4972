#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "command_runner.h"
#include "support/catch.h"

namespace sgemm_test {
namespace {

#if defined(LIBSGEMM_TEST_SANITIZED)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

using Catch::Matchers::StartsWith;
using sgemm_test::Contains;
using Json = nlohmann::json;

void require_error(const Outcome &outcome, const std::string &line) {
  INFO(outcome.description());
  CHECK(outcome.exit_status == 1);
  CHECK_THAT(outcome.err, StartsWith(line));
  CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
}

Json info(const Environment &environment = {}) {
  const Outcome outcome = command({"info", "--json"}, environment);
  INFO(outcome.description());
  REQUIRE(outcome.exit_status == 0);
  return Json::parse(outcome.out);
}

Json backend_of(const Json &json, const std::string &name) {
  for (const Json &backend : json["backends"]) {
    if (backend["name"] == name) return backend;
  }
  FAIL("no backend " << name);
  return {};
}

bool has_its_kernel(const Json &json, const Json &row) {
  const Json kernels = backend_of(json, row["backend"])["kernels"];
  return std::find(kernels.begin(), kernels.end(), row["kernel"]) != kernels.end();
}

}  // namespace

TEST_CASE("info: every backend is there, with devices and kernels or the reason of its refusal") {
  const Json json = info({{"LIBSGEMM_CPU_BLAS", "/nonexistent/libblas.so"}});
  CHECK_THAT(json["library"].get<std::string>(), Contains("/libsgemm.so"));
  const Json openblas = backend_of(json, "openblas");
  CHECK(openblas["available"] == false);
  CHECK_THAT(openblas["reason"].get<std::string>(), Contains("/nonexistent/libblas.so"));
  const Json ref = backend_of(json, "ref");
  CHECK(ref["available"] == true);
  CHECK(ref["devices"].size() == 1);
  CHECK(ref["kernels"].size() > 0);
  for (const char *name : {"cuda", "hip"}) {
    const Json gpu = backend_of(json, name);
    if (gpu["available"] == false) CHECK(gpu["reason"].get<std::string>() != "");
  }
  for (const Json &size : json["auto"]["sizes"]) {
    if (size["called"] == true) CHECK(has_its_kernel(json, size));
  }
  CHECK(json["auto"]["sizes"][0]["called"] == true);
  CHECK(json["environment"]["LIBSGEMM_CPU_BLAS"] == "/nonexistent/libblas.so");
  const Outcome words = command({"info"}, {{"LIBSGEMM_CPU_BLAS", "/nonexistent/libblas.so"}});
  CHECK_THAT(words.out, Contains("openblas  not available: /nonexistent") && Contains("ref       built in"));
}

TEST_CASE("info: what the environment forces is shown beside what auto chooses") {
  const Json json = info({{"LIBSGEMM_BACKEND", "ref"}});
  CHECK(json["with_environment"]["sizes"][0]["backend"] == "ref");
  if (has_backend("openblas")) CHECK(json["auto"]["sizes"][0]["backend"] == "openblas");
  const Outcome wrong = command({"info"}, {{"LIBSGEMM_BACKEND", "abacus"}});
  require_error(wrong, "libsgemm info: libsgemm_create: LIBSGEMM_BACKEND=abacus");
  CHECK_THAT(wrong.out, Contains("LIBSGEMM_BACKEND=abacus"));
}

TEST_CASE("the version") {
  const Outcome outcome = command({"--version"});
  CHECK(outcome.exit_status == 0);
  CHECK(outcome.out == "libsgemm " + info()["version"].get<std::string>() + "\n");
}

TEST_CASE("bench: every routine on every CPU backend, table and JSON") {
  const Folder folder;
  const std::string routines = "sgemm,ssymm,ssyrk,ssyr2k,strmm,strsm,sgemmtr,shgemm,sbgemm,shsyrk,sbsyrk";
  const bool has_openblas = has_backend("openblas");
  const Outcome outcome = command({"bench", "--shape", "33,20,41,3", "--shape", "1,64,9", "--routine", routines,
                                   "--reps", "3", "--min-time", "0", "--backend", has_openblas ? "openblas,ref" : "ref",
                                   "--peer", has_openblas ? "openblas" : "none", "--json", folder.file("out.json")});
  INFO(outcome.description());
  REQUIRE(outcome.exit_status == 0);
  const Json json = Json::parse(read_text(folder.file("out.json")));
  // The transposes of two shapes are NN NT TN TT, or N T, or none.
  const size_t rows_of_backend = 2 * (4 * 4 + 2 * 6 + 1);
  CHECK(json["results"].size() == rows_of_backend * (has_openblas ? 2 : 1));
  const Json backends = info();
  int compared = 0;
  for (const Json &row : json["results"]) {
    INFO(row.dump());
    CHECK(row["state"] == "measured");
    CHECK(has_its_kernel(backends, row));
    CHECK(row["threads"] > 0);
    CHECK(row["seconds"]["samples"] == 3);
    CHECK(row["seconds"]["gflops"] > 0);
    CHECK(row["seconds"]["minimum"] <= row["seconds"]["median"]);
    CHECK(row["seconds"]["median"] <= row["seconds"]["maximum"]);
    CHECK(row["error_over_bound"] <= 1);
    if (!row.contains("ratio")) continue;
    ++compared;
    CHECK(row["ratio"] > 0);
    CHECK(row["peer_seconds"]["gflops"] > 0);
  }
  CHECK(compared >= (has_openblas ? 2 * 2 * (4 + 1 + 2 + 2 + 2 + 2) : 0));
  CHECK_THAT(outcome.out, Contains("33x20x41+3") && Contains("MHz"));
  if (has_openblas) CHECK(json["geometric_mean_ratio"]["ref"] > 0);
}

TEST_CASE("bench: a suite, cut down, and forced kernels") {
  const Folder folder;
  const std::string suite = folder.write("suite.csv",
                                         "# a comment\nm,n,k,pad,what\n8,8,8,0,small, with a comma\n"
                                         "500,500,500,0,too many operations\n9,8,8,1,other\n");
  const std::string kernel = backend_of(info(), "ref")["kernels"][0];
  const Outcome outcome = command({"bench", "--suite", suite, "--max-flops", "1e6", "--filter", "small", "--kernel",
                                   kernel, "--peer", "none", "--json", folder.file("out.json"), "--min-time", "0"});
  INFO(outcome.description());
  REQUIRE(outcome.exit_status == 0);
  const Json json = Json::parse(read_text(folder.file("out.json")));
  REQUIRE(json["results"].size() == 4);
  for (const Json &row : json["results"]) {
    CHECK(row["what"] == "small, with a comma");
    CHECK(row["kernel"] == kernel);
    CHECK(!row.contains("ratio"));
  }
  const Outcome built_in = command({"bench", "--max-flops", "6e7", "--backend", "ref", "--peer", "none", "--filter",
                                    "4096x1x4096", "--transposes", "TN", "--min-time", "0", "--reps", "1"});
  INFO(built_in.description());
  CHECK(built_in.exit_status == 0);
  CHECK_THAT(built_in.out, Contains("4096x1x4096"));
}

TEST_CASE("bench: bad options and suites") {
  const Folder folder;
  const auto fails = [](std::vector<std::string> arguments, const std::string &what) {
    arguments.insert(arguments.begin(), "bench");
    const Outcome outcome = command(arguments);
    require_error(outcome, "libsgemm bench: " + what);
    CHECK(outcome.out == "");
  };
  fails({"--shape", "8,8"}, "--shape 8,8: k is ''; a number from 1 to 2147483648 is wanted");
  fails({"--shape", "0,8,8"}, "--shape 0,8,8: m is '0'");
  fails({"--shape", "8,8,8,1,1"}, "--shape 8,8,8,1,1: something follows the pad");
  fails({"--shape", "8,8,8x"}, "--shape 8,8,8x: k is '8x'");
  fails({"--shape", "8,8,99999999999999999999"}, "--shape 8,8,99999999999999999999: k is");
  fails({"--shape", "8,8,8", "--routine", "dgemm"},
        "--routine dgemm: there is no such routine; there are sgemm, ssymm");
  fails({"--shape", "8,8,8", "--transposes", "NX"}, "--transposes NX: of NN, NT, TN, TT");
  fails({"--shape", "8,8,8", "--backend", "abacus"}, "no backend is called 'abacus'; there are cuda");
  fails({"--shape", "8,8,8", "--kernel", "abacus"}, "--kernel abacus: no available backend has it");
  fails({"--shape", "8,8,8", "--peer", "abacus"}, "--peer abacus: there is no such peer; there are none, openblas");
  fails({"--shape", "8,8,8", "--max-flops", "10"}, "--filter and --max-flops leave nothing to measure");
  fails({"--suite", folder.file("none.csv")}, folder.file("none.csv") + ": cannot be opened: No such file");
  const std::string suite = folder.write("suite.csv", "m,n,k,pad,what\n8,8,8,0,good\n8,oops,8,0,bad\n");
  fails({"--suite", suite}, suite + ":3: n is 'oops'");
  const std::string empty = folder.write("empty.csv", "# nothing\n");
  fails({"--suite", empty}, empty + ": has no shape");
  fails({"--shape", "8,8,8", "--json", folder.file("none/out.json")}, folder.file("none/out.json") + ": cannot be");
}

TEST_CASE("bench: wrong results are found and not reported as times") {
  const Folder folder;
  const Outcome outcome = command({"bench", "--shape", "20,30,40", "--transposes", "NN", "--backend", "openblas,ref",
                                   "--min-time", "0", "--json", folder.file("out.json")},
                                  {{"LIBSGEMM_CPU_BLAS", FAULTY_BLAS}});
  INFO(outcome.description());
  require_error(outcome, "libsgemm bench: 2 of 2 results are wrong");
  const Json json = Json::parse(read_text(folder.file("out.json")));
  CHECK_THAT(json["results"][0]["problem"].get<std::string>(), Contains("the result of libsgemm is off by"));
  CHECK_THAT(json["results"][1]["problem"].get<std::string>(), Contains("the result of openblas is off by"));
  for (const Json &row : json["results"]) CHECK((row["state"] == "wrong" && !row.contains("seconds")));
}

TEST_CASE("bench --overhead: measures, and its exit status tells of a missed bar", "[openblas]") {
  if (kSanitized || !has_backend("openblas")) return;
  const Outcome outcome =
      command({"bench", "--overhead", "--overhead-bar", "1e9", "--ratio-bar", "100", "--max-flops", "3e8"});
  INFO(outcome.description());
  CHECK(outcome.exit_status == 1);
  CHECK_THAT(outcome.out, Contains("at most 1e+09 ns: PASS") && Contains("at least 100: FAIL") &&
                              Contains("1 thread") && !Contains("1024 x 1024"));
  CHECK(command({"bench", "--ratio-bar", "1"}).exit_status == 2);
}

namespace {

// A library may be preloaded before AddressSanitizer.
const Environment kPreload = {{"ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0"}};

Outcome run_client(std::vector<std::string> options, const std::vector<std::string> &client,
                   const std::string &temporary = "/tmp") {
  options.insert(options.begin(), "run");
  options.insert(options.end(), {"--", CLIENT});
  options.insert(options.end(), client.begin(), client.end());
  Environment environment = kPreload;
  environment["TMPDIR"] = temporary;
  return command(options, environment);
}

std::map<std::string, int> counts_of(const Json &process) {
  std::map<std::string, int> counts;
  for (const Json &row : process["calls"]) {
    CHECK(row["seconds"] > 0);
    CHECK(row["flops"] == row["calls"].get<int>() * 2 * 16 * 16 * 16);
    counts[row["entry"].get<std::string>() + " " + row["backend"].get<std::string>()] += row["calls"].get<int>();
  }
  return counts;
}

}  // namespace

TEST_CASE("run: counts the calls of a program, forwards its output and exit status, and leaves nothing") {
  const Folder folder;
  const std::string report = folder.file("report.json");
  const Outcome outcome = run_client({"--json", "-o", report, "--backend", "ref"},
                                     {"cblas", "5", "fortran", "7", "print", "hello", "exit", "3"}, folder.path());
  INFO(outcome.description());
  CHECK(outcome.exit_status == 3);
  CHECK(outcome.out == "hello\n");
  CHECK(outcome.err == "");
  const Json json = Json::parse(read_text(report));
  CHECK(json["exit_status"] == 3);
  REQUIRE(json["processes"].size() == 1);
  CHECK(json["processes"][0]["program"] == "command_client");
  CHECK(counts_of(json["processes"][0]) == std::map<std::string, int>{{"cblas_sgemm ref", 5}, {"sgemm_ ref", 7}});
  CHECK(folder.list() == std::vector<std::string>{"report.json"});
}

TEST_CASE("run: the table on stderr") {
  const Outcome outcome = run_client({"--backend", "ref"}, {"cblas", "5", "print", "hello"});
  INFO(outcome.description());
  CHECK(outcome.exit_status == 0);
  CHECK(outcome.out == "hello\n");
  CHECK_THAT(outcome.err, StartsWith("libsgemm run: calls of " CLIENT) && Contains("cblas_sgemm") &&
                              Contains(" ref ") && Contains("GFLOP/s"));
}

TEST_CASE("run: calls of a killed program and of the programs it starts are counted") {
  const Folder folder;
  const std::string report = folder.file("report.json");
  const Outcome killed = run_client({"--json", "-o", report}, {"cblas", "5", "kill"});
  CHECK(killed.exit_status == 128 + 9);
  const Json one = Json::parse(read_text(report));
  REQUIRE(one["processes"].size() == 1);
  CHECK(counts_of(one["processes"][0]).begin()->second == 5);

  const Outcome both =
      run_client({"--json", "-o", report, "--backend", "ref"}, {"cblas", "2", "child", "fortran", "3", "exit", "4"});
  CHECK(both.exit_status == 4);
  const Json two = Json::parse(read_text(report));
  REQUIRE(two["processes"].size() == 2);
  std::map<std::string, int> all;
  for (const Json &process : two["processes"]) {
    for (const auto &count : counts_of(process)) all.insert(count);
  }
  CHECK(all == std::map<std::string, int>{{"cblas_sgemm ref", 2}, {"sgemm_ ref", 3}});
}

TEST_CASE("run: a program whose children start children") {
  const std::string script = "outer=$(inner=$(/bin/echo deep); echo $inner); echo $outer";
  const Outcome outcome = run_program({LIBSGEMM_COMMAND, "run", "--", "/bin/sh", "-c", script}, kPreload, 20);
  INFO(outcome.description());
  CHECK(outcome.exit_status == 0);
  CHECK(outcome.out == "deep\n");
}

TEST_CASE("run: a signal goes on to the program") {
  const Folder folder;
  const std::string ready = folder.file("ready");
  const std::string script =
      "\"$1\" run -- \"$2\" cblas 1 touch \"$3\" wait & run=$!; "
      "until [ -e \"$3\" ]; do sleep 0.01; done; kill -TERM $run; wait $run";
  const Outcome outcome = run_program({"/bin/sh", "-c", script, "sh", LIBSGEMM_COMMAND, CLIENT, ready}, kPreload);
  INFO(outcome.description());
  CHECK(outcome.exit_status == 42);
  CHECK_THAT(outcome.err, Contains("cblas_sgemm"));
}

TEST_CASE("run: a signal reaches the program once, sent to the command, to its process group, or to both") {
  // Two nearly simultaneous signals may count as one, so the test is repeated.
  for (const std::string target : {"$run", "0", "0", "0", "0", "$run; kill -TERM 0"}) {
    const Folder folder;
    const std::string ready = folder.file("ready");
    const std::string script =
        "\"$1\" run -- \"$2\" signals \"$3\" & run=$!; "
        "until [ -e \"$3\" ]; do sleep 0.01; done; trap '' TERM; kill -TERM " +
        target + "; wait $run";
    const Outcome outcome = run_program(
        {"/usr/bin/setsid", "--wait", "/bin/sh", "-c", script, "sh", LIBSGEMM_COMMAND, CLIENT, ready}, kPreload);
    INFO(target << ": " << outcome.description());
    CHECK(outcome.exit_status == 1);
  }
}

TEST_CASE("run: a process that outlives the program keeps its calls, and has nothing to complain of") {
  const Folder folder;
  const std::string script =
      "(until [ -e go ]; do sleep 0.01; done; \"$0\" cblas 2; touch done) </dev/null >output 2>&1 & \"$0\" cblas 3";
  Environment environment = kPreload;
  environment.insert({{"TMPDIR", folder.path()}, {"LIBSGEMM_BACKEND", "ref"}});
  const Outcome outcome = run_program({"/bin/sh", "-c", "cd \"$0\" && exec \"$1\" run -- /bin/sh -c \"$2\" \"$3\"",
                                       folder.path(), LIBSGEMM_COMMAND, script, CLIENT},
                                      environment);
  INFO(outcome.description());
  CHECK(outcome.exit_status == 0);
  CHECK_THAT(outcome.err, Contains("is still running; `libsgemm stats " + folder.path() + "/libsgemm-"));
  run_program({"/bin/sh", "-c", "cd \"$0\"; touch go; until [ -e done ]; do sleep 0.01; done", folder.path()}, {});
  CHECK(read_text(folder.file("output")) == "");
  const std::string counts = outcome.err.substr(outcome.err.find(folder.path() + "/libsgemm-"));
  const Outcome stats = command({"stats", counts.substr(0, counts.find('`'))});
  CHECK_THAT(stats.out, Contains("total 2 proc.") && Contains(" 5 "));
}

TEST_CASE("run: a program without calls") {
  const Outcome outcome = run_client({}, {"print", "hello", "exit", "5"});
  CHECK(outcome.exit_status == 5);
  CHECK(outcome.out == "hello\n");
  CHECK_THAT(outcome.err, Contains("no call of single-precision level 3 arrived") && Contains("statically"));
}

TEST_CASE("run: what cannot be run") {
  const Folder folder;
  const Outcome missing = command({"run", "--", folder.file("none")});
  CHECK(missing.exit_status == 127);
  CHECK(missing.err == "libsgemm run: " + folder.file("none") + ": No such file or directory\n");
  const Outcome plain = command({"run", "--", folder.write("plain", "text")});
  CHECK(plain.exit_status == 126);
  CHECK(plain.err == "libsgemm run: " + folder.file("plain") + ": Permission denied\n");
  CHECK(command({"run"}).exit_status == 2);
  CHECK(command({"run", "--"}).exit_status == 2);
  CHECK(command({"run", "--jason", "--", "true"}).exit_status == 2);
  require_error(command({"run", "--backend", "abacus", "--", "true"}), "libsgemm run: ");
  require_error(command({"run", "-o", folder.file("none/x"), "--", "true"}), "libsgemm run: " + folder.file("none/x"));
}

TEST_CASE("run: where the calls cannot be counted, the program runs all the same") {
  const Folder folder;
  const std::string report = folder.file("report.json");
  const auto check = [&](Outcome outcome, const std::string &temporary, const std::string &why) {
    INFO(outcome.description());
    CHECK(outcome.exit_status == 3);
    CHECK(outcome.out == "hello\n");
    CHECK_THAT(outcome.err, StartsWith("libsgemm run: calls are not counted: " + temporary + "/libsgemm-") &&
                                Contains("cannot be written: " + why));
    CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
  };
  const std::vector<std::string> client = {"cblas", "5", "print", "hello", "exit", "3"};
  const std::string none = folder.file("none");
  check(run_client({}, client, none), none, "No such file or directory");
  check(run_client({"--json", "-o", report}, client, none), none, "No such file or directory");
  const Json json = Json::parse(read_text(report));
  CHECK(json["exit_status"] == 3);
  CHECK(json["processes"].empty());
  CHECK_THAT(json["problems"][0].get<std::string>(), StartsWith("calls are not counted: " + none));

  REQUIRE(mkdir(folder.file("full").c_str(), 0700) == 0);
  std::vector<std::string> full = with_full_disk(folder.file("full"));
  if (full.empty()) {
    WARN("SKIPPED: no file system can be mounted here");
    return;
  }
  full.insert(full.end(), {LIBSGEMM_COMMAND, "run", "--", CLIENT});
  full.insert(full.end(), client.begin(), client.end());
  Environment environment = kPreload;
  environment["TMPDIR"] = folder.file("full");
  check(run_program(full, environment), folder.file("full"), "No space left on device");
}

TEST_CASE("run: a report that cannot be written leaves the program's exit status") {
  const Folder folder;
  const std::string output = folder.file("gone/report");
  REQUIRE(mkdir(folder.file("gone").c_str(), 0700) == 0);
  const Outcome gone = run_program(
      {LIBSGEMM_COMMAND, "run", "-o", output, "--", "/bin/sh", "-c", "rmdir \"$0\"; exit 5", folder.file("gone")},
      kPreload);
  INFO(gone.description());
  CHECK(gone.exit_status == 5);
  CHECK_THAT(gone.err, Contains("libsgemm run: " + output));
  const Outcome closed = run_program(
      {"/bin/sh", "-c",
       "{ \"$0\" run -- /bin/sh -c 'sleep 0.3; exec \"$0\" cblas 5 exit 6' \"$1\"; echo $? >\"$2\"; } 2>&1 | :",
       LIBSGEMM_COMMAND, CLIENT, folder.file("status")},
      kPreload);
  INFO(closed.description());
  CHECK(read_text(folder.file("status")) == "6\n");
}

}  // namespace sgemm_test
