// Kernels that were measured to be the fastest for calls that repeat: a file for each kind of GPU, which `libsgemm
// tune` writes and the choice of a kernel reads (tuning.h).
#pragma once

#include <string>
#include <vector>

#include "contract/call_class.h"

namespace libsgemm {

// The machine that a tuning holds for; names the file.
struct TuningKey {
  std::string library;  // version of the library
  std::string backend;  // name of the GPU backend
  std::string device;   // driver and name
};

struct TunedCall {
  CallClass call;
  std::string kernel;  // the fastest kernel
  double seconds;      // measured seconds of a call by that kernel
  std::string model;   // the kernel that the cost model chose
  double model_seconds;
};

struct TuningFile {
  TuningKey key;
  std::vector<TunedCall> calls;
};

// Made from what a backend and its device report about themselves (libsgemm.h).
TuningKey tuning_key(const char *backend, const char *version, const char *device_name);

// Path in the user's cache; see cache_path().
std::string tuning_path(const TuningKey &key);

std::string tuning_to_text(const TuningFile &file);
// False, with the reason in *problem, if the file is not whole and sane.
bool tuning_from_text(const std::string &text, TuningFile *file, std::string *problem);
// False, with the reason in *problem, if the file cannot be used.
bool read_tuning(const std::string &path, TuningFile *file, std::string *problem);
// True if the file's key is `key`; otherwise *problem says what the file is for.
bool is_for(const TuningFile &file, const TuningKey &key, std::string *problem);

}  // namespace libsgemm
