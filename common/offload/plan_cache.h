// Plans of calls before. To make one takes 30 us, in which 1.5 MB cross the link, and programs call with the same
// shapes again and again.
#pragma once

#include "contract/kernel_table.h"
#include "tile_plan.h"

namespace libsgemm {

// What a plan and its workspace depend on, where the device's memory does not bind it.
struct PlanKey {
  const Backend *backend;
  int device;
  const Kernel *forced;
  Rates rates;
  ChoiceKey choice;
};

// False if there is none, of which all members of the key are the same; of pointers those bits that kernels look at.
bool find_plan(const PlanKey &key, TilePlan *plan, size_t *workspace);

// The oldest one makes room.
void keep_plan(const PlanKey &key, const TilePlan &plan, size_t workspace);

}  // namespace libsgemm
