// Memory of operands, on the host or a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace command {

struct Telemetry {
  int samples = 0;
  double slowest_mhz = 0, fastest_mhz = 0;  // clocks of the compute units
  double least_watts = 0, most_watts = 0;
  double most_celsius = 0;
  uint64_t throttle_reasons = 0;  // nvmlClocksEventReasons, or-ed
  bool reasons_known = false;

  void add(const Telemetry &other);
};

struct Pace {
  double sample_seconds;  // a sample has as many calls as fit in it
  double warm_seconds;    // untimed calls before the samples
  size_t rotation_bytes;  // operand sets that calls use in turn, larger than all caches; 0: one set
};

// Memory of the host or of a device. The library takes pointers to both.
class Memory {
 public:
  virtual ~Memory() = default;
  virtual void *allocate(size_t bytes) = 0;  // throws std::bad_alloc
  virtual void release(void *memory) = 0;
  virtual void upload(void *to, const void *from, size_t bytes) = 0;
  virtual void download(void *to, const void *from, size_t bytes) = 0;
  virtual void copy(void *to, const void *from, size_t bytes) = 0;  // within this memory
  virtual void scatter(float value, float *const *to, size_t count) = 0;
  virtual void gather(float *to, const float *const *from, size_t count) = 0;
  virtual void finish() = 0;  // waits for all calls

  // Returns the seconds of all calls. `call` takes the call's number.
  virtual double time(int calls, const std::function<void(int)> &call) = 0;
  virtual Pace pace() const = 0;
  virtual void *stream() const { return nullptr; }         // for libsgemm_set_stream
  virtual const char *backend() const { return nullptr; }  // default backend for this memory; nullptr: all
  virtual const char *arch() const { return nullptr; }     // other backends of this architecture compute here, too
  virtual Telemetry take_telemetry() { return {}; }        // since the last call
};

Memory &host_memory();

std::vector<float> results_at(Memory *memory, const std::vector<float *> &places, float before,
                              const std::function<void()> &run);

class Buffer {
 public:
  Buffer(Memory *memory, size_t bytes) : memory_(memory), data_(memory->allocate(bytes)) {}
  ~Buffer() { memory_->release(data_); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  void *data() const { return data_; }

 private:
  Memory *memory_;
  void *data_;
};

}  // namespace command
