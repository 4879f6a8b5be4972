// Plans of earlier calls: a plan takes 30 us, as long as 1.5 MB to cross the link.
#pragma once

#include "contract/kernel_table.h"
#include "tile_plan.h"

namespace libsgemm {

// All that a plan depends on, unless the device's memory limits it.
struct PlanKey {
  const Backend *backend;
  int device;
  const Kernel *forced;
  Rates rates;
  ChoiceKey choice;
};

// Pointers count by the bits that kernels look at.
bool find_plan(const PlanKey &key, TilePlan *plan, size_t *workspace);

void keep_plan(const PlanKey &key, const TilePlan &plan, size_t workspace);

}  // namespace libsgemm
