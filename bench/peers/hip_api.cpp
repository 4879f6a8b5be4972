// gpu_api.h for the HIP runtime.
#include <dlfcn.h>
#include <fmt/core.h>

#include <cstring>
#include <vector>

#include "amd_sensors.h"
#include "base/command.h"
#include "base/library.h"
#include "device_kernels.h"
#include "gpu_api.h"
#include "rocm.h"

namespace command {
namespace {

constexpr int kNewest = 7, kOldest = 5;                       // versions of ROCm
constexpr int kMultiprocessors = 63, kL2Bytes = 19;           // hipDeviceAttribute...
constexpr size_t kPropertiesBytes = 16384, kNameBytes = 256;  // most bytes of hipDeviceProp_t, and of a name in it

// Largest Infinity Cache of each chip: RDNA2 to 4, CDNA3 and 4.
constexpr struct {
  const char *arch;
  int64_t mebibytes;
} kInfinityCaches[] = {{"gfx103", 128}, {"gfx11", 96}, {"gfx12", 64}, {"gfx94", 256}, {"gfx95", 256}};

constexpr int kNoDevice = 100, kInvalidDevice = 101;  // HIP 5 returns the latter without a device

using Program = struct ProgramOpaque *;

class Compiler {
 public:
  // HIP 5 may have it in `runtime`.
  explicit Compiler(const Library &runtime) : from_(runtime) {
    if (dlsym(runtime.handle, "hiprtcCreateProgram") == nullptr) {
      from_ = load_rocm("the compiler of the HIP runtime", "libhiprtc.so", kNewest, kOldest);
    }
    find_symbol(&create_, from_.handle, from_.file, "hiprtcCreateProgram");
    find_symbol(&compile_, from_.handle, from_.file, "hiprtcCompileProgram");
    find_symbol(&log_size_, from_.handle, from_.file, "hiprtcGetProgramLogSize");
    find_symbol(&log_, from_.handle, from_.file, "hiprtcGetProgramLog");
    find_symbol(&code_size_, from_.handle, from_.file, "hiprtcGetCodeSize");
    find_symbol(&code_, from_.handle, from_.file, "hiprtcGetCode");
    find_symbol(&destroy_, from_.handle, from_.file, "hiprtcDestroyProgram");
  }

  std::string compile(const std::string &source, const std::string &arch) const {
    Program program = nullptr;
    require(create_(&program, source.c_str(), "bench.hip", 0, nullptr, nullptr), "hiprtcCreateProgram");
    const std::string target = "--offload-arch=" + arch;
    const char *options[] = {target.c_str(), "-O3"};
    if (const int result = compile_(program, 2, options); result != kGpuSuccess) {
      const std::string log = text_of(program, log_size_, log_);
      destroy_(&program);
      throw Error(fmt::format("hiprtc refuses the bench's kernels for {}: {}", arch, log.substr(0, log.find('\n'))));
    }
    const std::string code = text_of(program, code_size_, code_);
    destroy_(&program);
    return code;
  }

 private:
  static std::string text_of(Program program, int (*size)(Program, size_t *), int (*get)(Program, char *)) {
    size_t bytes = 0;
    require(size(program, &bytes), "hiprtc");
    std::string text(bytes, '\0');
    if (bytes > 0) require(get(program, &text[0]), "hiprtc");
    return text;
  }
  static void require(int result, const char *what) {
    if (result != kGpuSuccess) throw Error(fmt::format("{}: error {}", what, result));
  }

  Library from_;
  int (*create_)(Program *, const char *, const char *, int, const char **, const char **) = nullptr;
  int (*compile_)(Program, int, const char **) = nullptr;
  int (*log_size_)(Program, size_t *) = nullptr, (*code_size_)(Program, size_t *) = nullptr;
  int (*log_)(Program, char *) = nullptr, (*code_)(Program, char *) = nullptr;
  int (*destroy_)(Program *) = nullptr;
};

class HipApi : public GpuApi {
 public:
  HipApi() {
    // Loads the plugin first: its version of the runtime must be the only one, since another cannot use its pointers.
    all_backends();
    runtime_ = load_rocm("the HIP runtime", "libamdhip64.so", kNewest, kOldest);
#define X(member, cuda, hip, ...) find_symbol(&member, runtime_.handle, runtime_.file, hip);
    LIBSGEMM_GPU_FUNCTIONS(X)
#undef X
    find_symbol(&set_device_, runtime_.handle, runtime_.file, "hipSetDevice");
    find_symbol(&properties_, runtime_.handle, runtime_.file, "hipGetDeviceProperties");
    find_symbol(&error_name_, runtime_.handle, runtime_.file, "hipGetErrorName");
    find_symbol(&error_string_, runtime_.handle, runtime_.file, "hipGetErrorString");
    backend = "hip";
    multiprocessors_attribute = kMultiprocessors;
    l2_attribute = kL2Bytes;
    const int result = init(0);
    if (result == kNoDevice || result == kInvalidDevice) {
      throw Error(fmt::format("the HIP runtime finds no GPU ({})", error_name_(result)));
    }
    if (result != kGpuSuccess) throw Error(fmt::format("the HIP runtime fails: {}", describe(result)));
  }

  void use_device(int device) const override { require(set_device_(device), "choosing the GPU"); }

  // The layout of the properties depends on the version: searches for the name's prefix.
  std::string arch(int device) const override {
    std::vector<char> properties(kPropertiesBytes, '\0');
    require(properties_(properties.data(), device), "the properties of the GPU");
    for (size_t at = kNameBytes; at + kNameBytes < properties.size(); ++at) {
      if (memcmp(&properties[at], "gfx", 3) == 0) return std::string(&properties[at], strcspn(&properties[at], ":"));
    }
    return "unknown";
  }

  std::string version_text(int version) const override {
    return fmt::format("HIP {}.{}", version / 10000000, version / 100000 % 100);
  }

  int64_t last_cache_bytes(int device) const override {
    const std::string name = arch(device);
    for (const auto &cache : kInfinityCaches) {
      if (name.rfind(cache.arch, 0) == 0) return cache.mebibytes << 20;
    }
    return 0;
  }

  std::unique_ptr<Sensors> sensors(const std::string &pci_bus_id) const override {
    return std::make_unique<AmdSensors>(pci_bus_id);
  }

  std::string compile(const std::string &text, int device) const override {
    return Compiler(runtime_).compile(text, arch(device));
  }
  std::string device_code(int device) const override { return compile(hip_kernels(), device); }

  std::string describe(int result) const override {
    return fmt::format("{}: {}", error_name_(result), error_string_(result));
  }

 private:
  Library runtime_{};
  int (*set_device_)(int) = nullptr;
  int (*properties_)(void *, int) = nullptr;
  const char *(*error_name_)(int) = nullptr;
  const char *(*error_string_)(int) = nullptr;
};

}  // namespace

const GpuApi &hip_api() {
  static const HipApi api;
  return api;
}

}  // namespace command
