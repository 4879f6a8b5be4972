// Plain staged copies, one product at a time. A pipeline of tiles takes the place of this file.
#include "offload.h"

#include <memory>
#include <new>

#include "host_matrix.h"
#include "kernel_table.h"

namespace libsgemm {
namespace {

// Columns on the device start at multiples of 16 bytes, which the fast kernels want.
int64_t device_ld(int64_t rows, size_t size) {
  const int64_t step = static_cast<int64_t>(16 / size);
  return (rows + step - 1) / step * step;
}

// Device memory that is given back on every way out.
class Buffer {
 public:
  Buffer(const Backend &backend, int device) : backend_(backend), device_(device) {}
  ~Buffer() {
    if (memory_ != nullptr) backend_.release(device_, memory_);
  }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  libsgemm_status_t allocate(size_t bytes, Error *error) { return backend_.allocate(device_, bytes, &memory_, error); }
  void *get() const { return memory_; }

 private:
  const Backend &backend_;
  int device_;
  void *memory_ = nullptr;
};

class Staging {
 public:
  Staging(const Backend &backend, int device, Error *error)
      : backend_(backend),
        device_(device),
        error_(error),
        a_(backend, device),
        b_(backend, device),
        c_(backend, device),
        workspace_(backend, device) {}

  // Everything is enqueued first and waited for once, also after a failure: what is enqueued uses memory that the
  // caller, or this object, may free as soon as it returns.
  libsgemm_status_t run(const GemmDesc &host, const Kernel **forced) {
    libsgemm_status_t status = enqueue(host, forced);
    Error after_failure = {};
    const libsgemm_status_t waited =
        backend_.synchronize(device_, nullptr, status == LIBSGEMM_SUCCESS ? error_ : &after_failure);
    if (status == LIBSGEMM_SUCCESS) status = waited;
    if (status == LIBSGEMM_SUCCESS) store_c(host, result_.get(), host.m);
    return status;
  }

 private:
  // Allocates a matrix on the device and, if wanted, copies it there.
  libsgemm_status_t up(const Stored &x, Buffer *buffer, int64_t *ld, bool contents) {
    *ld = device_ld(x.rows, x.size);
    const size_t pitch = static_cast<size_t>(*ld) * x.size;
    const libsgemm_status_t status = buffer->allocate(pitch * static_cast<size_t>(x.cols), error_);
    if (status != LIBSGEMM_SUCCESS || !contents) return status;
    const Copy copy = {Copy::to_device,
                       buffer->get(),
                       x.base,
                       pitch,
                       static_cast<size_t>(x.ld) * x.size,
                       static_cast<size_t>(x.rows) * x.size,
                       x.cols};
    return backend_.copy(device_, copy, nullptr, error_);
  }

  libsgemm_status_t enqueue(const GemmDesc &host, const Kernel **forced) {
    GemmDesc d = host;
    libsgemm_status_t status = up(stored_a(host), &a_, &d.lda, true);
    if (status == LIBSGEMM_SUCCESS && host.b != nullptr) status = up(stored_b(host), &b_, &d.ldb, true);
    if (status == LIBSGEMM_SUCCESS) status = up(stored_c(host), &c_, &d.ldc, reads_c(host));
    if (status != LIBSGEMM_SUCCESS) return status;
    d.a = a_.get();
    d.b = b_.get();
    d.c = static_cast<float *>(c_.get());
    const Kernel *kernel = *forced;
    if (kernel == nullptr) kernel = select_kernel(backend_, d, device_, LIBSGEMM_WORKSPACE_DEFAULT_BYTES);
    if (kernel == nullptr || !kernel->supports(d, device_)) {
      set_error(error_, "no kernel for this call");
      return LIBSGEMM_NOT_SUPPORTED;
    }
    *forced = kernel;
    Launch launch = {};
    launch.device = device_;
    launch.workspace_bytes = workspace_of(*kernel, d, device_);
    if (launch.workspace_bytes > 0) status = workspace_.allocate(launch.workspace_bytes, error_);
    launch.workspace = workspace_.get();
    if (status == LIBSGEMM_SUCCESS) status = kernel->launch(d, launch, error_);
    return status == LIBSGEMM_SUCCESS ? down(host, d) : status;
  }

  // The result goes through host memory of our own: C changes only when all of it has arrived.
  libsgemm_status_t down(const GemmDesc &host, const GemmDesc &device) {
    const size_t column = static_cast<size_t>(host.m) * sizeof(float);
    result_.reset(new (std::nothrow) float[static_cast<size_t>(host.m) * static_cast<size_t>(host.n)]);
    if (result_ == nullptr) {
      set_error(error_, "no host memory for the result");
      return LIBSGEMM_OUT_OF_MEMORY;
    }
    const size_t pitch = static_cast<size_t>(device.ldc) * sizeof(float);
    const Copy copy = {Copy::to_host, result_.get(), device.c, column, pitch, column, host.n};
    return backend_.copy(device_, copy, nullptr, error_);
  }

  const Backend &backend_;
  int device_;
  Error *error_;
  Buffer a_, b_, c_, workspace_;
  std::unique_ptr<float[]> result_;
};

}  // namespace

libsgemm_status_t offload(const Backend &backend, const GemmDesc &desc, int device, const Kernel **kernel,
                          Error *error) {
  // A batch is undone as a whole: products that are done must not stay if a later one fails.
  Snapshot before;
  if (desc.batch_count > 1 && !before.take(desc)) {
    set_error(error, "no host memory for a copy of the batch's outputs");
    return LIBSGEMM_OUT_OF_MEMORY;
  }
  for (int64_t i = 0; i < desc.batch_count; ++i) {
    const Kernel *row = *kernel;
    const libsgemm_status_t status = Staging(backend, device, error).run(batch_item(desc, i), &row);
    if (status != LIBSGEMM_SUCCESS) {
      if (desc.batch_count > 1) before.restore(desc);
      return status;
    }
    if (i + 1 == desc.batch_count) *kernel = row;
  }
  return LIBSGEMM_SUCCESS;
}

}  // namespace libsgemm
