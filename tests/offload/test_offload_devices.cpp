// Host memory through several mock GPUs (plugins/mock.cpp). Hidden cases run alone, since a process decides once which
// devices it uses.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include "plugins/host_product.h"
#include "support/part.h"
#include "support/process.h"

using namespace mock_test;

namespace {

constexpr Shape kShape = {120, 110, 60};

const std::string &log_file() {
  static const sgemm_test::TemporaryDirectory folder;
  static const std::string path = folder.path() + "/log";
  return path;
}

int lines_with(const std::string &text) {
  std::ifstream file(log_file());
  int count = 0;
  for (std::string line; std::getline(file, line);) count += contains(line, text) ? 1 : 0;
  return count;
}

// By default two devices share each call's many tiles.
void start(const char *count = "2") {
  static const bool first = [count] {
    gpu();  // sets the number of devices to one
    if (count != nullptr) {
      setenv("LIBSGEMM_OFFLOAD_DEVICES", count, 1);
    } else {
      unsetenv("LIBSGEMM_OFFLOAD_DEVICES");
    }
    setenv("LIBSGEMM_LOG_PATH", log_file().c_str(), 1);
    return true;
  }();
  static_cast<void>(first);
  begin();
  gpu().repair();
  limit(size_t{32} << 10, 0);
  for (auto &launches : gpu().launches) launches = 0;
  for (auto &entered : gpu().entered) entered = false;
}

Shape shape(float beta, bool pinned) { return {120, 110, 60, false, true, beta, pinned}; }

}  // namespace

TEST_CASE("a call tells into how many tiles it was cut, and how many devices computed them") {
  start();
  gpu().together = true;
  HostProduct p(kShape);
  GpuHandle h;
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  CHECK(p.right());
  libsgemm_info_t info = last_info();
  CHECK(info.devices == 2);
  CHECK(info.tiles > 2);
  CHECK(info.device == 0);
  CHECK(contains(info.reason, std::to_string(info.tiles) + " tiles over 2 devices"));
  CHECK(gpu().launches[0] > 0);
  CHECK(gpu().launches[1] > 0);

  Product small(8);  // for a CPU
  REQUIRE(small.run() == LIBSGEMM_SUCCESS);
  info = last_info();
  CHECK(info.devices == 1);
  CHECK(info.tiles == 0);
  DeviceProduct device(1);
  REQUIRE(device.run() == LIBSGEMM_SUCCESS);
  CHECK(last_info().devices == 1);
  CHECK(last_info().tiles == 0);
  REQUIRE(libsgemm_sgemm(LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, 0, 0, 0, 1, nullptr, 1, nullptr, 1,
                         0, nullptr, 1) == LIBSGEMM_SUCCESS);
  CHECK(last_info().devices == 0);
}

TEST_CASE("what a failed device has not finished the other one computes") {
  const int failing = GENERATE(0, 1);
  const bool pinned = GENERATE(false, true);
  const float beta = GENERATE(0.0f, 3.0f);
  for (const mock::Site site : {mock::kAny, mock::kWork}) {
    bool met = true;
    int alone = 0;
    for (int nth = 1; met; nth += 1 + nth / 4) {
      start();
      REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
      HostProduct p(shape(beta, pinned));
      GpuHandle h;
      gpu().together = true;
      gpu().fail_device = 1 + failing;
      gpu().fail_at[site] = nth;
      const libsgemm_status_t status = p.run(h);
      met = gpu().fail_at[site] == 0;
      gpu().fail_at[site] = 0;
      INFO("device " << failing << " site " << site << " call " << nth << ": " << reason() << last_info().message);
      REQUIRE(status == LIBSGEMM_SUCCESS);
      REQUIRE(backend() == "cuda");
      REQUIRE(last_info().fallbacks == 0);
      REQUIRE(p.right());
      REQUIRE(last_info().devices >= 1);
      alone += last_info().devices == 1 && last_info().device != failing ? 1 : 0;
    }
    CHECK(alone > 0);
  }
  gpu().repair();
  CHECK(lines_with("cuda device " + std::to_string(failing) + " failed (") == 1);
}

TEST_CASE("tiles are those of a call without a failure, and all are counted") {
  start();
  GpuHandle h;
  HostProduct whole(kShape);
  REQUIRE(whole.run(h) == LIBSGEMM_SUCCESS);
  const int64_t tiles = last_info().tiles;
  HostProduct p(kShape);
  gpu().together = true;
  gpu().fail_device = 2;
  gpu().fail_at[mock::kLaunch] = 1;
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  CHECK(gpu().fail_at[mock::kLaunch] == 0);
  CHECK(last_info().tiles == tiles);
  CHECK(p.right());
}

TEST_CASE("if all devices fail the call fails, with C as it was or computed by others") {
  const bool pinned = GENERATE(false, true);
  const float beta = GENERATE(0.0f, 3.0f);
  for (int nth = 1; nth < 40; nth += (3 * sgemm_test::one_in()) | 1) {
    start();
    HostProduct p(shape(beta, pinned));
    Handle h;
    REQUIRE(libsgemm_set_backend(h, "cuda") == LIBSGEMM_SUCCESS);
    const bool forced = nth % 2 == 0;
    if (forced) force_kernel(h);
    gpu().fail_at[mock::kWork] = nth;
    gpu().fails_on = true;
    const libsgemm_status_t status = p.run(h);
    gpu().fails_on = false;
    gpu().fail_at[mock::kWork] = 0;
    INFO("operation " << nth << ": " << reason() << last_info().message);
    CHECK((status == LIBSGEMM_SUCCESS ? p.right() : p.untouched()));
    CHECK((status == LIBSGEMM_SUCCESS) == !forced);
    gpu().repair();
  }
}

TEST_CASE("a device that is described otherwise, or on which kernels cost otherwise, does not share a call",
          "[.unlike][.slower]") {
  // Each tag has its own run.
  (std::getenv("LIBSGEMM_TEST_SLOWER") != nullptr ? gpu().slower : gpu().unlike) = 1;
  start();
  HostProduct p(kShape);
  GpuHandle h;
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);  // impossible for the second device
  CHECK(backend() == "cuda");
  CHECK(p.right());
  CHECK(last_info().devices == 1);
  CHECK(gpu().launches[0] > 0);
  CHECK(gpu().launches[1] == 0);
}

TEST_CASE("a process that uses the second device does not touch the first", "[.rank]") {
  setenv("OMPI_COMM_WORLD_LOCAL_RANK", "1", 1);
  start(nullptr);
  for (const bool pinned : {false, true}) {
    HostProduct p(shape(3, pinned));
    Handle h;
    REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
    CHECK(backend() == "cuda");
    CHECK(last_info().device == 1);
    CHECK(p.right());
  }
  gpu().fail_at[mock::kLaunch] = 3;
  HostProduct failing(kShape);
  Handle h;
  REQUIRE(failing.run(h) == LIBSGEMM_SUCCESS);
  limit(0, 0);
  HostProduct large({300, 300, 300});
  REQUIRE(large.run(h) == LIBSGEMM_SUCCESS);
  CHECK(backend() == "cuda");
  REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
  CHECK(gpu().entered[1]);
  CHECK_FALSE(gpu().entered[0]);
  libsgemm_device_info_t info = {};
  REQUIRE(libsgemm_device_describe(0, 0, &info) == LIBSGEMM_SUCCESS);  // may still be described
  CHECK(info.memory_free_bytes > 0);
}

TEST_CASE("calls go on after the first device is lost, with page-locked memory, and what it allocated is given back",
          "[.lost]") {
  start();
  GpuHandle h;
  HostProduct before(kShape);
  REQUIRE(before.run(h) == LIBSGEMM_SUCCESS);
  gpu().fail_device = 1;
  gpu().fail_at[mock::kWork] = 1;
  HostProduct lost(kShape);
  REQUIRE(lost.run(h) == LIBSGEMM_SUCCESS);
  CHECK(lost.right());
  REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
  CHECK(gpu().pinned_bytes == 0);
  for (int i = 0; i < 3; ++i) {
    HostProduct after(kShape);
    REQUIRE(after.run(h) == LIBSGEMM_SUCCESS);
    CHECK(backend() == "cuda");
    CHECK(last_info().device == 1);
    CHECK(last_info().devices == 1);
    CHECK(after.right());
    CHECK(gpu().pinned_bytes > 0);
  }
  CHECK(lines_with("cuda device 0 failed (") == 1);
}

TEST_CASE("pieces of a call that is refused after another one's timeout are not used again", "[.abandoned]") {
  start();
  gpu().hung[0] = true;
  HostProduct first(kShape), second(kShape);
  bool done[2] = {false, false};
  const auto run = [&done](HostProduct *p, int which) {
    libsgemm_handle_t h = nullptr;
    done[which] = libsgemm_create(&h) == LIBSGEMM_SUCCESS && p->run(h) == LIBSGEMM_SUCCESS && backend() == "cuda";
    libsgemm_destroy(h);
  };
  std::thread one(run, &first, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(800));  // its timeout ends first
  std::thread other(run, &second, 1);
  one.join();
  other.join();
  CHECK(done[0]);
  CHECK(done[1]);
  CHECK(first.right());
  CHECK(second.right());
  CHECK(gpu().abandoned >= 1);
  REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
  CHECK(gpu().dangling() == 0);
  gpu().wake(0);  // the device's abandoned work disturbs no call
  HostProduct third(kShape);
  run(&third, 0);
  CHECK(done[0]);
  CHECK(third.right());
  CHECK(first.right());
  CHECK(second.right());
}

TEST_CASE("in a page-locked result that a lost device may still write no other one goes on", "[.locked]") {
  start();
  gpu().hung[0] = true;
  HostProduct p(shape(3, true));
  Handle h;
  const libsgemm_status_t status = p.run(h);
  CHECK(gpu().abandoned == 1);
  CHECK(status == LIBSGEMM_SUCCESS);
  CHECK(backend() != "cuda");
  CHECK(last_info().fallbacks == 1);
  CHECK(p.right());
  HostProduct next(shape(3, true));
  REQUIRE(next.run(h) == LIBSGEMM_SUCCESS);
  CHECK(backend() == "cuda");
  CHECK(last_info().device == 1);
  CHECK(next.right());
}

TEST_CASE("a call of one device goes to another one if that fails", "[.next]") {
  start(nullptr);  // all devices; a small call takes the first
  for (const mock::Site site : {mock::kMemory, mock::kLaunch, mock::kStream, mock::kAllocate}) {
    start(nullptr);
    limit(0, 0);
    HostProduct p(kShape);
    Handle h;
    gpu().fail_device = 1;
    gpu().fail_at[site] = 1;
    REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
    INFO("site " << site << reason());
    CHECK(backend() == "cuda");
    CHECK(last_info().device == (site == mock::kAllocate ? 0 : 1));  // after a failed allocation less memory suffices
    CHECK(last_info().fallbacks == 0);
    CHECK(p.right());
  }
}

TEST_CASE("what is free is asked for once", "[.asked]") {
  start("1");
  limit(0, 0);
  GpuHandle h;
  for (int i = 0; i < 10; ++i) {
    HostProduct p({100 + i, 90, 80});
    REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
  }
  CHECK(gpu().calls[mock::kMemory] == 1);
  gpu().fail_at[mock::kAllocate] = 1;
  HostProduct p({90, 90, 80});
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  HostProduct q({91, 90, 80});
  REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
  REQUIRE(q.run(h) == LIBSGEMM_SUCCESS);
  CHECK(gpu().calls[mock::kMemory] == 2);
}
