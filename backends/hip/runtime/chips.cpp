#include "chips.h"

#include <cstring>

namespace libsgemm::hip {
namespace {

// The last fitting prefix counts.
constexpr Chips kChips[] = {
    {"", Family::unknown, 64, 4, 64, 2},       {"gfx9", Family::gcn, 64, 4, 64, 2},
    {"gfx908", Family::cdna1, 64, 4, 64, 2},   {"gfx90a", Family::cdna2, 128, 4, 64, 2},
    {"gfx94", Family::cdna3, 128, 4, 64, 4},   {"gfx95", Family::cdna3, 128, 4, 64, 4},
    {"gfx10", Family::rdna2, 64, 2, 32, 16},   {"gfx11", Family::rdna3, 128, 2, 32, 16},
    {"gfx120", Family::rdna4, 128, 2, 32, 16}, {"sm_", Family::foreign, 128, 4, 32, 2},
};

}  // namespace

const Chips &chips_of(const char *arch) {
  const Chips *found = &kChips[0];
  for (const Chips &chips : kChips) {
    if (std::strncmp(arch, chips.prefix, std::strlen(chips.prefix)) == 0) found = &chips;
  }
  return *found;
}

}  // namespace libsgemm::hip
