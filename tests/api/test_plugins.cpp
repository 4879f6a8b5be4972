#include <libsgemm.h>

#include <fstream>

#include "support/catch.h"
#include "support/process.h"

using namespace sgemm_test;

namespace {

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

Outcome probe(const std::string &folder, Environment environment) {
  environment["LIBSGEMM_BACKEND_PATH"] = MOCK_FOLDER "/" + folder;
  Outcome outcome = run_probe(PROBE, {}, environment);
  INFO(outcome.description());
  REQUIRE(outcome.exit_status == 0);
  CHECK(outcome.out == "");
  return outcome;
}

}  // namespace

TEST_CASE("a plugin that cannot be used is refused with its reason") {
  struct Refusal {
    const char *folder, *reason;
  };
  const Refusal refusal = GENERATE(
      Refusal{"other_abi", "has backend ABI 4711, this library needs"},
      Refusal{"no_entry", "is no backend: it lacks libsgemm_backend_table"},
      Refusal{"no_library", "no_library/libsgemm_cuda.so: "}, Refusal{"misnamed", "is backend hip, not cuda"},
      Refusal{"other_kind", "is for CPUs, and this library lists cuda among those for GPUs"},
      Refusal{"no_driver", "the mock driver is missing"}, Refusal{"no_device", "the mock driver finds no device"},
      Refusal{"beneath_absent", "there is no mock driver: libabsent.so.1: cannot open"},
      Refusal{"beneath_there", "beneath_there/libsgemm_cuda.so is no backend: it lacks"});
  INFO(refusal.folder);
  // A small call must reach the devices.
  Outcome fallback = probe(refusal.folder, {{"LIBSGEMM_BACKEND", "cuda"}, {"LIBSGEMM_OFFLOAD", "always"}});
  CHECK(fallback.report["status"] == "0");
  CHECK(fallback.report["correct"] == "1");
  CHECK((fallback.report["backend"] == "openblas" || fallback.report["backend"] == "ref"));
  CHECK(contains(fallback.report["reason"], refusal.reason));
  CHECK(contains(fallback.err, refusal.reason));

  Outcome strict =
      probe(refusal.folder, {{"LIBSGEMM_BACKEND", "cuda"}, {"LIBSGEMM_OFFLOAD", "always"}, {"LIBSGEMM_STRICT", "1"}});
  CHECK(strict.report["status"] == std::to_string(LIBSGEMM_UNAVAILABLE));
  CHECK(contains(strict.report["message"], refusal.reason));

  Outcome automatic = probe(refusal.folder, {{"LIBSGEMM_OFFLOAD", "always"}});
  CHECK(automatic.report["correct"] == "1");
  CHECK(automatic.err == "");  // silent, since not requested
}

TEST_CASE("a plugin that was cut off is refused, wherever that was") {
  const std::string whole = read_text(MOCK_FOLDER "/gpu/libsgemm_cuda.so");
  const size_t needed = loaded_bytes(whole);
  REQUIRE(needed > 10000);
  const TemporaryDirectory folder;
  const std::string file = folder.path() + "/libsgemm_cuda.so";
  const auto reason_of = [&](const std::string &bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
    Outcome outcome = run_probe(PROBE, {}, {{"LIBSGEMM_BACKEND_PATH", folder.path()}, {"LIBSGEMM_OFFLOAD", "always"}});
    INFO(outcome.description());
    CHECK(outcome.exit_status == 0);
    CHECK(outcome.report["correct"] == "1");
    return outcome.report["backend"] == "cuda" ? "" : outcome.report["reason"];
  };
  for (const size_t bytes : {size_t{0}, size_t{3}, size_t{40}, size_t{100}, size_t{1000}, size_t{4096}, size_t{8192},
                             needed / 2, needed / 4 * 3, needed - 4096, needed - 1}) {
    INFO(bytes << " of " << needed << " bytes");
    const std::string reason = reason_of(whole.substr(0, bytes));
    CHECK(contains(reason, file + ": "));
    CHECK((contains(reason, "truncated") || bytes < 64));
  }
  std::string foreign = whole;
  foreign[18] = '\x28';  // e_machine: 32-bit ARM
  foreign[19] = '\0';
  CHECK(contains(reason_of(foreign), file + ": for another kind of processor"));
  CHECK(reason_of(whole.substr(0, needed)) == "");
}

TEST_CASE("LIBSGEMM_DEVICES=none keeps every GPU away") {
  Outcome outcome = probe("gpu", {{"LIBSGEMM_DEVICES", "none"}, {"LIBSGEMM_OFFLOAD", "always"}});
  CHECK(outcome.report["correct"] == "1");
  CHECK(outcome.report["backend"] != "cuda");
  CHECK(contains(outcome.report["reason"], "LIBSGEMM_DEVICES=none"));
}

TEST_CASE("LIBSGEMM_OFFLOAD and LIBSGEMM_BACKEND decide between a GPU and the CPU") {
  struct Choice {
    Environment environment;
    std::string backend;
  };
  const Choice choice = GENERATE(
      Choice{{{"LIBSGEMM_OFFLOAD", "always"}}, "cuda"}, Choice{{{"LIBSGEMM_OFFLOAD", "never"}}, "openblas"},
      Choice{{{"LIBSGEMM_OFFLOAD_THRESHOLD", "1"}}, "cuda"}, Choice{{}, "openblas"},
      Choice{{{"LIBSGEMM_BACKEND", "cuda"}}, "cuda"}, Choice{{{"LIBSGEMM_BACKEND", "cuda,openblas"}}, "openblas"},
      Choice{{{"LIBSGEMM_BACKEND", "hip,cuda"}}, "cuda"},
      Choice{{{"LIBSGEMM_BACKEND", "ref,cuda"}, {"LIBSGEMM_OFFLOAD", "always"}}, "ref"},
      Choice{{{"LIBSGEMM_KERNEL", "cuda_mock_plain"}}, "cuda"});
  Outcome outcome = probe("gpu", choice.environment);
  INFO(outcome.description());
  CHECK(outcome.report["correct"] == "1");
  CHECK(outcome.report["backend"] == choice.backend);
}

TEST_CASE("two GPU plugins: the order of preference decides") {
  const std::string both = "gpu:" MOCK_FOLDER "/second_gpu";
  Outcome outcome = probe(both, {{"LIBSGEMM_BACKEND", "hip,cuda"}});
  CHECK(outcome.report["backend"] == "hip");
  CHECK(outcome.report["correct"] == "1");
  outcome = probe(both, {{"LIBSGEMM_OFFLOAD", "always"}});
  CHECK(outcome.report["backend"] == "cuda");
  CHECK(outcome.report["correct"] == "1");
}
