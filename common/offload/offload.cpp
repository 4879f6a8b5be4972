// Plans a call, takes memory, runs a pipeline per device (docs/kernels/offload.md).
#include "offload.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "contract/kernel_table.h"
#include "devices.h"
#include "plan_cache.h"
#include "process/loader.h"
#include "process/log.h"
#include "run.h"

namespace libsgemm {
namespace {

constexpr size_t kSplitWorkspace = size_t{256} << 20;  // for modes that split operands
constexpr int kMostPieces = 64;
// Assumed bytes a second of the link: staged by host threads, pinned.
constexpr double kStaged = 25e9, kPinned = 50e9;
constexpr double kUnknownFlops = 20e12;
constexpr double kShared = 20e-3;  // seconds; a shorter call is not worth a second device

struct Request {
  const Backend &backend;
  const GemmDesc &desc;
  const Kernel *forced;
  std::vector<int> devices;
  Operand a, b, c;
  Rates rates;
};

double device_flops(const Backend &backend, const GemmDesc &desc, int device) {
  if (flop_count(desc) < 1e9) return kUnknownFlops;
  GemmDesc d = desc;
  d.routine = Routine::gemm;
  d.transa = d.transb = LIBSGEMM_NO_TRANS;
  d.batch = Batch::none;
  d.batch_count = 1;
  d.m = d.n = d.k = d.lda = d.ldb = d.ldc = 4096;
  d.a_array = d.b_array = nullptr;
  d.c_array = nullptr;
  alignas(kPointerAlignment) static float place;  // kernels read only the alignment
  d.a = d.b = d.c = &place;
  const double flops = flop_count(d) / best_plan(backend, d, device, kSplitWorkspace).seconds;  // no kernel: 0
  return flops > 5e11 && flops < 1e16 ? flops : kUnknownFlops;
}

size_t workspace_limit(const GemmDesc &d) {
  return mode_traits(d.math_mode).splits ? kSplitWorkspace : LIBSGEMM_WORKSPACE_DEFAULT_BYTES;
}

// Visits one tile of each shape, on the diagonal and off it.
template <typename Visit>
void for_shapes(const GemmDesc &d, const TilePlan &p, const Visit &visit) {
  const auto distinct = [](const std::vector<int64_t> &bounds, std::ptrdiff_t most) {
    std::vector<int64_t> chosen;
    std::vector<int64_t> lengths;
    for (size_t i = 0; i + 1 < bounds.size(); ++i) {
      const int64_t length = bounds[i + 1] - bounds[i];
      if (std::count(lengths.begin(), lengths.end(), length) == most) continue;
      lengths.push_back(length);
      chosen.push_back(static_cast<int64_t>(i));
    }
    return chosen;
  };
  const std::ptrdiff_t most = has_triangle(d) ? 2 : 1;
  for (const int64_t i : distinct(p.rows, most)) {
    for (const int64_t j : distinct(p.cols, most)) {
      const Unit unit = {0, p.group, i, j, false};
      const int64_t per_step = launches_per_step(d, unit);
      for (const int64_t step : distinct(p.depth, 1)) visit(unit, factors_of(d, p, unit, step * per_step));
    }
  }
}

// `workspace`: what the tiles need, at most `most`. False: a tile has no kernel.
bool find_workspace(const Request &r, const TilePlan &p, size_t most, size_t *workspace) {
  bool all = true;
  *workspace = 0;
  alignas(256) static float place;
  for_shapes(r.desc, p, [&](const Unit &unit, const Factors &factors) {
    GemmDesc d = device_desc(r.desc, p, unit, factors);
    d.a = d.c = &place;
    d.b = factors.second.block.items > 0 ? &place : nullptr;
    const Plan plan = best_plan(r.backend, d, r.devices.front(), most, r.forced);
    all = all && plan.kernel != nullptr;
    *workspace = std::max(*workspace, plan.workspace);
  });
  return all;
}

// For results independent of the free memory: the limit, or half of the device's memory.
size_t planned_bytes(const Request &r, size_t budget) {
  if (!repeatable(r.desc.deterministic)) return budget;
  const size_t limit = memory_state().device_limit;
  libsgemm_device_info_t info = {};
  Error ignored = {};
  r.backend.describe_device(r.devices.front(), &info, &ignored);
  return limit != 0 ? limit : info.memory_bytes / 2;
}

// One tile if a kernel takes only the whole product. NOT_SUPPORTED does not depend on the free memory.
libsgemm_status_t plan_for(const Request &r, size_t budget, TilePlan *plan, size_t *workspace, Error *error) {
  const size_t planned = planned_bytes(r, budget);
  const size_t most = std::min(workspace_limit(r.desc), planned / 4);
  const auto no_memory = [&] {
    set_error(error, "the device has no memory for this call: %zu bytes are available", budget);
    return LIBSGEMM_OUT_OF_MEMORY;
  };
  const auto fits_budget = [&] {
    return planned <= budget || (most < budget && fit_plan(r.desc, budget - most, plan));
  };
  if (!make_plan(r.desc, r.rates, planned - most, plan)) {
    no_memory();
    return repeatable(r.desc.deterministic) ? LIBSGEMM_NOT_SUPPORTED : LIBSGEMM_OUT_OF_MEMORY;
  }
  if (find_workspace(r, *plan, most, workspace)) return fits_budget() ? LIBSGEMM_SUCCESS : no_memory();
  plan->rows = {0, r.desc.m};
  plan->cols = {0, r.desc.n};
  plan->depth = {0, r.desc.k};
  if (!fit_plan(r.desc, planned - most, plan) || !find_workspace(r, *plan, most, workspace)) {
    set_error(error, "no kernel for this call");
    return LIBSGEMM_NOT_SUPPORTED;
  }
  return fits_budget() ? LIBSGEMM_SUCCESS : no_memory();
}

int pieces_wanted(const Request &r, const TilePlan &p) {
  const bool whole = p.group == 1;
  if (whole && r.a.pinned && r.c.pinned && (r.b.pinned || p.b_bytes == 0)) return 0;
  const int64_t bytes = static_cast<int64_t>(p.a_bytes + p.b_bytes + p.c_bytes);
  const int64_t wanted = std::min<int64_t>(3 * copy_threads(), 4 + bytes / (256 << 10));
  return static_cast<int>(std::clamp<int64_t>(wanted, 4, kMostPieces));
}

// All devices if none is left: the first then reports the error.
std::vector<int> devices_left(const Backend &backend) {
  std::vector<int> all = offload_devices(backend);
  const auto gone = [&](int device) { return is_abandoned(backend, device); };
  if (!std::all_of(all.begin(), all.end(), gone)) all.erase(std::remove_if(all.begin(), all.end(), gone), all.end());
  return all;
}

void give_up(Request *r, int device, const Error &error) {
  r->devices.erase(std::remove(r->devices.begin(), r->devices.end(), device), r->devices.end());
  if (!r->devices.empty()) tell_of_failure(r->backend, device, error);
}

libsgemm_status_t hold(Request *r, const TilePlan &plan, size_t workspace, Holdings *h, Error *error) {
  // The first device computes alone if a second is missing, busy or has less memory.
  const bool share = r->devices.size() > 1 && plan.tiles() * ceil_div(r->desc.batch_count, plan.group) > 1 &&
                     (library().env.offload_devices > 0 || plan.seconds >= kShared);
  const size_t devices = share ? r->devices.size() : 1;
  const int wanted = pieces_wanted(*r, plan) * static_cast<int>(devices);
  const size_t bytes = plan.bytes() + workspace, events = Pipeline::events_needed(plan, static_cast<size_t>(wanted));
  h->sets.reserve(devices);
  h->endings.reserve(devices);
  DeviceSet *set = nullptr;
  libsgemm_status_t status = take_set(r->backend, r->devices.front(), bytes, events, true, &set, error);
  if (status == LIBSGEMM_EXECUTION_FAILED) give_up(r, r->devices.front(), *error);
  if (status != LIBSGEMM_SUCCESS) return status;
  h->add(set);
  if (wanted > 0) h->pieces = take_pieces(r->backend, set->device, wanted);
  if (wanted > 0 && h->pieces.size() < 2) {
    set_error(error, "no host memory");
    return LIBSGEMM_OUT_OF_MEMORY;
  }
  for (size_t i = 1; i < devices; ++i) {
    if (wanted > 0 && h->pieces.size() < 2 * (h->sets.size() + 1)) break;
    Error refusal = {};
    size_t budget = 0;
    status = device_budget(r->backend, r->devices[i], bytes, &budget, &refusal);
    const bool fits = status == LIBSGEMM_SUCCESS && budget >= bytes;
    if (fits) status = take_set(r->backend, r->devices[i], bytes, events, false, &set, &refusal);
    if (status == LIBSGEMM_EXECUTION_FAILED) tell_of_failure(r->backend, r->devices[i], refusal);
    if (fits && status == LIBSGEMM_SUCCESS && set != nullptr) h->add(set);
  }
  return LIBSGEMM_SUCCESS;
}

std::string summary(const Job &job, int devices, const Traffic &traffic, double seconds) {
  char text[256];
  std::snprintf(text, sizeof text,
                "offload: %lld tiles of at most %lld x %lld, k in %lld, on %d device(s): %.3f GB up, %.3f GB down in "
                "%.3f ms (%.2f GB/s, %.2f TFLOP/s; %.3f ms predicted)",
                static_cast<long long>(traffic.tiles),
                static_cast<long long>(job.plan.rows.back() / std::max<int64_t>(1, job.plan.row_panels())),
                static_cast<long long>(job.plan.cols.back() / std::max<int64_t>(1, job.plan.col_panels())),
                static_cast<long long>(job.plan.steps()), devices, traffic.up * 1e-9, traffic.down * 1e-9,
                seconds * 1e3, (traffic.up + traffic.down) / seconds * 1e-9, flop_count(job.desc) / seconds * 1e-12,
                job.plan.seconds * 1e3);
  return text;
}

libsgemm_status_t run_plan(Request *r, const TilePlan &plan, size_t workspace, const Undo &undo, Offloaded *by,
                           Error *error) {
  const auto start = std::chrono::steady_clock::now();
  Holdings holdings;
  libsgemm_status_t status = hold(r, plan, workspace, &holdings, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  UnitQueue units(r->desc, plan, static_cast<int>(holdings.sets.size()));
  Job job = {r->backend, r->desc, plan, r->forced, workspace, library().env.timeout, r->a, r->b, r->c, undo, units, {}};
  Run run(&job, &holdings);
  status = run.run(error);
  if (status == LIBSGEMM_EXECUTION_FAILED && !job.cancelled) {
    for (const DeviceSet *set : holdings.sets) give_up(r, set->device, *error);
  }
  if (status != LIBSGEMM_SUCCESS) return status;
  run.report(by);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  log_message(3, [&] { return summary(job, by->devices, run.traffic(), spent.count()); });
  return status;
}

// Enough memory that nothing is cut for lack of it.
size_t unbound_bytes(const Request &r) {
  TilePlan whole = {};
  whole.group = 1;
  whole.rows = {0, r.desc.m};
  whole.cols = {0, r.desc.n};
  whole.depth = {0, r.desc.k};
  return fit_plan(r.desc, SIZE_MAX / 4, &whole) ? whole.bytes() + workspace_limit(r.desc) : SIZE_MAX;
}

}  // namespace

namespace {

libsgemm_status_t offload_to_first(Request *r, const Undo &undo, const PlanKey &key, bool may_keep, Offloaded *by,
                                   Error *error) {
  const int first = r->devices.front();
  TilePlan plan = {};
  size_t workspace = 0, budget = 0;
  bool planned = may_keep && find_plan(key, &plan, &workspace);
  const size_t enough = planned ? plan.bytes() + workspace : unbound_bytes(*r);
  libsgemm_status_t status = device_budget(r->backend, first, enough, &budget, error);
  if (status != LIBSGEMM_SUCCESS) {
    give_up(r, first, *error);
    return status;
  }
  // Under a limit take_set() waits for memory of other calls.
  if (repeatable(r->desc.deterministic)) budget = std::max(budget, memory_state().device_limit);
  planned = planned && budget >= enough;
  const bool keep = may_keep && !planned && budget >= enough;
  // Free memory may be fragmented, or taken by now: less may succeed.
  for (int attempt = 0; attempt < 6; ++attempt) {
    if (!planned) status = plan_for(*r, budget, &plan, &workspace, error);
    if (status != LIBSGEMM_SUCCESS) break;
    status = run_plan(r, plan, workspace, undo, by, error);
    if (status == LIBSGEMM_SUCCESS && keep && attempt == 0) keep_plan(key, plan, workspace);
    if (status != LIBSGEMM_OUT_OF_MEMORY) return status;
    // A refusal clears the recorded free bytes: the driver is asked again.
    planned = false;
    size_t now = 0;
    const size_t tried = std::min(budget, plan.bytes() + workspace);
    if (device_budget(r->backend, first, tried, &now, error) != LIBSGEMM_SUCCESS) break;
    budget = now < tried && now > 0 ? now : tried / 2;
  }
  if (status == LIBSGEMM_OUT_OF_MEMORY) give_up(r, first, *error);
  return status;
}

}  // namespace

libsgemm_status_t offload(const Backend &backend, const GemmDesc &desc, bool may_spoil, const Kernel *forced,
                          Offloaded *by, Error *error) try {
  Request r = {backend,
               desc,
               forced,
               devices_left(backend),
               make_operand(Operand::a, desc, backend),
               make_operand(Operand::b, desc, backend),
               make_operand(Operand::c, desc, backend),
               {}};
  const bool pinned = r.a.pinned && (r.b.pinned || desc.b == nullptr);
  r.rates = {pinned ? kPinned : kStaged, r.c.pinned ? kPinned : kStaged,
             device_flops(backend, desc, r.devices.front())};
  Undo undo;
  const bool saves = reads_c(desc) || !may_spoil;  // a call that reads C may start again with less memory
  if (saves && !undo.reserve(desc)) {
    set_error(error, "no host memory for a copy of C");
    return LIBSGEMM_OUT_OF_MEMORY;
  }
  // The plan depends on the first device alone, which the others equal. Repeatable results must not depend on earlier
  // calls: their plans are not kept.
  const bool may_keep = !repeatable(desc.deterministic) && desc.batch == Batch::none;
  const PlanKey key = {&backend, r.devices.front(), forced, r.rates, choice_key(desc)};
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  for (size_t left = r.devices.size() + 1; !r.devices.empty() && r.devices.size() < left;) {
    left = r.devices.size();
    status = offload_to_first(&r, undo, key, may_keep, by, error);
    if (status == LIBSGEMM_SUCCESS) break;
  }
  return status;
} catch (...) {  // out of memory in planning or setup; pipelines catch their own exceptions
  set_error(error, "no host memory");
  return LIBSGEMM_OUT_OF_MEMORY;
}

void stop_offload_threads() { stop_copy_threads(); }

}  // namespace libsgemm
