#include "host_peers.h"

#include <dlfcn.h>
#include <fmt/core.h>
#include <string.h>

#include <new>
#include <sstream>

#include "base/command.h"
#include "base/library.h"
#include "peers/gpu_api.h"
#include "peers/peers_cuda.h"

namespace command {
namespace {

const GpuApi &gpu_api() {
  try {
    cuda_memory();
    return cuda_api();
  } catch (const Error &) {
    hip_memory();
    return hip_api();
  }
}

class PinnedMemory : public Memory {
 public:
  void *allocate(size_t bytes) override {
    void *memory = nullptr;
    api_.require(api_.host_allocate(&memory, bytes, kHostDefault), "page-locked memory");
    return memory;
  }
  void release(void *memory) override { api_.host_free(memory); }
  void upload(void *to, const void *from, size_t bytes) override { memcpy(to, from, bytes); }
  void download(void *to, const void *from, size_t bytes) override { memcpy(to, from, bytes); }
  void copy(void *to, const void *from, size_t bytes) override { memcpy(to, from, bytes); }
  void scatter(float value, float *const *to, size_t count) override { host_memory().scatter(value, to, count); }
  void gather(float *to, const float *const *from, size_t count) override { host_memory().gather(to, from, count); }
  void finish() override {}
  double time(int calls, const std::function<void(int)> &call) override { return host_memory().time(calls, call); }
  Pace pace() const override { return host_memory().pace(); }

 private:
  const GpuApi &api_ = gpu_api();
};

void require_sgemm(const Call &call, const char *peer) {
  if (call.routine == Routine::kSgemm) return;
  throw Error(fmt::format("--peer {}: with --host it is there for sgemm, not for {}", peer, traits(call.routine).name));
}

class CopyPeer : public HostPeer {
 public:
  CopyPeer()
      : gpu_(cuda_or_hip_memory()), peer_(open_peer(gpu_.backend() == std::string("cuda") ? "cublas" : "rocblas")) {}

  std::string version() const override { return "copies and " + peer_->version(); }

  // Keeps device memory between calls.
  void run(const Call &x) override {
    require_sgemm(x, "copy");
    const size_t a = bytes(x.lda, x.transa == LIBSGEMM_NO_TRANS ? x.k : x.m);
    const size_t b = bytes(x.ldb, x.transb == LIBSGEMM_NO_TRANS ? x.n : x.k), c = bytes(x.ldc, x.n);
    Call there = x;
    there.a = take(&a_, a);
    there.b = take(&b_, b);
    there.c = take(&c_, c);
    gpu_.upload(const_cast<void *>(there.a), x.a, a);
    gpu_.upload(const_cast<void *>(there.b), x.b, b);
    if (x.beta != 0) gpu_.upload(there.c, x.c, c);
    peer_->prepare({there});
    peer_->run(there);
    gpu_.download(x.c, there.c, c);
  }

 private:
  struct Place {
    std::unique_ptr<Buffer> buffer;
    size_t bytes = 0;
  };

  static size_t bytes(int64_t ld, int64_t columns) { return static_cast<size_t>(ld * columns) * sizeof(float); }
  void *take(Place *place, size_t bytes) {
    if (place->bytes < bytes) {
      place->buffer.reset();
      place->buffer = std::make_unique<Buffer>(&gpu_, bytes);
      place->bytes = bytes;
    }
    return place->buffer->data();
  }

  GpuMemory &gpu_;
  std::unique_ptr<Peer> peer_;
  Place a_, b_, c_;
};

class CublasXt : public HostPeer {
 public:
  CublasXt() {
    std::string file;
    void *library = cublas_library(&file);
    int (*create)(void **) = nullptr, (*select)(void *, int, int *) = nullptr;
    find_symbol(&create, library, file, "cublasXtCreate");
    find_symbol(&select, library, file, "cublasXtDeviceSelect");
    find_symbol(&sgemm_, library, file, "cublasXtSgemm");
    find_symbol(&destroy_, library, file, "cublasXtDestroy");
    int device = 0;
    if (create(&handle_) != 0 || select(handle_, 1, &device) != 0) throw Error("cublasXt cannot be initialised");
  }

  ~CublasXt() override { destroy_(handle_); }

  std::string version() const override { return "its default block size, one GPU"; }
  void run(const Call &x) override {
    require_sgemm(x, "cublasxt");
    const auto op = [](libsgemm_op_t t) { return t == LIBSGEMM_NO_TRANS ? 0 : 1; };
    const auto size = [](int64_t value) { return static_cast<size_t>(value); };
    const int status = sgemm_(handle_, op(x.transa), op(x.transb), size(x.m), size(x.n), size(x.k), &x.alpha, x.a,
                              size(x.lda), x.b, size(x.ldb), &x.beta, x.c, size(x.ldc));
    if (status != 0) throw Error(fmt::format("cublasXtSgemm: status {}", status));
  }

 private:
  void *handle_ = nullptr;
  int (*destroy_)(void *) = nullptr;
  int (*sgemm_)(void *, int, int, size_t, size_t, size_t, const float *, const void *, size_t, const void *, size_t,
                const float *, void *, size_t) = nullptr;
};

}  // namespace

GpuMemory &cuda_or_hip_memory() {
  // The reasons are those of `libsgemm info`. gpu_memory_of() throws the one for a GPU that cannot be used.
  const std::string reasons = why_no_gpu(all_backends());
  if (!reasons.empty()) throw Error(fmt::format("no GPU: {}", reasons));
  for (const Backend &backend : all_backends()) {
    if (backend.info.is_gpu != 0 && backend.info.available != 0) {
      return gpu_memory_of(backend.info.name);
    }
  }
  throw Error("no GPU");
}

Memory &pinned_memory() {
  static PinnedMemory memory;
  return memory;
}

std::vector<std::string> split_peers(const std::string &list) {
  std::vector<std::string> names;
  std::istringstream stream(list == "none" ? "" : list);
  for (std::string name; std::getline(stream, name, ',');) names.push_back(name);
  return names;
}

std::unique_ptr<HostPeer> open_host_peer(const std::string &name) {
  if (name == "copy") return std::make_unique<CopyPeer>();
  if (name == "cublasxt") return std::make_unique<CublasXt>();
  throw Error(fmt::format("--peer {}: with --host there are none, copy, cublasxt, or a comma list", name));
}

}  // namespace command
