// Libraries that ours is measured against. A peer is one row of the table in peers.cpp and one class; it is loaded at
// run time, and says itself where its operands must live.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "routines.h"

namespace command {

// Where operands live. Host memory is here; a peer that computes on a device brings its own, and the library is then
// timed on device pointers as well.
class Memory {
 public:
  virtual ~Memory() = default;
  virtual void *allocate(size_t bytes) = 0;  // throws std::bad_alloc
  virtual void release(void *memory) = 0;
  virtual void upload(void *to, const void *from, size_t bytes) = 0;
  virtual void download(void *to, const void *from, size_t bytes) = 0;
  virtual void finish() = 0;  // waits until all calls on this memory are done
};

Memory &host_memory();

class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::string name() const = 0;
  virtual std::string version() const = 0;
  virtual int threads() const = 0;
  virtual Memory &memory() const = 0;
  virtual bool supports(const Call &call) const = 0;
  virtual void run(const Call &call) = 0;
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
