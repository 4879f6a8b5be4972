// The order of decisions: where do the operands live, is there anything to compute, which backends may, is the call
// worth a GPU, which kernel; then run it, verify it, and if it failed try the next one.
#include "dispatch.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <new>
#include <optional>

#include "check.h"
#include "gate.h"
#include "handle.h"
#include "host_matrix.h"
#include "kernel_table.h"
#include "loader.h"
#include "log.h"
#include "offload.h"
#include "placement.h"
#include "verify_device.h"

namespace libsgemm {
namespace {

// A call on its way.
struct Request {
  const Call &call;
  const GemmDesc &desc;
  const Settings &settings;
  libsgemm_handle *handle;
  ThreadInfo *info;
  Placement at = {};
};

// A backend at work must not be entered again by the same thread, see submit(); nor be forked or torn down meanwhile. A
// nested call has an info of its own and is within its outer call's gate.
class Inside {
 public:
  explicit Inside(ThreadInfo *info) : info_(info), nested_(thread_info().inside) {
    if (!nested_) gate_enter();
    info_->inside = true;
  }
  ~Inside() {
    info_->inside = false;
    if (!nested_) gate_leave();
  }
  Inside(const Inside &) = delete;
  Inside &operator=(const Inside &) = delete;

 private:
  ThreadInfo *info_;
  bool nested_;
};

void *stream_of(const Request &r) { return r.handle != nullptr ? r.handle->stream : nullptr; }

const Backend &table_of(int index) { return *library().slots[index].table; }

// One line on stderr for each kind of mishap of each backend; the rest only in the log.
void warn(int index, Note::Why why, const std::string &text) {
  static std::atomic<unsigned> said[kBackendCount];
  const unsigned bit = 1u << why;
  const bool first = (said[index].fetch_or(bit) & bit) == 0;
  log_line(first ? 0 : 2, text);
}

// ---- Running on one backend
// --------------------------------------------------------------------------------------------

const Kernel *forced_kernel(const Request &r) {
  const KernelChoice &choice = r.settings.kernel;
  return choice.backend >= 0 ? &table_of(choice.backend).kernels[choice.row] : nullptr;
}

const Kernel *choose(const Request &r, int index, int device, size_t workspace_bytes) {
  const Kernel *forced = forced_kernel(r);
  if (forced == nullptr) return select_kernel(table_of(index), r.desc, device, workspace_bytes);
  const bool legal = forced->supports(r.desc, device) && workspace_of(*forced, r.desc, device) <= workspace_bytes;
  return legal ? forced : nullptr;
}

libsgemm_status_t launch_on_device(Request *r, int index, const Kernel **ran, Error *error) {
  const Backend &table = table_of(index);
  BorrowedHandle borrowed;
  libsgemm_handle *handle = r->handle != nullptr ? r->handle : borrowed.get();
  Launch launch = {};
  launch.device = r->at.where.device;
  launch.stream = stream_of(*r);
  launch.capturing = table.capturing(launch.stream);
  launch.arrays_on_device = r->at.arrays_on_device;
  const libsgemm_handle::Workspace there = handle->find(index, launch.device);
  const bool fixed = launch.capturing || there.memory != nullptr;
  size_t limit = fixed ? there.bytes : handle->workspace_bytes;
  const Kernel *kernel = choose(*r, index, launch.device, limit);
  if (kernel != nullptr && workspace_of(*kernel, r->desc, launch.device) > 0) {
    const libsgemm_handle::Workspace w = fixed ? there : handle->obtain(index, launch.device);
    launch.workspace = w.memory;
    launch.workspace_bytes = w.bytes;
    if (w.bytes < limit) kernel = choose(*r, index, launch.device, w.bytes);
  }
  if (kernel == nullptr) return LIBSGEMM_NOT_SUPPORTED;
  *ran = kernel;
  libsgemm_status_t status = kernel->launch(r->desc, launch, error);
  if (status == LIBSGEMM_SUCCESS && r->handle == nullptr) {
    status = table.synchronize(launch.device, launch.stream, error);
  }
  return status;
}

libsgemm_status_t launch_on_host(Request *r, int index, const Kernel **ran, Error *error) {
  const Backend &table = table_of(index);
  if (table.is_gpu) {
    *ran = forced_kernel(*r);
    return offload(table, r->desc, 0, ran, error);
  }
  const Kernel *kernel = choose(*r, index, 0, SIZE_MAX);
  if (kernel == nullptr) return LIBSGEMM_NOT_SUPPORTED;
  *ran = kernel;
  const Launch launch = {};
  return kernel->launch(r->desc, launch, error);
}

// ---- Verification
// ------------------------------------------------------------------------------------------------------

DeviceMemory device_memory(const Request &r) {
  return {table_of(r.at.owner), r.at.where.device, stream_of(r), r.at.arrays_on_device};
}

// Each call draws other samples, each process too unless LIBSGEMM_VERIFY_SEED is set: an error must not be missed twice
// for the same reason.
uint64_t next_seed() {
  static const uint64_t first = [] {
    const Environment &env = library().env;
    if (env.verify_seed_set) return env.verify_seed;
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    return static_cast<uint64_t>(now) ^ static_cast<uint64_t>(getpid()) << 48;
  }();
  static std::atomic<uint64_t> calls{0};
  return first + 0x9fb21c651e98df25u * ++calls;
}

// What follows from the worst |error| / bound: nothing, a warning, or the refusal of the result.
libsgemm_status_t follow(Request *r, int index, const Kernel &ran, double ratio, Error *error) {
  r->info->verify_ratio = ratio;
  if (ratio <= 1) return LIBSGEMM_SUCCESS;
  set_error(error, "the result is wrong: an error is %.3g times its bound", ratio);
  if (r->settings.verify_action != LIBSGEMM_VERIFY_WARN) return LIBSGEMM_VERIFICATION_FAILED;
  warn(index, Note::wrong,
       std::string(r->call.entry) + " on " + kBackendNames[index] + ", " + ran.name + ": " + error->text + " (" +
           to_string(r->desc) + ")");
  return LIBSGEMM_SUCCESS;
}

libsgemm_status_t verify_on_host(Request *r, const Kernel &ran, const Snapshot &before, double *ratio, Error *error) {
  try {
    *ratio = verify_result(r->desc, &before, r->settings.verify, {ran.math_mode, ran.truncates}, next_seed());
    return LIBSGEMM_SUCCESS;
  } catch (const std::bad_alloc &) {
    set_error(error, "no host memory to verify the result");
    return LIBSGEMM_OUT_OF_MEMORY;
  }
}

// C is as it was before if the call fails or its result is refused.
libsgemm_status_t launch_and_verify(Request *r, int index, const Kernel **ran, Error *error) {
  Snapshot before;
  if (!before.take(r->desc)) {
    set_error(error, "no host memory for the copy of C that verification needs");
    return LIBSGEMM_OUT_OF_MEMORY;
  }
  libsgemm_status_t status = launch_on_host(r, index, ran, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  double ratio = 0;
  status = verify_on_host(r, **ran, before, &ratio, error);
  if (status == LIBSGEMM_SUCCESS) status = follow(r, index, **ran, ratio, error);
  if (status != LIBSGEMM_SUCCESS) before.restore(r->desc);
  return status;
}

// A result that cannot be verified, because the device refuses that or memory is short, stands if errors are but told
// of.
libsgemm_status_t follow_failure(const Request &r, int index, const Kernel &ran, libsgemm_status_t failure,
                                 const Error &error) {
  if (r.settings.verify_action != LIBSGEMM_VERIFY_WARN) return failure;
  warn(index, Note::failed,
       std::string(r.call.entry) + " on " + kBackendNames[index] + ", " + ran.name +
           ": the result is not verified: " + error.text);
  return LIBSGEMM_SUCCESS;
}

libsgemm_status_t launch_on_device_and_verify(Request *r, int index, const Kernel **ran, Error *error) {
  BorrowedHandle borrowed;
  libsgemm_handle *handle = r->handle != nullptr ? r->handle : borrowed.get();
  DeviceVerification check(device_memory(*r), index, r->desc, r->settings, next_seed(), handle, r->handle != nullptr);
  libsgemm_status_t status = check.begin(error);
  if (status == LIBSGEMM_SUCCESS) status = launch_on_device(r, index, ran, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  double ratio = 0;
  bool computed = false;
  status = check.judge({(*ran)->math_mode, (*ran)->truncates}, &ratio, &computed, error);
  if (status == LIBSGEMM_SUCCESS) {
    status = follow(r, index, **ran, ratio, error);
  } else if (computed) {
    status = follow_failure(*r, index, **ran, status, *error);
  }
  if (status == LIBSGEMM_SUCCESS) return status;
  Error not_restored = {};
  if (check.restore(&not_restored) == LIBSGEMM_SUCCESS) return status;
  const Error first = *error;
  set_error(error, "%.120s; and C cannot be restored: %.90s", first.text, not_restored.text);
  return LIBSGEMM_EXECUTION_FAILED;
}

libsgemm_status_t run(Request *r, int index, Error *error) {
  const Kernel *ran = nullptr;
  const Inside inside(r->info);
  const bool on_gpu = table_of(index).is_gpu && !r->at.on_host();
  // A graph is recorded without verification, which has to wait for the result.
  const bool verify =
      r->settings.verify != LIBSGEMM_VERIFY_OFF && !(on_gpu && table_of(index).capturing(stream_of(*r)));
  if (!on_gpu && !r->at.on_host()) {  // managed memory: what its device still does to it comes first
    const libsgemm_status_t status = table_of(r->at.owner).synchronize(r->at.where.device, stream_of(*r), error);
    if (status != LIBSGEMM_SUCCESS) return status;
  }
  const auto launch = on_gpu ? (verify ? launch_on_device_and_verify : launch_on_device)
                             : (verify ? launch_and_verify : launch_on_host);
  const libsgemm_status_t status = launch(r, index, &ran, error);
  if (status == LIBSGEMM_SUCCESS) {
    r->info->backend = &table_of(index);
    r->info->kernel = ran;
    r->info->device = on_gpu ? r->at.where.device : 0;
  }
  return status;
}

// ---- Whether a backend is a candidate
// ----------------------------------------------------------------------------------

bool has_cpu_choice(const Settings &s) {
  for (int i = 0; i < s.preference.chosen; ++i) {
    if (s.preference.order[i] >= kFirstCpu) return true;
  }
  return s.preference.chosen == 0;
}

// Host data go to a GPU if that was asked for, or if the call is large enough to be worth the transfer. The threshold
// needs a CPU to choose instead: where only GPUs were named it holds if the user set it, and under STRICT not at all.
bool worth_offloading(const Request &r, int index) {
  const Settings &s = r.settings;
  if (s.kernel.backend >= 0 || s.offload == Offload::always) return true;
  if (s.offload == Offload::never) {
    r.info->note(index, Note::not_offloaded);
    return false;
  }
  if (!has_cpu_choice(s) && (s.strict || !s.offload_set)) return true;
  const double size = static_cast<double>(r.desc.m) * static_cast<double>(r.desc.n) * static_cast<double>(r.desc.k);
  if (size >= s.offload_threshold * s.offload_threshold * s.offload_threshold) return true;
  r.info->note(index, Note::small);
  return false;
}

bool usable(const Request &r, int index) {
  ThreadInfo &info = *r.info;
  if (!load(index)) {
    info.note(index, Note::unavailable);
    return false;
  }
  if (index != r.at.owner && !r.at.cpu_can_reach()) {
    info.note(index, Note::other_memory);
    return false;
  }
  if (!table_of(index).is_gpu) return true;
  if (r.at.on_host() && !worth_offloading(r, index)) return false;
  if (lost_by_fork(index)) {
    info.note(index, Note::after_fork);
    return false;
  }
  if (!probe(index)) {
    info.note(index, Note::unavailable);
    return false;
  }
  // A copy from host memory would not be replayed with the graph.
  if (r.at.on_host() && r.handle != nullptr && table_of(index).capturing(r.handle->stream)) {
    info.note(index, Note::capturing);
    return false;
  }
  return true;
}

// ---- All backends
// ------------------------------------------------------------------------------------------------------

libsgemm_status_t nobody_left(Request *r, libsgemm_status_t last) {
  ThreadInfo &info = *r->info;
  if (last != LIBSGEMM_SUCCESS) return info.fail(last, info.failure.text);
  bool unavailable = true;
  for (int i = 0; i < info.note_count; ++i) {
    const Note::Why why = info.notes[i].why;
    unavailable = unavailable && (why == Note::unavailable || why == Note::after_fork || why == Note::other_memory);
  }
  return info.fail(unavailable ? LIBSGEMM_UNAVAILABLE : LIBSGEMM_NOT_SUPPORTED, reason_in_words(info).c_str());
}

// A backend that was asked for by name and cannot be had is told of once.
void tell_of_replacement(const Request &r, int asked, int index) {
  for (int i = 0; i < asked; ++i) {
    const int missing = r.settings.preference.order[i];
    const bool refused = !load(missing) || lost_by_fork(missing) || (table_of(missing).is_gpu && !probe(missing));
    if (!refused) return;
  }
  warn(r.settings.preference.order[0], Note::unavailable, reason_in_words(*r.info) + ": using " + kBackendNames[index]);
}

// What follows from the failure of a backend: true if the next one is to try.
bool go_on(Request *r, int index, libsgemm_status_t status, const Error &error) {
  ThreadInfo &info = *r->info;
  const bool wrong = status == LIBSGEMM_VERIFICATION_FAILED;
  const Note::Why why = wrong ? Note::wrong : Note::failed;
  info.note(index, why);
  info.failure = error;
  if (r->settings.strict || (wrong && r->settings.verify_action == LIBSGEMM_VERIFY_ERROR)) return false;
  ++info.fallbacks;
  warn(index, why,
       std::string(r->call.entry) + ": backend " + kBackendNames[index] + " failed (" + error.text +
           "): trying the next one");
  return true;
}

// A call on device memory whose result was refused, moved to host memory, where other backends can compute it.
class Moved {
 public:
  explicit Moved(const Request &r) : from_(r) {}

  // The call on copies; NULL, with *error, if there are none.
  Request *take(Error *error) {
    if (copy_.take(device_memory(from_), from_.desc, error) != LIBSGEMM_SUCCESS) return nullptr;
    return &request_.emplace(Request{from_.call, copy_.desc(), from_.settings, from_.handle, from_.info});
  }
  // Its result to where it belongs, if it was moved at all.
  libsgemm_status_t finish(Error *error) {
    return request_ ? copy_.return_c(device_memory(from_), error) : LIBSGEMM_SUCCESS;
  }

 private:
  const Request &from_;
  HostCopy copy_;
  std::optional<Request> request_;
};

libsgemm_status_t compute(Request *r) {
  ThreadInfo &info = *r->info;
  int8_t order[kBackendCount];
  const int count = candidates(r->settings, order);
  const int asked = r->settings.kernel.backend >= 0 ? 1 : r->settings.preference.chosen;
  if (r->settings.kernel.backend >= 0) info.choice = Choice::forced_kernel;
  libsgemm_status_t last = LIBSGEMM_SUCCESS;
  std::optional<Moved> moved;
  Request *now = r;
  for (int i = 0; i < count; ++i) {
    const int index = order[i];
    if (!usable(*now, index)) continue;
    Error error;  // not cleared as a whole: this is the path of every call
    error.text[0] = '\0';
    libsgemm_status_t status = run(now, index, &error);
    if (status == LIBSGEMM_SUCCESS && moved) status = moved->finish(&error);
    if (status == LIBSGEMM_SUCCESS) {
      if (info.choice != Choice::forced_kernel && asked > 0) {
        info.choice = i < asked ? Choice::asked_for : Choice::replacement;
      }
      info.status = LIBSGEMM_SUCCESS;
      if (asked > 0 && i >= asked && last == LIBSGEMM_SUCCESS) tell_of_replacement(*r, asked, index);
      return status;
    }
    if (status == LIBSGEMM_NOT_SUPPORTED) {
      info.note(index, Note::unsupported);
      continue;
    }
    last = status;
    if (!go_on(now, index, status, error)) break;
    if (status == LIBSGEMM_VERIFICATION_FAILED && i + 1 < count && !now->at.cpu_can_reach()) {
      Request *copied = moved.emplace(*r).take(&error);
      if (copied == nullptr) break;
      now = copied;
    }
  }
  return nobody_left(r, last);
}

// alpha == 0 or k == 0: C = beta * C.
libsgemm_status_t scale(Request *r) {
  ThreadInfo &info = *r->info;
  if (!in_place(r->desc) && r->desc.beta == 1.0f) {
    info.trivial = "nothing";
    return LIBSGEMM_SUCCESS;
  }
  info.trivial = "scale";
  if (r->at.on_host()) {
    scale_c(r->desc);
    return LIBSGEMM_SUCCESS;
  }
  const Backend &table = table_of(r->at.owner);
  if (lost_by_fork(r->at.owner) || !probe(r->at.owner)) {
    info.note(r->at.owner, lost_by_fork(r->at.owner) ? Note::after_fork : Note::unavailable);
    return nobody_left(r, LIBSGEMM_SUCCESS);
  }
  Launch launch = {};
  launch.device = r->at.where.device;
  launch.stream = stream_of(*r);
  launch.capturing = table.capturing(launch.stream);
  launch.arrays_on_device = r->at.arrays_on_device;
  libsgemm_status_t status = table.scale(r->desc, launch, &info.failure);
  if (status == LIBSGEMM_SUCCESS && r->handle == nullptr) {
    status = table.synchronize(launch.device, launch.stream, &info.failure);
  }
  if (status != LIBSGEMM_SUCCESS) return info.fail(status, info.failure.text);
  info.backend = &table;
  info.device = launch.device;
  return status;
}

libsgemm_status_t check_request(Request *r) {
  const libsgemm_status_t status = find_operands(r->desc, r->settings, &r->at, r->info);
  return status != LIBSGEMM_SUCCESS ? status : check_memory(r->call, r->desc, !r->at.arrays_on_device, r->info);
}

}  // namespace

libsgemm_status_t check_operands(const Call &call, const GemmDesc &desc, const Settings &settings, ThreadInfo *info) {
  Request r = {call, desc, settings, nullptr, info};
  return check_request(&r);
}

libsgemm_status_t dispatch(const Call &call, const GemmDesc &desc, const Settings &settings, libsgemm_handle *handle,
                           ThreadInfo *info) {
  Request r = {call, desc, settings, handle, info};
  const libsgemm_status_t status = check_request(&r);
  if (status != LIBSGEMM_SUCCESS) return status;
  return desc.k == 0 || desc.alpha == 0.0f ? scale(&r) : compute(&r);
}

}  // namespace libsgemm
