// Functions of a backend that fit_model.cpp needs: fit_model_cuda.cpp, fit_model_hip.cpp.
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

// The kernels, with the figures that determine their cost.
std::vector<Figured> &figured();
std::vector<Shared> &shared();

// Sets the device. False if there is no such architecture.
bool set_device(const std::string &name, const std::string &arch, int units, double hertz, double bytes_per_second);

}  // namespace libsgemm::fit
