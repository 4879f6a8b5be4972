// If an attempt (attempt.h) fails, the next backend tries.
#include "dispatch.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <optional>

#include "attempt.h"
#include "check.h"
#include "conv/check.h"
#include "conv/device_copy.h"
#include "conv/offload.h"
#include "conv/scale.h"
#include "decision/decision.h"
#include "matrix/host_matrix.h"
#include "placement.h"
#include "process/gate.h"
#include "process/loader.h"

namespace libsgemm {
namespace {

bool has_cpu_choice(const Settings &s) {
  for (int i = 0; i < s.preference.chosen; ++i) {
    if (s.preference.order[i] >= kFirstCpu) return true;
  }
  return s.preference.chosen == 0;
}

// True if host data go to a GPU: on request, by the user's threshold, or by predicted times. If the user names only
// GPUs, all goes there, unless LIBSGEMM_OFFLOAD or the threshold is set without STRICT.
bool worth_offloading(const Request &r, int index) {
  const Settings &s = r.settings;
  if (s.kernel.backend >= 0 || s.offload == Offload::always) return true;
  if (s.offload == Offload::never) {
    r.info->note(index, Note::not_offloaded);
    return false;
  }
  if (!has_cpu_choice(s) && (s.strict || !s.offload_set)) return true;
  return r.operation.visit_one([&](const auto &desc) {
    const GemmDesc &product = as_product(desc);
    if (s.offload_threshold < 0) return gpu_pays(index, s, product, r.at.pinned[index], r.info);
    const double size =
        static_cast<double>(product.m) * static_cast<double>(product.n) * static_cast<double>(product.k);
    if (size >= s.offload_threshold * s.offload_threshold * s.offload_threshold) return true;
    r.info->note(index, Note::small);
    return false;
  });
}

bool computes(const Backend &, const GemmDesc &) { return true; }
bool computes(const Backend &table, const ConvDesc &) { return computes_convolutions(table); }
bool computes(const Backend &, const GroupsDesc &) { return true; }

bool usable(const Request &r, int index) {
  ThreadInfo &info = *r.info;
  if (info.late && index != kRef) {
    info.note(index, Note::ending);
    return false;
  }
  if (!load_for(r.settings, index)) {
    info.note(index, Note::unavailable);
    return false;
  }
  if (index != r.at.owner && (r.caller.device_only || !r.at.cpu_can_reach())) {
    info.note(index, Note::other_memory);
    return false;
  }
  if (!table_of(index).is_gpu) return true;
  if (!r.operation.visit([index](const auto &desc) { return computes(table_of(index), desc); })) {
    info.note(index, Note::unsupported);
    return false;
  }
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
  // A graph does not replay a copy from host memory.
  if (r.at.on_host() && r.handle != nullptr && table_of(index).capturing(-1, r.handle->stream)) {
    info.note(index, Note::capturing);
    return false;
  }
  return true;
}

// True if a backend was passed over that could compute the call at another time, and results must be repeatable.
bool stops_here(const Request &r) { return repeatable(r.settings.deterministic) && r.info->has_note_of_the_moment(); }

libsgemm_status_t fail(Request *r, libsgemm_status_t status, const char *why) {
  if (!stops_here(*r)) return r->info->fail(status, why);
  char text[448];
  std::snprintf(text, sizeof text,
                "%.300s; no other backend is tried, because it could give other bits (LIBSGEMM_DETERMINISTIC=1, "
                "libsgemm_set_deterministic)",
                why);
  return r->info->fail(status, text);
}

libsgemm_status_t no_backend_left(Request *r, libsgemm_status_t last) {
  ThreadInfo &info = *r->info;
  info.devices = 0;
  if (last != LIBSGEMM_SUCCESS) return fail(r, last, info.failure.text);
  if (info.late) return fail(r, LIBSGEMM_UNAVAILABLE, kEndingText);
  bool unavailable = true;
  for (int i = 0; i < info.note_count; ++i) {
    const Note::Why why = info.notes[i].why;
    unavailable = unavailable && (why == Note::unavailable || why == Note::after_fork || why == Note::other_memory);
  }
  return fail(r, unavailable ? LIBSGEMM_UNAVAILABLE : LIBSGEMM_NOT_SUPPORTED, reason_in_words(info).c_str());
}

void report_replacement(const Request &r, int asked, int index) {
  for (int i = 0; i < asked; ++i) {
    const int missing = r.settings.preference.order[i];
    const bool refused = !load(missing) || lost_by_fork(missing) || (table_of(missing).is_gpu && !probe(missing));
    if (!refused) return;
  }
  warn(r.settings.preference.order[0], Note::unavailable,
       [&] { return reason_in_words(*r.info) + ": using " + kBackendNames[index]; });
}

// The program's BLAS gets the call, unless the user named another BLAS, `ref` or a kernel, or requires what no BLAS
// promises.
bool gives_back(const Request &r, int index) {
  const Settings &s = r.settings;
  if (!r.caller.gives_back || index < kFirstCpu || r.info->late || !r.at.cpu_can_reach()) return false;
  const bool exact = invariant(r.operation) || math_mode(r.operation) == LIBSGEMM_MATH_FP64;
  const bool asked_for_ref = index == kRef && s.preference.chosen > 0;
  return !exact && !asked_for_ref && s.kernel.backend < 0 && library().env.cpu_blas.empty();
}

// `ref` computes for lack of a CPU BLAS, not by request.
bool stands_in_for_blas(const Request &r, int index) {
  const Settings &s = r.settings;
  if (index != kRef || s.kernel.backend >= 0 || r.info->late) return false;
  const int8_t *const end = s.preference.order + s.preference.chosen;
  if (std::find(s.preference.order, end, kRef) != end) return false;
  return library().slots[kFirstCpu].state.load(std::memory_order_acquire) == Slot::refused;
}

bool named_blas_is_missing(Request *r) {
  const std::string &name = library().env.cpu_blas;
  if (name.empty() || !r->settings.strict) return false;
  set_error(&r->info->failure, "LIBSGEMM_CPU_BLAS=%.80s cannot be used: %.130s", name.c_str(),
            library().slots[kFirstCpu].reason.c_str());
  return true;
}

void report_ref() {
  const std::string &name = library().env.cpu_blas;
  warn(kFirstCpu, Note::unavailable, [&] {
    return (name.empty() ? std::string("no BLAS of the CPU: ") : "LIBSGEMM_CPU_BLAS=" + name + " cannot be used: ") +
           library().slots[kFirstCpu].reason + ": using ref, which is portable code on one thread";
  });
}

// True: the next backend may try.
bool falls_back(Request *r, int index, libsgemm_status_t status, const Error &error) {
  ThreadInfo &info = *r->info;
  const bool wrong = status == LIBSGEMM_VERIFICATION_FAILED;
  const Note::Why why = wrong ? Note::wrong : Note::failed;
  info.note(index, why);
  info.failure = error;
  if (!may_be_replaced(r->settings) || info.spoiled || (wrong && r->settings.verify_action == LIBSGEMM_VERIFY_ERROR))
    return false;
  ++info.fallbacks;
  warn(index, why, [&] {
    return std::string(r->caller.entry) + ": backend " + kBackendNames[index] + " failed (" + error.text +
           "): trying the next one";
  });
  return true;
}

// A call whose result was refused, copied to host memory for other backends.
class Moved {
 public:
  explicit Moved(const Request &r) : from_(r) {}

  // NULL, with *error: copying failed.
  Request *take(Error *error) {
    return from_.operation.visit_one([&](const auto &desc) { return take(desc, error); });
  }
  libsgemm_status_t finish(Error *error) {
    if (!request_) return LIBSGEMM_SUCCESS;
    const DeviceMemory memory = device_memory(from_);
    return from_.operation.product() != nullptr ? copy_.return_c(memory, error)
                                                : conv_copy_.return_output(memory, error);
  }

 private:
  Request *take(const GemmDesc &desc, Error *error) {
    const libsgemm_status_t status = copy_.take(device_memory(from_), desc, error);
    return status == LIBSGEMM_SUCCESS ? request(Operation(copy_.desc())) : nullptr;
  }
  Request *take(const ConvDesc &desc, Error *error) {
    const libsgemm_status_t status = conv_copy_.take(device_memory(from_), desc, error);
    return status == LIBSGEMM_SUCCESS ? request(Operation(conv_copy_.desc())) : nullptr;
  }
  Request *request(const Operation &copied) {
    return &request_.emplace(Request{from_.caller, copied, from_.settings, from_.handle, from_.info});
  }

  const Request &from_;
  HostCopy copy_;
  ConvHostCopy conv_copy_;
  std::optional<Request> request_;
};

class Deferral {
 public:
  explicit Deferral(const ThreadInfo &info) : info_(info) {
    for (int i = 0; i < info.note_count; ++i) {
      if (info.notes[i].why == Note::deferred) gpu_ = info.notes[i].backend;
    }
    if (gpu_ >= 0) start_ = Clock::now();
  }
  ~Deferral() {
    if (gpu_ >= 0) deferred_call_took(gpu_, std::chrono::duration<double>(Clock::now() - start_).count(), info_);
  }
  Deferral(const Deferral &) = delete;
  Deferral &operator=(const Deferral &) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  const ThreadInfo &info_;
  int gpu_ = -1;
  Clock::time_point start_;
};

libsgemm_status_t compute(Request *r) {
  ThreadInfo &info = *r->info;
  int8_t order[kBackendCount];
  const int count = candidates(r->settings, order);
  const int asked = r->settings.kernel.backend >= 0 ? 1 : r->settings.preference.chosen;
  if (const Kernel *forced = forced_kernel(r->settings)) info.force(*forced);
  libsgemm_status_t last = LIBSGEMM_SUCCESS;
  std::unique_ptr<Moved> moved;  // std::optional would be cleared in every call: 30 ns
  Request *now = r;
  for (int i = 0; i < count; ++i) {
    const int index = order[i];
    if (gives_back(*r, index)) {
      info.given_back = true;
      return LIBSGEMM_NOT_SUPPORTED;
    }
    if (!usable(*now, index)) {
      if (stops_here(*now)) break;
      continue;
    }
    const bool stand_in = stands_in_for_blas(*r, index);
    if (stand_in && named_blas_is_missing(r)) {
      last = LIBSGEMM_UNAVAILABLE;
      break;
    }
    Error error;  // not cleared: every call comes here
    error.text[0] = '\0';
    const Deferral deferral(info);
    libsgemm_status_t status = attempt(now, index, &error);
    if (status == LIBSGEMM_SUCCESS && moved) {
      status = moved->finish(&error);
      info.spoiled = status != LIBSGEMM_SUCCESS && reads_c(r->operation);
    }
    if (status == LIBSGEMM_SUCCESS) {
      if (info.choice != Choice::forced_kernel && asked > 0) {
        info.choice = i < asked ? Choice::asked_for : Choice::replacement;
      }
      info.status = LIBSGEMM_SUCCESS;
      if (asked > 0 && i >= asked && last == LIBSGEMM_SUCCESS && !info.late) report_replacement(*r, asked, index);
      if (stand_in) report_ref();
      return status;
    }
    if (status == LIBSGEMM_NOT_SUPPORTED) {
      info.note(index, invariant(r->operation) ? Note::not_invariant : Note::unsupported);
      continue;
    }
    last = status;
    if (!falls_back(now, index, status, error)) break;
    if (status == LIBSGEMM_VERIFICATION_FAILED && i + 1 < count && !now->at.cpu_can_reach()) {
      moved.reset(new (std::nothrow) Moved(*r));
      Request *copied = moved != nullptr ? moved->take(&error) : nullptr;
      if (copied == nullptr) break;
      now = copied;
    }
  }
  return no_backend_left(r, last);
}

void scale_on_host(const GemmDesc &desc) { scale_c(desc); }
void scale_on_host(const ConvDesc &desc) { scale_tensor(output_of(desc), desc.beta, desc.out); }

libsgemm_status_t scale_on(const Backend &table, const GemmDesc &desc, const Launch &launch, Error *error) {
  return table.scale(desc, launch, error);
}
libsgemm_status_t scale_on(const Backend &table, const ConvDesc &desc, const Launch &launch, Error *error) {
  return scale_output(table, desc, launch, error);
}

bool scales(const GemmDesc &desc) { return in_place(desc) || desc.beta != 1.0f; }
bool scales(const ConvDesc &desc) { return desc.beta != 1.0f; }

// C = beta C
libsgemm_status_t scale(Request *r) {
  ThreadInfo &info = *r->info;
  if (!r->operation.visit_one([](const auto &desc) { return scales(desc); })) {
    info.trivial = "nothing";
    return LIBSGEMM_SUCCESS;
  }
  info.trivial = "scale";
  if (r->at.on_host()) {
    r->operation.visit_one([](const auto &desc) { scale_on_host(desc); });
    return LIBSGEMM_SUCCESS;
  }
  const Backend &table = table_of(r->at.owner);
  if (lost_by_fork(r->at.owner) || !probe(r->at.owner)) {
    info.note(r->at.owner, lost_by_fork(r->at.owner) ? Note::after_fork : Note::unavailable);
    return no_backend_left(r, LIBSGEMM_SUCCESS);
  }
  Launch launch = {};
  bool enqueued = false;
  launch.enqueued = &enqueued;
  launch.device = r->at.where.device;
  launch.stream = stream_of(*r);
  launch.capturing = table.capturing(launch.device, launch.stream);
  launch.arrays_on_device = r->at.arrays_on_device;
  if (r->handle != nullptr) r->handle->use(r->at.owner, launch.device);
  libsgemm_status_t status = refuse_to_break_graph(launch, &info.failure);
  if (status == LIBSGEMM_SUCCESS) {
    status = r->operation.visit_one([&](const auto &desc) { return scale_on(table, desc, launch, &info.failure); });
  }
  if (status == LIBSGEMM_SUCCESS && r->handle == nullptr) {
    status = table.synchronize(launch.device, launch.stream, &info.failure);
  }
  info.spoiled = status != LIBSGEMM_SUCCESS && enqueued && reads_c(r->operation);
  if (status != LIBSGEMM_SUCCESS) return info.fail(status, info.failure.text);
  info.backend = &table;
  info.device = launch.device;
  info.devices = 1;
  return status;
}

// The handle's stream may still fill page-locked operands or read C, and nothing else orders the call after that work.
// A stream that records a graph does no work.
libsgemm_status_t wait_for_operands(Request *r) {
  for (int index = 0; index < kFirstCpu; ++index) {
    if (r->at.pinned[index] == 0 || lost_by_fork(index) || !probe(index)) continue;
    if (table_of(index).capturing(-1, r->handle->stream)) continue;
    Error error = {};
    const libsgemm_status_t status = wait_for_stream(*r->handle, &error);
    if (status == LIBSGEMM_SUCCESS) return status;
    if (r->settings.strict) return r->info->fail(status, error.text);
    // The program will see that its stream's work has failed. A CPU can still compute.
    warn(index, Note::failed, [&] {
      return std::string(r->caller.entry) + ": the handle's stream cannot be waited for (" + error.text + ")";
    });
    return LIBSGEMM_SUCCESS;
  }
  return LIBSGEMM_SUCCESS;
}

libsgemm_status_t check_request(const Call &call, const GemmDesc &desc, Request *r) {
  libsgemm_status_t status = find_operands(desc, r->settings, r->handle, call.device_only, &r->at, r->info);
  if (status == LIBSGEMM_SUCCESS && call.device_only && r->at.on_host()) {
    return r->info->fail(LIBSGEMM_NOT_SUPPORTED, "A, B and C are in host memory");
  }
  if (status == LIBSGEMM_SUCCESS && call.planned) status = check_plans(call, r->settings, r->at, r->info);
  return status != LIBSGEMM_SUCCESS ? status : check_memory(call, desc, !r->at.arrays_on_device, r->info);
}

}  // namespace

libsgemm_status_t check_operands(const Call &call, const GemmDesc &desc, const Settings &settings,
                                 libsgemm_handle *handle, ThreadInfo *info, Placement *at) {
  Request r = {call, Operation(desc), settings, handle, info};
  const libsgemm_status_t status = check_request(call, desc, &r);
  *at = r.at;
  return status;
}

void Groups::add(const GemmDesc &desc, const Placement &at) {
  if (!at_once_ || only_scales(desc)) return;
  const bool alike = descs_.empty() || (at.owner == at_.owner && at.where.device == at_.where.device);
  at_once_ = alike && !at.on_host() && at.where.space == Space::device && !at.arrays_on_device &&
             desc.routine == Routine::gemm;
  if (!at_once_) return;
  at_ = at;
  try {
    descs_.push_back(desc);
  } catch (const std::bad_alloc &) {
    if (repeatable(desc.deterministic)) throw;
    at_once_ = false;
  }
}

libsgemm_status_t dispatch_groups(const Caller &caller, const Groups &groups, const Settings &settings,
                                  libsgemm_handle *handle, ThreadInfo *info, bool *done) {
  *done = false;
  // Verification works group by group.
  if (!groups.at_once() || settings.verify != LIBSGEMM_VERIFY_OFF) return LIBSGEMM_SUCCESS;
  const GroupsDesc desc = {groups.descs().data(), static_cast<int64_t>(groups.descs().size())};
  Request r = {caller, Operation(desc), settings, handle, info, groups.at()};
  const int index = r.at.owner;
  int8_t order[kBackendCount];
  int8_t *const end = order + candidates(settings, order);
  int8_t *const place = std::find(order, end, index);
  if (place == end || !usable(r, index)) return LIBSGEMM_SUCCESS;
  if (const Kernel *forced = forced_kernel(settings)) info->force(*forced);
  Error error;
  error.text[0] = '\0';
  const libsgemm_status_t status = attempt(&r, index, &error);
  if (status == LIBSGEMM_SUCCESS) {
    if (info->choice != Choice::forced_kernel && settings.preference.chosen > 0) info->choice = Choice::asked_for;
    info->status = LIBSGEMM_SUCCESS;
    *done = true;
    return status;
  }
  if (status == LIBSGEMM_NOT_SUPPORTED) return LIBSGEMM_SUCCESS;
  if (falls_back(&r, index, status, error)) return LIBSGEMM_SUCCESS;
  return no_backend_left(&r, status);
}

libsgemm_status_t dispatch(const Call &call, const GemmDesc &desc, const Settings &settings, libsgemm_handle *handle,
                           ThreadInfo *info) {
  Request r = {call, Operation(desc), settings, handle, info};
  if (call.blas != nullptr && library().env.cpu_blas.empty()) info->blas = call.blas;
  libsgemm_status_t status = check_request(call, desc, &r);
  if (status == LIBSGEMM_SUCCESS && handle != nullptr && r.at.on_host()) status = wait_for_operands(&r);
  if (status != LIBSGEMM_SUCCESS) return status;
  return only_scales(desc) ? scale(&r) : compute(&r);
}

libsgemm_status_t dispatch(const ConvCall &call, const ConvDesc &desc, const Settings &settings,
                           libsgemm_handle *handle, ThreadInfo *info) {
  const Caller caller = {call.entry};
  Request r = {caller, Operation(desc), settings, handle, info};
  libsgemm_status_t status = find_operands(as_product(desc), settings, handle, false, &r.at, info);
  if (status == LIBSGEMM_SUCCESS) status = check_conv_memory(desc, info);
  if (status == LIBSGEMM_SUCCESS && handle != nullptr && r.at.on_host()) status = wait_for_operands(&r);
  if (status != LIBSGEMM_SUCCESS) return status;
  return desc.alpha == 0.0f || has_no_terms(desc) ? scale(&r) : compute(&r);
}

}  // namespace libsgemm
