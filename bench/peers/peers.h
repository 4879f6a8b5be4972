// Libraries that ours is compared with. A peer is one row of the table in peers.cpp and one class. It is loaded at run
// time, and determines where its operands must be.
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
  double slowest_mhz = 0, fastest_mhz = 0;  // clock of the compute units
  double least_watts = 0, most_watts = 0;
  double most_celsius = 0;
  uint64_t throttle_reasons = 0;  // bits of NVML's nvmlClocksEventReasons, or-ed
  bool reasons_known = false;

  void add(const Telemetry &other);
};

// How calls on a memory are timed.
struct Pace {
  double sample_seconds;  // duration of a sample, which has as many calls as it takes
  double warm_seconds;    // duration of untimed calls before the samples
  size_t rotation_bytes;  // bytes of operands that calls rotate through, so that no cache holds them; 0: one set
};

// Memory of operands. Host memory is here. A peer that computes on a device has its own, and the library is then timed
// on device pointers as well.
class Memory {
 public:
  virtual ~Memory() = default;
  virtual void *allocate(size_t bytes) = 0;  // throws std::bad_alloc
  virtual void release(void *memory) = 0;
  virtual void upload(void *to, const void *from, size_t bytes) = 0;
  virtual void download(void *to, const void *from, size_t bytes) = 0;
  virtual void copy(void *to, const void *from, size_t bytes) = 0;  // both in this memory
  // Write and read single elements.
  virtual void scatter(float value, float *const *to, size_t count) = 0;
  virtual void gather(float *to, const float *const *from, size_t count) = 0;
  virtual void finish() = 0;  // waits until all calls on this memory are done

  // Returns the seconds that `calls` calls take together; `call` gets the number of each.
  virtual double time(int calls, const std::function<void(int)> &call) = 0;
  virtual Pace pace() const = 0;
  virtual void *stream() const { return nullptr; }         // for libsgemm_set_stream
  virtual const char *backend() const { return nullptr; }  // the one that computes here; nullptr: all
  virtual const char *arch() const { return nullptr; }     // the GPU's; backends with such devices compute here, too
  virtual Telemetry take_telemetry() { return {}; }        // since the last call
};

Memory &host_memory();

// Sets single elements to `before`, calls `run`, and returns what it has left in them.
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
  // How the peer computes a call for which it has no function; empty if it has one.
  virtual std::string stand_in(const Call &) const { return {}; }
  // True if that writes all of C where only a triangle of it is the routine's output.
  virtual bool fills_c(const Call &) const { return false; }
  virtual Precision precision() const { return {}; }  // SGEMM's
  // Must be called before the first run of calls of these sizes, which differ in the operands' addresses only. May time
  // ways to compute them, and so writes their outputs.
  virtual void prepare(const std::vector<Call> &) {}
  virtual void run(const Call &call) = 0;
  // Must be called before the first run of groups of products; false if the peer has no function for them.
  virtual bool prepare_groups(const GroupsCall &) { return false; }
  virtual void run_groups(const GroupsCall &) {}
  // Type that C then has, in the same places with the same leading dimensions.
  virtual Element output_of_groups() const { return Element::kFloat32; }
};

// Names of the peers that open_peer knows.
std::vector<std::string> peer_names();

// Throws Error with the reason why the peer is not available.
std::unique_ptr<Peer> open_peer(const std::string &name);

// Loads the CPU BLAS as the library's own backend does, so that both use the same file and the same threads:
// LIBSGEMM_CPU_BLAS, or libopenblas.so.0. Throws Error.
void *load_cpu_blas();
std::string describe_cpu_blas(void *library);

}  // namespace command
