#include "probe_driver.h"

#include <dlfcn.h>

#include "base/command.h"

namespace command {
namespace {

constexpr const char *kFile = "libcuda.so.1";
constexpr int kInputPtx = 1;            // CU_JIT_INPUT_PTX
constexpr int kCaptureThreadLocal = 1;  // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL

}  // namespace

ProbeDriver::ProbeDriver() {
  void *library = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Error(dlerror());
  find_symbol(&create_, library, kFile, "cuLinkCreate_v2");
  find_symbol(&add_, library, kFile, "cuLinkAddData_v2");
  find_symbol(&complete_, library, kFile, "cuLinkComplete");
  find_symbol(&destroy_, library, kFile, "cuLinkDestroy");
  find_symbol(&begin_, library, kFile, "cuStreamBeginCapture_v2");
  find_symbol(&end_, library, kFile, "cuStreamEndCapture");
  find_symbol(&instantiate_, library, kFile, "cuGraphInstantiateWithFlags");
  find_symbol(&launch_, library, kFile, "cuGraphLaunch");
}

std::string ProbeDriver::assemble(const std::string &ptx) const {
  const GpuApi &api = cuda_api();
  Linker linker = nullptr;
  api.require(create_(0, nullptr, nullptr, &linker), "a linker");
  std::string text = ptx;
  void *code = nullptr;
  size_t bytes = 0;
  int result = add_(linker, kInputPtx, &text[0], text.size() + 1, "probe", 0, nullptr, nullptr);
  if (result == kGpuSuccess) result = complete_(linker, &code, &bytes);
  std::string machine_code;
  if (result == kGpuSuccess) machine_code.assign(static_cast<const char *>(code), bytes);
  destroy_(linker);
  api.require(result, "assembling the probes");
  return machine_code;
}

void *ProbeDriver::capture(GpuStream stream, const std::function<void()> &work) const {
  const GpuApi &api = cuda_api();
  void *graph = nullptr, *executable = nullptr;
  api.require(begin_(stream, kCaptureThreadLocal), "capturing a stream");
  work();
  api.require(end_(stream, &graph), "capturing a stream");
  api.require(instantiate_(&executable, graph, 0), "a graph");
  return executable;
}

void ProbeDriver::launch_graph(void *graph, GpuStream stream) const {
  cuda_api().require(launch_(graph, stream), "launching a graph");
}

}  // namespace command
