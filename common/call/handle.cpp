#include "handle.h"

#include <mutex>
#include <new>

#include "call.h"
#include "contract/math_mode.h"
#include "contract/streams.h"
#include "graph_workspace.h"
#include "process/context.h"
#include "process/gate.h"
#include "process/loader.h"
#include "process/thread_info.h"

namespace libsgemm {
namespace {

std::mutex g_mutex;
libsgemm_handle *g_free = nullptr;      // destroyed, for reuse
libsgemm_handle *g_borrowed = nullptr;  // idle, with workspaces, for BorrowedHandle

// The lists need no memory, because destructors push handles. They are not touched during exit: nothing waits for a
// call that holds their lock.
libsgemm_handle *pop(libsgemm_handle **list) {
  const InGate gate;
  if (gate.ending()) return nullptr;
  const std::lock_guard<std::mutex> lock(g_mutex);
  libsgemm_handle *handle = *list;
  if (handle != nullptr) *list = handle->next;
  return handle;
}

void push(libsgemm_handle **list, libsgemm_handle *handle) noexcept {
  const InGate gate;
  if (gate.ending()) return;
  const std::lock_guard<std::mutex> lock(g_mutex);
  handle->next = *list;
  *list = handle;
}

}  // namespace

libsgemm_handle *acquire_handle() {
  libsgemm_handle *handle = pop(&g_free);
  if (handle == nullptr) handle = new libsgemm_handle;
  handle->settings = library().env.settings;
  handle->stream = nullptr;
  handle->follows_operands = false;
  for (uint64_t &used : handle->used) used = 0;
  handle->user_workspace = nullptr;
  handle->workspace_bytes = LIBSGEMM_WORKSPACE_DEFAULT_BYTES;
  handle->magic = libsgemm_handle::kLive;
  return handle;
}

void recycle_handle(libsgemm_handle *handle) noexcept {
  handle->magic = 0;
  const InGate gate;
  if (gate.ending()) return;  // the driver frees its memory
  handle->release_all();
  push(&g_free, handle);
}

BorrowedHandle::~BorrowedHandle() {
  if (handle_ != nullptr) push(&g_borrowed, handle_);
}

libsgemm_handle *BorrowedHandle::get() {
  if (handle_ == nullptr) handle_ = pop(&g_borrowed);
  if (handle_ == nullptr) handle_ = acquire_handle();
  return handle_;
}

}  // namespace libsgemm

namespace {

using libsgemm::table_of;
using Workspace = libsgemm_handle::Workspace;

uint64_t context_of(int backend, int device) { return libsgemm::context_of(table_of(backend), device); }

// A context that is gone or another thread's is not touched.
void give_back(const Workspace &w) {
  if (libsgemm::lost_by_fork(w.backend) || !libsgemm::can_give_back(table_of(w.backend), w.device, w.context)) return;
  if (w.memory != nullptr) table_of(w.backend).release(w.device, w.memory);
  if (w.event != nullptr) table_of(w.backend).destroy_event(w.device, w.event);
}

// Allocates `bytes` or, halving them, down to 4096; `exact`: `bytes` or nothing.
libsgemm_status_t allocate(Workspace *w, size_t bytes, bool exact, libsgemm::Error *error) {
  libsgemm_status_t status = LIBSGEMM_OUT_OF_MEMORY;
  for (w->bytes = bytes; status != LIBSGEMM_SUCCESS && (w->bytes == bytes || (!exact && w->bytes >= 4096));) {
    status = table_of(w->backend).allocate(w->device, w->bytes, &w->memory, error);
    if (status != LIBSGEMM_SUCCESS) w->bytes /= 2;
  }
  if (status != LIBSGEMM_SUCCESS) w->memory = nullptr;
  return status;
}

}  // namespace

void libsgemm_handle::set_stream(void *to) {
  stream = to;
  for (Workspace &w : own) w.moved = true;
}

Workspace *libsgemm_handle::obtain(int backend, int device, bool exact, libsgemm::Error *error) {
  const uint64_t context = context_of(backend, device);
  for (size_t i = 0; i < own.size(); ++i) {
    Workspace &w = own[i];
    if (w.backend != backend || w.device != device || w.context != context) continue;
    if (!exact || w.bytes == workspace_bytes) return &w;
    give_back(w);
    own.erase(own.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  own.reserve(own.size() + 1);
  Workspace w = {backend, device, context, nullptr, 0, nullptr, false, false};
  libsgemm_status_t status = table_of(backend).create_event(device, &w.event, error);
  if (status != LIBSGEMM_SUCCESS) return nullptr;
  status = allocate(&w, workspace_bytes, exact, error);
  if (status != LIBSGEMM_SUCCESS) {
    give_back(w);
    return nullptr;
  }
  own.push_back(w);
  return &own.back();
}

void *libsgemm_handle::keep(int backend, int device, size_t bytes, libsgemm::Error *error) {
  const uint64_t context = context_of(backend, device);
  for (size_t i = 0; i < kept.size(); ++i) {
    if (kept[i].backend != backend || kept[i].device != device || kept[i].context != context) continue;
    if (kept[i].bytes >= bytes) return kept[i].memory;
    give_back(kept[i]);
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  kept.reserve(kept.size() + 1);
  Workspace w = {backend, device, context, nullptr, bytes, nullptr, false, false};
  if (table_of(backend).allocate(device, bytes, &w.memory, error) != LIBSGEMM_SUCCESS) return nullptr;
  kept.push_back(w);
  return w.memory;
}

void libsgemm_handle::release_all() {
  for (std::vector<Workspace> *all : {&own, &kept}) {
    for (const Workspace &w : *all) give_back(w);
    all->clear();
  }
  libsgemm::release_graph_workspaces(this);
}

libsgemm_status_t libsgemm::wait_for_devices(const libsgemm_handle &handle, Error *error) {
  const InGate gate;
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  for (int i = 0; i < kFirstCpu && !gate.ending(); ++i) {
    if (handle.used[i] == 0 || lost_by_fork(i)) continue;
    const Backend &table = table_of(i);
    for (int device = 0; device < table.device_count(); ++device) {
      if ((handle.used[i] >> (device < 63 ? device : 63) & 1) == 0) continue;
      Error now = {};
      const libsgemm_status_t done = table.synchronize(device, every_stream(), &now);
      if (done == LIBSGEMM_SUCCESS || status != LIBSGEMM_SUCCESS) continue;
      status = done;
      *error = now;
    }
  }
  return status;
}

libsgemm_status_t libsgemm::wait_for_stream(const libsgemm_handle &handle, Error *error) {
  const InGate gate;
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  for (int i = 0; i < kFirstCpu; ++i) {
    const Slot &slot = library().slots[i];
    if (slot.probe_state.load(std::memory_order_acquire) != Slot::ready || lost_by_fork(i)) continue;
    if (gate.ending()) {
      set_error(error, kEndingText);
      return LIBSGEMM_UNAVAILABLE;
    }
    // A stream belongs to one device; each device has its own default streams.
    const bool each = is_default_stream(handle.stream);
    const int devices = each ? slot.table->device_count() : 1;
    for (int device = 0; device < devices; ++device) {
      Error now = {};
      const libsgemm_status_t done = slot.table->synchronize(each ? device : -1, handle.stream, &now);
      if (done == LIBSGEMM_SUCCESS || status != LIBSGEMM_SUCCESS) continue;
      status = done;
      *error = now;
    }
  }
  return status;
}

using libsgemm::InGate;
using libsgemm::is_live;
using libsgemm::library;
using libsgemm::protect;
using libsgemm::thread_info;

namespace {

libsgemm_status_t begin(const InGate &gate, const char *entry, libsgemm_handle_t h) {
  libsgemm::ThreadInfo &info = thread_info();
  info.begin(entry, gate.ending());
  if (!is_live(h)) return info.fail(LIBSGEMM_INVALID_HANDLE, libsgemm_status_string(LIBSGEMM_INVALID_HANDLE));
  return LIBSGEMM_SUCCESS;
}

libsgemm_status_t bad_argument(int position, const char *text) {
  libsgemm::ThreadInfo &info = thread_info();
  info.argument = position;
  return info.fail(LIBSGEMM_INVALID_ARGUMENT, text);
}

libsgemm_status_t bad_number(int position, const char *name, int value, const char *valid) {
  char text[128];
  std::snprintf(text, sizeof text, "argument %d (%s) is %d, must be %s", position, name, value, valid);
  return bad_argument(position, text);
}

template <typename Parse>
libsgemm_status_t set_by_name(const char *what, const char *name, const Parse &parse) {
  return protect(&thread_info(), [&] {
    std::string valid;
    if (parse(&valid)) return LIBSGEMM_SUCCESS;
    return bad_argument(2, ("argument 2 (" + std::string(what) + ") is \"" + name + "\": use " + valid).c_str());
  });
}

}  // namespace

libsgemm_status_t libsgemm_create(libsgemm_handle_t *h) {
  const InGate gate;
  libsgemm::ThreadInfo &info = thread_info();
  info.begin("libsgemm_create", gate.ending());
  if (h == nullptr) return bad_argument(1, "argument 1 (h) is NULL");
  return protect(&info, [&] {
    if (!library().env.error.empty()) return info.fail(LIBSGEMM_INVALID_ENVIRONMENT, library().env.error.c_str());
    *h = libsgemm::acquire_handle();
    return LIBSGEMM_SUCCESS;
  });
}

libsgemm_status_t libsgemm_destroy(libsgemm_handle_t h) {
  if (h == nullptr) return LIBSGEMM_SUCCESS;
  const InGate gate;
  if (!is_live(h)) return begin(gate, "libsgemm_destroy", h);
  libsgemm::Error error = {};
  const libsgemm_status_t status = libsgemm::wait_for_devices(*h, &error);
  if (status != LIBSGEMM_SUCCESS) thread_info().add_failure(status, "libsgemm_destroy", error.text);
  libsgemm::recycle_handle(h);
  return status;
}

libsgemm_status_t libsgemm_set_stream(libsgemm_handle_t h, void *stream) {
  const InGate gate;
  const libsgemm_status_t status = begin(gate, "libsgemm_set_stream", h);
  if (status == LIBSGEMM_SUCCESS) h->set_stream(stream);
  return status;
}

void libsgemm_private_follow_operands(libsgemm_handle_t h) { h->follows_operands = true; }

libsgemm_status_t libsgemm_get_stream(libsgemm_handle_t h, void **stream) {
  const InGate gate;
  const libsgemm_status_t status = begin(gate, "libsgemm_get_stream", h);
  if (status != LIBSGEMM_SUCCESS) return status;
  if (stream == nullptr) return bad_argument(2, "argument 2 (stream) is NULL");
  *stream = h->stream;
  return status;
}

libsgemm_status_t libsgemm_set_workspace(libsgemm_handle_t h, void *workspace, size_t bytes) {
  const InGate gate;
  const libsgemm_status_t status = begin(gate, "libsgemm_set_workspace", h);
  if (status != LIBSGEMM_SUCCESS) return status;
  if (workspace != nullptr && reinterpret_cast<uintptr_t>(workspace) % 256 != 0) {
    return bad_argument(2, "argument 2 (workspace) is not aligned to 256 bytes");
  }
  if (workspace != nullptr && bytes == 0)
    return bad_argument(3, "argument 3 (bytes) is 0 with a workspace that is not NULL");
  libsgemm::Error error = {};
  const libsgemm_status_t done = libsgemm::wait_for_stream(*h, &error);  // enqueued work may use the old workspace
  if (done != LIBSGEMM_SUCCESS) return thread_info().fail(done, error.text);
  if (!gate.ending()) h->release_all();
  h->user_workspace = workspace;
  h->workspace_bytes = workspace != nullptr || bytes != 0 ? bytes : LIBSGEMM_WORKSPACE_DEFAULT_BYTES;
  return status;
}

libsgemm_status_t libsgemm_get_workspace(libsgemm_handle_t h, void **workspace, size_t *bytes) {
  const InGate gate;
  const libsgemm_status_t status = begin(gate, "libsgemm_get_workspace", h);
  if (status != LIBSGEMM_SUCCESS) return status;
  if (workspace == nullptr) return bad_argument(2, "argument 2 (workspace) is NULL");
  if (bytes == nullptr) return bad_argument(3, "argument 3 (bytes) is NULL");
  *workspace = h->user_workspace;
  *bytes = h->workspace_bytes;
  return status;
}

libsgemm_status_t libsgemm_set_math_mode(libsgemm_handle_t h, libsgemm_math_mode_t mode) {
  const InGate gate;
  const libsgemm_status_t status = begin(gate, "libsgemm_set_math_mode", h);
  if (status != LIBSGEMM_SUCCESS) return status;
  const int value = static_cast<int>(mode);
  if (value < 0 || value >= libsgemm::kModeCount) {
    return bad_number(2, "mode", value, "an enumerator of libsgemm_math_mode_t");
  }
  h->settings.math_mode = mode;
  return status;
}

libsgemm_status_t libsgemm_get_math_mode(libsgemm_handle_t h, libsgemm_math_mode_t *mode) {
  const InGate gate;
  const libsgemm_status_t status = begin(gate, "libsgemm_get_math_mode", h);
  if (status != LIBSGEMM_SUCCESS) return status;
  if (mode == nullptr) return bad_argument(2, "argument 2 (mode) is NULL");
  *mode = h->settings.math_mode;
  return status;
}

libsgemm_status_t libsgemm_set_deterministic(libsgemm_handle_t h, libsgemm_deterministic_t deterministic) {
  const InGate gate;
  const libsgemm_status_t status = begin(gate, "libsgemm_set_deterministic", h);
  if (status != LIBSGEMM_SUCCESS) return status;
  const int value = static_cast<int>(deterministic);
  if (value < LIBSGEMM_DETERMINISTIC_OFF || value > LIBSGEMM_DETERMINISTIC_INVARIANT) {
    return bad_number(2, "deterministic", value, "0 (off), 1 (on) or 2 (invariant)");
  }
  h->settings.deterministic = deterministic;
  return status;
}

libsgemm_status_t libsgemm_get_deterministic(libsgemm_handle_t h, libsgemm_deterministic_t *deterministic) {
  const InGate gate;
  const libsgemm_status_t status = begin(gate, "libsgemm_get_deterministic", h);
  if (status != LIBSGEMM_SUCCESS) return status;
  if (deterministic == nullptr) return bad_argument(2, "argument 2 (deterministic) is NULL");
  *deterministic = h->settings.deterministic;
  return status;
}

libsgemm_status_t libsgemm_set_backend(libsgemm_handle_t h, const char *backends) {
  const InGate gate;
  const libsgemm_status_t status = begin(gate, "libsgemm_set_backend", h);
  if (status != LIBSGEMM_SUCCESS) return status;
  return set_by_name("backends", backends, [&](std::string *valid) {
    libsgemm::Preference preference = library().env.settings.preference;
    if (backends != nullptr && !libsgemm::parse_backends(backends, &preference, valid)) return false;
    h->settings.preference = preference;
    return true;
  });
}

libsgemm_status_t libsgemm_set_kernel(libsgemm_handle_t h, const char *kernel) {
  const InGate gate;
  const libsgemm_status_t status = begin(gate, "libsgemm_set_kernel", h);
  if (status != LIBSGEMM_SUCCESS) return status;
  return set_by_name("kernel", kernel, [&](std::string *valid) {
    libsgemm::KernelChoice choice = {-1, 0};
    const bool named = kernel != nullptr && kernel[0] != '\0';
    if (named && !libsgemm::find_kernel(kernel, &choice, valid)) return false;
    h->settings.kernel = choice;
    return true;
  });
}

libsgemm_status_t libsgemm_set_verify(libsgemm_handle_t h, libsgemm_verify_t verify, libsgemm_verify_action_t action) {
  const InGate gate;
  const libsgemm_status_t status = begin(gate, "libsgemm_set_verify", h);
  if (status != LIBSGEMM_SUCCESS) return status;
  const int v = static_cast<int>(verify), a = static_cast<int>(action);
  if (v < LIBSGEMM_VERIFY_OFF || v > LIBSGEMM_VERIFY_FULL) {
    return bad_number(2, "verify", v, "0 (off), 1 (sample) or 2 (full)");
  }
  if (a < LIBSGEMM_VERIFY_WARN || a > LIBSGEMM_VERIFY_ERROR) {
    return bad_number(3, "action", a, "0 (warn), 1 (retry) or 2 (error)");
  }
  h->settings.verify = verify;
  h->settings.verify_action = action;
  return status;
}

libsgemm_status_t libsgemm_get_verify(libsgemm_handle_t h, libsgemm_verify_t *verify,
                                      libsgemm_verify_action_t *action) {
  const InGate gate;
  const libsgemm_status_t status = begin(gate, "libsgemm_get_verify", h);
  if (status != LIBSGEMM_SUCCESS) return status;
  if (verify == nullptr) return bad_argument(2, "argument 2 (verify) is NULL");
  if (action == nullptr) return bad_argument(3, "argument 3 (action) is NULL");
  *verify = h->settings.verify;
  *action = h->settings.verify_action;
  return status;
}

// Keeps last_info of the routine that it waits for.
libsgemm_status_t libsgemm_synchronize(libsgemm_handle_t h) {
  const InGate gate;
  if (!is_live(h)) return begin(gate, "libsgemm_synchronize", h);
  libsgemm::Error error = {};
  const libsgemm_status_t status = libsgemm::wait_for_stream(*h, &error);
  if (status != LIBSGEMM_SUCCESS) thread_info().add_failure(status, "libsgemm_synchronize", error.text);
  return status;
}
