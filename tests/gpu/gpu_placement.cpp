#include "gpu_placement.h"

#include <cstring>

namespace sgemm_test::gpu {
namespace {

constexpr size_t kGuard = 128;         // bytes of Buffer's guard on either side
constexpr size_t kAlignment = 256;     // alignment of device memory
constexpr size_t kHostAlignment = 64;  // Buffer counts misalignment from it

}  // namespace

DevicePlacement::DevicePlacement(Placement *host, const std::vector<const Problem *> &problems, const Strides &strides,
                                 Memory::Kind kind)
    : host_(host), args_(host->args()) {
  const Problem &first = *problems.front();
  const auto last = static_cast<int64_t>(problems.size() - 1);
  const size_t size = element_of(first.test.routine) == Element::kFloat ? 4 : 2;
  const auto bytes = [&](const Matrix &x, int64_t ld, int64_t stride, size_t element) {
    return static_cast<size_t>(last * stride + extent_of(args_.layout, ld, x.rows, x.columns)) * element;
  };
  regions_.push_back(add(args_.a, bytes(first.a, args_.lda, strides.a, size)));
  regions_.push_back(add(args_.b, bytes(first.b, args_.ldb, strides.b, size)));
  regions_.push_back(add(args_.c, bytes(first.c, args_.ldc, strides.c, sizeof(float))));
  memory_ = std::make_unique<Memory>(end_, kind);
  staging_.resize(end_);
  args_.a = memory_->as<void>(regions_[0].offset + kGuard);
  args_.b = memory_->as<void>(regions_[1].offset + kGuard);
  args_.c = memory_->as<float>(regions_[2].offset + kGuard);
  upload();
}

DevicePlacement::Region DevicePlacement::add(const void *data, size_t bytes) {
  const auto address = reinterpret_cast<uintptr_t>(data);
  const size_t start = (end_ + kGuard + kAlignment - 1) / kAlignment * kAlignment + address % kHostAlignment;
  end_ = start + bytes + kGuard;
  return {reinterpret_cast<unsigned char *>(address) - kGuard, start - kGuard, bytes + 2 * kGuard};
}

void DevicePlacement::attach(Placement *host) {
  host_ = host;
  const void *const data[] = {host->args().a, host->args().b, host->args().c};
  for (size_t i = 0; i < regions_.size(); ++i) {
    auto *bytes = const_cast<unsigned char *>(static_cast<const unsigned char *>(data[i]));
    regions_[i].host = bytes - kGuard;
  }
}

void DevicePlacement::upload() {
  for (const Region &r : regions_) std::memcpy(&staging_[r.offset], r.host, r.bytes);
  gpu::upload(memory_->address(), staging_.data(), end_);
}

void DevicePlacement::download() {
  require(driver().to_host(staging_.data(), memory_->address(), end_), "to_host");
  for (const Region &r : regions_) std::memcpy(r.host, &staging_[r.offset], r.bytes);
}

void DevicePlacement::restore() {
  host_->restore();
  upload();
}

std::string DevicePlacement::check(const Arithmetic &how) {
  download();
  return host_->check(how);
}

std::string DevicePlacement::check_untouched() {
  download();
  return host_->check_untouched();
}

}  // namespace sgemm_test::gpu
