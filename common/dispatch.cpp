// The order of decisions: where do the operands live, is there anything to compute, which backends may, is the call
// worth a GPU, which kernel; then run it, verify it, and if it failed try the next one.
#include "dispatch.h"

#include <atomic>

#include "check.h"
#include "decision.h"
#include "gate.h"
#include "handle.h"
#include "host_matrix.h"
#include "kernel_table.h"
#include "loader.h"
#include "log.h"
#include "offload/offload.h"
#include "placement.h"
#include "plan.h"
#include "verify.h"

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
  launch.stream = r->handle != nullptr ? r->handle->stream : nullptr;
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
    return offload(table, r->desc, ran, &r->info->device, error);
  }
  const Kernel *kernel = choose(*r, index, 0, SIZE_MAX);
  if (kernel == nullptr) return LIBSGEMM_NOT_SUPPORTED;
  if (!r->at.on_host()) {  // managed memory: what its device still does to it comes first
    void *stream = r->handle != nullptr ? r->handle->stream : nullptr;
    const libsgemm_status_t status = table_of(r->at.owner).synchronize(r->at.where.device, stream, error);
    if (status != LIBSGEMM_SUCCESS) return status;
  }
  *ran = kernel;
  const Launch launch = {};
  return kernel->launch(r->desc, launch, error);
}

// Verification, and C as it was before if the result is refused.
libsgemm_status_t launch_and_verify(Request *r, int index, const Kernel **ran, Error *error) {
  Snapshot before;
  if (!before.take(r->desc)) {
    set_error(error, "no host memory for the copy of C that verification needs");
    return LIBSGEMM_OUT_OF_MEMORY;
  }
  const libsgemm_status_t status = launch_on_host(r, index, ran, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  const double ratio = verify_result(r->desc, &before, r->settings.verify, {(*ran)->math_mode, (*ran)->truncates});
  r->info->verify_ratio = ratio;
  if (ratio <= 1) return status;
  set_error(error, "the result is wrong: an error is %.3g times its bound", ratio);
  if (r->settings.verify_action == LIBSGEMM_VERIFY_WARN) {
    warn(index, Note::wrong,
         std::string(r->call.entry) + " on " + kBackendNames[index] + ", " + (*ran)->name + ": " + error->text + " (" +
             to_string(r->desc) + ")");
    return status;
  }
  before.restore(r->desc);
  return LIBSGEMM_VERIFICATION_FAILED;
}

libsgemm_status_t run(Request *r, int index, Error *error) {
  const Kernel *ran = nullptr;
  const Inside inside(r->info);
  const bool on_gpu = table_of(index).is_gpu && !r->at.on_host();
  const bool verify = r->settings.verify != LIBSGEMM_VERIFY_OFF && !on_gpu;
  const libsgemm_status_t status = on_gpu   ? launch_on_device(r, index, &ran, error)
                                   : verify ? launch_and_verify(r, index, &ran, error)
                                            : launch_on_host(r, index, &ran, error);
  if (status == LIBSGEMM_SUCCESS) {
    r->info->backend = &table_of(index);
    r->info->kernel = ran;
    r->info->plans = plans_used(r->desc, *ran);
    if (on_gpu) r->info->device = r->at.where.device;
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

// Host data go to a GPU if that was asked for, or if it is worth the transfer: by the threshold, if the user set one,
// otherwise by predicted times. Both need a CPU to choose instead: where only GPUs were named they hold if the user set
// LIBSGEMM_OFFLOAD or the threshold, and under STRICT not at all.
bool worth_offloading(const Request &r, int index) {
  const Settings &s = r.settings;
  if (s.kernel.backend >= 0 || s.offload == Offload::always) return true;
  if (s.offload == Offload::never) {
    r.info->note(index, Note::not_offloaded);
    return false;
  }
  if (!has_cpu_choice(s) && (s.strict || !s.offload_set)) return true;
  if (s.offload_threshold < 0) return gpu_pays(index, s, r.desc, r.at.pinned[index], r.info);
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
  if (library().slots[index].probe_state.load(std::memory_order_acquire) == Slot::refused) {
    info.note(index, Note::unavailable);
    return false;
  }
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

libsgemm_status_t compute(Request *r) {
  ThreadInfo &info = *r->info;
  int8_t order[kBackendCount];
  const int count = candidates(r->settings, order);
  const int asked = r->settings.kernel.backend >= 0 ? 1 : r->settings.preference.chosen;
  if (r->settings.kernel.backend >= 0) info.choice = Choice::forced_kernel;
  libsgemm_status_t last = LIBSGEMM_SUCCESS;
  for (int i = 0; i < count; ++i) {
    const int index = order[i];
    if (!usable(*r, index)) continue;
    Error error;  // not cleared as a whole: this is the path of every call
    error.text[0] = '\0';
    const libsgemm_status_t status = run(r, index, &error);
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
    const bool wrong = status == LIBSGEMM_VERIFICATION_FAILED;
    info.note(index, wrong ? Note::wrong : Note::failed);
    info.failure = error;
    last = status;
    const bool stop = r->settings.strict || (wrong && r->settings.verify_action == LIBSGEMM_VERIFY_ERROR);
    if (stop) break;
    ++info.fallbacks;
    warn(index, wrong ? Note::wrong : Note::failed,
         std::string(r->call.entry) + ": backend " + kBackendNames[index] + " failed (" + error.text +
             "): trying the next one");
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
  launch.stream = r->handle != nullptr ? r->handle->stream : nullptr;
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
  libsgemm_status_t status = find_operands(r->desc, r->settings, &r->at, r->info);
  if (status == LIBSGEMM_SUCCESS && r->call.planned) status = check_plans(r->call, r->settings, r->at, r->info);
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
