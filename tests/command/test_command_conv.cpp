#include <dlfcn.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "command_runner.h"
#include "support/catch.h"

namespace sgemm_test {
namespace {

using Json = nlohmann::json;

std::vector<std::string> bench(const std::vector<std::string> &arguments) {
  std::vector<std::string> all = {"bench", "--routine", "sconv2d", "--min-time", "0", "--reps", "1"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

}  // namespace

TEST_CASE("bench: layers in every direction and layout") {
  const Folder folder;
  const Json json = json_of(folder,
                            bench({"--layer", "2,4,9,8,6,3,3,2,1", "--layer", "1,6,5,5,6,3,3,1,2,2,3", "--backend",
                                   "ref", "--math", "fp32,fp64"}),
                            {});
  std::set<std::string> seen;
  for (const Json &row : json["results"]) {
    INFO(row.dump());
    CHECK(row["error"] <= 1);
    CHECK(row["seconds"] > 0);
    CHECK(row["by"].get<std::string>().rfind("ref cpu_scalar_direct_conv", 0) == 0);
    seen.insert(row["layer"].get<std::string>() + " " + row["direction"].get<std::string>() + " " +
                row["layout"].get<std::string>() + " " + row["by"].get<std::string>());
  }
  CHECK(seen.size() == 2 * 3 * 2 * 2);
  CHECK(seen.count("2x4x9x8 3x3/2 pad 1 -> 6 data nhwc ref cpu_scalar_direct_conv_fp64 fp64") == 1);
  CHECK(seen.count("1x6x5x5 3x3 pad 2 dilation 2 groups 3 -> 6 weight nchw ref cpu_scalar_direct_conv fp32") == 1);
  // y has 2 images of 6 x 5 x 4 elements, each a sum of 36 terms.
  CHECK(json["results"][0]["flops"] == 2.0 * 2 * 6 * 5 * 4 * 36);
}

TEST_CASE("bench: the suite of layers, and those that are left out") {
  const Outcome some = command(bench({"--filter", "3x3/2", "--max-flops", "1e11", "--direction", "forward", "--layout",
                                      "nhwc", "--backend", "openblas"}));
  CHECK(some.exit_status == 0);
  CHECK_THAT(some.out, Contains("32x128x56x56 3x3/2 pad 1 -> 128, forward, nhwc"));
  CHECK(some.out.find("nchw") == std::string::npos);
  CHECK(some.out.find("224x224") == std::string::npos);
}

TEST_CASE("bench: arguments of layers") {
  require_bench_error(command(bench({"--layer", "1,2,3"})), "--layer 1,2,3: it wants n,c,h,w,k,r,s");
  require_bench_error(command(bench({"--layer", "1,2,3,4,5,6,7"})), "1x2x3x4 6x7 -> 5: ");
  require_bench_error(
      command(bench({"--peer", "openblas"})),
      "--peer openblas: convolutions have the peers cudnn, cudnn-implicit, miopen, onednn, onednn-plain and none");
  require_bench_error(command({"bench", "--layer", "1,1,1,1,1,1,1"}), "--layer, --direction and --layout are for");
  require_bench_error(command({"bench", "--routine", "sgemm,sconv2d"}), "--routine sconv2d: there is no such routine");
}

TEST_CASE("bench: convolutions beside cuDNN's") {
  const Folder folder;
  const Environment mock = {{"LIBSGEMM_BACKEND_PATH", MOCK_FOLDER "/gpu"},
                            {"LD_LIBRARY_PATH", MOCK_FOLDER "/cuda_stack"}};
  const Json json = json_of(
      folder,
      bench({"--layer", "2,4,9,8,6,3,2,2,1", "--layer", "1,6,5,7,4,3,3,1,2,2,2", "--peer", "cudnn,cudnn-implicit"}),
      mock);
  REQUIRE(json["results"].size() == 2 * 3 * 2 * 3);
  for (const Json &row : json["results"]) {
    INFO(row.dump());
    CHECK(row["error"] <= 1);
  }
  const std::string first = json["results"][0]["by"], second = json["results"][1]["by"];
  CHECK(first == "cuda cuda_mock_conv fp32");
  CHECK_THAT(second, Contains("cudnn ") && Contains("GEMM"));
}

TEST_CASE("bench: convolutions beside MIOpen's") {
  const Folder folder;
  const Environment mock = {{"LIBSGEMM_BACKEND_PATH", MOCK_FOLDER "/second_gpu"},
                            {"LD_LIBRARY_PATH", MOCK_FOLDER "/hip_stack"}};
  const Json json = json_of(
      folder, bench({"--layer", "2,4,9,8,6,3,2,2,1", "--layer", "1,6,5,7,4,3,3,1,2,2,2", "--peer", "miopen"}), mock);
  REQUIRE(json["results"].size() == 2 * 3 * 2 * 2);
  for (const Json &row : json["results"]) {
    INFO(row.dump());
    CHECK(row["error"] <= 1);
  }
  CHECK(json["results"][0]["by"] == "hip hip_mock_conv fp32");
  CHECK(json["results"][1]["by"] == "miopen IMPLICIT_GEMM");
}

TEST_CASE("bench: convolutions beside oneDNN's") {
  void *const library = dlopen("libdnnl.so.3", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::printf("SKIPPED: there is no libdnnl.so.3 here\n");
    return;
  }
  dlclose(library);
  const Folder folder;
  const Json json = json_of(folder,
                            bench({"--layer", "2,16,9,8,32,3,2,2,1", "--layer", "1,6,5,7,4,3,3,1,2,2,2", "--layer",
                                   "1,16,6,7,16,3,3,1,1,1,16", "--backend", "ref", "--peer", "onednn,onednn-plain"}),
                            {});
  REQUIRE(json["results"].size() == 3 * 3 * 2 * 3);
  for (const Json &row : json["results"]) {
    INFO(row.dump());
    CHECK(row["error"] <= 1);
  }
}

TEST_CASE("bench: peers that cannot be had together") {
  const Folder both;
  std::filesystem::create_symlink(MOCK_FOLDER "/gpu/libsgemm_cuda.so", both.path() + "/libsgemm_cuda.so");
  std::filesystem::create_symlink(MOCK_FOLDER "/second_gpu/libsgemm_hip.so", both.path() + "/libsgemm_hip.so");
  require_bench_error(command(bench({"--peer", "cudnn,miopen"}),
                              {{"LIBSGEMM_BACKEND_PATH", both.path()},
                               {"LD_LIBRARY_PATH", MOCK_FOLDER "/cuda_stack:" MOCK_FOLDER "/hip_stack"}}),
                      "--peer cudnn,miopen: cudnn and miopen compute in different memories");
}

TEST_CASE("convolutions in the log and in statistics") {
  const Folder folder;
  const Outcome told = command(bench({"--layer", "2,4,9,8,6,3,3,2,1", "--backend", "openblas"}),
                               {{"LIBSGEMM_VERBOSE", "2"}, {"LIBSGEMM_STATS_DIR", folder.path()}});
  CHECK(told.exit_status == 0);
  CHECK_THAT(told.err, Contains("libsgemm_sconv2d_h: sconv2d forward n=2 c=4 h=9 w=8 k=6 r=3 s=3 p=5 q=4 groups=1 "
                                "stride=2x2 pad=1x1 dilation=1x1 alpha=1 beta=0"));
  CHECK_THAT(told.err, Contains("-> openblas openblas_sconv2d_blocks"));
  const Outcome counted = command({"stats", folder.path()});
  CHECK(counted.exit_status == 0);
  CHECK_THAT(counted.out, Contains("libsgemm_sconv2d_h"));
  CHECK_THAT(counted.out, Contains("openblas_sconv2d_blocks"));
  const Outcome listed = command({"info", "--kernels"});
  CHECK_THAT(listed.out, Contains("openblas_sconv2d_blocks"));
  CHECK_THAT(listed.out, Contains("conv2d"));
}

}  // namespace sgemm_test
