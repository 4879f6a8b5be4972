// A mock GPU: all of backend.h on the CPU, to test dispatch, offload, workspaces, capture, failure and fork.
//
// Device memory is inaccessible except while the mock works on it: a CPU access by the library crashes. Stream work is
// queued and done while a thread waits or queries an event, in any order that events allow: a missing wait reads old
// data. Kernels are the ref backend's loops.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "mock_device.h"

#ifndef MOCK_ABI
#define MOCK_ABI libsgemm::kBackendAbi
#endif
#ifndef MOCK_IS_GPU
#define MOCK_IS_GPU true
#endif
#ifndef MOCK_DEVICES
#define MOCK_DEVICES 2
#endif

namespace mock {
namespace {

constexpr int kDevices = MOCK_DEVICES;
static_assert(kDevices <= kMostDevices);

libsgemm_status_t open(const Host &, Error *error) {
#ifdef MOCK_NO_DRIVER
  set_error(error, "the mock driver is missing");
  return LIBSGEMM_UNAVAILABLE;
#else
  static_cast<void>(error);
  return LIBSGEMM_SUCCESS;
#endif
}

libsgemm_status_t probe(Error *error) {
  ++g_control.probes;
#ifdef MOCK_NO_DEVICE
  set_error(error, "the mock driver finds no device");
  return LIBSGEMM_UNAVAILABLE;
#else
  static_cast<void>(error);
  return LIBSGEMM_SUCCESS;
#endif
}

const char *version() { return "mock driver 1.0"; }
int device_count() { return kDevices; }

libsgemm_status_t describe_device(int device, libsgemm_device_info_t *info, Error *) {
  std::snprintf(info->name, sizeof info->name, "%s",
                device != 0 && device == g_control.unlike ? "other mock device" : "mock device");
  std::snprintf(info->arch, sizeof info->arch, "mock_1");
  info->memory_bytes = uint64_t{1} << 30;
  info->compute_units = 4;
  return LIBSGEMM_SUCCESS;
}

Backend make_backend() {
  Backend b = {};
  b.abi = MOCK_ABI;
  b.is_gpu = MOCK_IS_GPU;
  b.name = MOCK_NAME;
  b.open = open;
  b.version = version;
  b.device_count = device_count;
  b.describe_device = describe_device;
  b.probe = probe;
  add_memory(&b);
  add_streams(&b);
  add_kernels(&b);
  return b;
}

void read_device(const void *device, void *host, size_t bytes) {
  const Open open_memory;
  Open::ask();
  std::memcpy(host, device, bytes);
}

void write_device(void *device, const void *host, size_t bytes) {
  const Open open_memory;
  Open::ask();
  std::memcpy(device, host, bytes);
}

void use_device(int device) { t_current = device; }

void *allocate_here(int device, size_t bytes) {
  use_device(device);
  return map_block(device, bytes);
}
void *allocate_managed(int device, size_t bytes) {
  use_device(device);
  return map(device, bytes, true);
}

// Streams of tests are never freed: a handle may refer to one.
void *new_stream(int device) {
  const Lock lock(g_mutex);
  auto *made = new Stream{device, 0, {}};
  g_streams.insert(made);
  return made;
}

void repair() {
  const Lock lock(g_mutex);
  for (Stream *s : g_streams) {
    while (!s->work.empty()) {
      if (s->work.front().reach) s->work.front().reach->reached = s->work.front().count;
      s->work.pop_front();
    }
  }
  for (int device = 0; device < kDevices; ++device) {
    g_lost[device] = g_abandoned[device] = false;
    g_control.hung[device] = false;
  }
  g_control.hangs = g_control.together = false;
}

void set_capturing(void *stream, bool on) {
  static uint64_t graphs = 0;
  stream_of(0, stream)->graph = on ? ++graphs : 0;
}

void join_capture(void *stream, void *other) { stream_of(0, stream)->graph = stream_of(0, other)->graph; }
void set_default_capturing(int device, bool on) { g_default[device].graph = on ? 1 : 0; }

void enqueue_copy(void *stream, void *target, const void *source, size_t bytes) {
  const Lock lock(g_mutex);
  stream_of(0, stream)->work.push_back({[=] { std::memcpy(target, source, bytes); }, {}, {}, 0, nullptr});
}

void end_stream(void *stream) {
  const Open open_memory;
  auto *s = static_cast<Stream *>(stream);
  do_all(s->device, s);
  s->context = ~uint64_t{0};  // must_exist() aborts on it
}

// The library's device memory stays mapped, so that its addresses are not reused.
void reset(int device) {
  const Lock lock(g_mutex);
  g_context[device] += 2;
  for (Stream *s : g_streams) {
    if (s->device == device) s->work.clear();
  }
  for (auto pinned = g_pinned_by.begin(); pinned != g_pinned_by.end();) {
    if (pinned->second == device) unmap_pinned(pinned->first);
    pinned = pinned->second == device ? g_pinned_by.erase(pinned) : std::next(pinned);
  }
  for (auto block = g_blocks.begin(); block != g_blocks.end();) {
    if (block->second.device == device) g_control.bytes -= static_cast<int64_t>(block->second.bytes);
    block = block->second.device == device ? g_blocks.erase(block) : std::next(block);
  }
}

void wake(int device) {
  const Open open_memory;
  g_control.hung[device] = false;
  while (do_any(device)) {
  }
}

int dangling() {
  const Lock lock(g_mutex);
  int count = 0;
  for (const Stream *s : g_streams) {
    for (const Op &op : s->work) count += op.pinned != nullptr && !is_pinned(op.pinned) ? 1 : 0;
  }
  return count;
}

int pending(void *stream, int device) {
  const Lock lock(g_mutex);
  return static_cast<int>(stream_of(device, stream)->work.size());
}

}  // namespace
}  // namespace mock

extern "C" LIBSGEMM_API const libsgemm::Backend *libsgemm_backend_table() {
  static const libsgemm::Backend backend = mock::make_backend();
  return &backend;
}

extern "C" LIBSGEMM_API mock::Control *mock_control() {
  using namespace mock;
  g_control.use_device = use_device;
  g_control.allocate = allocate_here;
  g_control.allocate_managed = allocate_managed;
  g_control.release = unmap_block;
  g_control.read = read_device;
  g_control.write = write_device;
  g_control.allocate_pinned = map_pinned;
  g_control.release_pinned = unmap_pinned;
  g_control.repair = repair;
  g_control.stream = new_stream;
  g_control.set_capturing = set_capturing;
  g_control.join_capture = join_capture;
  g_control.set_default_capturing = set_default_capturing;
  g_control.enqueue_copy = enqueue_copy;
  g_control.unload = unload;
  g_control.destroy_stream = end_stream;
  g_control.destroy_graphs = destroy_graphs;
  g_control.reset = reset;
  g_control.pending = pending;
  g_control.wake = wake;
  g_control.dangling = dangling;
  return &g_control;
}
