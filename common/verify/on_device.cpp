#include "on_device.h"

#include <algorithm>
#include <new>
#include <utility>

#include "error_contract.h"

namespace libsgemm {
namespace {

constexpr size_t kAlignment = 256;

size_t dense_bytes(const GemmDesc &d) { return static_cast<size_t>(d.m) * static_cast<size_t>(d.n) * sizeof(float); }

}  // namespace

DeviceVerification::DeviceVerification(const DeviceMemory &memory, const GemmDesc &desc, const Settings &settings,
                                       uint64_t seed, Allocate allocate, bool keep)
    : memory_(memory),
      desc_(desc),
      settings_(settings),
      seed_(seed),
      allocate_(std::move(allocate)),
      keep_(keep),
      full_(settings.verify == LIBSGEMM_VERIFY_FULL) {}

DeviceVerification::~DeviceVerification() { let_go(); }

void DeviceVerification::let_go() {
  if (!owned_) return;
  // A copy may be in flight if the call failed before any thread waited.
  Error ignored;
  memory_.table.synchronize(memory_.device, memory_.stream, &ignored);
  memory_.table.release(memory_.device, saved_);
  owned_ = false;
}

Launch DeviceVerification::launch() const {
  Launch launch = {};
  launch.device = memory_.device;
  launch.stream = memory_.stream;
  launch.workspace = scratch_;
  launch.workspace_bytes = bytes_;
  return launch;
}

libsgemm_status_t DeviceVerification::begin(Error *error) {
  const Backend &table = memory_.table;
  if (full_ && table.elements_bytes != nullptr) bytes_ = table.elements_bytes(desc_, memory_.device);
  if (!full_ && table.checksum_bytes != nullptr) {
    checksum_ = draw_checksum(desc_.m, desc_.n, desc_.k, seed_);
    bytes_ = table.checksum_bytes(desc_, checksum_, memory_.device);
  }
  if (bytes_ == 0) return begin_on_host(error);
  const libsgemm_status_t status = begin_there((bytes_ + kAlignment - 1) / kAlignment * kAlignment, error);
  if (!full_ || status != LIBSGEMM_OUT_OF_MEMORY) return status;
  // The host needs no device memory.
  let_go();
  bytes_ = 0;
  return begin_on_host(error);
}

libsgemm_status_t DeviceVerification::begin_on_host(Error *error) {
  const libsgemm_status_t status = copy_.take(memory_, desc_, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  if (before_.take(copy_.desc())) return LIBSGEMM_SUCCESS;
  set_error(error, "no host memory for the copy of C that verification needs");
  return LIBSGEMM_OUT_OF_MEMORY;
}

libsgemm_status_t DeviceVerification::begin_there(size_t bytes, Error *error) {
  const bool saves = settings_.verify_action != LIBSGEMM_VERIFY_WARN || (full_ && reads_c(desc_));
  const size_t with_c = bytes + (saves ? dense_bytes(desc_) : 0);
  scratch_ = static_cast<char *>(allocate_(keep_ ? with_c : bytes, error));
  if (scratch_ == nullptr) return LIBSGEMM_OUT_OF_MEMORY;
  if (saves && keep_) saved_ = scratch_ + bytes;
  if (saves && !keep_) {
    void *memory = nullptr;
    const libsgemm_status_t status = memory_.table.allocate(memory_.device, dense_bytes(desc_), &memory, error);
    if (status != LIBSGEMM_SUCCESS) return status;
    saved_ = static_cast<char *>(memory);
    owned_ = true;
  }
  const libsgemm_status_t status = saves ? save_c(error) : LIBSGEMM_SUCCESS;
  if (status != LIBSGEMM_SUCCESS || full_ || !reads_c(desc_)) return status;
  return memory_.table.checksum(desc_, checksum_, false, launch(), error);
}

libsgemm_status_t DeviceVerification::save_c(Error *error) {
  const size_t column = static_cast<size_t>(desc_.m) * sizeof(float);
  const Copy copy = {
      Copy::within_device, saved_, desc_.c, column, static_cast<size_t>(desc_.ldc) * sizeof(float), column, desc_.n};
  return memory_.table.copy(memory_.device, copy, memory_.stream, error);
}

libsgemm_status_t DeviceVerification::judge_there(const Arithmetic &how, double *worst, bool *computed, Error *error) {
  double results[kMostElementBytes / sizeof(double)];
  const size_t count = full_ ? bytes_ / sizeof(double) : kChecksumResults, bytes = count * sizeof(double);
  libsgemm_status_t status;
  if (full_) {
    const auto *before = reads_c(desc_) ? reinterpret_cast<const float *>(saved_) : nullptr;
    status = memory_.table.elements(desc_, element_bound(desc_, how), before, launch(), error);
  } else {
    checksum_.factor = error_factor(desc_, how);
    checksum_.cut = cut_off(desc_, how);
    checksum_.mode = how.mode;
    status = memory_.table.checksum(desc_, checksum_, true, launch(), error);
  }
  if (status == LIBSGEMM_SUCCESS) {
    const Copy copy = {Copy::to_host, results, scratch_, bytes, bytes, bytes, 1};
    status = memory_.table.copy(memory_.device, copy, memory_.stream, error);
  }
  Error after_failure = {};
  const libsgemm_status_t waited =
      memory_.table.synchronize(memory_.device, memory_.stream, status == LIBSGEMM_SUCCESS ? error : &after_failure);
  *computed = waited == LIBSGEMM_SUCCESS;
  if (status == LIBSGEMM_SUCCESS) status = waited;
  if (status == LIBSGEMM_SUCCESS) *worst = *std::max_element(results, results + count);
  return status;
}

libsgemm_status_t DeviceVerification::judge(const Arithmetic &how, double *worst, bool *computed, Error *error) {
  *computed = false;
  if (bytes_ > 0) return judge_there(how, worst, computed, error);
  const libsgemm_status_t status = copy_.fetch_c(memory_, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  *computed = true;
  try {
    *worst = verify_result(copy_.desc(), &before_, settings_.verify, how, seed_);
    return status;
  } catch (const std::bad_alloc &) {
    set_error(error, "no host memory to verify the result");
    return LIBSGEMM_OUT_OF_MEMORY;
  }
}

libsgemm_status_t DeviceVerification::restore(Error *error) {
  if (bytes_ == 0) {
    before_.restore(copy_.desc());
    return copy_.return_c(memory_, error);
  }
  if (saved_ == nullptr) return LIBSGEMM_SUCCESS;
  const libsgemm_status_t status = copy_part(memory_, desc_, Copy::within_device, saved_, error);
  Error after_failure = {};
  const libsgemm_status_t waited =
      memory_.table.synchronize(memory_.device, memory_.stream, status == LIBSGEMM_SUCCESS ? error : &after_failure);
  return status == LIBSGEMM_SUCCESS ? waited : status;
}

}  // namespace libsgemm
