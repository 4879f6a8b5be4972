// Verification of a call on device memory. SAMPLE uses the backend's checksum if it has one for the call; FULL uses the
// backend's check of all elements. Everything else is verified on the host, on copies of the operands.
#pragma once

#include <functional>

#include "matrix/host_copy.h"
#include "process/env.h"
#include "verify.h"

namespace libsgemm {

class DeviceVerification {
 public:
  // Allocates `bytes` of device memory that stays with the call's handle; NULL and *error if there is none.
  using Allocate = std::function<void *(size_t bytes, Error *error)>;

  // `keep`: all device memory that is needed comes from `allocate`; otherwise only the backend's small workspace does.
  DeviceVerification(const DeviceMemory &memory, const GemmDesc &desc, const Settings &settings, uint64_t seed,
                     Allocate allocate, bool keep);
  ~DeviceVerification();
  DeviceVerification(const DeviceVerification &) = delete;
  DeviceVerification &operator=(const DeviceVerification &) = delete;

  // To be called before the call: copies what it may overwrite.
  libsgemm_status_t begin(Error *error);

  // To be called after it: waits, and returns the worst |error| / bound. An error that leaves *computed true concerns
  // the verification alone.
  libsgemm_status_t judge(const Arithmetic &how, double *worst, bool *computed, Error *error);

  // Restores the old C. Does nothing if C was not saved, as with action WARN.
  libsgemm_status_t restore(Error *error);

 private:
  libsgemm_status_t begin_there(size_t bytes, Error *error);
  libsgemm_status_t begin_on_host(Error *error);
  libsgemm_status_t judge_there(const Arithmetic &how, double *worst, bool *computed, Error *error);
  void let_go();
  libsgemm_status_t save_c(Error *error);
  Launch launch() const;

  DeviceMemory memory_;
  const GemmDesc &desc_;
  const Settings &settings_;
  uint64_t seed_;
  const Allocate allocate_;
  bool keep_;

  const bool full_;  // FULL, not SAMPLE
  Checksum checksum_ = {};
  size_t bytes_ = 0;         // bytes of the backend's workspace; 0: the host verifies
  char *scratch_ = nullptr;  // that workspace; with `keep` the old C follows it
  char *saved_ = nullptr;
  bool owned_ = false;  // this object must release saved_
  HostCopy copy_;
  Snapshot before_;
};

}  // namespace libsgemm
