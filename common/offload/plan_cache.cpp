#include "plan_cache.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <new>

#include "process/immortal.h"

namespace libsgemm {
namespace {

constexpr size_t kMost = 16;

struct Planned {
  PlanKey key;
  TilePlan plan;
  size_t workspace;
};

struct Cache {
  std::mutex mutex;
  std::deque<Planned> plans;  // newest first
};

Cache &cache() { return immortal<Cache>(); }

bool same(const PlanKey &x, const PlanKey &y) {
  return x.backend == y.backend && x.device == y.device && x.forced == y.forced && x.rates.up == y.rates.up &&
         x.rates.down == y.rates.down && x.rates.flops == y.rates.flops && x.choice == y.choice;
}

}  // namespace

bool find_plan(const PlanKey &key, TilePlan *plan, size_t *workspace) {
  Cache &c = cache();
  const std::lock_guard<std::mutex> lock(c.mutex);
  const auto found =
      std::find_if(c.plans.begin(), c.plans.end(), [&](const Planned &each) { return same(each.key, key); });
  if (found == c.plans.end()) return false;
  *plan = found->plan;
  *workspace = found->workspace;
  return true;
}

void keep_plan(const PlanKey &key, const TilePlan &plan, size_t workspace) {
  Cache &c = cache();
  const std::lock_guard<std::mutex> lock(c.mutex);
  try {
    c.plans.push_front({key, plan, workspace});
  } catch (const std::bad_alloc &) {
    return;
  }
  if (c.plans.size() > kMost) c.plans.pop_back();
}

}  // namespace libsgemm
