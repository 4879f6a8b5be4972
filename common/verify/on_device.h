// Verification of a call on memory of a device. SAMPLE uses the backend's checksum, if it has one of the call, FULL its
// judgement of all elements; all else is verified on the host, on copies of the operands.
#pragma once

#include <functional>

#include "matrix/host_copy.h"
#include "process/env.h"
#include "verify.h"

namespace libsgemm {

class DeviceVerification {
 public:
  // Device memory of `bytes` that stays with the call's handle; NULL and *error if there is none.
  using Allocate = std::function<void *(size_t bytes, Error *error)>;

  // `keep`: all device memory that is needed comes from `allocate`; otherwise only what is small does.
  DeviceVerification(const DeviceMemory &memory, const GemmDesc &desc, const Settings &settings, uint64_t seed,
                     Allocate allocate, bool keep);
  ~DeviceVerification();
  DeviceVerification(const DeviceVerification &) = delete;
  DeviceVerification &operator=(const DeviceVerification &) = delete;

  // Before the call: copies of what it may overwrite.
  libsgemm_status_t begin(Error *error);

  // Behind it: waits, and gives the worst |error| / bound. An error that leaves *computed true is one of the
  // verification alone.
  libsgemm_status_t judge(const Arithmetic &how, double *worst, bool *computed, Error *error);

  // C as it was; unless the action is WARN.
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

  const bool full_;  // not a sample
  Checksum checksum_ = {};
  size_t bytes_ = 0;         // of the backend's workspace; 0: on the host
  char *scratch_ = nullptr;  // that workspace, and behind it C as it was
  char *saved_ = nullptr;
  bool owned_ = false;  // saved_ is ours to release
  HostCopy copy_;
  Snapshot before_;
};

}  // namespace libsgemm
