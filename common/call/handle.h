// What a libsgemm_handle_t points to, and the workspaces it owns.
#pragma once

#include <cstdint>
#include <vector>

#include "contract/backend.h"
#include "process/env.h"

// Handles live in a pool that is never freed, so that a destroyed one can be recognised.
struct libsgemm_handle {
  static constexpr uint32_t kLive = 0x6d6d6567;

  // Device memory of the handle's own, with the event behind the latest work that uses it.
  struct Workspace {
    int backend, device;
    uint64_t context;  // that it belongs to; with that it is gone
    void *memory;
    size_t bytes;
    void *event;
    bool used;   // the event is recorded
    bool moved;  // the handle's stream has been set since: the next work waits for the event
  };

  uint32_t magic = 0;
  libsgemm_handle *next = nullptr;  // in the pool
  libsgemm::Settings settings = {};
  void *stream = nullptr;
  bool follows_operands = false;  // a default stream is that of the device that has the operands
  void *user_workspace = nullptr;
  size_t workspace_bytes = LIBSGEMM_WORKSPACE_DEFAULT_BYTES;  // of the user's, or the bound of our own
  uint64_t used[libsgemm::kFirstCpu] =
      {};  // bits: devices that calls were given to; the last one stands for all beyond
  std::vector<Workspace> own;
  std::vector<Workspace> kept;  // scratch of verification, whose calls wait for their end

  void use(int backend, int device) { used[backend] |= uint64_t{1} << (device < 63 ? device : 63); }
  // Another stream, or perhaps another of the same address.
  void set_stream(void *to);
  // Its own workspace for a device, allocated now if need be, as large as the bound allows; `exact`: not less than
  // that. NULL, with *error, if there is no memory.
  Workspace *obtain(int backend, int device, bool exact, libsgemm::Error *error);
  // Device memory of at least so many bytes that stays with the handle; NULL if there is none.
  void *keep(int backend, int device, size_t bytes, libsgemm::Error *error);
  void release_all();
};

namespace libsgemm {

libsgemm_handle *acquire_handle();                      // fresh, with the settings of the environment
void recycle_handle(libsgemm_handle *handle) noexcept;  // gives back its workspaces
inline bool is_live(const libsgemm_handle *handle) {
  return handle != nullptr && handle->magic == libsgemm_handle::kLive;
}

// Waits for all work of the devices that calls with the handle have used.
libsgemm_status_t wait_for_devices(const libsgemm_handle &handle, Error *error);

// Waits for the handle's stream: of a default stream, for that of every device in use.
libsgemm_status_t wait_for_stream(const libsgemm_handle &handle, Error *error);

// A handle for one call that came without: only calls on device memory need one, for its workspace.
class BorrowedHandle {
 public:
  ~BorrowedHandle();
  libsgemm_handle *get();

 private:
  libsgemm_handle *handle_ = nullptr;
};

}  // namespace libsgemm
