// GPU time of calls, for statistics, between two events around a call's launches. No call waits for events: later calls
// read those that have passed, exit reads the rest.
#pragma once

namespace libsgemm {

class GpuTime {
 public:
  // Not active() if recording failed, or the stream records a graph.
  explicit GpuTime(void *stream);
  ~GpuTime();
  GpuTime(const GpuTime &) = delete;
  GpuTime &operator=(const GpuTime &) = delete;
  bool active() const { return context_ != nullptr; }

  // Excludes earlier launches.
  void restart();
  // The time is added later to the statistics under these names, which must be static.
  void finish(const char *entry, const char *backend, const char *kernel);

  struct Context;

 private:
  void give_back();

  void *stream_;
  Context *context_ = nullptr;
  void *start_ = nullptr, *stop_ = nullptr;
};

}  // namespace libsgemm
