// Base classes of the peers on GPUs. hipBLASLt has the interface of cublasLt with other names and values.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "gpu_memory.h"
#include "peers.h"

namespace command {

constexpr size_t kPeerWorkspaceBytes = size_t{32} << 20;

class DevicePeer : public Peer {
 public:
  explicit DevicePeer(GpuMemory &memory) : memory_(memory), workspace_(memory.allocate(kPeerWorkspaceBytes)) {}
  ~DevicePeer() override { memory_.release(workspace_); }
  DevicePeer(const DevicePeer &) = delete;
  DevicePeer &operator=(const DevicePeer &) = delete;
  int threads() const override { return memory_.description().multiprocessors; }
  Memory &memory() const override { return memory_; }

 protected:
  GpuMemory &memory_;
  void *const workspace_;
};

bool needs_64_bits(const Call &call);

// cublasLt or hipBLASLt, with the values of its enumerations.
struct LtLibrary {
  void *handle;
  std::string file, prefix;                    // "libcublasLt.so.13", "cublasLt"
  int no_trans, trans;                         // operations
  int compute;                                 // compute type of FP32
  int description_transa, description_transb;  // attributes of a matmul descriptor
  int preference_workspace;                    // attribute of a preference
  size_t algorithm_bytes;
};

// Times the algorithms of the library's heuristic and runs the fastest.
class LtPeer : public DevicePeer {
 public:
  LtPeer(const LtLibrary &library, GpuMemory &memory);
  ~LtPeer() override;

  bool supports(const Call &call) const override;
  void prepare(const std::vector<Call> &calls) override;
  void run(const Call &call) override;

 protected:
  void require(int status, const char *what) const;  // throws Error
  // "FP32, the fastest of up to 16 algorithms, 32 MiB of workspace"
  static std::string way_text();

  const LtLibrary library_;
  void *handle_ = nullptr;

 private:
  using Opaque = void *;  // descriptor
  using Key = std::array<int64_t, 9>;
  struct Way {
    Opaque description = nullptr, a = nullptr, b = nullptr, c = nullptr;
    std::vector<char> algorithm;
  };

  static Key key_of(const Call &call);
  Opaque layout(int type, Extent extent, int64_t ld);
  Way describe(const Call &call);
  int multiply(const Call &call, const Way &way);
  double time(const std::vector<Call> &calls, const Way &way);

  Opaque preference_ = nullptr;
  int (*destroy_)(Opaque) = nullptr, (*destroy_preference_)(Opaque) = nullptr;
  int (*destroy_description_)(Opaque) = nullptr, (*destroy_layout_)(Opaque) = nullptr;
  int (*create_description_)(Opaque *, int, int) = nullptr;
  int (*set_description_)(Opaque, int, const void *, size_t) = nullptr;
  int (*create_layout_)(Opaque *, int, uint64_t, uint64_t, int64_t) = nullptr;
  int (*heuristic_)(Opaque, Opaque, Opaque, Opaque, Opaque, Opaque, Opaque, int, void *, int *) = nullptr;
  int (*matmul_)(Opaque, Opaque, const void *, const void *, Opaque, const void *, Opaque, const void *, const void *,
                 Opaque, void *, Opaque, const void *, void *, size_t, void *) = nullptr;
  std::vector<Opaque> descriptions_, layouts_;
  std::map<Key, Way> ways_;
};

}  // namespace command
