// The time that calls take on the GPU, for statistics: between two events on the call's stream, around what it
// launches. Nothing waits for them: they are read when they have passed, by later calls and at the end of the process.
#pragma once

namespace libsgemm {

class GpuTime {
 public:
  // The first event; active() tells whether there is one, which there is not while the stream records a graph.
  explicit GpuTime(void *stream);
  ~GpuTime();
  GpuTime(const GpuTime &) = delete;
  GpuTime &operator=(const GpuTime &) = delete;
  bool active() const { return context_ != nullptr; }

  // What was launched since then is not to be counted.
  void restart();
  // The second event; its time will be added to the row of these names, which are static.
  void finish(const char *entry, const char *backend, const char *kernel);

  struct Context;

 private:
  void give_back();

  void *stream_;
  Context *context_ = nullptr;
  void *start_ = nullptr, *stop_ = nullptr;
};

}  // namespace libsgemm
