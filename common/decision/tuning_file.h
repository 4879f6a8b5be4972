// Rows that were measured to be the fastest for calls that repeat: a file for each kind of GPU, which `libsgemm tune`
// writes and the choice of a row reads (tuning.h).
#pragma once

#include <string>
#include <vector>

#include "contract/call_class.h"

namespace libsgemm {

// What a tuning holds for; it names the file.
struct TuningKey {
  std::string library;  // version
  std::string backend;  // of the GPU
  std::string device;   // driver and name
};

struct TunedCall {
  CallClass call;
  std::string kernel;  // the fastest row
  double seconds;      // of a call by it, when it was measured
  std::string model;   // the row that the cost model chose
  double model_seconds;
};

struct TuningFile {
  TuningKey key;
  std::vector<TunedCall> calls;
};

// From what a backend and its device say of themselves (libsgemm.h).
TuningKey tuning_key(const char *backend, const char *version, const char *device_name);

// In the user's cache: see cache_path().
std::string tuning_path(const TuningKey &key);

std::string tuning_to_text(const TuningFile &file);
// False, with the reason in *problem, if it is not a whole and sane file.
bool tuning_from_text(const std::string &text, TuningFile *file, std::string *problem);
// False, with the reason in *problem.
bool read_tuning(const std::string &path, TuningFile *file, std::string *problem);
// Whether a file's key is `key`; otherwise *problem says what it is for.
bool is_for(const TuningFile &file, const TuningKey &key, std::string *problem);

}  // namespace libsgemm
