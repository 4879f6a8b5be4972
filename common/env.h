// The settings of a call: what the environment says, and what a handle says over it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libsgemm.h"

namespace libsgemm {

// Every backend this library knows, in the order in which `auto` prefers them. To add a backend: one word here.
constexpr const char *kBackendNames[] = {"cuda", "hip", "openblas", "ref"};
constexpr int kBackendCount = 4;
constexpr int kFirstCpu = 2;  // those from here on compute on the CPU
constexpr int kRef = 3;

enum class Offload : int8_t { automatic, never, always };

// Backends in order of preference. `chosen` of them were asked for by name; those behind are there to fall back on.
struct Preference {
  int8_t order[kBackendCount];
  int8_t chosen;  // 0: `auto`
};

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
  double offload_threshold;  // cube root of m * n * k
  libsgemm_math_mode_t math_mode;
  bool deterministic;
  libsgemm_verify_t verify;
  libsgemm_verify_action_t verify_action;
};

// The backends that may compute, in order: those asked for, then, to fall back on, the CPU backends. Returns how many.
int candidates(const Settings &settings, int8_t (&order)[kBackendCount]);

// Read once, at first use.
struct Environment {
  Settings settings;
  std::string kernel;  // LIBSGEMM_KERNEL: resolved to settings.kernel when the backends are known
  std::vector<std::string> backend_path;
  std::string cpu_blas;
  bool devices_set = false;
  std::vector<int> devices;
  int verbose = 0;
  std::string log_path;
  std::string stats_dir;
  bool verify_seed_set = false;
  uint64_t verify_seed = 0;
  std::string error;  // what is invalid, and what would be valid; empty if nothing
};

// Reads LIBSGEMM_* and NVIDIA_TF32_OVERRIDE; only the defaults in a set-user-id process.
Environment read_environment();

// Parses "auto" or a comma list of backends. On failure false, with the valid values in *error.
bool parse_backends(const std::string &text, Preference *preference, std::string *error);

}  // namespace libsgemm
