// The path of every call.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <type_traits>
#include <utility>

#include "call.h"
#include "check.h"
#include "conv/call.h"
#include "conv/check.h"
#include "dispatch.h"
#include "handle.h"
#include "process/gate.h"
#include "process/loader.h"
#include "process/log.h"
#include "process/stats.h"

namespace libsgemm {
namespace {

using Clock = std::chrono::steady_clock;

bool is_empty(const GemmDesc &desc) { return desc.m == 0 || desc.n == 0 || desc.batch_count == 0; }

bool invariant(const Settings &settings) { return settings.deterministic == LIBSGEMM_DETERMINISTIC_INVARIANT; }

// 0: no ticket is needed. A forced kernel has its own math mode, so it gets one, too.
uint64_t draw_ticket(const Settings &settings) {
  static std::atomic<uint64_t> last{0};
  const bool asks = settings.math_mode == LIBSGEMM_MATH_FP32_FAST || settings.kernel.backend >= 0;
  return asks ? last.fetch_add(1, std::memory_order_relaxed) + 1 : 0;
}

template <typename Desc>
void apply(const Settings &settings, Desc *desc) {
  // Sums of a given order are FP64's or FP32's; the other modes permit less accuracy, but do not require it.
  const bool as_fp32 = invariant(settings) && settings.math_mode != LIBSGEMM_MATH_FP64;
  desc->math_mode = as_fp32 ? LIBSGEMM_MATH_FP32 : settings.math_mode;
  desc->deterministic = settings.deterministic;
  if constexpr (std::is_same_v<Desc, GemmDesc>) desc->ticket = draw_ticket(settings);
}

libsgemm_status_t check(const Call &call, ThreadInfo *info, GemmDesc *desc) { return check_call(call, info, desc); }
libsgemm_status_t check(const ConvCall &call, ThreadInfo *info, ConvDesc *desc) { return check_conv(call, info, desc); }

template <typename AnyCall, typename Desc>
libsgemm_status_t perform(const AnyCall &call, Desc *desc, const Settings &settings, libsgemm_handle *handle,
                          ThreadInfo *info) {
  if (is_empty(*desc)) {
    info->trivial = "nothing";
    return LIBSGEMM_SUCCESS;
  }
  apply(settings, desc);
  return dispatch(call, *desc, settings, handle, info);
}

int wrong_results(const ThreadInfo &info) {
  int count = 0;
  for (int i = 0; i < info.note_count; ++i) count += info.notes[i].why == Note::wrong ? 1 : 0;
  return count;
}

void count_shape(const GemmDesc &desc) { stats_count_shape(desc); }
void count_shape(const ConvDesc &) {}

// False for a cleared description: the checks refused the call before they filled it.
bool is_described(const GemmDesc &desc) { return desc.batch_count > 0; }
bool is_described(const ConvDesc &desc) { return desc.groups > 0; }

// Called after the last attempt; counted() counts failures.
template <typename Desc>
void record(const ThreadInfo &info, const Desc &desc, Clock::time_point start) {
  const auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
  if (info.given_back) return;  // the caller counts it
  const bool ok = info.status == LIBSGEMM_SUCCESS;
  const char *backend = !ok ? "error" : info.backend != nullptr ? info.backend->name : "none";
  const char *kernel = !ok ? "" : info.kernel_name();
  if (ok) {
    const auto working = info.timed_by_caller ? 0 : static_cast<uint64_t>(std::max<int64_t>(spent - info.startup, 0));
    stats_count({info.entry, backend, kernel, working, info.kernel != nullptr ? flop_count(desc) : 0, info.verify_ratio,
                 wrong_results(info)});
  }
  log_message(2, [&] {
    char time[32];
    std::snprintf(time, sizeof time, "%.3f ms", static_cast<double>(spent) * 1e-6);
    const std::string words = is_described(desc) ? to_string(desc) : std::string();
    std::string line = std::string(info.entry) + ": " + words + " -> " + backend + " " + kernel + " " + time;
    if (!ok) line += std::string(" ") + info.message;
    if (log_wants(3)) line += " (" + reason_in_words(info) + ")";
    return line;
  });
  if (ok && info.kernel != nullptr) count_shape(desc);
}

const char *failure_in_words(libsgemm_status_t status) {
  switch (status) {
    case LIBSGEMM_INVALID_ARGUMENT:
      return "illegal argument";
    case LIBSGEMM_INVALID_ENVIRONMENT:
      return "not computed: invalid environment";
    case LIBSGEMM_INVALID_HANDLE:
      return "not computed: invalid handle";
    case LIBSGEMM_UNAVAILABLE:
      return "not computed: backend unavailable";
    case LIBSGEMM_NOT_SUPPORTED:
      return "not computed: not supported";
    case LIBSGEMM_OUT_OF_MEMORY:
      return "not computed: out of memory";
    case LIBSGEMM_VERIFICATION_FAILED:
      return "not computed: wrong result";
    default:
      return "not computed: failed";
  }
}

libsgemm_status_t counted(libsgemm_status_t status, const ThreadInfo &info) {
  if (status != LIBSGEMM_SUCCESS && !info.given_back && stats_wanted()) {
    stats_count({info.entry, "error", failure_in_words(status), 0, 0, -1, wrong_results(info)});
  }
  return status;
}

// The backend's BLAS resolved one of its names to our drop-in. The call must not enter that BLAS again, nor change the
// outer call's report.
libsgemm_status_t submit_nested(const Call &call) {
  ThreadInfo info = {};
  info.begin(call.entry);
  return protect(&info, [&] {
    GemmDesc desc;
    const libsgemm_status_t status = check_call(call, &info, &desc);
    if (status != LIBSGEMM_SUCCESS || is_empty(desc)) return status;
    Settings settings = {};
    settings.preference = {{kRef}, 1};
    settings.kernel = {-1, 0};
    settings.strict = true;
    apply(settings, &desc);
    return dispatch(call, desc, settings, nullptr, &info);
  });
}

// During exit no call is nested: the backend's call was abandoned (gate.h).
bool is_nested(const InGate &gate, const ThreadInfo &info) { return info.inside && !gate.ending(); }

const Settings &settings_of(const libsgemm_handle *handle) {
  return handle != nullptr ? handle->settings : library().env.settings;
}

libsgemm_status_t refuse_to_begin(libsgemm_handle *handle, bool with_handle, ThreadInfo *info) {
  if (with_handle && !is_live(handle)) {
    return info->fail(LIBSGEMM_INVALID_HANDLE, libsgemm_status_string(LIBSGEMM_INVALID_HANDLE));
  }
  const std::string &error = library().env.error;
  if (!error.empty()) return info->fail(LIBSGEMM_INVALID_ENVIRONMENT, error.c_str());
  return LIBSGEMM_SUCCESS;
}

template <typename AnyCall>
libsgemm_status_t call_with(const AnyCall &call, const Settings &settings, libsgemm_handle *handle, ThreadInfo *info) {
  std::conditional_t<std::is_same_v<AnyCall, ConvCall>, ConvDesc, GemmDesc> desc;
  const bool instrumented = library().instrumented;
  const Clock::time_point start = instrumented ? Clock::now() : Clock::time_point();
  if (instrumented) desc = {};
  libsgemm_status_t status = check(call, info, &desc);
  if (status == LIBSGEMM_SUCCESS) status = perform(call, &desc, settings, handle, info);
  if (instrumented) record(*info, desc, start);
  return status;
}

// Omits pointers, which describe_group() adds.
Call call_of_group(const GroupCall &g, int64_t i) {
  Call call;
  call.entry = g.entry;
  call.routine = Routine::gemm;
  call.type = g.type;
  call.interface = g.interface;
  call.layout = g.layout;
  call.transa = static_cast<int>(g.transa[i]);
  call.transb = static_cast<int>(g.transb[i]);
  call.m = g.m[i];
  call.n = g.n[i];
  call.k = g.k[i];
  call.alpha = g.alpha[i];
  call.lda = g.lda[i];
  call.ldb = g.ldb[i];
  call.beta = g.beta[i];
  call.ldc = g.ldc[i];
  call.batch_count = g.group_size[i];
  call.group = i;
  call.blas = g.blas;
  call.gives_back = g.gives_back;
  call.device_only = g.device_only;
  return call;
}

libsgemm_status_t missing_array(ThreadInfo *info, const char *name) {
  const int position = position_of(traits_of(Routine::gemm).arguments, name);
  info->argument = position;
  char text[64];
  std::snprintf(text, sizeof text, "argument %d (%s) is NULL", position, name);
  return info->fail(LIBSGEMM_INVALID_ARGUMENT, text);
}

libsgemm_status_t describe_group(const GroupCall &g, int64_t i, int64_t first, const Call &call, ThreadInfo *info,
                                 GemmDesc *desc) {
  const libsgemm_status_t status = check_call(call, info, desc);
  if (status != LIBSGEMM_SUCCESS) return status;
  desc->batch = Batch::pointers;
  desc->batch_count = g.group_size[i];
  if (is_empty(*desc)) return status;
  if (g.c == nullptr) return missing_array(info, "C");
  if (reads_inputs(*desc) && g.a == nullptr) return missing_array(info, "A");
  if (reads_inputs(*desc) && g.b == nullptr) return missing_array(info, "B");
  const bool swapped = g.layout == LIBSGEMM_ROW_MAJOR;
  const void *const *a = g.a != nullptr ? g.a + first : nullptr;
  const void *const *b = g.b != nullptr ? g.b + first : nullptr;
  desc->a_array = swapped ? b : a;
  desc->b_array = swapped ? a : b;
  desc->c_array = g.c + first;
  return status;
}

libsgemm_status_t call_with(const GroupCall &g, const Settings &settings, libsgemm_handle *handle, ThreadInfo *info) {
  libsgemm_status_t status = check_groups(g, info);
  Groups groups;
  bool at_once = false;
  const int64_t done = info->groups_done;  // done by an earlier attempt that then failed
  // Two passes: all groups must be legal before the first is computed.
  for (const bool compute : {false, true}) {
    int64_t first = 0;
    if (status != LIBSGEMM_SUCCESS) return status;
    info->trivial = "nothing";
    ThreadInfo::Part least;
    Clock::time_point together = compute && library().instrumented ? Clock::now() : Clock::time_point();
    if (compute && groups.at_once()) {
      status = dispatch_groups(call_of_group(g, 0), groups, settings, handle, info, &at_once);
      if (status != LIBSGEMM_SUCCESS) return status;
      if (at_once) info->merge(&least);
    }
    for (int64_t i = 0; i < g.group_count; first += g.group_size[i], ++i) {
      const Clock::time_point start = compute && library().instrumented ? Clock::now() : Clock::time_point();
      Call call = call_of_group(g, i);
      call.gives_back = call.gives_back && !at_once && info->groups_done == 0;  // all groups go back, or none
      GemmDesc desc;
      status = describe_group(g, i, first, call, info, &desc);
      if (status != LIBSGEMM_SUCCESS) return status;
      if (is_empty(desc) || (compute && i < done)) continue;
      apply(settings, &desc);
      if (at_once && !only_scales(desc)) {
        // The first group's record has the time of all.
        if (library().instrumented) record(*info, desc, std::exchange(together, start));
        continue;
      }
      if (compute) {
        status = dispatch(call, desc, settings, handle, info);
        if (status == LIBSGEMM_SUCCESS) {
          info->groups_done = i + 1;
          info->groups_read_c = info->groups_read_c || reads_c(desc);
        } else if (at_once) {
          info->spoiled = true;
        }
      } else {
        Placement at;
        status = check_operands(call, desc, settings, handle, info, &at);
        if (status == LIBSGEMM_SUCCESS) groups.add(desc, at);
      }
      if (compute && library().instrumented) record(*info, desc, start);
      if (status != LIBSGEMM_SUCCESS) return status;
      if (compute) info->merge(&least);
    }
  }
  return status;
}

template <typename AnyCall>
libsgemm_status_t submit_any(const AnyCall &call, libsgemm_handle *handle, bool with_handle, const InGate &gate,
                             ThreadInfo *info) {
  info->begin(call.entry, gate.ending());
  return protect(info, [&] {
    const libsgemm_status_t status = refuse_to_begin(handle, with_handle, info);
    if (status != LIBSGEMM_SUCCESS) return status;
    return call_with(call, settings_of(handle), handle, info);
  });
}

// Repeats a call with built-in settings on the CPU, unless LIBSGEMM_STRICT=1. Logs each call that is not computed, and
// the first that is.
template <typename AnyCall>
libsgemm_status_t submit_again(const AnyCall &call, bool late, libsgemm_status_t failure, ThreadInfo *info) {
  if (library().env.settings.strict || info->spoiled) {
    log_message(0, [&] {
      return std::string(info->message) + (info->spoiled ? ": not computed again, as some of C may have been written"
                                                         : ": not computed, as LIBSGEMM_STRICT=1 requires");
    });
    return failure;
  }
  // Logged each time: the bits may differ from those of another run.
  const bool other_bits = repeatable(library().env.settings.deterministic) && info->has_note_of_the_moment();
  static std::atomic<bool> said{false};
  if (!said.exchange(true) || other_bits) {
    log_message(0, [&] {
      return std::string(info->message) + ": computed on the CPU instead" +
             (other_bits ? ", since no error can be returned to the caller" : "");
    });
  }
  const int64_t groups_done = info->groups_done;
  info->begin(call.entry, late);
  info->groups_done = groups_done;
  Settings settings = {};
  settings.preference = prefer_cpu();
  settings.kernel = {-1, 0};
  if (invariant(library().env.settings)) settings.deterministic = LIBSGEMM_DETERMINISTIC_INVARIANT;
  const libsgemm_status_t status = call_with(call, settings, nullptr, info);
  if (status != LIBSGEMM_SUCCESS && !info->given_back) {
    log_message(0, [&] { return std::string(info->message) + ": not computed on the CPU either"; });
  }
  return status;
}

template <typename AnyCall>
libsgemm_status_t submit_blas(const AnyCall &call, const InGate &gate, ThreadInfo *info) {
  const libsgemm_status_t status = submit_any(call, nullptr, false, gate, info);
  if (status == LIBSGEMM_SUCCESS || status == LIBSGEMM_INVALID_ARGUMENT || info->given_back) return status;
  return protect(info, [&] { return submit_again(call, gate.ending(), status, info); });
}

template <typename AnyCall>
libsgemm_status_t submit_counted(const AnyCall &call, libsgemm_handle_t handle, bool with_handle) {
  const InGate gate;
  ThreadInfo &info = thread_info();
  return counted(submit_any(call, handle, with_handle, gate, &info), info);
}

// D cannot be restored after a failure.
libsgemm_status_t enqueue_epilogue(const DeviceCall &how, ThreadInfo *info) {
  if (info->backend == nullptr || info->backend->epilogue == nullptr) {
    return info->fail(LIBSGEMM_NOT_SUPPORTED, "the backend has no epilogues");
  }
  const Backend &backend = *info->backend;
  Launch launch = {};
  launch.device = info->device;
  launch.stream = how.stream;
  launch.capturing = backend.capturing(info->device, how.stream);
  Error error;
  const libsgemm_status_t status = backend.epilogue(*how.epilogue, launch, &error);
  return status == LIBSGEMM_SUCCESS ? status : info->fail(status, error.text);
}

// Stream and workspace are those of the program's handle.
template <typename AnyCall>
libsgemm_status_t device_call(const AnyCall &call, DeviceCall *how, bool *final) {
  const InGate gate;
  ThreadInfo &info = thread_info();
  *final = false;
  if (is_nested(gate, info)) return LIBSGEMM_NOT_SUPPORTED;
  libsgemm_handle *const h = how->handle;
  // Modes that convert operands run at half speed without the default size; cuBLAS needs less for FP32.
  const size_t least = mode_traits(h->settings.math_mode).converts() ? LIBSGEMM_WORKSPACE_DEFAULT_BYTES : 1;
  const bool usable = how->workspace_bytes >= least && reinterpret_cast<uintptr_t>(how->workspace) % 256 == 0;
  h->user_workspace = usable ? how->workspace : nullptr;
  h->workspace_bytes = h->user_workspace != nullptr ? how->workspace_bytes : LIBSGEMM_WORKSPACE_DEFAULT_BYTES;
  if (how->stream_was_set || h->stream != how->stream) h->set_stream(how->stream);
  info.timed_by_caller = how->timed;
  const libsgemm_deterministic_t set = h->settings.deterministic;
  if (how->repeatable && set == LIBSGEMM_DETERMINISTIC_OFF) h->settings.deterministic = LIBSGEMM_DETERMINISTIC_ON;
  const libsgemm_status_t status = submit_any(call, h, true, gate, &info);
  h->settings.deterministic = set;
  info.timed_by_caller = false;
  how->ran_backend = info.backend != nullptr ? info.backend->name : "none";
  how->ran_kernel = info.kernel_name();
  how->no_kernel = status == LIBSGEMM_NOT_SUPPORTED && info.has_note(Note::unsupported);
  const bool failed = status == LIBSGEMM_OUT_OF_MEMORY || status == LIBSGEMM_EXECUTION_FAILED;
  if (status == LIBSGEMM_SUCCESS && how->epilogue != nullptr) {
    *final = true;
    return counted(enqueue_epilogue(*how, &info), info);
  }
  // If C is unmodified, the vendor's BLAS may compute the call. It keeps the promises of the program's handle, but not
  // the user's settings of libsgemm.
  const bool written = status != LIBSGEMM_SUCCESS && (info.spoiled || info.groups_read_c);
  const bool stays = !may_be_replaced(h->settings);
  *final = written || (failed && stays) ||
           (status == LIBSGEMM_VERIFICATION_FAILED && (stays || h->settings.verify_action == LIBSGEMM_VERIFY_ERROR));
  return *final ? counted(status, info) : status;
}

}  // namespace

libsgemm_status_t submit(const Call &call) {
  const InGate gate;
  ThreadInfo &info = thread_info();
  return is_nested(gate, info) ? submit_nested(call) : counted(submit_any(call, nullptr, false, gate, &info), info);
}

libsgemm_status_t submit_h(const Call &call, libsgemm_handle_t handle) { return submit_counted(call, handle, true); }

libsgemm_status_t submit(const ConvCall &call) { return submit_counted(call, nullptr, false); }

libsgemm_status_t submit_h(const ConvCall &call, libsgemm_handle_t handle) {
  return submit_counted(call, handle, true);
}

libsgemm_status_t submit(const GroupCall &call) { return submit_counted(call, nullptr, false); }

libsgemm_status_t submit_h(const GroupCall &call, libsgemm_handle_t handle) {
  return submit_counted(call, handle, true);
}

}  // namespace libsgemm

libsgemm_status_t libsgemm_private_call(const libsgemm::Call *call, bool *given_back) {
  const libsgemm::InGate gate;
  libsgemm::ThreadInfo &info = libsgemm::thread_info();
  *given_back = false;
  if (libsgemm::is_nested(gate, info)) return libsgemm::submit_nested(*call);
  const libsgemm_status_t status = libsgemm::counted(libsgemm::submit_blas(*call, gate, &info), info);
  *given_back = info.given_back;
  return status;
}

libsgemm_status_t libsgemm_private_group_call(const libsgemm::GroupCall *call, bool *given_back) {
  const libsgemm::InGate gate;
  libsgemm::ThreadInfo &info = libsgemm::thread_info();
  const libsgemm_status_t status = libsgemm::counted(libsgemm::submit_blas(*call, gate, &info), info);
  *given_back = info.given_back;
  return status;
}

libsgemm_status_t libsgemm_private_device_call(const libsgemm::Call *call, libsgemm::DeviceCall *how, bool *final) {
  return libsgemm::device_call(*call, how, final);
}

libsgemm_status_t libsgemm_private_device_group_call(const libsgemm::GroupCall *call, libsgemm::DeviceCall *how,
                                                     bool *final) {
  return libsgemm::device_call(*call, how, final);
}
