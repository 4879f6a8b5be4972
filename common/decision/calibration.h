// The measured figures of a machine as a file: a cache that `libsgemm calibrate` writes and the decision reads.
#pragma once

#include <string>

#include "model.h"

namespace libsgemm {

// The machine that figures hold for. All but `device` is known before a device is initialised, and names the file.
struct CalibrationKey {
  std::string library;  // version of the library
  std::string cpu;      // processor, CPU backend with its version, threads
  std::string backend;  // name of the GPU backend
  std::string device;   // driver, name and number of the devices
};

struct CalibrationFile {
  CalibrationKey key;
  Calibration figures;
};

// Make the texts of a key from what backends and devices report about themselves (libsgemm.h).
CalibrationKey calibration_key(const char *cpu_backend, const char *cpu_version, int cpu_threads,
                               const char *gpu_backend);
std::string calibration_device(const char *version, const char *name, int count);

// ${XDG_CACHE_HOME:-$HOME/.cache}/libsgemm/calibration-<hash of the key>.txt; empty in a set-user-id process and where
// neither variable is an absolute path.
std::string calibration_path(const CalibrationKey &key);

std::string calibration_to_text(const CalibrationFile &file);
// False, with the reason in *problem, if the file is not whole and sane.
bool calibration_from_text(const std::string &text, CalibrationFile *file, std::string *problem);

// Reads a file and compares its key, except for the device. False, with the reason in *problem, if either fails.
bool read_calibration(const std::string &path, const CalibrationKey &key, CalibrationFile *file, std::string *problem);

}  // namespace libsgemm
