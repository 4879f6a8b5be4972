// Measured model parameters of a machine, written by `libsgemm calibrate`.
#pragma once

#include <string>

#include "model.h"

namespace libsgemm {

// All but `device` is known before a device is initialised, and names the file.
struct CalibrationKey {
  std::string library;
  std::string cpu;  // processor, CPU backend with its version, threads
  std::string backend;
  std::string device;  // driver, name and number of devices
};

struct CalibrationFile {
  CalibrationKey key;
  Calibration figures;
};

CalibrationKey calibration_key(const char *cpu_backend, const char *cpu_version, int cpu_threads,
                               const char *gpu_backend);
std::string calibration_device(const char *version, const char *name, int count);

std::string calibration_path(const CalibrationKey &key);

std::string calibration_to_text(const CalibrationFile &file);
// False, *problem: not whole and sane.
bool calibration_from_text(const std::string &text, CalibrationFile *file, std::string *problem);

// Also compares the key, except for the device.
bool read_calibration(const std::string &path, const CalibrationKey &key, CalibrationFile *file, std::string *problem);

}  // namespace libsgemm
