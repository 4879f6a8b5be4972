// The trial of the order in which FP64 tensor cores add (backends/cuda/fp64/dmma_order.h).
#include <algorithm>
#include <vector>

#include "devices.h"
#include "fibers/matrix_instructions.h"
#include "fp64/dmma_order.h"
#include "support/catch.h"

using namespace libsgemm;

namespace {

std::vector<uint32_t> try_order(int device) {
  std::vector<uint32_t> results(cuda::kOrderBlocks);
  Launch launch = {};
  launch.device = device;
  Error error = {};
  REQUIRE(cuda::launch_dmma_order(1, results.data(), launch, &error) == LIBSGEMM_SUCCESS);
  return results;
}

}  // namespace

TEST_CASE("FP64 tensor cores that add by ascending FMAs are told from others") {
  int tried = 0;
  for (int device = 0; device < simt::device_count(); ++device) {
    if (!cuda::runs_code_of<80>(device)) continue;
    ++tried;
    INFO(gpu::model(device).name);
    const std::vector<uint32_t> ascending = try_order(device);
    CHECK(std::count(ascending.begin(), ascending.end(), 1u) == cuda::kOrderBlocks);
    simt::f64_adds_pairs = true;
    const std::vector<uint32_t> pairs = try_order(device);
    simt::f64_adds_pairs = false;
    CHECK(std::count(pairs.begin(), pairs.end(), 2u) == cuda::kOrderBlocks);
  }
  CHECK(tried >= 2);
}
