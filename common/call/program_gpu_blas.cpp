#include <algorithm>
#include <cstdio>
#include <new>

#include "call.h"
#include "process/gate.h"
#include "process/loader.h"
#include "process/log.h"
#include "process/stats.h"

namespace libsgemm {
namespace {

double operations(const Call &call) {
  GemmDesc desc = {};
  const RoutineTraits &routine = traits_of(call.routine);
  desc.routine = call.routine;
  desc.m = routine.triangle_of_c ? call.n : call.m;
  desc.n = call.n;
  desc.k = !routine.one_sided() ? call.k : call.side == LIBSGEMM_LEFT ? call.m : call.n;
  desc.batch_count = call.batch == Batch::none && call.batch_count == 0 ? 1 : call.batch_count;
  return flop_count(desc);
}

double operations(const GroupCall &groups) {
  double sum = 0;
  for (int64_t i = 0; i < groups.group_count; ++i) {
    sum += 2.0 * static_cast<double>(groups.m[i]) * static_cast<double>(groups.n[i]) *
           static_cast<double>(groups.k[i]) * static_cast<double>(groups.group_size[i]);
  }
  return sum;
}

}  // namespace
}  // namespace libsgemm

bool libsgemm_private_instrumented() {
  const libsgemm::InGate gate;
  try {
    return libsgemm::library().instrumented;
  } catch (const std::bad_alloc &) {
    return false;
  }
}

void libsgemm_private_count_forwarded(const libsgemm::Vendor *vendor, const libsgemm::Call *call,
                                      const libsgemm::GroupCall *groups, const char *why, int status,
                                      uint64_t nanoseconds) {
  using namespace libsgemm;
  const InGate gate;
  if (status != 0) {
    char refused[48];
    std::snprintf(refused, sizeof refused, "%s returned status %d", vendor->name, status);
    stats_count({call->entry, "error", refused, nanoseconds, 0, -1, 0});
  } else {
    const double flops = std::max(0.0, groups != nullptr ? operations(*groups) : operations(*call));
    stats_count({call->entry, vendor->backend, why, nanoseconds, flops, -1, 0});
  }
  log_message(2, [&] {
    char text[160];
    std::snprintf(text, sizeof text, "%s: -> %s (%s), status %d", call->entry, vendor->backend, why, status);
    return std::string(text);
  });
}

void libsgemm_private_add_time(const char *entry, const char *backend, const char *kernel, uint64_t nanoseconds) {
  const libsgemm::InGate gate;
  libsgemm::stats_add_time(entry, backend, kernel, nanoseconds);
}
