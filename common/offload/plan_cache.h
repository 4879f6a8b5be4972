// Plans of earlier calls. Making one takes 30 us, as long as 1.5 MB take to cross the link, and programs repeat the
// same shapes.
#pragma once

#include "contract/kernel_table.h"
#include "tile_plan.h"

namespace libsgemm {

// All that a plan and its workspace depend on, unless the device's memory limits them.
struct PlanKey {
  const Backend *backend;
  int device;
  const Kernel *forced;
  Rates rates;
  ChoiceKey choice;
};

// Finds the plan of an equal key; of pointers only those bits count that kernels look at. False if there is none.
bool find_plan(const PlanKey &key, TilePlan *plan, size_t *workspace);

// Keeps a plan; the oldest one makes room.
void keep_plan(const PlanKey &key, const TilePlan &plan, size_t workspace);

}  // namespace libsgemm
