#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "command_runner.h"
#include "support/catch.h"

namespace sgemm_test {
namespace {

using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using Json = nlohmann::json;

Environment on_cpu() {
  return {{"ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0"},
          {"LIBSGEMM_CPU_BLAS", ""},
          {"LIBSGEMM_BACKEND", "ref"},
          {"LIBSGEMM_DEVICES", "none"}};
}

// The mock GPU's first kernel is slower than its cost says.
Environment on_mock(const Folder &folder, const Environment &more = {}) {
  Environment environment = {{"ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0"},
                             {"LIBSGEMM_BACKEND_PATH", MOCK_FOLDER "/gpu"},
                             {"LD_LIBRARY_PATH", MOCK_FOLDER "/cuda_stack"},
                             {"LIBSGEMM_OFFLOAD", "always"},
                             {"MOCK_SLOW", "splitk"},
                             {"XDG_CACHE_HOME", folder.path()}};
  for (const auto &[name, value] : more) environment[name] = value;
  return environment;
}

std::string record(const Folder &folder, const std::vector<std::string> &client, const Environment &environment,
                   int status = 0) {
  std::vector<std::string> arguments = {"run", "--record", folder.file("calls"), "--", CLIENT};
  arguments.insert(arguments.end(), client.begin(), client.end());
  const Outcome outcome = command(arguments, environment);
  INFO(outcome.description());
  CHECK(outcome.exit_status == status);
  const std::string text = read_text(folder.file("calls"));
  CHECK_THAT(text, StartsWith("# "));
  return text.substr(text.find('\n') + 1);
}

Outcome tune(std::vector<std::string> arguments, const Environment &environment) {
  arguments.insert(arguments.begin(), "tune");
  return command(arguments, environment);
}

std::string kernel_of_client(const Folder &folder, const Environment &environment) {
  const Outcome outcome =
      command({"run", "--json", "-o", folder.file("report"), "--", CLIENT, "cblas", "1"}, environment);
  INFO(outcome.description());
  CHECK(outcome.exit_status == 0);
  return Json::parse(read_text(folder.file("report")))["processes"].at(0)["calls"].at(0)["kernel"];
}

std::set<std::string> tuned_calls(const std::string &text) {
  const std::string before = " times as fast: ";
  std::set<std::string> calls;
  for (size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + 1)) {
    const size_t call = at + before.size();
    calls.insert(text.substr(call, text.find('\n', call) - call));
  }
  return calls;
}

constexpr const char *kClientCall = "sgemm op=NN m=16 n=16 k=16 ld=16,16,16 at=16,16,16 alpha=1 beta=0 math=fp32\n";

}  // namespace

TEST_CASE("run --record: the calls of a program, each once, and how often") {
  const Folder folder;
  CHECK(record(folder, {"cblas", "3", "fortran", "2"}, on_cpu()) == std::string("5 ") + kClientCall);
  CHECK(record(folder, {"cblas", "2", "kill"}, on_cpu(), 128 + 9) == std::string("2 ") + kClientCall);
  CHECK(record(folder, {"cblas", "3", "child", "fortran", "4"}, on_cpu()) == std::string("7 ") + kClientCall);
  CHECK(record(folder, {"cblas", "3", "fork", "fortran", "1", "bad", "2"}, on_cpu()) ==
        std::string("4 ") + kClientCall);
  Environment other = on_cpu();
  other["LIBSGEMM_MATH_MODE"] = "tf32";
  const std::string tf32 = record(folder, {"cblas", "1"}, other);
  CHECK_THAT(tf32, EndsWith("math=tf32\n"));
  CHECK(record(folder, {"print", "nothing"}, on_cpu()) == "");
}

TEST_CASE("run --record: two shapes are two lines, that with more operations first") {
  const Folder folder;
  const std::string a = folder.write("a.npy", Matrix(20, 30, 1).file(false));
  const std::string b = folder.write("b.npy", Matrix(30, 40, 2).file(false));
  const std::string gemm = LIBSGEMM_COMMAND " gemm --repeat 0 -o " + folder.file("c.npy") + " ";
  const std::string script = gemm + b + " " + b + " --transa && " + gemm + a + " " + b + " && " + gemm + a + " " + b +
                             " && " + gemm + a + " " + b;
  const Outcome outcome = command({"run", "--record", folder.file("calls"), "--", "sh", "-c", script}, on_cpu());
  INFO(outcome.description());
  CHECK(outcome.exit_status == 0);
  // Row-major calls are recorded as C^T = B^T A^T.
  const std::string text = read_text(folder.file("calls"));
  CHECK_THAT(text, EndsWith("\n3 sgemm op=NN m=40 n=20 k=30 ld=16,8,16 at=16,16,16 alpha=1 beta=0 math=fp32\n"
                            "1 sgemm op=NT m=40 n=40 k=30 ld=16,16,16 at=16,16,16 alpha=1 beta=0 math=fp32\n"));
}

TEST_CASE("tune: without a GPU it says so") {
  const Folder folder;
  for (const std::vector<std::string> &arguments :
       {std::vector<std::string>{"--shape", "64,64,64"}, std::vector<std::string>{"--remove"}}) {
    const Outcome outcome = tune(arguments, {{"LIBSGEMM_DEVICES", "none"}, {"XDG_CACHE_HOME", folder.path()}});
    INFO(outcome.description());
    CHECK(outcome.exit_status == 1);
    CHECK_THAT(outcome.err, StartsWith("libsgemm tune: there is no GPU: cuda: "));
  }
  CHECK_THAT(tune({"--show"}, {{"XDG_CACHE_HOME", folder.path()}}).out, Contains("there is no tuning"));
}

TEST_CASE("tune: what is wrong with its input is named") {
  const Folder folder;
  const auto error_of = [&](const std::vector<std::string> &arguments) {
    const Outcome outcome = tune(arguments, on_mock(folder));
    INFO(outcome.description());
    CHECK(outcome.exit_status == 1);
    return outcome.err;
  };
  CHECK_THAT(error_of({}), Contains("which calls?"));
  CHECK_THAT(error_of({folder.file("none")}), Contains(folder.file("none") + ": cannot be opened: No such file"));
  CHECK_THAT(error_of({folder.write("empty", "# nothing\n")}), Contains("empty: has no call"));
  CHECK_THAT(error_of({folder.write("bad", "# calls\n1 sgemm m=1 n=1 k=1\nsgemm m=1 n=1 k=1\n")}),
             Contains("bad:3: it does not begin with a number of calls"));
  CHECK_THAT(error_of({folder.write("worse", "1 sgemm m=1 n=1 k=1 op=X\n")}), Contains("worse:1: op=X is not valid"));
  CHECK_THAT(error_of({"--shape", "1,2"}), Contains("--shape 1,2: "));
  CHECK_THAT(error_of({"--shape", "8,8,8", "--backend", "ref"}), Contains("--backend ref: it is not a GPU backend"));
  const std::string foreign = folder.write("foreign", "something else\n");
  CHECK_THAT(error_of({"--shape", "8,8,8", "-o", foreign}), Contains(foreign + ": line 1: "));
  CHECK(read_text(foreign) == "something else\n");
  CHECK(tune({"calls", "--shape", "8,8,8"}, on_mock(folder)).exit_status == 2);
}

TEST_CASE("tune: a program's calls get the kernel that was measured to be the fastest") {
  const Folder folder;
  const Environment environment = on_mock(folder);
  CHECK(kernel_of_client(folder, environment) == "cuda_mock_splitk");
  CHECK(record(folder, {"cblas", "3"}, environment) == std::string("3 ") + kClientCall);
  folder.write("calls", read_text(folder.file("calls")) + "\n2 " + kClientCall);  // a repeated call counts as one
  const Outcome tuned = tune({folder.file("calls")}, environment);
  INFO(tuned.description());
  CHECK(tuned.exit_status == 0);
  CHECK_THAT(tuned.out, Contains("cuda_mock_splitk -> ") && Contains(" cuda_mock_plain, ") && Contains(kClientCall) &&
                            Contains("1 of 1 calls have a faster kernel") &&
                            Contains("\nkernels for 1 calls in " + folder.path()));
  CHECK(kernel_of_client(folder, environment) == "cuda_mock_plain");
  CHECK(kernel_of_client(folder, on_mock(folder, {{"LIBSGEMM_TUNING", "off"}})) == "cuda_mock_splitk");

  const Outcome more = tune({"--shape", "24,16,8", "--transposes", "TN", "--shape", "16,16,16"}, environment);
  INFO(more.description());
  CHECK_THAT(more.out, Contains("2 of 2 calls have a faster kernel") && Contains("\nkernels for 3 calls in "));
  const Outcome shown = tune({"--show"}, {{"XDG_CACHE_HOME", folder.path()}});
  CHECK_THAT(shown.out, Contains("cuda, mock driver 1.0; mock device") && Contains(kClientCall) &&
                            Contains("sgemm op=TN m=24 n=16 k=8 ") && Contains("sgemm op=TN m=16 n=16 k=16 "));
  const Outcome again = tune({folder.file("calls")}, on_mock(folder, {{"MOCK_SLOW", "plain"}}));
  INFO(again.description());
  CHECK_THAT(again.out, Contains("0 of 1 calls have a faster kernel") && Contains("\nkernels for 2 calls in "));
  CHECK_THAT(tune({"--remove"}, environment).out, EndsWith(" is removed\n"));
  CHECK_THAT(tune({"--remove"}, environment).out, EndsWith(": there is none\n"));
  CHECK(kernel_of_client(folder, environment) == "cuda_mock_splitk");
}

TEST_CASE("tune: several processes add to one file") {
  const Folder folder;
  std::string script;
  for (int i = 0; i < 4; ++i) {
    const std::string sizes = std::to_string(8 + i) + "," + std::to_string(8 + i) + ",";
    script += "\"$0\" tune -o \"$1\" --transposes NN --shape " + sizes + "8 --shape " + sizes + "16 & ";
  }
  const Outcome outcome =
      run_program({"/bin/sh", "-c", script + "wait", LIBSGEMM_COMMAND, folder.file("tuning")}, on_mock(folder), 120);
  INFO(outcome.description());
  const std::string shown = tune({"--show", "-o", folder.file("tuning")}, on_mock(folder)).out;
  INFO(shown);
  const std::set<std::string> found = tuned_calls(outcome.out);
  CHECK(found.size() >= 4);  // 8 on an idle machine
  CHECK(tuned_calls(shown) == found);
}

TEST_CASE("tune: every routine, type and batch") {
  const Folder folder;
  const std::string calls = folder.write(
      "calls",
      "1 sgemm op=TN m=30 n=20 k=10 ld=4,8,16 at=4,16,8 alpha=x beta=1\n1 ssymm side=R uplo=L m=20 n=30\n"
      "1 ssyr2k op=T uplo=L m=20 n=20 k=30 beta=x\n1 strmm side=L uplo=U op=T diag=U m=20 n=30 alpha=x\n"
      "1 strsm side=R uplo=L op=N diag=N m=20 n=30\n1 sgemmtr op=NT uplo=U m=20 n=20 k=9\n"
      "1 shgemm op=NT m=8 n=9 k=10 ld=2,4,4 at=2,16,16\n1 sbgemm op=NN m=8 n=8 k=16\n"
      "1 sgemm_batch_strided op=NN m=8 n=8 k=8 batch=5 stride=16,0,4\n1 sgemm_batch op=NN m=8 n=8 k=8 batch=5\n"
      "1 shgemm_batch_strided op=NN m=8 n=8 k=8 batch=5\n1 sbgemm_batch op=NN m=8 n=8 k=8 batch=5 beta=1\n"
      "1 shsyrk op=T uplo=L m=20 n=20 k=30 ld=2,0,4 at=2,0,16\n1 sbsyrk_batch_strided op=N uplo=U m=8 n=8 k=9 batch=5\n"
      "1 strmm_batch_strided side=L uplo=L op=T diag=N m=9 n=8 batch=4 stride=0,0,4 alpha=x\n"
      "1 strsm_batch_strided side=R uplo=U op=N diag=N m=8 n=9 batch=3 stride=16,0,16\n"
      "1 sgemm op=NN m=16 n=16 k=16 math=fp16x3\n");
  const Outcome outcome = tune({calls, "--reps", "3"}, on_mock(folder, {{"MOCK_SYRK", "1"}}));
  INFO(outcome.description());
  CHECK(outcome.exit_status == 0);
  CHECK_THAT(outcome.out, Contains(" of 17 calls have a faster kernel"));
  CHECK(outcome.err == "");
  // The mock has no kernel for the first call, and no memory for the second.
  const std::string none =
      folder.write("none", "1 ssyrk op=N uplo=U m=9 n=9 k=9\n1 sgemm m=2000000000 n=2000000000 k=3\n");
  const Outcome left = tune({none, "--reps", "3"}, on_mock(folder));
  INFO(left.description());
  CHECK_THAT(left.err, Contains("ssyrk op=N uplo=U m=9 n=9 k=9 ") && Contains(": not enough memory"));
  CHECK_THAT(left.out, Contains("0 of 0 calls"));
}

}  // namespace sgemm_test
