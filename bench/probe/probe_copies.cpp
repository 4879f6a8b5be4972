#include "probe_copies.h"

#include <fmt/core.h>

#include <algorithm>
#include <future>

#include "base/timing.h"

namespace command {
namespace {

constexpr size_t kBytes = size_t{64} << 20;  // size of a copy
constexpr double kLinkSeconds = 0.3;         // each direction in pinned_link()

struct Ways {
  const char *what;
  bool up, down;
};
constexpr Ways kUp = {"up", true, false}, kDown = {"down", false, true}, kBoth = {"both ways at once", true, true};

class HostMemory {
 public:
  HostMemory(const GpuApi &api, bool pinned) : api_(api) {
    if (!pinned) {
      pageable_.assign(2 * kBytes, '\1');
      data_ = pageable_.data();
      return;
    }
    void *memory = nullptr;
    api_.require(api_.host_allocate(&memory, 2 * kBytes, kHostDefault), "page-locked memory");
    data_ = pinned_ = static_cast<char *>(memory);
    std::fill(data_, data_ + 2 * kBytes, '\1');
  }
  ~HostMemory() {
    if (pinned_ != nullptr) api_.host_free(pinned_);
  }
  HostMemory(const HostMemory &) = delete;
  HostMemory &operator=(const HostMemory &) = delete;
  char *data() const { return data_; }

 private:
  const GpuApi &api_;
  std::vector<char> pageable_;
  char *data_ = nullptr, *pinned_ = nullptr;
};

// Each direction has a thread and a stream: a copy of pageable memory blocks its thread.
class Copier {
 public:
  Copier(KernelRunner *runner, bool pinned)
      : runner_(runner), host_(runner->api(), pinned), device_(&runner->memory(), 2 * kBytes) {
    const GpuApi &api = runner_->api();
    api.require(api.stream_create(&down_, kStreamNonBlocking), "a stream");
    up_ = static_cast<GpuStream>(runner_->memory().stream());
  }

  // Sets *figure to the GPU's state meanwhile. Returns bytes/s.
  double rate(const Ways &ways, Figure *figure) {
    const double seconds = median(runner_->sample([&] { return time(ways); }, figure));
    return static_cast<double>(kBytes) * (ways.up + ways.down) / seconds;
  }

 private:
  double time(const Ways &ways) {
    const double start = now();
    std::future<void> down;
    if (ways.down) down = std::async(std::launch::async, [&] { copy_down(); });
    if (ways.up) copy_up();
    if (ways.down) down.get();
    return now() - start;
  }
  void copy_up() {
    const GpuApi &api = runner_->api();
    api.require(api.copy_to_device(device_.data(), host_.data(), kBytes, up_), "a copy to the GPU");
    api.require(api.stream_synchronize(up_), "a copy to the GPU");
  }
  void copy_down() {
    const GpuApi &api = runner_->api();
    api.use_device(runner_->memory().device());
    const char *from = static_cast<char *>(device_.data()) + kBytes;
    api.require(api.copy_to_host(host_.data() + kBytes, from, kBytes, down_), "a copy from the GPU");
    api.require(api.stream_synchronize(down_), "a copy from the GPU");
  }

  KernelRunner *runner_;
  HostMemory host_;
  Buffer device_;
  GpuStream up_ = nullptr, down_ = nullptr;
};

}  // namespace

void add_copies(const std::shared_ptr<KernelRunner> &runner, std::vector<Probe> *probes) {
  for (const bool pinned : {false, true}) {
    const auto copier = std::make_shared<std::unique_ptr<Copier>>();
    for (const Ways &ways : {kUp, kDown, kBoth}) {
      const auto measure = [runner, copier, pinned, ways](Figure *figure) {
        if (*copier == nullptr) *copier = std::make_unique<Copier>(runner.get(), pinned);
        figure->value = 1e-9 * (*copier)->rate(ways, figure);
      };
      probes->push_back(
          {"copies", fmt::format("{} memory, {}", pinned ? "page-locked" : "pageable", ways.what), "GB/s", measure});
    }
  }
}

libsgemm::Link pinned_link(GpuMemory *memory) {
  KernelRunner runner(memory, kLinkSeconds);
  Copier copier(&runner, true);
  Figure ignored;
  const double up = copier.rate(kUp, &ignored);
  return {up, copier.rate(kDown, &ignored)};
}

}  // namespace command
