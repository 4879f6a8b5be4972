// Verification of calls on device memory: by the backend's checksum (SAMPLE) or its check of all elements (FULL) if it
// has them, otherwise on host copies.
#pragma once

#include <functional>

#include "matrix/host_copy.h"
#include "process/env.h"
#include "verify.h"

namespace libsgemm {

class DeviceVerification {
 public:
  // Stays with the call's handle. NULL, with *error: none.
  using Allocate = std::function<void *(size_t bytes, Error *error)>;

  // `keep`: all device memory comes from `allocate`; otherwise only the backend's small workspace.
  DeviceVerification(const DeviceMemory &memory, const GemmDesc &desc, const Settings &settings, uint64_t seed,
                     Allocate allocate, bool keep);
  ~DeviceVerification();
  DeviceVerification(const DeviceVerification &) = delete;
  DeviceVerification &operator=(const DeviceVerification &) = delete;

  // Copies what the call may overwrite.
  libsgemm_status_t begin(Error *error);

  // Waits, returns the worst |error| / bound. An error with *computed true concerns the verification alone.
  libsgemm_status_t judge(const Arithmetic &how, double *worst, bool *computed, Error *error);

  // Restores the old C, if it was saved (action WARN does not save).
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

  const bool full_;
  Checksum checksum_ = {};
  size_t bytes_ = 0;         // the backend's workspace; 0: the host verifies
  char *scratch_ = nullptr;  // that workspace; with `keep` the old C follows
  char *saved_ = nullptr;
  bool owned_ = false;
  HostCopy copy_;
  Snapshot before_;
};

}  // namespace libsgemm
