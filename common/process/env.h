// The settings of a call: what the environment says, and what a handle says over it.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "libsgemm.h"

namespace libsgemm {

// Every backend this library knows, in the order in which `auto` prefers them. To add a backend: one word here. The
// plugins of GPUs come first, then those that compute on the CPU, and last what is built in.
constexpr const char *kGpuBackends[] = {"cuda", "hip"};
constexpr const char *kCpuBackends[] = {"openblas"};
constexpr const char *kBuiltIn = "ref";

// What follows from it. Backends are numbered through: the first kFirstCpu are GPUs', kRef is the built-in one.
constexpr int kFirstCpu = static_cast<int>(std::size(kGpuBackends));
constexpr int kRef = kFirstCpu + static_cast<int>(std::size(kCpuBackends));
constexpr int kBackendCount = kRef + 1;

constexpr std::array<const char *, kBackendCount> backend_names() {
  std::array<const char *, kBackendCount> names = {};
  size_t count = 0;
  for (const char *name : kGpuBackends) names[count++] = name;
  for (const char *name : kCpuBackends) names[count++] = name;
  names[count] = kBuiltIn;
  return names;
}
constexpr std::array<const char *, kBackendCount> kBackendNames = backend_names();

enum class Offload : int8_t { automatic, never, always };

// Backends in order of preference. `chosen` of them were asked for by name; those behind are there to fall back on.
struct Preference {
  int8_t order[kBackendCount];
  int8_t chosen;  // 0: `auto`
};

// `auto`, and what is left of it without GPUs.
Preference prefer_all();
Preference prefer_cpu();

struct KernelChoice {
  int8_t backend;  // -1: none forced
  int row;
};

// Plain data, so that a handle can hold a copy of its own.
struct Settings {
  Preference preference;
  KernelChoice kernel;
  bool strict;
  Offload offload;
  bool offload_set;          // LIBSGEMM_OFFLOAD or its threshold was given: then it holds for forced backends too
  double offload_threshold;  // cube root of m * n * k; negative: not given, and predicted times decide
  libsgemm_math_mode_t math_mode;
  libsgemm_deterministic_t deterministic;
  libsgemm_verify_t verify;
  libsgemm_verify_action_t verify_action;
};

// Whether the same call has to give the same bits, run after run: then who computes, by which row and in which parts
// depends on the call, the settings and the machine alone, and a failure there is an error of the call. (INVARIANT does
// without: every backend gives the same bits.)
inline bool repeatable(libsgemm_deterministic_t deterministic) { return deterministic == LIBSGEMM_DETERMINISTIC_ON; }

// Whether another backend may compute what one has failed at.
inline bool may_be_replaced(const Settings &settings) {
  return !settings.strict && !repeatable(settings.deterministic);
}

// The backends that may compute, in order: those asked for, then, to fall back on, the CPU backends. Returns how many.
int candidates(const Settings &settings, int8_t (&order)[kBackendCount]);

// Read once, at first use.
struct Environment {
  Settings settings;
  std::string kernel;  // LIBSGEMM_KERNEL: resolved to settings.kernel when the backends are known
  std::vector<std::string> backend_path;
  std::string cpu_blas;
  std::string calibration;  // LIBSGEMM_CALIBRATION: "off", or a file; empty: the one in the user's cache
  bool devices_set = false;
  std::vector<int> devices;
  int offload_threads = 0;         // that copy between host memory and pinned memory; 0: by the number of cores
  int offload_devices = 0;         // that share a call; 0: all
  size_t device_memory_limit = 0;  // bytes of each device; 0: what is free
  size_t pinned_memory_limit = 0;  // bytes; 0: the default
  double timeout = 300;            // seconds without an answer from a device; 0: for ever
  std::string tuning;              // LIBSGEMM_TUNING: likewise
  int verbose = 0;
  std::string log_path;
  std::string stats_dir;
  bool stats_calls = false;  // which calls they are is counted there, too
  bool verify_seed_set = false;
  uint64_t verify_seed = 0;
  std::string error;                // what is invalid, and what would be valid; empty if nothing
  std::vector<std::string> names;   // of all variables that there are
  std::vector<std::string> strays;  // a sentence for each LIBSGEMM_ variable that is set and is none of them
};

// Reads LIBSGEMM_* and NVIDIA_TF32_OVERRIDE; only the defaults in a set-user-id process.
Environment read_environment();

// Parses "auto" or a comma list of backends. On failure false, with the valid values in *error.
bool parse_backends(const std::string &text, Preference *preference, std::string *error);

}  // namespace libsgemm
