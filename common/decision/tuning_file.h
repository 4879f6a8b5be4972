// Kernels measured to be the fastest for repeated calls: a file per kind of GPU, which `libsgemm tune` writes and the
// choice of a kernel reads (tuning.h).
#pragma once

#include <string>
#include <vector>

#include "contract/call_class.h"

namespace libsgemm {

// The machine of a tuning; names the file.
struct TuningKey {
  std::string library;  // version
  std::string backend;  // GPU backend
  std::string device;   // driver and name
};

struct TunedCall {
  CallClass call;
  std::string kernel;  // the fastest
  double seconds;      // measured, by that kernel
  std::string model;   // the cost model's choice
  double model_seconds;
};

struct TuningFile {
  TuningKey key;
  std::vector<TunedCall> calls;
};

TuningKey tuning_key(const char *backend, const char *version, const char *device_name);

// In the user's cache: cache_path().
std::string tuning_path(const TuningKey &key);

std::string tuning_to_text(const TuningFile &file);
// False, *problem: not whole and sane.
bool tuning_from_text(const std::string &text, TuningFile *file, std::string *problem);
// False, with the reason in *problem.
bool read_tuning(const std::string &path, TuningFile *file, std::string *problem);
// Otherwise *problem says what the file is for.
bool is_for(const TuningFile &file, const TuningKey &key, std::string *problem);

}  // namespace libsgemm
