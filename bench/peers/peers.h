// Libraries that ours is measured against. A peer is one row of the table in peers.cpp and one class; it is loaded at
// run time, and says itself where its operands must live.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "inputs/precision.h"
#include "inputs/routines.h"
#include "measure/groups.h"

namespace command {

// State of a device, sampled while it computed.
struct Telemetry {
  int samples = 0;
  double slowest_mhz = 0, fastest_mhz = 0;  // of the compute units
  double least_watts = 0, most_watts = 0;
  double most_celsius = 0;
  uint64_t throttle_reasons = 0;  // bits of NVML's nvmlClocksEventReasons, or-ed
  bool reasons_known = false;

  void add(const Telemetry &other);
};

// How calls on a memory are timed.
struct Pace {
  double sample_seconds;  // a sample is as many calls as take so long
  double warm_seconds;    // of untimed calls before the samples of a row
  size_t rotation_bytes;  // calls rotate through operands of so many bytes, so that no cache holds them; 0: one set
};

// Where operands live. Host memory is here; a peer that computes on a device brings its own, and the library is then
// timed on device pointers as well.
class Memory {
 public:
  virtual ~Memory() = default;
  virtual void *allocate(size_t bytes) = 0;  // throws std::bad_alloc
  virtual void release(void *memory) = 0;
  virtual void upload(void *to, const void *from, size_t bytes) = 0;
  virtual void download(void *to, const void *from, size_t bytes) = 0;
  virtual void copy(void *to, const void *from, size_t bytes) = 0;  // both of this memory
  // Single elements.
  virtual void scatter(float value, float *const *to, size_t count) = 0;
  virtual void gather(float *to, const float *const *from, size_t count) = 0;
  virtual void finish() = 0;  // waits until all calls on this memory are done

  // Seconds that `calls` calls take together; `call` is given the number of each.
  virtual double time(int calls, const std::function<void(int)> &call) = 0;
  virtual Pace pace() const = 0;
  virtual void *stream() const { return nullptr; }         // for libsgemm_set_stream
  virtual const char *backend() const { return nullptr; }  // the one that computes here; nullptr: all
  virtual const char *arch() const { return nullptr; }     // of the GPU: others with devices of that one do too
  virtual Telemetry take_telemetry() { return {}; }        // since the last call
};

Memory &host_memory();

// What `run` leaves in single elements, which hold `before` until then.
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

class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::string name() const = 0;
  virtual std::string version() const = 0;
  virtual int threads() const = 0;
  virtual Memory &memory() const = 0;
  virtual bool supports(const Call &call) const = 0;
  // How it does a call that it has no function for; empty: it has one.
  virtual std::string stand_in(const Call &) const { return {}; }
  // Whether that writes all of C where only a triangle of it is the routine's output.
  virtual bool fills_c(const Call &) const { return false; }
  virtual Precision precision() const { return {}; }  // of SGEMM
  // Before the first run of calls of these sizes, equal but for the operands' places; may time ways to do them, and so
  // writes their outputs.
  virtual void prepare(const std::vector<Call> &) {}
  virtual void run(const Call &call) = 0;
  // Before the first run of groups of products; false: it has no function for them.
  virtual bool prepare_groups(const GroupsCall &) { return false; }
  virtual void run_groups(const GroupsCall &) {}
  // Of what C is then, in the same places with the same leading dimensions.
  virtual Element output_of_groups() const { return Element::kFloat32; }
};

// Names of the peers that open_peer knows.
std::vector<std::string> peer_names();

// Throws Error that says why the peer cannot be had.
std::unique_ptr<Peer> open_peer(const std::string &name);

// Loads the CPU BLAS as the library's own backend does, so that both use the same file and the same threads:
// LIBSGEMM_CPU_BLAS, or libopenblas.so.0. Throws Error.
void *load_cpu_blas();
std::string describe_cpu_blas(void *library);

}  // namespace command
