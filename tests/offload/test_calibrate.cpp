#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <locale>
#include <string>
#include <vector>

#include "decision/calibration.h"
#include "model/calibrate_fit.h"
#include "support/catch.h"
#include "support/process.h"

using namespace libsgemm;
using command::describe_product;
using sgemm_test::TemporaryDirectory;

namespace {

constexpr unsigned kAllPinned = kPinnedA | kPinnedB | kPinnedC;

Prediction predict_product(const Calibration &c, int64_t m, int64_t n, int64_t k, unsigned pinned = 0) {
  return predict(c, describe_product(m, n, k), pinned);
}

// Interpolation reproduces a product of powers exactly.
void fill_with_powers(SizeTable *table) {
  for (int m = 0; m < SizeTable::kCount; ++m) {
    for (int n = 0; n < SizeTable::kCount; ++n) {
      for (int k = 0; k < SizeTable::kCount; ++k) {
        const auto size = [](int at) { return static_cast<double>(SizeTable::kSizes[static_cast<size_t>(at)]); };
        table->set(m, n, k, 1e6 * std::sqrt(size(m)) * size(n) * std::cbrt(size(k)));
      }
    }
  }
}

CalibrationFile sample_file() {
  CalibrationFile file;
  file.key = calibration_key("openblas", "OpenBLAS 9", 7, "cuda");
  file.key.device = calibration_device("driver 5", "a device", 2);
  file.figures = assumed_calibration(7);
  fill_with_powers(&file.figures.cpu_flops);
  file.figures.gpu.pageable = {1.5e10, 2.5e10};
  return file;
}

bool is_read(const std::string &text, std::string *problem) {
  CalibrationFile file;
  return calibration_from_text(text, &file, problem);
}

void write(const std::string &path, const std::string &text) { std::ofstream(path) << text; }

// Real libraries deviate by a few per cent with the shape.
double quirk(int64_t m, int64_t n, int64_t k, double amplitude) {
  const uint64_t hash = static_cast<uint64_t>(m * 31 + n * 17 + k * 7) * 0x9e3779b97f4a7c15u;
  return 1 + amplitude * (static_cast<double>(hash >> 40) / static_cast<double>(1 << 23) - 1);
}

// The CPU has 16 threads above some size, and limited bandwidth.
double simulated_cpu(int64_t m, int64_t n, int64_t k) {
  const double x = static_cast<double>(m), y = static_cast<double>(n), z = static_cast<double>(k);
  const double threads = std::clamp(std::min(x * y / 2000, x * y * z / 1e6), 1.0, 16.0);
  const double rate = 31e9 * threads * x / (x + 8) * y / (y + 8) * z / (z + 16);
  const double bytes = 4 * (x * y + y * z + x * z);
  return (2e-7 + (threads > 1 ? 5e-6 : 0) + std::max(2 * x * y * z / rate, bytes / 100e9)) * quirk(m, n, k, 0.04);
}

constexpr double kStaged = 25e9, kLink = 55e9;  // bytes/s of pageable and page-locked memory
constexpr double kFlops = 50e12;

// A GPU that computes C tile by tile, each after a panel of A and of B, with a link in each direction.
double simulated_gpu(int64_t m, int64_t n, int64_t k, double link) {
  constexpr int64_t kTile = 1024;
  double up = 35e-6, device = 35e-6, down = 35e-6;
  for (int64_t j = 0; j < n; j += kTile) {
    const double y = static_cast<double>(std::min(kTile, n - j)), z = static_cast<double>(k);
    up += 4 * y * z / link;
    for (int64_t i = 0; i < m; i += kTile) {
      const double x = static_cast<double>(std::min(kTile, m - i));
      if (j == 0) up += 4 * x * z / link;
      device = std::max(device, up) + 5e-6 + 2 * x * y * z / kFlops;
      down = std::max(down, device) + 5e-6 + 4 * x * y / link;
    }
  }
  return down * quirk(m, k, n, 0.04);
}

Calibration calibrate_simulated() {
  const auto pageable = [](int64_t m, int64_t n, int64_t k) { return simulated_gpu(m, n, k, kStaged); };
  Calibration c = assumed_calibration(1);
  c.margin = 1;
  command::fit_cpu(command::time_sizes(simulated_cpu, 0.2, 60), &c.cpu_flops);
  c.gpu.pinned = {kLink, kLink};
  c.gpu.flops = kFlops;
  command::fit_gpu(command::time_sizes(pageable, 0.2, 60), &c.gpu);
  return c;
}

}  // namespace

TEST_CASE("a table meets its points, and powers between them, and is constant beyond") {
  SizeTable table;
  fill_with_powers(&table);
  CHECK(table.at(64, 512, 8) == Approx(table.get(3, 6, 1)));
  CHECK(table.at(100, 3, 3000) == Approx(1e6 * std::sqrt(100.0) * 3 * std::cbrt(3000.0)).epsilon(1e-4));
  CHECK(table.at(1e12, 1, 1e15) == Approx(table.at(16384, 1, 16384)));
}

TEST_CASE("predicted seconds grow with every size, whatever is assumed of the CPU") {
  for (const int threads : {1, 16, 200}) {
    const Calibration c = assumed_calibration(threads);
    for (const int64_t m : {1, 7, 64, 1000, 5000}) {
      for (const int64_t n : {1, 33, 900}) {
        for (const int64_t k : {1, 100, 20000}) {
          const Prediction p = predict_product(c, m, n, k);
          CHECK(p.cpu > 0);
          CHECK(p.gpu >= p.up + p.compute + p.down);
          for (const Prediction &larger :
               {predict_product(c, 2 * m, n, k), predict_product(c, m, 2 * n, k), predict_product(c, m, n, 2 * k)}) {
            CHECK(larger.cpu > p.cpu);
            CHECK(larger.gpu > p.gpu);
          }
          CHECK(predict_product(c, m, n, k, kAllPinned).gpu < p.gpu);
        }
      }
    }
  }
}

TEST_CASE("copies count what is copied") {
  const Calibration c = assumed_calibration(4);
  GemmDesc d = describe_product(3000, 2000, 1000);
  const double rate = c.gpu.pageable.up;
  const Prediction plain = predict(c, d, 0);
  CHECK(plain.up == Approx(4 * (3e6 + 2e6) / rate));
  CHECK(plain.down == Approx(4 * 6e6 / c.gpu.pageable.down));
  d.beta = 1;
  CHECK(predict(c, d, 0).up == Approx(4 * (3e6 + 2e6 + 6e6) / rate));
  CHECK(predict(c, d, kPinnedC).down == Approx(4 * 6e6 / c.gpu.pinned.down));
  CHECK(predict(c, d, kPinnedA).up == Approx(4 * (3e6 / c.gpu.pinned.up + (2e6 + 6e6) / rate)));
  d.beta = 0;
  d.type = Type::f16;
  CHECK(predict(c, d, 0).up == Approx(2 * (3e6 + 2e6) / rate));
  d = describe_product(2000, 2000, 500);
  d.routine = Routine::syrk;
  CHECK(predict(c, d, 0).up == Approx(4 * 1e6 / rate));
  d = describe_product(2000, 300, 2000);
  d.routine = Routine::trsm;
  d.side = LIBSGEMM_LEFT;
  d.beta = 1;
  CHECK(predict(c, d, 0).up == Approx(4 * (4e6 + 6e5) / rate));
  d = describe_product(10, 10, 10);
  d.batch = Batch::strided;
  d.batch_count = 1000;
  d.stride_a = d.stride_c = 100;
  CHECK(predict(c, d, 0).up == Approx(4 * (1e5 + 100) / rate));  // one B for the batch
  CHECK(predict(c, d, 0).gpu > 999 * c.gpu.item_strided);
  CHECK(predict(c, d, 0).cpu == Approx(1000 * predict_product(c, 10, 10, 10).cpu));
}

TEST_CASE("extreme sizes are predicted and sent to the GPU or not, not to infinity") {
  const Calibration c = assumed_calibration(16);
  constexpr int64_t kHuge = int64_t{1} << 31;
  for (const int64_t k : {int64_t{1}, kHuge}) {
    const Prediction p = predict_product(c, kHuge, kHuge, k);
    CHECK(std::isfinite(p.cpu));
    CHECK(std::isfinite(p.gpu));
    CHECK((p.gpu < p.cpu) == (k == kHuge));
  }
  GemmDesc batch = describe_product(kHuge, 1, 1);
  batch.batch = Batch::pointers;
  batch.batch_count = kHuge;
  CHECK(std::isfinite(predict(c, batch, 0).gpu));
}

TEST_CASE("what is assumed keeps small products on the CPU and sends large ones to the GPU") {
  for (const int threads : {1, 4, 16, 64}) {
    const Calibration c = assumed_calibration(threads);
    const auto pays = [&](int64_t n, unsigned pinned) {
      const Prediction p = predict_product(c, n, n, n, pinned);
      return p.gpu * c.margin < p.cpu;
    };
    INFO(threads << " threads");
    CHECK_FALSE(pays(100, 0));
    CHECK(pays(16384, kAllPinned));
    CHECK_FALSE(predict_product(c, 10000, 1, 10000).gpu * c.margin < predict_product(c, 10000, 1, 10000).cpu);
    const double least = least_product(c);
    for (int64_t n = 1; n < 3000; n += 1 + n / 7) {
      for (const int64_t k : {int64_t{1}, n / 3 + 1, n, 5 * n}) {
        const Prediction p = predict_product(c, n, n, k, kAllPinned);
        const double products = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(k);
        if (products < least) CHECK(p.gpu * c.margin >= p.cpu);
      }
    }
  }
  const Calibration small = assumed_calibration(4);
  CHECK(predict_product(small, 2048, 2048, 2048).gpu * small.margin < predict_product(small, 2048, 2048, 2048).cpu);
}

TEST_CASE("a file gives back what was written") {
  const CalibrationFile file = sample_file();
  const std::string text = calibration_to_text(file);
  CalibrationFile again;
  std::string problem;
  REQUIRE(calibration_from_text(text, &again, &problem));
  CHECK(calibration_to_text(again) == text);
  CHECK(again.key.cpu == file.key.cpu);
  CHECK(again.key.device == "driver 5; 2 x a device");
  CHECK(again.figures.gpu.pageable.down == Approx(2.5e10));
  const Prediction before = predict_product(file.figures, 100, 200, 300);
  const Prediction after = predict_product(again.figures, 100, 200, 300);
  CHECK(after.cpu == Approx(before.cpu).epsilon(1e-4));
  CHECK(after.gpu == Approx(before.gpu).epsilon(1e-4));
}

TEST_CASE("a file is written and read alike where the program's locale has a decimal comma") {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::string text = calibration_to_text(sample_file());
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Comma));
  CalibrationFile again;
  std::string problem;
  const bool read = calibration_from_text(text, &again, &problem);
  const std::string written = calibration_to_text(again);
  std::locale::global(before);
  INFO(problem);
  CHECK(read);
  CHECK(written == text);
}

TEST_CASE("a damaged file is refused with the line at fault") {
  const std::string text = calibration_to_text(sample_file());
  std::string problem;
  CHECK_FALSE(is_read("", &problem));
  CHECK(problem == "line 1: \"libsgemm calibration 1\" is missing");
  for (size_t size = 0; size + 1 < text.size(); size += 97) CHECK_FALSE(is_read(text.substr(0, size), &problem));
  CHECK_FALSE(is_read(text + "more\n", &problem));
  const auto with = [&](const std::string &from, const std::string &to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return changed;
  };
  CHECK_FALSE(is_read(with("calibration 1", "calibration 2"), &problem));
  CHECK_FALSE(is_read(with("\nmargin ", "\nmargin x"), &problem));
  CHECK_FALSE(is_read(with("\nmargin ", "\nmargin -"), &problem));
  CHECK_FALSE(is_read(with("\npageable ", "\npageable nan "), &problem));
  CHECK_FALSE(is_read(with("\npageable ", "\npageable 1e400 "), &problem));
  CHECK_FALSE(is_read(with("\npageable ", "\npageable 0 "), &problem));
  CHECK_FALSE(is_read(with("\npageable ", "\npageable 5e9 "), &problem));
  CHECK(problem == "line 14: there is text after the numbers");
  CHECK_FALSE(is_read(with("\ncorrection ", "\ncorrection 0 "), &problem));
}

TEST_CASE("a file for another machine, or no file at all, is refused") {
  const TemporaryDirectory folder;
  const std::string path = folder.path() + "/figures";
  const CalibrationFile file = sample_file();
  CalibrationFile got;
  std::string problem;
  const auto reads = [&](const CalibrationKey &key) { return read_calibration(path, key, &got, &problem); };
  CHECK_FALSE(reads(file.key));
  CHECK(problem == "No such file or directory");
  write(path, calibration_to_text(file));
  CHECK(reads(file.key));
  CalibrationKey other = file.key;
  other.device = "unknown yet";
  CHECK(reads(other));
  other.cpu = calibration_key("openblas", "OpenBLAS 9", 8, "cuda").cpu;
  CHECK_FALSE(reads(other));
  CHECK(problem == "it is for another cpu: " + file.key.cpu);
  other = file.key;
  other.library = "99.0.0";
  CHECK_FALSE(reads(other));
  other = file.key;
  other.backend = "hip";
  CHECK_FALSE(reads(other));
  write(path, calibration_to_text(file) + std::string(size_t{2} << 20, '\n'));
  CHECK_FALSE(reads(file.key));
  REQUIRE(unlink(path.c_str()) == 0);
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  CHECK_FALSE(reads(file.key));  // reading does not wait for a writer
  CHECK_FALSE(read_calibration(folder.path(), file.key, &got, &problem));
}

TEST_CASE("the place of the file: the user's cache, one for each machine and number of threads") {
  const CalibrationKey key = sample_file().key;
  setenv("XDG_CACHE_HOME", "/cache", 1);
  setenv("HOME", "/home", 1);
  const std::string path = calibration_path(key);
  CHECK(path.rfind("/cache/libsgemm/calibration-", 0) == 0);
  CHECK(calibration_path(key) == path);
  CHECK(calibration_path(calibration_key("openblas", "OpenBLAS 9", 8, "cuda")) != path);
  CHECK(calibration_path(calibration_key("openblas", "OpenBLAS 9", 7, "hip")) != path);
  setenv("XDG_CACHE_HOME", "relative", 1);
  CHECK(calibration_path(key).rfind("/home/.cache/libsgemm/", 0) == 0);
  unsetenv("HOME");
  CHECK(calibration_path(key).empty());
}

TEST_CASE("sizes that would take too long are not timed, and have what their neighbours have") {
  int calls = 0;
  const auto time = [&](int64_t m, int64_t n, int64_t k) {
    ++calls;
    const double seconds = 2e-9 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    CHECK(seconds <= 1e-3);
    return seconds;
  };
  const command::Times times = command::time_sizes(time, 1e-3, 60);
  CHECK(calls > 100);
  CHECK(calls < command::Times::kCount);
  SizeTable flops;
  command::fit_cpu(times, &flops);
  CHECK(flops.at(4096, 4096, 4096) == Approx(1e9).epsilon(1e-4));
  calls = 0;
  command::time_sizes(time, 1e-3, 0);
  CHECK(calls == 1);
}

TEST_CASE("sizes that are timed again keep the shorter of the two times, and nothing is added") {
  double seconds = 1e-3;
  const auto time = [&](int64_t m, int64_t, int64_t) { return m == 8 ? 2e-3 : seconds; };
  command::Times times = command::time_sizes(time, 1, 60);
  times.at(2, 2, 2) = 0;
  seconds = 5e-4;
  command::time_again(time, 60, &times);
  CHECK(times.at(0, 0, 0) == 5e-4);
  CHECK(times.at(1, 0, 0) == 2e-3);
  CHECK(times.at(2, 2, 2) == 0);
  seconds = 1;
  command::time_again(time, 60, &times);
  CHECK(times.at(0, 0, 0) == 5e-4);
  seconds = 1e-4;
  command::time_again(time, 0, &times);
  CHECK(times.at(3, 3, 3) == 5e-4);
}

TEST_CASE("a fit to hardly anything ends, and leaves what was measured as it is") {
  Calibration c = assumed_calibration(1);
  const command::Times one = command::time_sizes([](int64_t, int64_t, int64_t) { return 1e-3; }, 1, 0);
  c.gpu.pinned = {3e9, 2e9};
  c.gpu.flops = 7e12;
  command::fit_gpu(one, &c.gpu);
  CHECK(predict_product(c, 1, 1, 1).gpu == Approx(1e-3).epsilon(0.01));
  CHECK(c.gpu.pinned.up == 3e9);
  CHECK(c.gpu.pinned.down == 2e9);
  CHECK(c.gpu.flops == 7e12);
  CHECK(c.gpu.pageable.up <= c.gpu.pinned.up);
  CHECK(c.gpu.pageable.down <= c.gpu.pinned.down);
}

TEST_CASE("fitted to a simulated machine, the model is close to its times and decides right") {
  const Calibration c = calibrate_simulated();
  CHECK(c.gpu.call == Approx(45e-6).epsilon(0.3));
  CHECK(c.gpu.pageable.up == Approx(kStaged).epsilon(0.1));
  CHECK(c.gpu.pageable.down == Approx(kStaged).epsilon(0.1));
  int shapes = 0, right = 0;
  double worst = 1;
  const auto check = [&](int64_t m, int64_t n, int64_t k) {
    const Prediction p = predict_product(c, m, n, k);
    const double cpu = simulated_cpu(m, n, k), gpu = simulated_gpu(m, n, k, kStaged);
    for (const double ratio : {p.cpu / cpu, p.gpu / gpu}) worst = std::max(worst, std::max(ratio, 1 / ratio));
    ++shapes;
    right += (p.gpu < p.cpu ? gpu : cpu) <= 1.1 * std::min(cpu, gpu) ? 1 : 0;
    INFO(m << " x " << n << " x " << k << ": CPU " << cpu << " predicted " << p.cpu << ", GPU " << gpu << " predicted "
           << p.gpu);
    CHECK(std::max(p.gpu / gpu, gpu / p.gpu) < 1.5);
  };
  for (const double n : {32.0, 64.0, 256.0, 1024.0}) {
    for (double x = 32; x <= 8192; x *= std::sqrt(2)) {
      const auto size = static_cast<int64_t>(x);
      check(size, size, size);
      check(size, static_cast<int64_t>(n), size);
      check(size, size, static_cast<int64_t>(n));
      check(static_cast<int64_t>(n), static_cast<int64_t>(n), 16 * size);
    }
  }
  CAPTURE(worst);
  CHECK(worst < 1.7);
  CHECK(right >= shapes * 95 / 100);
}

// While copies take longer than arithmetic, times say little about the GPU's rate. A fit to them alone would halve it.
TEST_CASE("with the link and the rate of computing as measured, products that were not timed are predicted, too") {
  const Calibration c = calibrate_simulated();
  for (const int64_t n : {6000, 8192, 12000, 16384}) {
    for (const int64_t k : {2048, 4096, 16384}) {
      INFO(n << " x " << n << " x " << k);
      const double ratio = predict_product(c, n, n, k, kAllPinned).gpu / simulated_gpu(n, n, k, kLink);
      CHECK(ratio > 0.85);
      CHECK(ratio < 1.15);
    }
  }
}
