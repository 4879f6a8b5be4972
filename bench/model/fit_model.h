// Functions of a backend for fit_model.cpp.
#pragma once

#include <string>
#include <vector>

#include "gpu/cost.h"

namespace libsgemm::fit {

struct Figured {
  const char *row;
  gpu::Figures figures;
};
struct Shared {
  const char *row;
  double share;
};

std::vector<Figured> &figured();
std::vector<Shared> &shared();

// Returns false for an unknown architecture.
bool set_device(const std::string &name, const std::string &arch, int units, double hertz, double bytes_per_second);

}  // namespace libsgemm::fit
