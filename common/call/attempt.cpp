// Runs a call on one backend.
#include "attempt.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <new>

#include "contract/kernel_table.h"
#include "conv/offload.h"
#include "graph_workspace.h"
#include "offload/offload.h"
#include "plan.h"
#include "process/parallel.h"
#include "ref/ref.h"
#include "verified.h"

namespace libsgemm {
namespace {

// Keeps this thread from entering the backend again (submit()). A nested call has its own ThreadInfo.
class Inside {
 public:
  explicit Inside(ThreadInfo *info) : info_(info) { info_->inside = true; }
  ~Inside() { info_->inside = false; }
  Inside(const Inside &) = delete;
  Inside &operator=(const Inside &) = delete;

 private:
  ThreadInfo *info_;
};

// ---- What differs between the kinds of operation -------------------------------------------------------------------

libsgemm_status_t launch_kernel(const Kernel &kernel, const GemmDesc &desc, const Launch &launch, Error *error) {
  return kernel.launch(desc, launch, error);
}
libsgemm_status_t launch_kernel(const Kernel &kernel, const ConvDesc &desc, const Launch &launch, Error *error) {
  return kernel.conv->launch(desc, launch, error);
}
libsgemm_status_t launch_kernel(const Kernel &kernel, const GroupsDesc &desc, const Launch &launch, Error *error) {
  return kernel.groups->launch(desc.groups, desc.count, launch, error);
}

// Loads several kernels before the first writes C, unless this thread has recently done so for such a call.
libsgemm_status_t rehearse(const Kernel &kernel, const GemmDesc &desc, Launch launch, Error *error) {
  struct Rehearsed {
    const Kernel *kernel;
    int device;
    ChoiceKey key;
  };
  constexpr uint64_t kRehearsed = 8;
  thread_local Rehearsed lately[kRehearsed];
  Rehearsed &last = lately[static_cast<uint64_t>(desc.m * 5 + desc.n * 3 + desc.k) % kRehearsed];
  const ChoiceKey key = choice_key(desc);
  if (last.kernel == &kernel && last.device == launch.device && last.key == key) return LIBSGEMM_SUCCESS;
  launch.rehearsal = true;
  const libsgemm_status_t status = kernel.launch(desc, launch, error);
  if (status == LIBSGEMM_SUCCESS) last = {&kernel, launch.device, key};
  return status;
}

// True if the groups one by one, each with its best kernel, are predicted to take longer than `seconds`. Asking all
// kernels about a group takes many microseconds: a few groups stand for their neighbours in the order of work.
bool slower_one_by_one(const Backend &table, const GroupsDesc &desc, int device, size_t workspace_bytes,
                       double seconds) {
  const auto &[groups, count] = desc;
  constexpr int64_t kAsked = 8;
  struct Work {
    double flops;
    const GemmDesc *group;
  };
  const std::unique_ptr<Work[]> order(new (std::nothrow) Work[static_cast<size_t>(count)]);
  if (order == nullptr && repeatable(groups->deterministic)) throw std::bad_alloc();
  if (order == nullptr) return false;
  for (int64_t i = 0; i < count; ++i) order[i] = {flop_count(groups[i]), &groups[i]};
  const auto more = [](const Work &x, const Work &y) {
    return x.flops != y.flops ? x.flops > y.flops : x.group < y.group;
  };
  if (count > kAsked) std::sort(order.get(), order.get() + count, more);
  const int64_t step = (count - 1) / kAsked + 1;
  double sum = 0;
  for (int64_t first = 0; first < count && sum <= seconds; first += step) {
    const int64_t last = std::min(first + step, count);
    const Work &asked = order[(first + last - 1) / 2];
    const Plan plan = best_plan(table, *asked.group, device, workspace_bytes);
    if (plan.kernel == nullptr) return true;
    double flops = 0;
    for (int64_t i = first; i < last; ++i) flops += order[i].flops;
    sum += plan.seconds * flops / asked.flops;
  }
  return sum > seconds;
}

// Returns no kernel if group by group is predicted to be faster, unless a kernel is forced.
Plan best_plan(const Backend &table, const GroupsDesc &desc, int device, size_t workspace_bytes, const Kernel *forced) {
  const GemmDesc &any = *desc.groups;
  // Types other than FP32 use the FP32 kernels.
  const libsgemm_math_mode_t mode = any.type == Type::f32 ? any.math_mode : LIBSGEMM_MATH_FP32;
  Plan best;
  for (const Kernel *kernel = table.kernels; kernel < table.kernels + table.kernel_count; ++kernel) {
    const bool wanted = forced != nullptr ? kernel == forced : serves(kernel->math_mode, mode);
    if (kernel->groups == nullptr || !wanted || !keeps_bits(*kernel, any)) continue;
    const double seconds = kernel->groups->cost(desc.groups, desc.count, device);
    if (seconds < best.seconds) best = {kernel, seconds};
  }
  if (best.kernel == nullptr || forced != nullptr) return best;
  return slower_one_by_one(table, desc, device, workspace_bytes, best.seconds) ? best : Plan();
}

// ---- All kinds ------------------------------------------------------------------------------------------------------

libsgemm_status_t launch_kernel(const Kernel &kernel, const Request &r, const Launch &launch, Error *error) {
  return r.operation.visit([&](const auto &desc) { return launch_kernel(kernel, desc, launch, error); });
}

Plan plan_of(const Request &r, int index, int device, size_t workspace_bytes) {
  const Plan plan = r.operation.visit([&](const auto &desc) {
    return best_plan(table_of(index), desc, device, workspace_bytes, forced_kernel(r.settings));
  });
  r.info->tuned = plan.tuned;
  return plan;
}

struct Workspace {
  void *memory = nullptr;
  size_t bytes = 0;
  libsgemm_handle::Workspace *own = nullptr;  // the handle's; NULL: the user's or a graph's
};

// For repeatable results the size must not depend on other memory in use: less than the handle's is OUT_OF_MEMORY.
libsgemm_status_t find_workspace(const Request &r, int index, const Launch &launch, libsgemm_handle *handle,
                                 Workspace *w, Error *error) {
  if (handle->user_workspace != nullptr) {
    *w = {handle->user_workspace, handle->workspace_bytes, nullptr};
    return LIBSGEMM_SUCCESS;
  }
  const bool exact = repeatable(deterministic(r.operation));
  if (launch.capturing) {
    *w = {graph_workspace(index, launch.device, launch.stream, handle->workspace_bytes, handle, error),
          handle->workspace_bytes, nullptr};
  } else {
    w->own = handle->obtain(index, launch.device, exact, error);
    if (w->own != nullptr) *w = {w->own->memory, w->own->bytes, w->own};
  }
  if (w->memory != nullptr) return LIBSGEMM_SUCCESS;
  w->bytes = 0;
  return exact ? LIBSGEMM_OUT_OF_MEMORY : LIBSGEMM_SUCCESS;
}

// Waits first for the handle's work on other streams that may use its workspace.
libsgemm_status_t launch_in_order(const Kernel &kernel, const Request &r, const Launch &launch, const Backend &table,
                                  libsgemm_handle::Workspace *own, Error *error) {
  if (own == nullptr) return launch_kernel(kernel, r, launch, error);
  if (own->used && (own->moved || is_thread_default_stream(launch.stream))) {
    const libsgemm_status_t status = table.stream_wait_event(launch.device, launch.stream, own->event, error);
    if (status != LIBSGEMM_SUCCESS) return status;
  }
  own->moved = false;
  const libsgemm_status_t status = launch_kernel(kernel, r, launch, error);
  Error not_recorded = {};
  own->used = table.record_event(launch.device, own->event, launch.stream, &not_recorded) == LIBSGEMM_SUCCESS;
  if (!own->used) table.synchronize(launch.device, launch.stream, &not_recorded);
  return status;
}

Launch launch_of(const Request &r, const Backend &table) {
  Launch launch = {};
  launch.device = r.at.where.device;
  launch.stream = stream_of(r);
  launch.capturing = table.capturing(launch.device, launch.stream);
  launch.arrays_on_device = r.at.arrays_on_device;
  launch.ran = &r.info->ran;
  return launch;
}

libsgemm_status_t launch_on_device(Request *r, int index, const Kernel **ran, Error *error) {
  const Backend &table = table_of(index);
  BorrowedHandle borrowed;
  libsgemm_handle *handle = r->handle != nullptr ? r->handle : borrowed.get();
  Launch launch = launch_of(*r, table);
  bool enqueued = false;
  launch.enqueued = &enqueued;
  handle->use(index, launch.device);
  libsgemm_status_t status = refuse_to_break_graph(launch, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  Plan plan = plan_of(*r, index, launch.device, handle->workspace_bytes);
  libsgemm_handle::Workspace *own = nullptr;
  if (plan.workspace > 0) {
    Workspace w;
    status = find_workspace(*r, index, launch, handle, &w, error);
    if (status != LIBSGEMM_SUCCESS) return status;
    launch.workspace = w.memory;
    launch.workspace_bytes = w.bytes;
    own = w.own;
    if (w.bytes < handle->workspace_bytes) plan = plan_of(*r, index, launch.device, w.bytes);
  }
  const Kernel *const kernel = plan.kernel;
  if (kernel == nullptr) return LIBSGEMM_NOT_SUPPORTED;
  *ran = kernel;
  launch.config = plan.config;
  const GemmDesc *const product = r->operation.product();
  if (kernel->in_steps && product != nullptr) status = rehearse(*kernel, *product, launch, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  status = launch_in_order(*kernel, *r, launch, table, r->handle != nullptr ? own : nullptr, error);
  if (status == LIBSGEMM_SUCCESS && r->handle == nullptr) {
    status = table.synchronize(launch.device, launch.stream, error);
  }
  r->info->spoiled = status != LIBSGEMM_SUCCESS && enqueued && reads_c(r->operation);
  return status;
}

bool ref_follows(const Settings &settings, int index) {
  int8_t order[kBackendCount];
  int8_t *const end = order + candidates(settings, order);
  return may_be_replaced(settings) && std::find(std::find(order, end, index), end, kRef) != end;
}

// True if a failing GPU may leave undefined a C that the call does not read: verification restores it, or `ref`
// recomputes it. Saving C takes longer than fetching it (docs/kernels/offload.md).
bool may_spoil(const Request &r, int index) {
  return r.settings.verify != LIBSGEMM_VERIFY_OFF || (ref_follows(r.settings, index) && prepare_ref());
}

libsgemm_status_t offload_it(const Request &r, const GemmDesc &desc, int index, const Kernel **ran, Error *error) {
  Offloaded by = {};
  const libsgemm_status_t status =
      offload(table_of(index), desc, may_spoil(r, index), forced_kernel(r.settings), &by, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  *ran = by.kernel;
  r.info->ran = by.ran;
  r.info->tuned = by.tuned;
  r.info->device = by.device;
  r.info->devices = by.devices;
  r.info->tiles = by.tiles;
  r.info->depth_cut = by.depth_cut;
  return status;
}

libsgemm_status_t offload_it(const Request &r, const ConvDesc &desc, int index, const Kernel **ran, Error *error) {
  r.info->devices = 1;
  r.info->tiles = 1;
  return offload_conv(table_of(index), desc, forced_kernel(r.settings), ran, error);
}

libsgemm_status_t launch_on_host(Request *r, int index, const Kernel **ran, Error *error) {
  if (table_of(index).is_gpu) {
    return r->operation.visit_one([&](const auto &desc) { return offload_it(*r, desc, index, ran, error); });
  }
  const Plan plan = plan_of(*r, index, 0, SIZE_MAX);
  if (plan.kernel == nullptr) return LIBSGEMM_NOT_SUPPORTED;
  *ran = plan.kernel;
  Launch launch = {};
  launch.blas = r->info->blas;
  launch.config = plan.config;
  return launch_kernel(*plan.kernel, *r, launch, error);
}

}  // namespace

libsgemm_status_t refuse_to_break_graph(const Launch &launch, Error *error) {
  if (!launch.capturing || !is_legacy_stream(launch.stream)) return LIBSGEMM_SUCCESS;
  set_error(error, "the default stream cannot be used while a stream that waits for it records a graph");
  return LIBSGEMM_EXECUTION_FAILED;
}

DeviceMemory device_memory(const Request &r) {
  return {table_of(r.at.owner), r.at.where.device, stream_of(r), r.at.arrays_on_device};
}

int warning_level(int index, Note::Why why) {
  static std::atomic<unsigned> said[kBackendCount];
  const unsigned bit = 1u << why;
  const bool first = (said[index].fetch_or(bit) & bit) == 0;
  return first ? 0 : 2;
}

libsgemm_status_t attempt(Request *r, int index, Error *error) {
  const Kernel *ran = nullptr;
  const Inside inside(r->info);
  r->info->forget_run();
  const GemmDesc *const product = r->operation.product();
  if (product != nullptr) r->info->ticket = product->ticket;
  const bool on_gpu = table_of(index).is_gpu && !r->at.on_host();
  // Verification waits for the result: impossible while a graph is recorded.
  const bool verify = r->settings.verify != LIBSGEMM_VERIFY_OFF &&
                      !(on_gpu && table_of(index).capturing(r->at.where.device, stream_of(*r)));
  if (!on_gpu && !r->at.on_host()) {  // managed memory: the CPU waits for the device's work
    const libsgemm_status_t status = table_of(r->at.owner).synchronize(r->at.where.device, stream_of(*r), error);
    if (status != LIBSGEMM_SUCCESS) return status;
  }
  if (verify || table_of(index).is_gpu) follow_threads_of(r->info->blas);
  const auto launch = on_gpu ? launch_on_device : launch_on_host;
  const libsgemm_status_t status = !verify  ? launch(r, index, &ran, error)
                                   : on_gpu ? launch_on_device_and_verify(launch, r, index, &ran, error)
                                            : launch_and_verify(launch, r, index, &ran, error);
  if (status == LIBSGEMM_SUCCESS) {
    r->info->backend = &table_of(index);
    r->info->kernel = ran;
    r->info->plans = product != nullptr ? plans_used(*product, *ran) : 0;
    if (on_gpu) r->info->device = r->at.where.device;
  }
  return status;
}

}  // namespace libsgemm
