// Uses one device and dense copies of whole tensors. The result passes through host memory, so that a failed transfer
// does not modify the output.
#include "conv/offload.h"

#include <algorithm>
#include <memory>
#include <new>

#include "contract/kernel_table.h"
#include "conv/device_copy.h"
#include "offload/memory/memory.h"

namespace libsgemm {
namespace {

constexpr int kDevice = 0;
// Stands for tensors, aligned like device memory; never read.
struct alignas(256) Place {
  float numbers[64];
};
Place g_place;

libsgemm_status_t upload(const DeviceMemory &memory, const ConvDesc &host, const ConvDesc &there, Error *error) {
  const Tensor from[] = {tensor_x(host), tensor_f(host), tensor_y(host)};
  const float *const to[] = {there.x, there.f, there.y};
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  for (int i = 0; i < 3 && status == LIBSGEMM_SUCCESS; ++i) {
    if (from[i].data == host.out && host.beta == 0.0f) continue;
    status = gather(memory, from[i], const_cast<float *>(to[i]), Copy::to_device, error);
  }
  return status;
}

libsgemm_status_t compute(const Backend &backend, const DeviceSet &set, const ConvDesc &host, DenseConv *dense,
                          const Plan &plan, Error *error) {
  const DeviceMemory memory = {backend, set.device, set.compute, false};
  dense->place(set.memory);
  const Tensor result = output_of(dense->desc), out = output_of(host);
  const std::unique_ptr<float[]> here(new (std::nothrow) float[static_cast<size_t>(dense_count(result))]);
  if (here == nullptr) {
    set_error(error, "no host memory for a copy of the output");
    return LIBSGEMM_OUT_OF_MEMORY;
  }
  Launch launch = {};
  launch.device = set.device;
  launch.stream = set.compute;
  launch.workspace = plan.workspace > 0 ? set.memory + dense->bytes : nullptr;
  launch.workspace_bytes = plan.workspace;
  launch.config = plan.config;
  libsgemm_status_t status = upload(memory, host, dense->desc, error);
  if (status == LIBSGEMM_SUCCESS) status = plan.kernel->conv->launch(dense->desc, launch, error);
  if (status == LIBSGEMM_SUCCESS) status = gather(memory, result, here.get(), Copy::to_host, error);
  status = wait_after(memory, status, error);
  if (status == LIBSGEMM_SUCCESS) copy_tensor(dense_like(out, here.get()), out, host.out);
  return status;
}

}  // namespace

bool computes_convolutions(const Backend &backend) {
  return std::any_of(backend.kernels, backend.kernels + backend.kernel_count,
                     [](const Kernel &kernel) { return kernel.conv != nullptr; });
}

libsgemm_status_t offload_conv(const Backend &backend, const ConvDesc &desc, const Kernel *forced, const Kernel **ran,
                               Error *error) {
  DenseConv dense = dense_conv(desc);
  dense.place(g_place.numbers);
  const size_t most = forced != nullptr ? SIZE_MAX : LIBSGEMM_WORKSPACE_DEFAULT_BYTES;
  const Plan plan = best_plan(backend, dense.desc, kDevice, most, forced);
  if (plan.kernel == nullptr) return LIBSGEMM_NOT_SUPPORTED;
  DeviceSet *set = nullptr;
  libsgemm_status_t status = take_set(backend, kDevice, dense.bytes + plan.workspace, 0, true, &set, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  status = compute(backend, *set, desc, &dense, plan, error);
  Error ignored;
  const bool idle =
      status == LIBSGEMM_SUCCESS || backend.synchronize(set->device, set->compute, &ignored) == LIBSGEMM_SUCCESS;
  give_set(set, status == LIBSGEMM_SUCCESS ? Ending::healthy : idle ? Ending::failed : Ending::lost);
  *ran = plan.kernel;
  return status;
}

}  // namespace libsgemm
