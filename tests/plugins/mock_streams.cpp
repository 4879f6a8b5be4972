#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "contract/float_mode.h"
#include "contract/streams.h"
#include "mock_device.h"

namespace mock {

Stream g_default[kMostDevices] = {{0, 0, {}}, {1, 0, {}}, {2, 0, {}}, {3, 0, {}}};
std::set<Stream *> &g_streams = *new std::set<Stream *>{&g_default[0], &g_default[1], &g_default[2], &g_default[3]};

namespace {

// Graphs keep `what` and call ended() at their end.
struct Kept {
  void (*ended)(void *);
  void *what;
};
std::vector<Kept> &g_kept = *new std::vector<Kept>;

// Aborts, as a driver may crash, for an object lost in a reset.
void must_exist(uint64_t made_in, int device) {
  if (made_in != 0 && made_in != g_context[device]) std::abort();
}

}  // namespace

Stream *stream_of(int device, void *stream) {
  if (!is_default_stream(stream))
    must_exist(static_cast<Stream *>(stream)->context, static_cast<Stream *>(stream)->device);
  return is_default_stream(stream) ? &g_default[device < 0 ? 0 : device] : static_cast<Stream *>(stream);
}

Stream *stream_for(int device, void *stream, Error *error) {
  Stream *const s = stream_of(device, stream);
  if (s->device == device) return s;
  set_error(error, "the mock driver refuses work of device %d on a stream of device %d", device, s->device);
  return nullptr;
}

libsgemm_status_t push(int device, void *stream, Op op, Error *error) {
  Stream *const s = stream_for(device, stream, error);
  if (s == nullptr) return LIBSGEMM_EXECUTION_FAILED;
  s->work.push_back(std::move(op));
  return LIBSGEMM_SUCCESS;
}

void count_if_capturing() {
  for (const Stream &s : g_default) g_control.capturing_calls += s.graph != 0 ? 1 : 0;
}

namespace {

bool may_go_on(const Stream &s) {
  if (s.device == 0 && g_control.together) return false;
  return !s.work.empty() && !g_control.hangs && !g_control.hung[s.device] &&
         (!s.work.front().wait || s.work.front().wait->reached >= s.work.front().count);
}

void do_one(Stream *s) {
  const Op op = s->work.front();
  s->work.pop_front();
  if (op.work && counts_down(kWork, s->device)) {
    g_lost[s->device] = true;
    g_control.together = false;
  }
  if (op.work && !g_lost[s->device]) {
    Open::ask();
    const UsualFloats floats;  // independent of the thread's floating-point mode
    op.work();
  }
  if (op.reach) op.reach->reached = std::max(op.reach->reached, op.count);
}

}  // namespace

bool do_any(int device) {
  static uint32_t turn = 12345;
  std::vector<Stream *> ready;
  for (Stream *s : g_streams) {
    if (s->device == device && may_go_on(*s)) ready.push_back(s);
  }
  if (ready.empty()) return false;
  turn = turn * 1664525 + 1013904223;
  do_one(ready[(turn >> 16) % ready.size()]);
  return true;
}

void do_all(int device, Stream *s) {
  while (!s->work.empty() && do_any(device)) {
  }
}

void finish(int device) {
  const Open open_memory;
  while (do_any(device)) {
  }
}

void destroy_graphs() {
  const Lock lock(g_mutex);
  for (const Kept &kept : g_kept) kept.ended(kept.what);
  g_kept.clear();
}

namespace {

uint64_t context(int device) {
  g_control.entered[device] = true;
  return g_lost[device] || g_abandoned[device] ? 0 : g_context[device];
}
int stream_device(void *stream) { return stream_of(t_current, stream)->device; }
bool capturing(int device, void *stream) { return stream_of(device, stream)->graph != 0; }
uint64_t graph(int device, void *stream) { return stream_of(device, stream)->graph; }

libsgemm_status_t keep_with_graph(int device, void *, void (*ended)(void *), void *what, Error *error) {
  if (fails(kStream, device)) return fail("keeping memory with a graph", error);
  const Lock lock(g_mutex);
  g_kept.push_back({ended, what});
  return LIBSGEMM_SUCCESS;
}

libsgemm_status_t create_stream(int device, void **stream, Error *error) {
  if (fails(kStream, device)) return fail("creating a stream", error);
  const Lock lock(g_mutex);
  auto *made = new Stream{device, 0, {}, g_context[device]};
  g_streams.insert(made);
  ++g_control.objects;
  *stream = made;
  return LIBSGEMM_SUCCESS;
}

void destroy_stream(int device, void *stream) {
  const Open open_memory;
  if (g_abandoned[device]) return;
  Stream *s = stream_of(device, stream);
  do_all(device, s);
  g_streams.erase(s);
  --g_control.objects;
  delete s;
}

libsgemm_status_t create_event(int device, void **event, Error *error) {
  if (fails(kStream, device)) return fail("creating an event", error);
  *event = new SharedEvent(std::make_shared<Event>());
  (*static_cast<SharedEvent *>(*event))->context = g_context[device];
  ++g_control.objects;
  return LIBSGEMM_SUCCESS;
}

const SharedEvent &event_of(int device, void *event) {
  const SharedEvent &e = *static_cast<SharedEvent *>(event);
  must_exist(e->context, device);
  return e;
}

void destroy_event(int device, void *event) {
  const Lock lock(g_mutex);
  if (g_abandoned[device]) return;
  event_of(device, event);
  --g_control.objects;
  delete static_cast<SharedEvent *>(event);
}

libsgemm_status_t record_event(int device, void *event, void *stream, Error *error) {
  if (fails(kStream, device)) return fail("recording an event", error);
  const Lock lock(g_mutex);
  const SharedEvent &e = event_of(device, event);
  const libsgemm_status_t status = push(device, stream, {{}, e, {}, e->recorded + 1, nullptr}, error);
  if (status == LIBSGEMM_SUCCESS) ++e->recorded;
  return status;
}

libsgemm_status_t stream_wait_event(int device, void *stream, void *event, Error *error) {
  if (fails(kStream, device)) return fail("waiting for an event", error);
  const Lock lock(g_mutex);
  const SharedEvent &e = event_of(device, event);
  return push(device, stream, {{}, {}, e, e->recorded, nullptr}, error);
}

libsgemm_status_t lost(Error *error) {
  set_error(error, "the mock device was lost");
  return LIBSGEMM_EXECUTION_FAILED;
}

libsgemm_status_t query_event(int device, void *event, bool *ended, Error *error) {
  *ended = false;
  const Open open_memory;
  if (fails(kQuery, device)) return lost(error);
  do_any(device);
  if (g_lost[device]) return lost(error);
  const Event &e = *event_of(device, event);
  *ended = e.reached >= e.recorded;
  return LIBSGEMM_SUCCESS;
}

// The device's work stays queued, and all further calls fail.
void abandon(int device) {
  const Lock lock(g_mutex);
  ++g_control.abandoned;
  g_abandoned[device] = true;
}

libsgemm_status_t synchronize(int device, void *stream, Error *error) {
  count_if_capturing();
  const Open open_memory;
  const bool all = stream == every_stream();
  Stream *s = stream_of(device, all ? nullptr : stream);
  // Waiting for an unused device's default stream creates no context.
  const bool entered = device >= 0 && (stream != nullptr || g_control.entered[device]);
  const bool failed = fails(kSynchronize, device);
  if (device >= 0) g_control.entered[device] = entered;
  if (failed) {
    if (g_control.fails_behind) do_all(s->device, s);
    if (!g_abandoned[s->device]) s->work.clear();
    return lost(error);
  }
  all ? finish(device) : do_all(s->device, s);
  return g_lost[s->device] ? lost(error) : LIBSGEMM_SUCCESS;
}

libsgemm_status_t copy(int device, const Copy &what, void *stream, Error *error) {
  if (fails(kCopy, device)) {
    set_error(error, "a mock copy failed");
    return LIBSGEMM_EXECUTION_FAILED;
  }
  const Lock lock(g_mutex);
  const auto run = [what] {
    for (int64_t j = 0; j < what.columns; ++j) {
      std::memcpy(static_cast<char *>(what.target) + static_cast<size_t>(j) * what.target_pitch,
                  static_cast<const char *>(what.source) + static_cast<size_t>(j) * what.source_pitch, what.bytes);
    }
  };
  const void *host = what.direction == Copy::to_host ? what.target : what.source;
  if (what.direction == Copy::within_device || !is_pinned(host)) host = nullptr;
  return push(device, stream, {run, {}, {}, 0, host}, error);
}

}  // namespace

void add_streams(Backend *table) {
  table->context = context;
  table->stream_device = stream_device;
  table->capturing = capturing;
  table->graph = graph;
  table->keep_with_graph = keep_with_graph;
  table->create_stream = create_stream;
  table->destroy_stream = destroy_stream;
  table->create_event = create_event;
  table->destroy_event = destroy_event;
  table->record_event = record_event;
  table->stream_wait_event = stream_wait_event;
  table->query_event = query_event;
  table->abandon = abandon;
  table->synchronize = synchronize;
  table->copy = copy;
}

}  // namespace mock
