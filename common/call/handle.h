// The object that a libsgemm_handle_t points to, and the workspaces it owns.
#pragma once

#include <cstdint>
#include <vector>

#include "contract/backend.h"
#include "process/env.h"

// Handles live in a pool that is never freed, so that a destroyed one can be recognised.
struct libsgemm_handle {
  static constexpr uint32_t kLive = 0x6d6d6567;

  // Device memory owned by the handle, with an event recorded after the latest work that uses it.
  struct Workspace {
    int backend, device;
    uint64_t context;  // context that owns the memory; without it the memory is gone, too
    void *memory;
    size_t bytes;
    void *event;
    bool used;   // the event is recorded
    bool moved;  // the handle's stream has been set since: the next work must wait for the event
  };

  uint32_t magic = 0;
  libsgemm_handle *next = nullptr;  // link in the pool
  libsgemm::Settings settings = {};
  void *stream = nullptr;
  bool follows_operands = false;  // a default stream is that of the device that holds the operands
  void *user_workspace = nullptr;
  size_t workspace_bytes = LIBSGEMM_WORKSPACE_DEFAULT_BYTES;  // size of the user's, or upper bound for our own
  // Bit i: calls were given to device i; bit 63: to a device from 63 on.
  uint64_t used[libsgemm::kFirstCpu] = {};
  std::vector<Workspace> own;
  std::vector<Workspace> kept;  // scratch memory of verification, which waits for the end of each call

  void use(int backend, int device) { used[backend] |= uint64_t{1} << (device < 63 ? device : 63); }
  // Sets the stream, which may be a new one at the same address.
  void set_stream(void *to);
  // Returns the handle's own workspace for a device, allocated at first use and as large as its bound allows; `exact`:
  // exactly as large as the bound. NULL, with *error, if there is no memory.
  Workspace *obtain(int backend, int device, bool exact, libsgemm::Error *error);
  // Returns device memory of at least `bytes` bytes that stays with the handle; a larger request replaces it. NULL,
  // with *error, if there is none.
  void *keep(int backend, int device, size_t bytes, libsgemm::Error *error);
  void release_all();
};

namespace libsgemm {

libsgemm_handle *acquire_handle();                      // fresh, with the settings of the environment
void recycle_handle(libsgemm_handle *handle) noexcept;  // releases its workspaces
inline bool is_live(const libsgemm_handle *handle) {
  return handle != nullptr && handle->magic == libsgemm_handle::kLive;
}

// Waits for all work on the devices that calls with the handle have used.
libsgemm_status_t wait_for_devices(const libsgemm_handle &handle, Error *error);

// Waits for the handle's stream; a default stream is waited for on every device in use.
libsgemm_status_t wait_for_stream(const libsgemm_handle &handle, Error *error);

// A handle for one call that has none. Only calls on device memory need it, for its workspace.
class BorrowedHandle {
 public:
  ~BorrowedHandle();
  libsgemm_handle *get();

 private:
  libsgemm_handle *handle_ = nullptr;
};

}  // namespace libsgemm
