// The object behind a libsgemm_handle_t.
#pragma once

#include <cstdint>
#include <vector>

#include "contract/backend.h"
#include "process/env.h"

// Handles are in a pool that is never freed: a destroyed handle can be recognised.
struct libsgemm_handle {
  static constexpr uint32_t kLive = 0x6d6d6567;

  // Device memory; the event is recorded after the latest work that uses it.
  struct Workspace {
    int backend, device;
    uint64_t context;  // owns the memory, which vanishes with it
    void *memory;
    size_t bytes;
    void *event;
    bool used;   // the event is recorded
    bool moved;  // another stream was set since: the next work must wait for the event
  };

  uint32_t magic = 0;
  libsgemm_handle *next = nullptr;
  libsgemm::Settings settings = {};
  void *stream = nullptr;
  bool follows_operands = false;  // a default stream is that of the operands' device
  void *user_workspace = nullptr;
  size_t workspace_bytes = LIBSGEMM_WORKSPACE_DEFAULT_BYTES;  // size of the user's, or limit of our own
  // Bit i: device i has had calls; bit 63: a device from 63 on.
  uint64_t used[libsgemm::kFirstCpu] = {};
  std::vector<Workspace> own;
  std::vector<Workspace> kept;  // scratch memory of verification, which waits for the end of each call

  void use(int backend, int device) { used[backend] |= uint64_t{1} << (device < 63 ? device : 63); }
  // `to` may be a new stream at the same address.
  void set_stream(void *to);
  // Allocated at first use, as large as its limit allows; `exact`: exactly that large. NULL, with *error: no memory.
  Workspace *obtain(int backend, int device, bool exact, libsgemm::Error *error);
  // `bytes` of device memory that stay with the handle until a larger request. NULL, with *error: no memory.
  void *keep(int backend, int device, size_t bytes, libsgemm::Error *error);
  void release_all();
};

namespace libsgemm {

libsgemm_handle *acquire_handle();  // with the environment's settings
void recycle_handle(libsgemm_handle *handle) noexcept;
inline bool is_live(const libsgemm_handle *handle) {
  return handle != nullptr && handle->magic == libsgemm_handle::kLive;
}

libsgemm_status_t wait_for_devices(const libsgemm_handle &handle, Error *error);

// Waits for a default stream on every device in use.
libsgemm_status_t wait_for_stream(const libsgemm_handle &handle, Error *error);

// For one call without a handle: only calls on device memory need one, for its workspace.
class BorrowedHandle {
 public:
  ~BorrowedHandle();
  libsgemm_handle *get();

 private:
  libsgemm_handle *handle_ = nullptr;
};

}  // namespace libsgemm
