// In CUDA a device's reset destroys the context of its events, which must then not be queried: contexts have unique
// numbers.
#include "gpu_blas/gpu_time.h"

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <new>
#include <vector>

#include "call/call.h"
#include "gpu_blas/driver.h"
#include "gpu_blas/handles.h"
#include "process/immortal.h"

namespace libsgemm {

namespace {

struct Pending {
  Event start, stop;
  const char *entry, *backend, *kernel;
};

}  // namespace

struct GpuTime::Context {
  unsigned long long id = 0;
  int device = 0;
  std::vector<Event> free;
  std::deque<Pending> pending;  // in order of recording
};

namespace {

constexpr size_t kMostPending = 1 << 14;

const Driver &driver() {
  static const Driver found = find_driver();
  return found;
}

// While another thread's stream records a graph, querying events invalidates it unless this thread's capture mode is
// relaxed.
class Relaxed {
 public:
  Relaxed() { driver().exchange_mode(&mode_); }
  ~Relaxed() { driver().exchange_mode(&mode_); }
  Relaxed(const Relaxed &) = delete;
  Relaxed &operator=(const Relaxed &) = delete;

 private:
  int mode_ = 2;  // STREAM_CAPTURE_MODE_RELAXED of both vendors; then the mode before
};

struct Clocks {
  std::mutex mutex;
  std::vector<GpuTime::Context *> contexts;  // never freed: threads hold pointers
  bool ended = false;
};
Clocks &clocks() { return immortal<Clocks>(); }

// The mutex must be held.
void collect(GpuTime::Context *context, bool wait) {
  while (!context->pending.empty()) {
    const Pending done = context->pending.front();
    if ((wait ? driver().synchronize(done.stop) : driver().query(done.stop)) != 0) return;
    float milliseconds = 0;
    if (driver().elapsed(&milliseconds, done.start, done.stop) == 0) {
      libsgemm_private_add_time(done.entry, done.backend, done.kernel,
                                static_cast<uint64_t>(1e6 * static_cast<double>(milliseconds)));
    }
    context->pending.pop_front();
    context->free.push_back(done.start);
    context->free.push_back(done.stop);
  }
}

// Runs during exit, before the driver's handler: the driver still works; contexts may be gone.
void collect_all() {
  const std::lock_guard<std::mutex> lock(clocks().mutex);
  clocks().ended = true;
  for (GpuTime::Context *context : clocks().contexts) {
    if (context->pending.empty() || !driver().enter(context->id, context->device)) continue;
    collect(context, true);
    driver().leave(context->device);
  }
}

// NULL: unknown. The mutex must be held.
GpuTime::Context *current_context() {
  static const bool registered = std::atexit(collect_all) == 0;
  unsigned long long id = 0;
  int device = 0;
  if (!registered || !driver().context(&id, &device)) return nullptr;
  for (GpuTime::Context *context : clocks().contexts) {
    if (context->id == id) return context;
  }
  clocks().contexts.reserve(clocks().contexts.size() + 1);
  auto *const made = new GpuTime::Context;
  made->id = id;
  made->device = device;
  clocks().contexts.push_back(made);
  return made;
}

Event take_event(GpuTime::Context *context) {
  Event event = nullptr;
  if (context->free.empty()) return driver().create(&event, 0) == 0 ? event : nullptr;
  event = context->free.back();
  context->free.pop_back();
  return event;
}

}  // namespace

GpuTime::GpuTime(void *stream) : stream_(stream) {
  if (!driver().whole || was_forked()) return;
  try {
    const std::lock_guard<std::mutex> lock(clocks().mutex);
    int capturing = 0;
    if (clocks().ended || driver().is_capturing(stream, &capturing) != 0 || capturing != 0) return;
    const Relaxed relaxed;
    Context *const context = current_context();
    if (context == nullptr || context->pending.size() >= kMostPending) return;
    context->free.reserve(2 * kMostPending + 2);  // returning an event then needs no memory
    start_ = take_event(context);
    stop_ = start_ != nullptr ? take_event(context) : nullptr;
    context_ = context;
    if (stop_ == nullptr || driver().record(start_, stream) != 0) give_back();
  } catch (const std::bad_alloc &) {
  }
}

void GpuTime::restart() {
  if (!active()) return;
  const std::lock_guard<std::mutex> lock(clocks().mutex);
  if (!clocks().ended) driver().record(start_, stream_);
}

void GpuTime::finish(const char *entry, const char *backend, const char *kernel) {
  if (!active()) return;
  const std::lock_guard<std::mutex> lock(clocks().mutex);
  if (clocks().ended || driver().record(stop_, stream_) != 0) return;
  const Relaxed relaxed;
  try {
    context_->pending.push_back({start_, stop_, entry, backend, kernel});
  } catch (const std::bad_alloc &) {
    return;
  }
  start_ = stop_ = nullptr;
  collect(context_, false);
}

// An unfinished call keeps its events for the next one.
GpuTime::~GpuTime() {
  if (!active() || start_ == nullptr) return;
  const std::lock_guard<std::mutex> lock(clocks().mutex);
  give_back();
}

// The mutex must be held.
void GpuTime::give_back() {
  for (Event event : {start_, stop_}) {
    if (event != nullptr) context_->free.push_back(event);
  }
  context_ = nullptr;
}

}  // namespace libsgemm
