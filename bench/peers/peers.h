// Libraries for comparison, loaded at run time: a peer is a row in peers.cpp and a class. It determines where operands
// are. It declares its library's public binary interface, so that the command builds without the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/memory.h"
#include "inputs/precision.h"
#include "inputs/routines.h"

namespace command {

class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::string name() const = 0;
  virtual std::string version() const = 0;
  virtual int threads() const = 0;
  virtual Memory &memory() const = 0;
  virtual bool supports(const Call &call) const = 0;
  // How the peer replaces a missing function; "" if it has one.
  virtual std::string stand_in(const Call &) const { return {}; }
  // The replacement writes all of C, not only the triangle.
  virtual bool fills_c(const Call &) const { return false; }
  virtual Precision precision() const { return {}; }  // SGEMM's
  // Precedes the first run of calls that differ in addresses only. May time algorithms, which write the outputs.
  virtual void prepare(const std::vector<Call> &) {}
  virtual void run(const Call &call) = 0;
  // Precedes the first run of groups; false if the peer has no function for them.
  virtual bool prepare_groups(const GroupsCall &) { return false; }
  virtual void run_groups(const GroupsCall &) {}
  virtual Element output_of_groups() const { return Element::kFloat32; }
};

std::vector<std::string> peer_names();

// Throws Error.
std::unique_ptr<Peer> open_peer(const std::string &name);

// Loads LIBSGEMM_CPU_BLAS or libopenblas.so.0, with as many threads as the library's backend. Throws Error.
void *load_cpu_blas();
std::string describe_cpu_blas(void *library);

}  // namespace command
