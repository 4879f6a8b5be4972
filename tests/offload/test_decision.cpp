#include <dlfcn.h>
#include <libsgemm.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "decision/calibration.h"
#include "plugins/mock.h"
#include "support/call.h"
#include "support/catch.h"
#include "support/part.h"
#include "support/process.h"

using namespace libsgemm;
using namespace sgemm_test;

namespace {

// The CPU has 1 GFLOP/s and a GPU call takes 100 us: products above about 37 go to the GPU.
Calibration figures(double startup, double cpu_flops = 1e9, double call = 100e-6) {
  Calibration c = assumed_calibration(1);
  c.margin = 1;
  for (int m = 0; m < SizeTable::kCount; ++m) {
    for (int n = 0; n < SizeTable::kCount; ++n) {
      for (int k = 0; k < SizeTable::kCount; ++k) c.cpu_flops.set(m, n, k, cpu_flops);
    }
  }
  c.gpu.startup = startup;
  c.gpu.call = call;
  c.gpu.pageable = c.gpu.pinned = {1e15, 1e15};
  c.gpu.flops = 1e18;
  return c;
}

// The file is named before the library reads the environment, and written when a test needs it.
const std::string &own_file() {
  static const TemporaryDirectory folder;
  static const std::string path = [] {
    std::string file = folder.path() + "/figures";
    setenv("LIBSGEMM_BACKEND_PATH", MOCK_FOLDER "/gpu", 1);
    setenv("LIBSGEMM_CALIBRATION", file.c_str(), 1);
    return file;
  }();
  return path;
}

// The mock GPU's key, without starting it.
CalibrationKey own_key() {
  own_file();
  libsgemm_backend_info_t cpu = {};
  libsgemm_device_info_t device = {};
  for (int index = 0; index < libsgemm_backend_count() && cpu.available == 0; ++index) {
    const std::string name = libsgemm_backend_name(index);
    if (name == "cuda" || name == "hip") continue;
    REQUIRE(libsgemm_backend_describe(index, &cpu) == LIBSGEMM_SUCCESS);
    if (cpu.available != 0) REQUIRE(libsgemm_device_describe(index, 0, &device) == LIBSGEMM_SUCCESS);
  }
  CalibrationKey key = calibration_key(cpu.name, cpu.version, device.compute_units, "cuda");
  key.device = calibration_device("mock driver 1.0", "mock device", 2);
  return key;
}

void write(const std::string &path, const std::string &text) { std::ofstream(path) << text; }

mock::Control &gpu() {
  void *plugin = dlopen(MOCK_FOLDER "/gpu/libsgemm_cuda.so", RTLD_NOW | RTLD_LOCAL);
  REQUIRE(plugin != nullptr);
  return *reinterpret_cast<mock::ControlEntry>(dlsym(plugin, mock::kControlSymbol))();
}

// Each process reads the environment again.
Outcome probe(const std::string &calibration, Environment environment, const std::vector<std::string> &arguments = {}) {
  environment["LIBSGEMM_BACKEND_PATH"] = MOCK_FOLDER "/gpu";
  if (!calibration.empty()) environment["LIBSGEMM_CALIBRATION"] = calibration;
  std::vector<std::string> all = arguments;
  if (all.empty()) all = {"--size", "100"};
  Outcome outcome = run_probe(PROBE, all, environment);
  INFO(outcome.description());
  REQUIRE(outcome.exit_status == 0);
  CHECK(outcome.out == "");
  CHECK(outcome.report["correct"] == "1");
  return outcome;
}

class CalibrationFolder : public TemporaryDirectory {
 public:
  std::string write_file(const std::string &name, const Calibration &c, const CalibrationKey &key = own_key()) const {
    write(path() + "/" + name, calibration_to_text({key, c}));
    return path() + "/" + name;
  }
};

}  // namespace

TEST_CASE("figures that fit decide, and say so") {
  const CalibrationFolder folder;
  const std::string path = folder.write_file("figures", figures(0));
  Outcome gpu = probe(path, {{"LIBSGEMM_VERBOSE", "1"}});
  INFO(gpu.description());
  CHECK(gpu.report["backend"] == "cuda");
  CHECK_THAT(gpu.report["reason"], Contains("ms predicted on ") && Contains(" against 0.1 on cuda (up "));
  CHECK_THAT(gpu.err, Contains("CPU or cuda is decided by " + path + "\n"));
  CHECK_THAT(probe(path, {}, {"--size", "5"}).report["reason"], Contains("cuda not worth the transfer: too small"));
  CHECK_THAT(probe(path, {}, {"--size", "30"}).report["reason"],
             Contains("cuda not worth the transfer: 0.054 ms predicted on ") && Contains("against 0.1 on cuda"));
  const std::string fast = folder.write_file("fast", figures(0, 30e9));
  CHECK(probe(fast, {}).report["backend"] != "cuda");
}

TEST_CASE("the file is found in the user's cache") {
  const CalibrationFolder folder;
  const CalibrationKey key = own_key();
  setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  const std::string path = calibration_path(key);
  const Environment environment = {{"XDG_CACHE_HOME", folder.path()}, {"LIBSGEMM_VERBOSE", "1"}};
  CHECK_THAT(probe("", environment).err,
             Contains("built-in model parameters, since " + path + " is not used: No such file"));
  REQUIRE(std::system(("mkdir " + folder.path() + "/libsgemm").c_str()) == 0);
  write(path, calibration_to_text({key, figures(0)}));
  Outcome outcome = probe("", environment);
  CHECK(outcome.report["backend"] == "cuda");
  CHECK_THAT(outcome.err, Contains("is decided by " + path + "\n"));
  Outcome off = probe("off", environment);
  CHECK(off.report["backend"] != "cuda");
  CHECK_THAT(off.err, Contains("is decided by built-in model parameters\n"));
  unsetenv("XDG_CACHE_HOME");
}

TEST_CASE("a file that is damaged or for something else is ignored, visibly, and never an error") {
  const CalibrationFolder folder;
  const CalibrationKey key = own_key();
  CalibrationKey cpu = key, library = key;
  cpu.cpu += " and more";
  library.library = "0.0.0";
  const std::string text = calibration_to_text({key, figures(0)});
  write(folder.path() + "/cut", text.substr(0, text.size() / 2));
  write(folder.path() + "/binary", std::string(5000, '\xff'));
  struct Ignored {
    std::string path, why;
  };
  for (const Ignored &ignored :
       {Ignored{folder.write_file("cpu", figures(0), cpu), "it is for another cpu: " + cpu.cpu},
        Ignored{folder.write_file("library", figures(0), library), "it is for another library: 0.0.0"},
        Ignored{folder.path() + "/cut", "line "}, Ignored{folder.path() + "/binary", "line 1: "},
        Ignored{folder.path() + "/none", "No such file or directory"},
        Ignored{folder.path(), "it is not a calibration"}, Ignored{"/dev/zero", "it is not a calibration"}}) {
    INFO(ignored.path);
    Outcome outcome = probe(ignored.path, {{"LIBSGEMM_VERBOSE", "1"}});
    CHECK(outcome.report["backend"] != "cuda");
    CHECK_THAT(outcome.err,
               Contains("built-in model parameters, since " + ignored.path + " is not used: " + ignored.why));
    CHECK(probe(ignored.path, {}).err == "");
  }
}

TEST_CASE("figures of another device are given up when the devices are known") {
  const CalibrationFolder folder;
  CalibrationKey other = own_key();
  const std::string path = folder.write_file("own", figures(0), other);
  other.device = "another driver; 2 x mock device";
  const std::string foreign = folder.write_file("other", figures(0), other);
  // `describe` initialises devices.
  CHECK(probe(path, {}, {"--mode", "describe", "--size", "100"}).report["backend"] == "cuda");
  Outcome outcome = probe(foreign, {{"LIBSGEMM_VERBOSE", "1"}}, {"--mode", "describe", "--size", "100"});
  CHECK(outcome.report["backend"] != "cuda");
  CHECK_THAT(outcome.err, Contains("since " + foreign + " is not used: it is for another device: another driver"));
}

TEST_CASE("LIBSGEMM_OFFLOAD and its threshold beat the figures") {
  const CalibrationFolder folder;
  const std::string gpu = folder.write_file("gpu", figures(0)), cpu = folder.write_file("cpu", figures(0, 1e12));
  CHECK(probe(gpu, {}).report["backend"] == "cuda");
  CHECK(probe(gpu, {{"LIBSGEMM_OFFLOAD", "never"}}).report["backend"] != "cuda");
  Outcome small = probe(gpu, {{"LIBSGEMM_OFFLOAD_THRESHOLD", "101"}});
  CHECK(small.report["backend"] != "cuda");
  CHECK_THAT(small.report["reason"], Contains("LIBSGEMM_OFFLOAD_THRESHOLD"));
  CHECK(probe(cpu, {}).report["backend"] != "cuda");
  CHECK(probe(cpu, {{"LIBSGEMM_OFFLOAD", "always"}}).report["backend"] == "cuda");
  CHECK(probe(cpu, {{"LIBSGEMM_OFFLOAD_THRESHOLD", "99"}}).report["backend"] == "cuda");
  CHECK(probe(cpu, {{"LIBSGEMM_BACKEND", "cuda"}}).report["backend"] == "cuda");
  CHECK(probe(cpu, {{"LIBSGEMM_BACKEND", "cuda"}, {"LIBSGEMM_OFFLOAD", "auto"}}).report["backend"] != "cuda");
  CHECK(probe(cpu, {{"LIBSGEMM_BACKEND", "cuda,ref"}}).report["backend"] == "ref");
}

TEST_CASE("sixteen threads decide at once") {
  const CalibrationFolder folder;
  Outcome outcome = probe(folder.write_file("figures", figures(1e-3)), {}, {"--mode", "first-use", "--size", "60"});
  CHECK(outcome.report["sound"] == "16");
  CHECK(outcome.report["backend"] == "cuda");
}

TEST_CASE("the devices are started once the calls so far would have paid for it") {
  write(own_file(), calibration_to_text({own_key(), figures(30e-3, 1e7, 10e-3)}));
  const auto call = [](int64_t n) {
    const std::vector<float> a(static_cast<size_t>(n * n), 1.0f);
    std::vector<float> c(a.size());
    REQUIRE(libsgemm_sgemm(LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, n, n, n, 1, a.data(), n, a.data(),
                           n, 0, c.data(), n) == LIBSGEMM_SUCCESS);
    CHECK(c.back() == static_cast<float>(n));
    libsgemm_info_t info;
    libsgemm_last_info(&info);
    return info;
  };
  // On the GPU a product of 48 saves 12 of 22 ms; one of 30 nothing. No real CPU is slower than these predictions.
  for (const char *saved : {"12.1", "24.2"}) {
    for (int i = 0; i < 20; ++i) CHECK(std::string(call(30).backend) != "cuda");
    const libsgemm_info_t info = call(48);
    CHECK(std::string(info.backend) != "cuda");
    CHECK_THAT(info.reason, Contains("cuda not started yet: 22.1 ms predicted on ") &&
                                Contains("would have saved " + std::string(saved) + " of the 30 that the start takes"));
    CHECK(gpu().probes == 0);
  }
  CHECK(std::string(call(48).backend) == "cuda");
  CHECK(gpu().probes == 1);
  CHECK(std::string(call(48).backend) == "cuda");
  CHECK(std::string(call(30).backend) != "cuda");
}

TEST_CASE("a CPU that is slower than predicted pays for the start sooner") {
  // A product takes 50 us or more; the prediction is 16 ns. By prediction a thousand calls pay for the start, by
  // measurement one does.
  const CalibrationFolder folder;
  Outcome outcome =
      probe(folder.write_file("figures", figures(20e-6, 1e15, 1e-9)), {}, {"--mode", "twice", "--size", "200"});
  INFO(outcome.description());
  CHECK(outcome.report["first_backend"] != "cuda");
  CHECK_THAT(outcome.report["first_reason"], Contains("cuda not started yet"));
  CHECK(outcome.report["backend"] == "cuda");
}

TEST_CASE("one large call starts the devices at once") {
  const CalibrationFolder folder;
  const std::string path = folder.write_file("figures", figures(10e-3));
  CHECK(probe(path, {}, {"--size", "200"}).report["backend"] == "cuda");
  CHECK(probe(path, {}, {"--size", "100"}).report["backend"] != "cuda");
}

TEST_CASE("where results are deterministic no call is decided by those before it") {
  const CalibrationFolder folder;
  const Environment deterministic = {{"LIBSGEMM_DETERMINISTIC", "1"}};
  const std::vector<std::string> twice = {"--mode", "twice", "--size", "200"};
  // The decision ignores the start's cost.
  Outcome outcome = probe(folder.write_file("slow", figures(20e-6, 1e15, 1e-9)), deterministic, twice);
  CHECK(outcome.report["first_backend"] == "cuda");
  CHECK(outcome.report["backend"] == "cuda");
  // Another device's parameters are not used, even before devices are known.
  CalibrationKey other = own_key();
  other.device = "another driver; 2 x mock device";
  outcome = probe(folder.write_file("other", figures(0), other), deterministic, {"--mode", "twice", "--size", "100"});
  CHECK(outcome.report["first_backend"] != "cuda");
  CHECK(outcome.report["backend"] != "cuda");
  // A call too small by both does not start devices.
  const std::string own = folder.write_file("own", figures(0));
  for (const char *size : {"5", "100"}) {
    outcome = probe(own, {{"LIBSGEMM_DETERMINISTIC", "1"}, {"LIBSGEMM_VERBOSE", "1"}}, {"--size", size});
    const bool started = outcome.err.find("backend cuda: 2 device(s)") != std::string::npos;
    CHECK(started == (outcome.report["backend"] == "cuda"));
    CHECK(started == (size == std::string("100")));
  }
}

namespace {

class RepeatedProducts {
 public:
  enum Where { host, device, kWheres };
  static constexpr int64_t kSizes = 60;

  RepeatedProducts() : numbers_(kSizes * kSizes) {
    for (float &x : numbers_) x = std::uniform_real_distribution<float>(-1, 1)(random_);
    operand_ = static_cast<float *>(gpu().allocate(0, bytes()));
    gpu().write(operand_, numbers_.data(), bytes());
    c_ = static_cast<float *>(gpu().allocate(0, bytes()));
  }
  ~RepeatedProducts() {
    for (float *memory : {operand_, c_}) gpu().release(0, memory);
  }
  RepeatedProducts(const RepeatedProducts &) = delete;
  RepeatedProducts &operator=(const RepeatedProducts &) = delete;

  int64_t draw(int64_t count) { return std::uniform_int_distribution<int64_t>(0, count - 1)(random_); }

  // A new handle has no workspace yet.
  libsgemm_status_t run(int64_t n, Where where, std::vector<float> *c) {
    const std::vector<float> before(numbers_.size(), 2);
    *c = before;
    const Handle h;
    if (where == host) return multiply(h, n, numbers_.data(), c->data());
    gpu().write(c_, before.data(), bytes());
    const libsgemm_status_t status = multiply(h, n, operand_, c_);
    CHECK(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
    gpu().read(c_, c->data(), bytes());
    return status;
  }

 private:
  static libsgemm_status_t multiply(libsgemm_handle_t h, int64_t n, const float *a, float *c) {
    return libsgemm_sgemm_h(h, LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_TRANS, n, n, kSizes, 1.5f, a, kSizes, a,
                            kSizes, 0.5f, c, kSizes);
  }
  size_t bytes() const { return numbers_.size() * sizeof(float); }

  std::mt19937 random_{1};
  std::vector<float> numbers_;
  float *operand_, *c_;
};

}  // namespace

// LIBSGEMM_TEST_TRIALS: calls; the promise is for 10000.
TEST_CASE("deterministic bits are a function of the call, under load and while memory comes and goes",
          "[.deterministic]") {
  setenv("LIBSGEMM_DETERMINISTIC", "1", 1);
  write(own_file(), calibration_to_text({own_key(), figures(30e-3)}));
  RepeatedProducts products;
  std::map<std::pair<int64_t, int>, std::vector<float>> alone;
  std::map<std::string, int> computed;
  for (int64_t n = 1; n <= RepeatedProducts::kSizes; ++n) {
    for (const auto where : {RepeatedProducts::host, RepeatedProducts::device}) {
      REQUIRE(products.run(n, where, &alone[{n, where}]) == LIBSGEMM_SUCCESS);
      ++computed[last_info().backend];
    }
  }
  REQUIRE(computed.size() == 2);
  const char *text = std::getenv("LIBSGEMM_TEST_TRIALS");
  const int trials = text != nullptr ? std::atoi(text) : 1000 / one_in();
  std::atomic<bool> done{false};
  std::vector<std::thread> load;
  for (const char *backends : {"auto", "openblas,ref"}) {
    load.emplace_back([&done, backends] {
      Handle h;
      libsgemm_set_backend(h, backends);
      libsgemm_set_deterministic(h, LIBSGEMM_DETERMINISTIC_OFF);
      const std::vector<float> a(100 * 100, 1);
      std::vector<float> c(a.size());
      while (!done) {
        libsgemm_sgemm_h(h, LIBSGEMM_ROW_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, 100, 100, 100, 1, a.data(), 100,
                         a.data(), 100, 0, c.data(), 100);
      }
    });
  }
  int wrong = 0, failed = 0, unknown = 0;
  for (int i = 0; i < trials; ++i) {
    const int64_t n = 1 + products.draw(RepeatedProducts::kSizes);
    const auto where = static_cast<RepeatedProducts::Where>(products.draw(RepeatedProducts::kWheres));
    if (products.draw(4) == 0) libsgemm_release_memory();
    gpu().capacity = products.draw(3) == 0 ? 1 : 0;
    std::vector<float> c;
    const libsgemm_status_t status = products.run(n, where, &c);
    if (status == LIBSGEMM_SUCCESS) {
      wrong += c != alone[{n, where}] ? 1 : 0;
      continue;
    }
    ++failed;
    wrong += c != std::vector<float>(c.size(), 2) ? 1 : 0;
    const bool told = std::string(last_info().message).find("LIBSGEMM_DETERMINISTIC=1") != std::string::npos;
    unknown += status == LIBSGEMM_OUT_OF_MEMORY && told ? 0 : 1;
  }
  gpu().capacity = 0;
  done = true;
  for (std::thread &thread : load) thread.join();
  CHECK(wrong == 0);
  CHECK(unknown == 0);
  CHECK(failed > trials / 20);
  CHECK(failed < trials / 2);
}
