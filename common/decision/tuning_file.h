// Kernels measured to be fastest, in a file per kind of GPU, written by `libsgemm tune`.
#pragma once

#include <string>
#include <vector>

#include "contract/call_class.h"

namespace libsgemm {

// Names the file.
struct TuningKey {
  std::string library;
  std::string backend;
  std::string device;  // driver and name
};

struct TunedCall {
  CallClass call;
  std::string kernel;
  double seconds;
  std::string model;  // the cost model's choice
  double model_seconds;
};

struct TuningFile {
  TuningKey key;
  std::vector<TunedCall> calls;
};

TuningKey tuning_key(const char *backend, const char *version, const char *device_name);

std::string tuning_path(const TuningKey &key);

std::string tuning_to_text(const TuningFile &file);
bool tuning_from_text(const std::string &text, TuningFile *file, std::string *problem);
bool read_tuning(const std::string &path, TuningFile *file, std::string *problem);
bool is_for(const TuningFile &file, const TuningKey &key, std::string *problem);

}  // namespace libsgemm
