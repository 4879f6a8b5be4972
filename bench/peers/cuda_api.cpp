// Implements gpu_api.h with the NVIDIA driver.
#include <dlfcn.h>
#include <fmt/core.h>

#include "base/command.h"
#include "device_kernels.h"
#include "gpu_api.h"
#include "nvml.h"

namespace command {
namespace {

constexpr const char *kFile = "libcuda.so.1";
// CU_DEVICE_ATTRIBUTE_...
constexpr int kMultiprocessors = 16, kL2Bytes = 38, kCapabilityMajor = 75, kCapabilityMinor = 76;
constexpr int kClock = 13, kMemoryClock = 36, kBusWidth = 37;

class CudaApi : public GpuApi {
 public:
  CudaApi() {
    void *library = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw Error(fmt::format("the NVIDIA driver cannot be loaded: {}", dlerror()));
#define X(member, cuda, hip, ...) find_symbol(&member, library, kFile, cuda);
    LIBSGEMM_GPU_FUNCTIONS(X)
#undef X
    find_symbol(&retain_, library, kFile, "cuDevicePrimaryCtxRetain");
    find_symbol(&set_current_, library, kFile, "cuCtxSetCurrent");
    find_symbol(&error_name_, library, kFile, "cuGetErrorName");
    find_symbol(&error_string_, library, kFile, "cuGetErrorString");
    backend = "cuda";
    multiprocessors_attribute = kMultiprocessors;
    l2_attribute = kL2Bytes;
    clock_attribute = kClock;
    memory_clock_attribute = kMemoryClock;
    bus_width_attribute = kBusWidth;
    const int result = init(0);
    if (result != kGpuSuccess) throw Error(fmt::format("the NVIDIA driver fails: {}", describe(result)));
  }

  void use_device(int device) const override {
    void *context = nullptr;
    require(retain_(&context, device), "the context of the GPU");
    require(set_current_(context), "the context of the GPU");
  }

  std::string arch(int device) const override {
    int major = 0, minor = 0;
    require(device_attribute(&major, kCapabilityMajor, device), "an attribute of the GPU");
    require(device_attribute(&minor, kCapabilityMinor, device), "an attribute of the GPU");
    return fmt::format("sm_{}{}", major, minor);
  }

  std::string version_text(int version) const override {
    return fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
  }

  std::unique_ptr<Sensors> sensors(const std::string &pci_bus_id) const override {
    return std::make_unique<Nvml>(pci_bus_id.c_str());
  }

  // module_load() takes PTX.
  std::string compile(const std::string &text, int) const override { return text; }
  std::string device_code(int) const override { return cuda_kernels(); }

  std::string describe(int result) const override {
    const char *name = nullptr, *text = nullptr;
    if (error_name_(result, &name) != kGpuSuccess || name == nullptr) return fmt::format("error {}", result);
    if (error_string_(result, &text) != kGpuSuccess || text == nullptr) return name;
    return fmt::format("{}: {}", name, text);
  }

 private:
  int (*retain_)(void **, int) = nullptr;
  int (*set_current_)(void *) = nullptr;
  int (*error_name_)(int, const char **) = nullptr;
  int (*error_string_)(int, const char **) = nullptr;
};

}  // namespace

const GpuApi &cuda_api() {
  static const CudaApi api;
  return api;
}

}  // namespace command
