#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "command_runner.h"
#include "support/catch.h"

namespace sgemm_test {
namespace {

using Catch::Matchers::StartsWith;
using Json = nlohmann::json;

// No BLAS is named, and there is no GPU. A library may be preloaded before AddressSanitizer.
Environment with(Environment environment = {}) {
  environment.insert({"ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0"});
  environment.insert({"LIBSGEMM_CPU_BLAS", ""});
  environment.insert({"LIBSGEMM_DEVICES", "none"});
  return environment;
}

// A file that is no library precedes OpenBLAS in the search path.
Environment without_openblas(const Folder &folder, Environment environment = {}) {
  folder.write("libopenblas.so.0", "hidden");
  environment["LD_LIBRARY_PATH"] = folder.path();
  return with(environment);
}

struct Run {
  Outcome outcome;
  Json json;

  const Json &process(size_t index = 0) const { return json["processes"].at(index); }
  Json row(const std::string &backend, const std::string &kernel = "", size_t index = 0) const {
    for (const Json &row : process(index)["calls"]) {
      if (row["backend"] == backend && (kernel.empty() || row["kernel"] == kernel)) return row;
    }
    FAIL("no row " << backend << " " << kernel << " in " << json.dump(1));
    return {};
  }
};

Run run(const std::vector<std::string> &client, const Environment &environment) {
  const Folder folder;
  std::vector<std::string> arguments = {"run", "--json", "-o", folder.file("report.json"), "--", CLIENT};
  arguments.insert(arguments.end(), client.begin(), client.end());
  Run result;
  result.outcome = command(arguments, environment);
  INFO(result.outcome.description());
  result.json = Json::parse(read_text(folder.file("report.json")));
  CHECK(result.json["exit_status"] == result.outcome.exit_status);
  return result;
}

Outcome run_in_words(const std::vector<std::string> &program, const Environment &environment) {
  std::vector<std::string> arguments = {"run", "--"};
  arguments.insert(arguments.end(), program.begin(), program.end());
  return command(arguments, environment);
}

size_t count(const std::string &text, const std::string &word) {
  size_t found = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("run: what the CPU computes is left to the BLAS that the program has") {
  // The client finds this BLAS's error. Only its loader sees its symbols.
  const Run own = run({"load", FAULTY_BLAS, "fortran", "1"}, with());
  INFO(own.outcome.description());
  CHECK(own.outcome.exit_status == 10);
  CHECK(own.row("openblas")["calls"] == 1);
  const Json blas = own.process()["blas"];
  REQUIRE(blas.size() == 1);  // no other BLAS is loaded
  CHECK_THAT(blas[0]["version"].get<std::string>(), StartsWith("OpenBLAS 0.0.0"));
  CHECK_THAT(blas[0]["file"].get<std::string>(), Contains("faulty_blas"));
  CHECK(blas[0]["called_by_program"] == true);
  CHECK(blas[0]["computes"] == true);

  if (!has_backend("openblas")) return;
  const Run named = run({"load", FAULTY_BLAS, "fortran", "1"}, with({{"LIBSGEMM_CPU_BLAS", "libopenblas.so.0"}}));
  INFO(named.outcome.description());
  CHECK(named.outcome.exit_status == 0);
}

TEST_CASE("run: a library that carries a BLAS of its own is computed for by that") {
  const Folder folder;
  // A library with some routines, one with all, and one with another caller and its BLAS first. Each also runs without
  // OpenBLAS.
  const std::vector<std::string> alone = {"own", OWN_BLAS}, whole = {"own", WHOLE_BLAS},
                                 all = {"load",   FAULTY_BLAS, "bad",      "1",   "own",
                                        OWN_BLAS, "own",       WHOLE_BLAS, "own", OWN_BLAS};
  for (const std::vector<std::string> &client : {alone, whole, all}) {
    for (const Environment &environment : {with(), without_openblas(folder)}) {
      const Run own = run(client, environment);
      INFO(own.outcome.description() << own.json.dump(1));
      CHECK(own.outcome.exit_status == 0);
      CHECK_THAT(own.outcome.err, !Contains("using ref"));
      CHECK(own.row("program", "its own BLAS")["calls"] >= 1);
    }
  }
  const Run verified = run(alone, with({{"LIBSGEMM_VERIFY", "full"}, {"LIBSGEMM_VERIFY_ACTION", "retry"}}));
  CHECK(verified.outcome.exit_status == 0);

  const Run invalid = run(alone, with({{"LIBSGEMM_BACKEND", "abacus"}}));
  CHECK(invalid.outcome.exit_status == 0);
  CHECK_THAT(invalid.outcome.err, !Contains("not computed"));

  CHECK(run(alone, with({{"LIBSGEMM_BACKEND", "ref"}})).outcome.exit_status == 10);
  const Run gpu = run(alone, with({{"LIBSGEMM_BACKEND_PATH", MOCK_FOLDER "/gpu"},
                                   {"LIBSGEMM_DEVICES", "all"},
                                   {"LIBSGEMM_OFFLOAD", "always"}}));
  CHECK(gpu.outcome.exit_status == 10);
  CHECK(gpu.row("cuda")["calls"] == 1);
}

TEST_CASE("run: the program's BLAS is there also where the machine has none") {
  const Folder folder;
  const Run own = run({"load", FAULTY_BLAS, "cblas", "1"}, without_openblas(folder));
  INFO(own.outcome.description());
  CHECK(own.outcome.exit_status == 10);
  CHECK(own.outcome.err == "");
}

TEST_CASE("run: ref in place of a BLAS is told once") {
  const Folder folder;
  const Run none = run({"cblas", "3", "fortran", "2"}, without_openblas(folder));
  INFO(none.outcome.description());
  CHECK(none.outcome.exit_status == 0);
  CHECK(count(none.outcome.err, "using ref") == 1);
  CHECK_THAT(none.outcome.err, StartsWith("libsgemm: no BLAS of the CPU: "));
  CHECK(run({"cblas", "1"}, without_openblas(folder, {{"LIBSGEMM_BACKEND", "ref"}})).outcome.err == "");
}

TEST_CASE("run: a BLAS that was named and is not there") {
  const Run missing = run({"cblas", "3"}, with({{"LIBSGEMM_CPU_BLAS", "/none/libblas.so"}}));
  INFO(missing.outcome.description());
  CHECK(missing.outcome.exit_status == 0);
  CHECK_THAT(missing.outcome.err, StartsWith("libsgemm: LIBSGEMM_CPU_BLAS=/none/libblas.so cannot be used: "));
  CHECK(count(missing.outcome.err, "\n") == 1);

  const Run strict = run({"cblas", "3"}, with({{"LIBSGEMM_CPU_BLAS", "/none/libblas.so"}, {"LIBSGEMM_STRICT", "1"}}));
  INFO(strict.outcome.description());
  CHECK(strict.outcome.exit_status == 10);  // wrong: nothing was computed
  CHECK_THAT(strict.outcome.err, Contains("LIBSGEMM_CPU_BLAS=/none/libblas.so cannot be used") && Contains("STRICT"));
  CHECK(strict.row("error", "not computed: backend unavailable")["calls"] == 1);
}

TEST_CASE("run: calls that were illegal or not computed are rows") {
  const Run bad = run({"cblas", "2", "bad", "3"}, with({{"LIBSGEMM_BACKEND", "ref"}}));
  INFO(bad.outcome.description());
  CHECK(bad.row("error", "illegal argument")["calls"] == 3);
  CHECK(bad.row("ref")["calls"] == 2);

  const Run invalid = run({"cblas", "1"}, with({{"LIBSGEMM_BACKEND", "abacus"}, {"LIBSGEMM_STRICT", "1"}}));
  CHECK(invalid.outcome.exit_status == 10);
  CHECK(invalid.row("error", "not computed: invalid environment")["calls"] == 1);
  CHECK(invalid.process()["calls"].size() == 1);

  const Run instead = run({"cblas", "1"}, with({{"LIBSGEMM_BACKEND", "abacus"}}));
  CHECK(instead.outcome.exit_status == 0);
  REQUIRE(instead.process()["calls"].size() == 1);
  CHECK(instead.process()["calls"][0]["backend"] != "error");
}

TEST_CASE("run: what OpenBLAS takes beyond the standard is taken of a program that has it") {
  const Environment ref = {{"LIBSGEMM_BACKEND", "ref"}};
  const Run lax = run({"load", FAULTY_BLAS, "lax", "3"}, with(ref));
  INFO(lax.outcome.description());
  CHECK(lax.outcome.exit_status == 0);
  CHECK(lax.outcome.err == "");
  CHECK(lax.process()["calls"].size() == 2);
  for (const std::vector<std::string> &client :
       {std::vector<std::string>{"load", MKL_LIKE, "lax", "3"}, std::vector<std::string>{"lax", "3"}}) {
    const Run refused = run(client, with(ref));
    INFO(refused.outcome.description());
    CHECK(refused.outcome.exit_status == 10);
    CHECK_THAT(refused.outcome.err, Contains("(lda) is 0, must be at least"));
    CHECK(refused.row("error", "illegal argument")["calls"] == 1);
  }
}

TEST_CASE("run: what verification found") {
  const Environment retry = {{"LIBSGEMM_VERIFY", "full"}, {"LIBSGEMM_VERIFY_ACTION", "retry"}};
  const Run wrong = run({"load", FAULTY_BLAS, "cblas", "4"}, with(retry));
  INFO(wrong.outcome.description());
  CHECK(wrong.outcome.exit_status == 0);
  const Json row = wrong.row("ref");
  CHECK(row["calls"] == 4);
  CHECK(row["verified"] == 4);
  CHECK(row["wrong"] == 4);
  CHECK(row["worst_ratio"] <= 1);

  const Outcome words = run_in_words({CLIENT, "load", FAULTY_BLAS, "cblas", "4"}, with(retry));
  CHECK_THAT(words.err, Contains("verified") && Contains("4 WRONG"));
  const Run unverified = run({"cblas", "4"}, with({{"LIBSGEMM_BACKEND", "ref"}}));
  CHECK(unverified.row("ref")["verified"] == 0);
}

TEST_CASE("run: a child that was forked is counted as itself") {
  const Run forked = run({"cblas", "2", "fork", "cblas", "3", "exit", "4"}, with({{"LIBSGEMM_BACKEND", "ref"}}));
  INFO(forked.outcome.description());
  CHECK(forked.outcome.exit_status == 4);
  REQUIRE(forked.json["processes"].size() == 2);
  const bool child_first = forked.process(1)["pid"] == forked.process(0)["parent"];
  CHECK(forked.row("ref", "", child_first ? 1 : 0)["calls"] == 2);
  CHECK(forked.row("ref", "", child_first ? 0 : 1)["calls"] == 3);
  CHECK(forked.process(child_first ? 0 : 1)["parent"] == forked.process(child_first ? 1 : 0)["pid"]);
}

#ifdef SLOW_BLAS
TEST_CASE("run: the time to load a backend is no time of a call") {
  const Run slow = run({"cblas", "1"}, with({{"LIBSGEMM_CPU_BLAS", SLOW_BLAS}}));  // loads for 0.3 s
  INFO(slow.json.dump(1));
  CHECK(slow.process()["startup_seconds"] >= 0.3);
  CHECK(slow.process()["seconds"] >= 0.3);
  CHECK(slow.process()["seconds"] <= slow.json["seconds"].get<double>() + 0.1);
  CHECK(slow.row("openblas")["seconds"] < slow.process()["startup_seconds"]);
  CHECK(slow.row("openblas")["seconds"] > 0);
}
#endif

TEST_CASE("run: the sum over processes, in words") {
  const Outcome one = run_in_words({CLIENT, "cblas", "5"}, with({{"LIBSGEMM_BACKEND", "ref"}}));
  INFO(one.description());
  CHECK_THAT(one.err, Contains(" which ran for ") && Contains("share") && Contains(" % ") && Contains("   total "));
  CHECK_THAT(one.err, Contains("loading and starting backends, not included in these times: "));
  const Outcome two = run_in_words({CLIENT, "cblas", "5", "fork", "cblas", "6"}, with({{"LIBSGEMM_BACKEND", "ref"}}));
  INFO(two.description());
  CHECK_THAT(two.err, Contains("total 2 proc.") && Contains(" 11 "));
}

TEST_CASE("run: why no call arrived") {
  const Outcome has_blas = run_in_words({CLIENT, "load", FAULTY_BLAS}, with());
  INFO(has_blas.description());
  CHECK_THAT(has_blas.err, Contains("no call of single-precision level 3 arrived. Its BLAS is OpenBLAS 0.0.0") &&
                               Contains("faulty_blas") && Contains("float64") && !Contains("statically"));
  const Outcome none = run_in_words({CLIENT, "print", "x"}, with());
  CHECK_THAT(none.err, Contains("no process that ended had a library with a BLAS"));
#ifdef STATIC_CLIENT
  const Outcome unreached = run_in_words({STATIC_CLIENT}, with());
  CHECK_THAT(unreached.err, Contains("the drop-in was not loaded"));
#endif
}

TEST_CASE("run respects LIBSGEMM_STATS_DIR, and stats reads it") {
  const Folder folder;
  REQUIRE(mkdir(folder.file("calls").c_str(), 0700) == 0);
  const Environment environment = with({{"LIBSGEMM_BACKEND", "ref"}, {"LIBSGEMM_STATS_DIR", folder.file("calls")}});
  CHECK(run({"cblas", "2"}, environment).row("ref")["calls"] == 2);
  run_program({"/bin/sleep", "0.1"}, {});  // process start times are exact to 10 ms
  const Run second = run({"cblas", "3"}, environment);
  CHECK(second.json["processes"].size() == 1);
  CHECK(second.row("ref")["calls"] == 3);

  const Outcome words = command({"stats", folder.file("calls")});
  INFO(words.description());
  CHECK(words.exit_status == 0);
  CHECK_THAT(words.out, Contains("command_client") && Contains("total 2 proc."));
  const Json json = Json::parse(command({"stats", "--json", folder.file("calls")}).out);
  REQUIRE(json["processes"].size() == 2);
  CHECK(json["processes"][0]["calls"][0]["calls"].get<int>() + json["processes"][1]["calls"][0]["calls"].get<int>() ==
        5);
  REQUIRE(command({"stats", "-o", folder.file("report"), folder.file("calls")}).exit_status == 0);
  CHECK(read_text(folder.file("report")) == words.out);

  std::ofstream(folder.file("calls/1-1.stats")) << "no statistics";
  const Outcome damaged = command({"stats", folder.file("calls")});
  CHECK(damaged.exit_status == 0);
  CHECK_THAT(damaged.err, Contains("the calls of process 1-1 could not be read"));
  CHECK(command({"stats"}).exit_status == 2);
  const Outcome missing = command({"stats", folder.file("none")});
  CHECK(missing.exit_status == 1);
  CHECK_THAT(missing.err, StartsWith("libsgemm stats: " + folder.file("none")));
}

TEST_CASE("the threads of BLIS and MKL are known, and what BLIS says of itself") {
  struct Case {
    std::string file;
    int threads;
    std::string version;
  };
  for (const Case &c : {Case{BLIS_LIKE, 7, "BLIS 0.9.9"}, Case{UNSET_BLIS, 1, "libunset_blis.so"},
                        Case{MKL_LIKE, 5, "libmkl_like.so"}}) {
    const Outcome outcome = command({"info", "--json"}, with({{"LIBSGEMM_CPU_BLAS", c.file}}));
    INFO(outcome.description());
    const Json json = Json::parse(outcome.out);
    for (const Json &backend : json["backends"]) {
      if (backend["name"] != "openblas") continue;
      CHECK(backend["version"] == c.version);
      CHECK(backend["devices"][0]["compute_units"] == c.threads);
    }
  }
}

}  // namespace sgemm_test
