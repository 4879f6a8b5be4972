#include <cstring>
#include <set>
#include <thread>

#include "support/catch.h"
#include "support/check.h"
#include "support/faults.h"

using namespace sgemm_test;

namespace {

const char *const kBackends[] = {"cuda", "hip", "openblas", "cpu", "ref"};
constexpr int kCount = static_cast<int>(std::size(kBackends)), kRef = kCount - 1;

Problem small_problem() {
  Case test;
  test.routine = Routine::kSgemm;
  test.m = 5;
  test.n = 6;
  test.k = 7;
  return make_problem(test);
}

bool is_available(int index) {
  libsgemm_backend_info_t info;
  REQUIRE(libsgemm_backend_describe(index, &info) == LIBSGEMM_SUCCESS);
  return info.available != 0;
}

// A value that is no enumerator. It must fit the enumeration's bits: others are undefined behaviour.
template <typename Enum>
Enum no_enumerator(int value) {
  return static_cast<Enum>(value);
}

}  // namespace

TEST_CASE("the library has the version of its header") { CHECK(libsgemm_version() == LIBSGEMM_VERSION); }

TEST_CASE("every status has a sentence of its own") {
  std::set<std::string> sentences;
  for (int status = LIBSGEMM_SUCCESS; status <= LIBSGEMM_VERIFICATION_FAILED; ++status) {
    const char *sentence = libsgemm_status_string(static_cast<libsgemm_status_t>(status));
    REQUIRE(sentence != nullptr);
    CHECK(std::strlen(sentence) > 5);
    sentences.insert(sentence);
  }
  CHECK(sentences.size() == 9);
  const char *unknown = libsgemm_status_string(no_enumerator<libsgemm_status_t>(15));
  REQUIRE(unknown != nullptr);
  CHECK(sentences.count(unknown) == 0);
  CHECK(std::strlen(unknown) > 5);
}

TEST_CASE("backends are listed in the order of preference") {
  REQUIRE(libsgemm_backend_count() == kCount);
  for (int index = 0; index < kCount; ++index) CHECK(std::string(libsgemm_backend_name(index)) == kBackends[index]);
  CHECK(libsgemm_backend_name(-1) == nullptr);
  CHECK(libsgemm_backend_name(kCount) == nullptr);
  libsgemm_backend_info_t info;
  CHECK(libsgemm_backend_describe(-1, &info) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(libsgemm_backend_describe(kCount, &info) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(libsgemm_backend_describe(0, nullptr) == LIBSGEMM_INVALID_ARGUMENT);
}

TEST_CASE("each backend is available with kernels and devices, or says why not") {
  std::set<std::string> names;
  for (int index = 0; index < libsgemm_backend_count(); ++index) {
    libsgemm_backend_info_t info;
    REQUIRE(libsgemm_backend_describe(index, &info) == LIBSGEMM_SUCCESS);
    INFO(info.name << ": " << info.reason);
    CHECK(std::string(info.name) == libsgemm_backend_name(index));
    CHECK((info.is_gpu != 0) == (index < 2));
    libsgemm_device_info_t device;
    if (info.available == 0) {
      CHECK(std::strlen(info.reason) > 10);
      CHECK(info.kernel_count == 0);
      CHECK(libsgemm_kernel_name(index, 0) == nullptr);
      libsgemm_kernel_info_t kernel;
      CHECK(libsgemm_kernel_describe(index, 0, &kernel) == LIBSGEMM_UNAVAILABLE);
      CHECK(libsgemm_device_describe(index, 0, &device) == LIBSGEMM_UNAVAILABLE);
      continue;
    }
    CHECK(std::string(info.reason) == "");
    CHECK(std::strlen(info.version) > 0);
    CHECK(info.device_count > 0);
    CHECK(info.kernel_count > 0);
    for (int i = 0; i < info.kernel_count; ++i) {
      const char *name = libsgemm_kernel_name(index, i);
      REQUIRE(name != nullptr);
      CHECK(libsgemm_kernel_name(index, i) == name);
      CHECK(names.insert(name).second);  // unique over all backends
      libsgemm_kernel_info_t kernel;
      REQUIRE(libsgemm_kernel_describe(index, i, &kernel) == LIBSGEMM_SUCCESS);
      CHECK(std::string(kernel.name) == name);
      CHECK(std::strlen(kernel.purpose) > 0);
      CHECK(std::strlen(kernel.purpose) <= 36);
      CHECK(std::strlen(kernel.math_mode) > 0);
      // A GPU kernel may be for another architecture.
      CHECK((info.is_gpu != 0 || std::strlen(kernel.routines) > 0));
      CHECK((std::strlen(kernel.routines) > 0) == (std::strlen(kernel.types) > 0));
    }
    libsgemm_kernel_info_t none;
    CHECK(libsgemm_kernel_describe(index, -1, &none) == LIBSGEMM_INVALID_ARGUMENT);
    CHECK(libsgemm_kernel_describe(index, info.kernel_count, &none) == LIBSGEMM_INVALID_ARGUMENT);
    CHECK(libsgemm_kernel_describe(index, 0, nullptr) == LIBSGEMM_INVALID_ARGUMENT);
    CHECK(libsgemm_kernel_name(index, -1) == nullptr);
    CHECK(libsgemm_kernel_name(index, info.kernel_count) == nullptr);
    for (int i = 0; i < info.device_count; ++i) {
      REQUIRE(libsgemm_device_describe(index, i, &device) == LIBSGEMM_SUCCESS);
      CHECK(std::strlen(device.name) > 0);
      CHECK(device.compute_units > 0);
      CHECK((device.memory_bytes > 0) == (info.is_gpu != 0));
    }
    CHECK(libsgemm_device_describe(index, -1, &device) == LIBSGEMM_INVALID_ARGUMENT);
    CHECK(libsgemm_device_describe(index, info.device_count, &device) == LIBSGEMM_INVALID_ARGUMENT);
    CHECK(libsgemm_device_describe(index, 0, nullptr) == LIBSGEMM_INVALID_ARGUMENT);
  }
  CHECK(libsgemm_kernel_name(-1, 0) == nullptr);
  CHECK(libsgemm_kernel_name(libsgemm_backend_count(), 0) == nullptr);
  libsgemm_device_info_t device;
  CHECK(libsgemm_device_describe(-1, 0, &device) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(libsgemm_device_describe(libsgemm_backend_count(), 0, &device) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(is_available(3));
}

TEST_CASE("a thread that has called nothing has empty information") {
  libsgemm_info_t info;
  std::memset(&info, 0x55, sizeof info);
  std::thread([&info] {
    libsgemm_backend_info_t backend;
    libsgemm_backend_describe(3, &backend);
    libsgemm_last_info(&info);
  }).join();
  CHECK(info.status == LIBSGEMM_SUCCESS);
  CHECK(info.argument == 0);
  CHECK(info.fallbacks == 0);
  CHECK(info.verify_ratio < 0);
  CHECK(std::string(info.entry) == "");
  CHECK(std::string(info.backend) == "none");
  CHECK(std::string(info.kernel) == "");
  CHECK(std::string(info.math_mode) == "");
  CHECK(std::string(info.reason) == "");
  CHECK(std::string(info.message) == "");
  CHECK(libsgemm_last_info(nullptr) == LIBSGEMM_INVALID_ARGUMENT);
}

TEST_CASE("what the last call did is told, and a new call replaces an error") {
  const Problem problem = small_problem();
  Placement placement(problem, LIBSGEMM_COL_MAJOR);
  Args wrong = placement.args();
  wrong.m = -1;
  REQUIRE(call(Routine::kSgemm, wrong) == LIBSGEMM_INVALID_ARGUMENT);
  libsgemm_info_t info = last_info();
  CHECK(info.status == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(info.argument == 4);
  CHECK(std::string(info.backend) == "none");
  // These calls do not change the report.
  libsgemm_version();
  libsgemm_status_string(LIBSGEMM_SUCCESS);
  libsgemm_backend_info_t backend;
  libsgemm_backend_describe(3, &backend);
  CHECK(last_info().argument == 4);

  REQUIRE(call(Routine::kSgemm, placement.args()) == LIBSGEMM_SUCCESS);
  info = last_info();
  CHECK(info.status == LIBSGEMM_SUCCESS);
  CHECK(info.argument == 0);
  CHECK(std::string(info.message) == "");
  CHECK(std::string(info.entry) == "libsgemm_sgemm");
  CHECK(std::string(info.math_mode) == "fp32");
  CHECK(std::strlen(info.kernel) > 0);
  CHECK(std::strlen(info.reason) > 0);
  CHECK(info.verify_ratio < 0);
  CHECK(placement.check() == "");
}

TEST_CASE("each available backend can be chosen on a handle, and several in order") {
  const Problem problem = small_problem();
  for (int index = 0; index < libsgemm_backend_count(); ++index) {
    const std::string name = libsgemm_backend_name(index);
    Handle handle;
    REQUIRE(libsgemm_set_backend(handle, name.c_str()) == LIBSGEMM_SUCCESS);
    Placement placement(problem, LIBSGEMM_ROW_MAJOR);
    REQUIRE(call(Routine::kSgemm, handle, placement.args()) == LIBSGEMM_SUCCESS);
    CHECK(placement.check() == "");
    const libsgemm_info_t info = last_info();
    INFO(info.reason);
    const bool has_kernel = is_available(index) && name != "cpu";  // which needs a promise of bits
    if (has_kernel) {
      CHECK(info.backend == name);
    } else {
      CHECK(info.backend != name);
      CHECK(has_word(info.reason, name));
    }
    const std::string list = name + (name == "ref" ? ",openblas" : ",ref");
    REQUIRE(libsgemm_set_backend(handle, list.c_str()) == LIBSGEMM_SUCCESS);
    REQUIRE(call(Routine::kSgemm, handle, placement.args()) == LIBSGEMM_SUCCESS);
    const bool computes = has_kernel && name != "cuda" && name != "hip";  // the product is too small for a GPU
    CHECK(std::string(last_info().backend) == (computes ? name : "ref"));
    REQUIRE(libsgemm_set_backend(handle, nullptr) == LIBSGEMM_SUCCESS);
    REQUIRE(call(Routine::kSgemm, placement.args()) == LIBSGEMM_SUCCESS);
    const std::string chosen = last_info().backend;
    REQUIRE(call(Routine::kSgemm, handle, placement.args()) == LIBSGEMM_SUCCESS);
    CHECK(last_info().backend == chosen);
  }
}

TEST_CASE("a backend that is unknown is refused with the valid ones") {
  Handle handle;
  REQUIRE(libsgemm_set_backend(handle, "ref") == LIBSGEMM_SUCCESS);
  for (const char *wrong :
       {"nonsense", "REF", "ref,", ",ref", "ref openblas", "ref,nonsense", " ref", "", "auto,ref"}) {
    INFO("\"" << wrong << "\"");
    CHECK(libsgemm_set_backend(handle, wrong) == LIBSGEMM_INVALID_ARGUMENT);
    const std::string message = last_info().message;
    INFO(message);
    for (const char *valid : {"auto", "cuda", "hip", "openblas", "cpu", "ref"}) CHECK(has_word(message, valid));
  }
  const Problem problem = small_problem();
  Placement placement(problem, LIBSGEMM_COL_MAJOR);
  REQUIRE(call(Routine::kSgemm, handle, placement.args()) == LIBSGEMM_SUCCESS);
  CHECK(std::string(last_info().backend) == "ref");
}

TEST_CASE("a forced kernel runs, and lifting the force ends it") {
  const Problem problem = small_problem();
  Handle handle;
  CHECK(libsgemm_set_kernel(handle, "no_such_kernel") == LIBSGEMM_INVALID_ARGUMENT);
  const std::string message = last_info().message;
  CHECK(has_word(message, "no_such_kernel"));
  CHECK(has_word(message, first_kernel()));
  Placement placement(problem, LIBSGEMM_COL_MAJOR);
  REQUIRE(call(Routine::kSgemm, handle, placement.args()) == LIBSGEMM_SUCCESS);
  const std::string free_choice = last_info().kernel;
  int ran = 0;
  for (int i = 0; libsgemm_kernel_name(kRef, i) != nullptr; ++i) {
    REQUIRE(libsgemm_set_kernel(handle, libsgemm_kernel_name(kRef, i)) == LIBSGEMM_SUCCESS);
    const libsgemm_status_t status = call(Routine::kSgemm, handle, placement.args());
    if (status == LIBSGEMM_NOT_SUPPORTED) {
      CHECK(has_word(last_info().message, libsgemm_kernel_name(kRef, i)));
      continue;
    }
    REQUIRE(status == LIBSGEMM_SUCCESS);
    CHECK(std::string(last_info().kernel) == libsgemm_kernel_name(kRef, i));
    CHECK(std::string(last_info().backend) == "ref");
    ++ran;
  }
  CHECK(ran > 0);
  for (const char *none : {static_cast<const char *>(nullptr), ""}) {
    REQUIRE(libsgemm_set_kernel(handle, none) == LIBSGEMM_SUCCESS);
    REQUIRE(call(Routine::kSgemm, handle, placement.args()) == LIBSGEMM_SUCCESS);
    CHECK(last_info().kernel == free_choice);
  }
}

TEST_CASE("stream and workspace of a handle come back") {
  Handle handle;
  void *stream = &handle;
  REQUIRE(libsgemm_get_stream(handle, &stream) == LIBSGEMM_SUCCESS);
  CHECK(stream == nullptr);
  int token = 0;
  REQUIRE(libsgemm_set_stream(handle, &token) == LIBSGEMM_SUCCESS);
  REQUIRE(libsgemm_get_stream(handle, &stream) == LIBSGEMM_SUCCESS);
  CHECK(stream == &token);
  REQUIRE(libsgemm_set_stream(handle, nullptr) == LIBSGEMM_SUCCESS);
  CHECK(libsgemm_get_stream(handle, nullptr) == LIBSGEMM_INVALID_ARGUMENT);

  alignas(256) static char memory[512];
  void *workspace = &token;
  size_t bytes = 1;
  REQUIRE(libsgemm_get_workspace(handle, &workspace, &bytes) == LIBSGEMM_SUCCESS);
  CHECK(workspace == nullptr);
  REQUIRE(libsgemm_set_workspace(handle, memory, 4) == LIBSGEMM_SUCCESS);
  REQUIRE(libsgemm_get_workspace(handle, &workspace, &bytes) == LIBSGEMM_SUCCESS);
  CHECK(workspace == memory);
  CHECK(bytes == 4);
  CHECK(libsgemm_set_workspace(handle, memory + 128, 4) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(last_info().argument == 2);
  CHECK(has_word(last_info().message, "workspace"));
  CHECK(libsgemm_set_workspace(handle, memory, 0) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(last_info().argument == 3);
  CHECK(has_word(last_info().message, "bytes"));
  REQUIRE(libsgemm_get_workspace(handle, &workspace, &bytes) == LIBSGEMM_SUCCESS);
  CHECK(workspace == memory);
  REQUIRE(libsgemm_set_workspace(handle, nullptr, 4096) == LIBSGEMM_SUCCESS);
  REQUIRE(libsgemm_get_workspace(handle, &workspace, &bytes) == LIBSGEMM_SUCCESS);
  CHECK(workspace == nullptr);
  CHECK(bytes == 4096);
  CHECK(libsgemm_get_workspace(handle, nullptr, &bytes) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(libsgemm_get_workspace(handle, &workspace, nullptr) == LIBSGEMM_INVALID_ARGUMENT);
}

TEST_CASE("the math mode of a handle comes back") {
  Handle handle;
  libsgemm_math_mode_t mode = LIBSGEMM_MATH_FP16;
  REQUIRE(libsgemm_get_math_mode(handle, &mode) == LIBSGEMM_SUCCESS);
  CHECK(mode == LIBSGEMM_MATH_FP32);
  std::vector<libsgemm_math_mode_t> modes(kOtherModes.begin(), kOtherModes.end());
  modes.push_back(LIBSGEMM_MATH_FP32);
  for (const libsgemm_math_mode_t each : modes) {
    REQUIRE(libsgemm_set_math_mode(handle, each) == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_get_math_mode(handle, &mode) == LIBSGEMM_SUCCESS);
    CHECK(mode == each);
  }
  CHECK(libsgemm_set_math_mode(handle, no_enumerator<libsgemm_math_mode_t>(kOtherModeCount + 1)) ==
        LIBSGEMM_INVALID_ARGUMENT);
  REQUIRE(libsgemm_get_math_mode(handle, &mode) == LIBSGEMM_SUCCESS);
  CHECK(mode == LIBSGEMM_MATH_FP32);
  CHECK(libsgemm_get_math_mode(handle, nullptr) == LIBSGEMM_INVALID_ARGUMENT);
}

TEST_CASE("determinism and verification of a handle come back") {
  Handle handle;
  libsgemm_deterministic_t deterministic = LIBSGEMM_DETERMINISTIC_ON;
  REQUIRE(libsgemm_get_deterministic(handle, &deterministic) == LIBSGEMM_SUCCESS);
  CHECK(deterministic == LIBSGEMM_DETERMINISTIC_OFF);
  for (const libsgemm_deterministic_t each :
       {LIBSGEMM_DETERMINISTIC_ON, LIBSGEMM_DETERMINISTIC_OFF, LIBSGEMM_DETERMINISTIC_INVARIANT}) {
    REQUIRE(libsgemm_set_deterministic(handle, each) == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_get_deterministic(handle, &deterministic) == LIBSGEMM_SUCCESS);
    CHECK(deterministic == each);
  }
  CHECK(libsgemm_set_deterministic(handle, no_enumerator<libsgemm_deterministic_t>(3)) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(last_info().argument == 2);
  CHECK(has_word(last_info().message, "invariant"));
  REQUIRE(libsgemm_get_deterministic(handle, &deterministic) == LIBSGEMM_SUCCESS);
  CHECK(deterministic == LIBSGEMM_DETERMINISTIC_INVARIANT);
  CHECK(libsgemm_get_deterministic(handle, nullptr) == LIBSGEMM_INVALID_ARGUMENT);

  CHECK(libsgemm_set_verify(handle, no_enumerator<libsgemm_verify_t>(3), LIBSGEMM_VERIFY_WARN) ==
        LIBSGEMM_INVALID_ARGUMENT);
  CHECK(libsgemm_set_verify(handle, LIBSGEMM_VERIFY_FULL, no_enumerator<libsgemm_verify_action_t>(3)) ==
        LIBSGEMM_INVALID_ARGUMENT);
  for (const libsgemm_verify_t verify : {LIBSGEMM_VERIFY_OFF, LIBSGEMM_VERIFY_SAMPLE, LIBSGEMM_VERIFY_FULL}) {
    for (const auto action : {LIBSGEMM_VERIFY_WARN, LIBSGEMM_VERIFY_RETRY, LIBSGEMM_VERIFY_ERROR}) {
      CHECK(libsgemm_set_verify(handle, verify, action) == LIBSGEMM_SUCCESS);
      libsgemm_verify_t level = LIBSGEMM_VERIFY_OFF;
      libsgemm_verify_action_t what = LIBSGEMM_VERIFY_WARN;
      REQUIRE(libsgemm_get_verify(handle, &level, &what) == LIBSGEMM_SUCCESS);
      CHECK(level == verify);
      CHECK(what == action);
      CHECK(libsgemm_get_verify(handle, nullptr, &what) == LIBSGEMM_INVALID_ARGUMENT);
      CHECK(libsgemm_get_verify(handle, &level, nullptr) == LIBSGEMM_INVALID_ARGUMENT);
    }
  }
  CHECK(libsgemm_synchronize(handle) == LIBSGEMM_SUCCESS);
}

TEST_CASE("a mode that a backend lacks runs as FP32 and says so") {
  const Problem problem = small_problem();
  for (const libsgemm_math_mode_t mode : {LIBSGEMM_MATH_BF16X6, LIBSGEMM_MATH_FP16X3}) {
    Handle handle;
    REQUIRE(libsgemm_set_backend(handle, "ref") == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_set_math_mode(handle, mode) == LIBSGEMM_SUCCESS);
    Placement placement(problem, LIBSGEMM_COL_MAJOR);
    REQUIRE(call(Routine::kSgemm, handle, placement.args()) == LIBSGEMM_SUCCESS);
    CHECK(std::string(last_info().math_mode) == "fp32");
    CHECK(placement.check() == "");
  }
}

namespace {

void refuse(libsgemm_handle_t handle) {
  const Problem problem = small_problem();
  void *stream = nullptr;
  void *workspace = nullptr;
  size_t bytes = 0;
  libsgemm_math_mode_t mode;
  CHECK(libsgemm_set_stream(handle, nullptr) == LIBSGEMM_INVALID_HANDLE);
  CHECK(libsgemm_get_stream(handle, &stream) == LIBSGEMM_INVALID_HANDLE);
  CHECK(libsgemm_set_workspace(handle, nullptr, 0) == LIBSGEMM_INVALID_HANDLE);
  CHECK(libsgemm_get_workspace(handle, &workspace, &bytes) == LIBSGEMM_INVALID_HANDLE);
  CHECK(libsgemm_set_math_mode(handle, LIBSGEMM_MATH_FP32) == LIBSGEMM_INVALID_HANDLE);
  CHECK(libsgemm_get_math_mode(handle, &mode) == LIBSGEMM_INVALID_HANDLE);
  libsgemm_deterministic_t deterministic;
  CHECK(libsgemm_set_deterministic(handle, LIBSGEMM_DETERMINISTIC_ON) == LIBSGEMM_INVALID_HANDLE);
  CHECK(libsgemm_get_deterministic(handle, &deterministic) == LIBSGEMM_INVALID_HANDLE);
  CHECK(libsgemm_set_backend(handle, "ref") == LIBSGEMM_INVALID_HANDLE);
  CHECK(libsgemm_set_kernel(handle, "") == LIBSGEMM_INVALID_HANDLE);
  CHECK(libsgemm_set_verify(handle, LIBSGEMM_VERIFY_OFF, LIBSGEMM_VERIFY_WARN) == LIBSGEMM_INVALID_HANDLE);
  libsgemm_verify_t verify;
  libsgemm_verify_action_t action;
  CHECK(libsgemm_get_verify(handle, &verify, &action) == LIBSGEMM_INVALID_HANDLE);
  CHECK(libsgemm_synchronize(handle) == LIBSGEMM_INVALID_HANDLE);
  for (const Routine routine : kSingleRoutines) {
    Case test;
    test.routine = routine;
    test.m = test.n = test.k = 4;
    const Problem each = make_problem(test);
    Placement placement(each, LIBSGEMM_COL_MAJOR);
    INFO(entry_name(routine));
    CHECK(call(routine, handle, placement.args()) == LIBSGEMM_INVALID_HANDLE);
    CHECK(last_info().status == LIBSGEMM_INVALID_HANDLE);
    CHECK(std::string(last_info().message) != "");
    CHECK(placement.check_untouched() == "");
  }
  for (const Routine routine : kStridedRoutines) {
    CHECK(call(routine, handle, Args()) == LIBSGEMM_INVALID_HANDLE);
  }
  for (const Element element : {Element::kFloat, Element::kHalf, Element::kBfloat16}) {
    CHECK(call_batch(element, handle, BatchArgs()) == LIBSGEMM_INVALID_HANDLE);
  }
}

}  // namespace

TEST_CASE("a handle that is NULL, destroyed or foreign is refused everywhere") {
  CHECK(libsgemm_create(nullptr) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(libsgemm_destroy(nullptr) == LIBSGEMM_SUCCESS);
  SECTION("NULL") { refuse(nullptr); }
  SECTION("destroyed") {
    libsgemm_handle_t handle = nullptr;
    REQUIRE(libsgemm_create(&handle) == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_destroy(handle) == LIBSGEMM_SUCCESS);
    refuse(handle);
    CHECK(libsgemm_destroy(handle) == LIBSGEMM_INVALID_HANDLE);
  }
  SECTION("foreign") {
    alignas(64) unsigned char memory[256];
    std::memset(memory, 0x5a, sizeof memory);
    const auto handle = reinterpret_cast<libsgemm_handle_t>(memory);
    refuse(handle);
    CHECK(libsgemm_destroy(handle) == LIBSGEMM_INVALID_HANDLE);
  }
}

TEST_CASE("a batch of many groups has each reason once") {
  constexpr int kGroups = 5;
  const float a[1] = {2}, *as[kGroups];
  float c[kGroups], *cs[kGroups];
  libsgemm_op_t op[kGroups];
  int64_t one[kGroups];
  float alpha[kGroups], beta[kGroups];
  for (int i = 0; i < kGroups; ++i) {
    as[i] = a;
    cs[i] = &c[i];
    op[i] = LIBSGEMM_NO_TRANS;
    one[i] = 1;
    alpha[i] = 1;
    beta[i] = 0;
  }
  REQUIRE(libsgemm_sgemm_batch(LIBSGEMM_COL_MAJOR, op, op, one, one, one, alpha, as, one, as, one, beta, cs, one,
                               kGroups, one) == LIBSGEMM_SUCCESS);
  CHECK(c[kGroups - 1] == 4);
  const std::string reason = last_info().reason;
  INFO(reason);
  for (int index = 0; index < libsgemm_backend_count(); ++index) {
    const std::string about = "; " + std::string(libsgemm_backend_name(index)) + " ";
    CHECK(reason.find(about) == reason.rfind(about));
  }
}

TEST_CASE("handles are independent") {
  Handle first, second;
  REQUIRE(libsgemm_set_math_mode(first, LIBSGEMM_MATH_TF32) == LIBSGEMM_SUCCESS);
  libsgemm_math_mode_t mode;
  REQUIRE(libsgemm_get_math_mode(second, &mode) == LIBSGEMM_SUCCESS);
  CHECK(mode == LIBSGEMM_MATH_FP32);
}
