#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "command_runner.h"
#include "support/catch.h"

namespace sgemm_test {
namespace {

using sgemm_test::Contains;
using Json = nlohmann::json;

Environment with_gpu(const std::string &cache) {
  return {{"LIBSGEMM_BACKEND_PATH", MOCK_FOLDER "/gpu"},
          {"LD_LIBRARY_PATH", MOCK_FOLDER "/cuda_stack"},
          {"XDG_CACHE_HOME", cache}};
}

Outcome calibrate(std::vector<std::string> arguments, const Environment &environment) {
  arguments.insert(arguments.begin(), "calibrate");
  Outcome outcome = command(arguments, environment);
  INFO(outcome.description());
  CHECK_FALSE(outcome.timed_out);
  return outcome;
}

}  // namespace

TEST_CASE("calibrate: measures, writes where the library looks, shows and removes") {
  const Folder folder;
  const Environment environment = with_gpu(folder.path());
  CHECK(calibrate({"--show"}, environment).exit_status == 1);
  const Outcome made = calibrate({"--seconds", "0.1"}, environment);
  INFO(made.description());
  REQUIRE(made.exit_status == 0);
  CHECK(made.err == "");
  CHECK_THAT(made.out, Contains("mock driver 1.0; 2 x mock device") && Contains("products of pageable memory: ") &&
                           Contains("written to " + folder.path() + "/libsgemm/calibration-"));
  REQUIRE(folder.list() == std::vector<std::string>{"libsgemm"});

  const Outcome shown = calibrate({"--show"}, environment);
  CHECK(shown.exit_status == 0);
  CHECK_THAT(shown.out, Contains(folder.path() + "/libsgemm/calibration-"));
  CHECK(shown.out.substr(shown.out.find('\n') + 1) == made.out.substr(0, made.out.find("written to")));

  // Another number of threads has its own file.
  Environment other = environment;
  other["OPENBLAS_NUM_THREADS"] = "1";
  const Outcome one = calibrate({"--show"}, other);
  CHECK_THAT(one.err + shown.out, Contains("No such file") || Contains("threads: 1;"));

  CHECK_THAT(calibrate({"--remove"}, environment).out, Contains("is removed"));
  const Outcome again = calibrate({"--remove"}, environment);
  CHECK(again.exit_status == 0);
  CHECK_THAT(again.out, Contains("there is none"));
}

TEST_CASE("calibrate: the link and the rate of computing are measured, on the first device of the library") {
  const Folder folder;
  Environment environment = with_gpu(folder.path());
  REQUIRE(calibrate({"--seconds", "0.1", "--output", folder.file("own")}, environment).exit_status == 0);
  std::map<std::string, std::vector<double>> figures;
  std::istringstream lines(read_text(folder.file("own")));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    for (double value; words >> value;) figures[name].push_back(value);
  }
  REQUIRE(figures["pinned"].size() == 2);
  REQUIRE(figures["pageable"].size() == 2);
  for (size_t way = 0; way < 2; ++way) CHECK(figures["pageable"][way] <= figures["pinned"][way]);
  // A CPU thread computes for the mock GPU; the assumption without measurement is 10 TFLOP/s.
  REQUIRE(figures["flops"].size() == 1);
  CHECK(figures["flops"][0] > 1e6);
  CHECK(figures["flops"][0] < 1e12);

  // The mock library has two devices, its driver one.
  environment["LIBSGEMM_DEVICES"] = "1";
  CHECK_THAT(calibrate({"--seconds", "0.1"}, environment).err, Contains("device 1: there are 1 GPUs"));
  environment.erase("LIBSGEMM_DEVICES");
  environment["MOCK_CUDA"] = "no_device";
  const Outcome none = calibrate({"--seconds", "0.1"}, environment);
  CHECK(none.exit_status == 1);
  CHECK_THAT(none.err, Contains("libsgemm calibrate: the NVIDIA driver fails: CUDA_ERROR_NO_DEVICE"));
}

TEST_CASE("calibrate: a file of one's own, and what cannot be done") {
  const Folder folder;
  const Environment environment = with_gpu(folder.path());
  const Outcome made = calibrate({"--seconds", "0.1", "--output", folder.file("own")}, environment);
  REQUIRE(made.exit_status == 0);
  CHECK_THAT(made.out, Contains("LIBSGEMM_CALIBRATION=" + folder.file("own") + " makes programs use it"));
  CHECK(folder.list() == std::vector<std::string>{"own"});  // nothing in the cache

  const Outcome nowhere = calibrate({}, with_gpu("/dev/null"));
  CHECK(nowhere.exit_status == 1);
  CHECK_THAT(nowhere.err, Contains("/dev/null/libsgemm/calibration-"));
  Environment homeless = with_gpu("");
  homeless["HOME"] = "";
  CHECK_THAT(calibrate({}, homeless).err, Contains("use --output FILE"));
  Environment without = environment;
  without["LIBSGEMM_DEVICES"] = "none";
  const Outcome none = calibrate({}, without);
  CHECK(none.exit_status == 1);
  CHECK_THAT(none.err, Contains("no GPU to decide about; cuda: LIBSGEMM_DEVICES=none"));
  CHECK(calibrate({"--seconds", "-1"}, environment).exit_status == 2);
  CHECK(calibrate({"--show", "--remove"}, environment).exit_status == 2);
  CHECK(folder.list() == std::vector<std::string>{"own"});
}

TEST_CASE("bench --decision: both sides of each shape, the choice and the count") {
  const Folder folder;
  Environment environment = with_gpu(folder.path());
  const Outcome outcome =
      command({"bench", "--decision", "--shape", "8,8,8", "--shape", "40,8,24", "--json", folder.file("out.json")},
              environment);
  INFO(outcome.description());
  CHECK(outcome.exit_status == 0);  // the mock GPU never pays and is not chosen
  CHECK_THAT(outcome.out, Contains("within 10 % of the faster side: 2 of 2") && Contains("PASS"));
  const Json json = Json::parse(read_text(folder.file("out.json")));
  CHECK(json["right"] == 2);
  CHECK(json["pass"] == true);
  REQUIRE(json["rows"].size() == 2);
  for (const Json &row : json["rows"]) {
    CHECK(row["chosen"] == "cpu");
    CHECK(row["cpu_seconds"].get<double>() > 0);
    CHECK(row["gpu_seconds"].get<double>() > row["cpu_seconds"].get<double>());
    CHECK_THAT(row["reason"].get<std::string>(), Contains("cuda not worth the transfer"));
  }

  // By these parameters the CPU is slow: the choice is wrong.
  REQUIRE(calibrate({"--seconds", "0.1", "--output", folder.file("own")}, environment).exit_status == 0);
  std::istringstream lines(read_text(folder.file("own")));
  std::string slow;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("cpu_flops ", 0) == 0) line = "cpu_flops 1 1 1 1 1 1 1 1 1 1";
    slow += line + "\n";
  }
  environment["LIBSGEMM_CALIBRATION"] = folder.write("slow", slow);
  const Outcome wrong = command({"bench", "--decision", "--shape", "40,8,24"}, environment);
  CHECK(wrong.exit_status == 1);
  CHECK_THAT(wrong.out, Contains("WRONG") && Contains("within 10 % of the faster side: 0 of 1") && Contains("FAIL"));
}

}  // namespace sgemm_test
