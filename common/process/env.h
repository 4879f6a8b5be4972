// Settings of a call: the environment's, overridden by a handle's.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "libsgemm.h"

namespace libsgemm {

// In `auto`'s order. A new backend needs one word here.
constexpr const char *kGpuBackends[] = {"cuda", "hip"};
constexpr const char *kCpuBackends[] = {"openblas", "cpu"};
constexpr const char *kBuiltIn = "ref";

// Backend numbers; GPUs are below kFirstCpu.
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

// The first `chosen` were requested by name, the others are fallbacks.
struct Preference {
  int8_t order[kBackendCount];
  int8_t chosen;  // 0: `auto`
};

Preference prefer_all();
Preference prefer_cpu();

struct KernelChoice {
  int8_t backend;  // -1: none
  int index;
};

struct Settings {
  Preference preference;
  KernelChoice kernel;
  bool strict;
  Offload offload;
  bool offload_set;          // LIBSGEMM_OFFLOAD or its threshold is set: it applies to backends requested by name, too
  double offload_threshold;  // cube root of m n k; negative: predicted times decide
  libsgemm_math_mode_t math_mode;
  libsgemm_deterministic_t deterministic;
  libsgemm_verify_t verify;
  libsgemm_verify_action_t verify_action;
};

// A call must give the same bits in every run: backend, kernel and partition depend only on the call, the settings and
// the machine, and a failure is the call's error. INVARIANT does not need this: all backends give the same bits.
inline bool repeatable(libsgemm_deterministic_t deterministic) { return deterministic == LIBSGEMM_DETERMINISTIC_ON; }

inline bool may_be_replaced(const Settings &settings) {
  return !settings.strict && !repeatable(settings.deterministic);
}

// The requested backends, then CPU backends as fallbacks. Returns their number.
int candidates(const Settings &settings, int8_t (&order)[kBackendCount]);

struct Environment {
  Settings settings;
  std::string kernel;  // becomes settings.kernel once the backends are known
  std::vector<std::string> backend_path;
  std::string cpu_blas;
  std::string calibration;  // "off", or a file; empty: the user's cache
  bool devices_set = false;
  std::vector<int> devices;
  int offload_threads = 0;  // 0: by the number of cores
  int offload_devices = 0;
  size_t device_memory_limit = 0;  // bytes per device; 0: all that is free
  size_t pinned_memory_limit = 0;  // bytes; 0: the default
  double timeout = 300;            // seconds to wait for a device; 0: for ever
  std::string tuning;              // like `calibration`
  int verbose = 0;
  std::string log_path;
  std::string stats_dir;
  bool stats_calls = false;
  bool verify_seed_set = false;
  uint64_t verify_seed = 0;
  std::string error;                // invalid values, and the valid ones; empty: none
  std::vector<std::string> names;   // all variables
  std::vector<std::string> strays;  // sentences on unknown LIBSGEMM_ variables
};

// A set-user-id process gets the defaults.
Environment read_environment();

// "auto" or a comma list. False: *error has the valid values.
bool parse_backends(const std::string &text, Preference *preference, std::string *error);

}  // namespace libsgemm
