// Time that calls take on the GPU, for statistics: measured between two events on the call's stream, around its
// launches. No call waits for the events: later calls read those that have passed, and the rest are read during exit.
#pragma once

namespace libsgemm {

class GpuTime {
 public:
  // Records the first event. active() is false if that failed, or if the stream records a graph.
  explicit GpuTime(void *stream);
  ~GpuTime();
  GpuTime(const GpuTime &) = delete;
  GpuTime &operator=(const GpuTime &) = delete;
  bool active() const { return context_ != nullptr; }

  // Records the first event again, so that earlier launches are not counted.
  void restart();
  // Records the second event. Its time is added later to the statistics under these names, which must be static.
  void finish(const char *entry, const char *backend, const char *kernel);

  struct Context;

 private:
  void give_back();

  void *stream_;
  Context *context_ = nullptr;
  void *start_ = nullptr, *stop_ = nullptr;
};

}  // namespace libsgemm
