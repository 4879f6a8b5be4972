// Ranks and numbers.
#include "devices.h"

#include <algorithm>
#include <cstdlib>

#include "loader.h"

namespace libsgemm {
namespace {

// The rank among the processes of this host, as the starters of MPI programs tell it; -1: not started by one.
int local_rank() {
  for (const char *name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                           "PALS_LOCAL_RANKID", "FLUX_TASK_LOCAL_ID", "SLURM_LOCALID"}) {
    const char *value = secure_getenv(name);
    if (value == nullptr || value[0] < '0' || value[0] > '9') continue;
    return static_cast<int>(std::strtol(value, nullptr, 10) & 0x7fffffff);
  }
  return -1;
}

}  // namespace

std::vector<int> offload_devices(const Backend &backend) {
  static const int rank = local_rank();
  const int there = backend.device_count(), wanted = library().env.offload_devices;
  if (rank >= 0 && wanted == 0) return {rank % there};
  const int first = rank >= 0 ? rank % there : 0;
  const int count = wanted == 0 ? there : std::min(wanted, there);
  std::vector<int> all;
  all.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) all.push_back((first + i) % there);
  return all;
}

}  // namespace libsgemm
