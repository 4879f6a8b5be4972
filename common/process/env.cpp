#include "env.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <system_error>
#include <vector>

#include "contract/math_mode.h"
#include "nearest.h"

namespace libsgemm {
namespace {

struct Word {
  const char *text;
  int value;
};

// env->names is the only list of known variables.
const char *get(Environment *env, const char *name) {
  if (std::find(env->names.begin(), env->names.end(), name) == env->names.end()) env->names.emplace_back(name);
  const char *value = secure_getenv(name);
  return value != nullptr && value[0] != '\0' ? value : nullptr;
}

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  if (!text.empty() && text.back() == separator) parts.emplace_back();
  return parts;
}

void complain(Environment *env, const std::string &name, const std::string &value, const std::string &valid) {
  if (!env->error.empty()) env->error += "; ";
  env->error += name + "=" + value + " is not valid: use " + valid;
}

int read_word(Environment *env, const char *name, int fallback, const std::vector<Word> &words) {
  const char *value = get(env, name);
  if (value == nullptr) return fallback;
  std::string valid;
  for (const Word &word : words) {
    if (word.text == std::string(value)) return word.value;
    valid += (valid.empty() ? "" : ", ") + std::string(word.text);
  }
  complain(env, name, value, "one of " + valid);
  return fallback;
}

double read_number(Environment *env, const char *name, double fallback, const char *valid) {
  const char *value = get(env, name);
  if (value == nullptr) return fallback;
  // Not strtod(), which follows the program's locale.
  double number = 0;
  const char *const end = value + std::strlen(value);
  const auto [stop, error] = std::from_chars(value, end, number);
  if (error == std::errc() && stop == end && std::isfinite(number) && number >= 0) return number;
  complain(env, name, value, valid);
  return fallback;
}

size_t read_bytes(Environment *env, const char *name) {
  const char *value = get(env, name);
  if (value == nullptr) return 0;
  char *end = nullptr;
  errno = 0;
  const unsigned long long number = std::strtoull(value, &end, 10);
  const char *suffixes = "KMG";
  const char *suffix = *end != '\0' ? std::strchr(suffixes, *end) : nullptr;
  const int shift = suffix != nullptr ? 10 * static_cast<int>(suffix - suffixes + 1) : 0;
  const bool digits = value[0] >= '0' && value[0] <= '9' && errno == 0 && number > 0 && number <= SIZE_MAX >> shift;
  if (digits && *(suffix != nullptr ? end + 1 : end) == '\0') return static_cast<size_t>(number) << shift;
  complain(env, name, value, "a number of bytes > 0, which may end in K, M or G");
  return 0;
}

// Returns a number from 1 to `most`; 0 for "all" and if there is no valid value.
int read_count(Environment *env, const char *name, int most, bool all) {
  const char *value = get(env, name);
  if (value == nullptr || (all && value == std::string("all"))) return 0;
  char *end = nullptr;
  const long number = std::strtol(value, &end, 10);
  if (value[0] >= '0' && value[0] <= '9' && *end == '\0' && number >= 1 && number <= most)
    return static_cast<int>(number);
  complain(env, name, value, (all ? "all, or a number from 1 to " : "a number from 1 to ") + std::to_string(most));
  return 0;
}

void read_devices(Environment *env) {
  const char *value = get(env, "LIBSGEMM_DEVICES");
  if (value == nullptr || value == std::string("all")) return;
  env->devices_set = true;
  if (value == std::string("none")) return;
  for (const std::string &part : split(value, ',')) {
    errno = 0;
    char *end = nullptr;
    const long device = std::strtol(part.c_str(), &end, 10);
    if (part.empty() || part[0] < '0' || part[0] > '9' || *end != '\0' || errno != 0 || device > 1023) {
      complain(env, "LIBSGEMM_DEVICES", value, "all, none, or a comma list of device numbers such as 0,2");
      return;
    }
    env->devices.push_back(static_cast<int>(device));
  }
}

void read_verify_seed(Environment *env) {
  const char *value = get(env, "LIBSGEMM_VERIFY_SEED");
  if (value == nullptr) return;
  errno = 0;
  char *end = nullptr;
  env->verify_seed = std::strtoull(value, &end, 10);
  env->verify_seed_set = true;
  if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0) {
    complain(env, "LIBSGEMM_VERIFY_SEED", value, "an integer from 0 to 18446744073709551615");
  }
}

void read_math_mode(Environment *env) {
  Settings &s = env->settings;
  std::vector<Word> modes;
  modes.reserve(kModeCount);
  for (int mode = 0; mode < kModeCount; ++mode) {
    modes.push_back({mode_traits(static_cast<libsgemm_math_mode_t>(mode)).name, mode});
  }
  s.math_mode = static_cast<libsgemm_math_mode_t>(read_word(env, "LIBSGEMM_MATH_MODE", LIBSGEMM_MATH_FP32, modes));
  // 0 forbids TF32 in every library of the process.
  const char *tf32 = get(env, "NVIDIA_TF32_OVERRIDE");
  if (tf32 != nullptr && tf32 == std::string("0") && s.math_mode == LIBSGEMM_MATH_TF32) {
    s.math_mode = LIBSGEMM_MATH_FP32;
  }
}

// Misspelt LIBSGEMM_ variables would go unnoticed. LIBSGEMM_TEST_ belongs to the tests.
void find_strays(Environment *env) {
  const std::string prefix = "LIBSGEMM_";
  std::vector<std::string> endings;
  for (const std::string &name : env->names) {
    if (name.rfind(prefix, 0) == 0) endings.push_back(name.substr(prefix.size()));
  }
  for (char **entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string name(*entry, std::strcspn(*entry, "="));
    const bool ours = name.rfind(prefix, 0) == 0 && name.rfind("LIBSGEMM_TEST_", 0) != 0;
    if (!ours || std::find(env->names.begin(), env->names.end(), name) != env->names.end()) continue;
    const std::string near = nearest_name(name.substr(prefix.size()), endings);
    env->strays.push_back(name + " is not a variable of libsgemm" +
                          (near.empty() ? "" : "; did you mean " + prefix + near + "?"));
  }
}

constexpr bool equal(const char *x, const char *y) {
  for (; *x == *y; ++x, ++y) {
    if (*x == '\0') return true;
  }
  return false;
}

constexpr bool distinct() {
  for (int i = 0; i < kBackendCount; ++i) {
    for (int j = 0; j < i; ++j) {
      if (equal(kBackendNames[i], kBackendNames[j])) return false;
    }
  }
  return true;
}
static_assert(distinct(), "a backend is found by its name");

std::string valid_backends() {
  std::string text = "auto, ";
  for (const char *name : kBackendNames) text += std::string(name) + ", ";
  return text + "or a comma list of distinct backends in order of preference";
}

}  // namespace

Preference prefer_all() {
  Preference all = {};
  for (int8_t index = 0; index < kBackendCount; ++index) all.order[index] = index;
  return all;
}

Preference prefer_cpu() {
  Preference cpu = {};
  for (int8_t index = kFirstCpu; index < kBackendCount; ++index) cpu.order[cpu.chosen++] = index;
  return cpu;
}

bool parse_backends(const std::string &text, Preference *preference, std::string *error) {
  *preference = prefer_all();
  if (text == "auto") return true;
  bool used[kBackendCount] = {};
  Preference result = {};
  for (const std::string &word : split(text, ',')) {
    int index = 0;
    while (index < kBackendCount && word != kBackendNames[index]) ++index;
    if (index == kBackendCount || used[index]) {
      *error = valid_backends();
      return false;
    }
    used[index] = true;
    result.order[result.chosen++] = static_cast<int8_t>(index);
  }
  if (result.chosen == 0) {
    *error = valid_backends();
    return false;
  }
  int next = result.chosen;
  for (int index = 0; index < kBackendCount; ++index) {
    if (!used[index]) result.order[next++] = static_cast<int8_t>(index);
  }
  *preference = result;
  return true;
}

int candidates(const Settings &s, int8_t (&order)[kBackendCount]) {
  if (s.kernel.backend >= 0) {
    order[0] = s.kernel.backend;
    return 1;
  }
  const Preference &p = s.preference;
  int count = 0;
  for (int i = 0; i < kBackendCount; ++i) {
    const bool asked = p.chosen == 0 || i < p.chosen;
    const bool cpu = p.order[i] >= kFirstCpu;
    if (asked || (cpu && !s.strict)) order[count++] = p.order[i];
  }
  return count;
}

Environment read_environment() {
  Environment env;
  Settings &s = env.settings;
  s = {};
  s.kernel = {-1, 0};
  parse_backends("auto", &s.preference, &env.error);
  if (const char *value = get(&env, "LIBSGEMM_BACKEND")) {
    std::string valid;
    if (!parse_backends(value, &s.preference, &valid)) complain(&env, "LIBSGEMM_BACKEND", value, valid);
  }
  s.strict = read_word(&env, "LIBSGEMM_STRICT", 0, {{"0", 0}, {"1", 1}}) != 0;
  s.deterministic =
      static_cast<libsgemm_deterministic_t>(read_word(&env, "LIBSGEMM_DETERMINISTIC", LIBSGEMM_DETERMINISTIC_OFF,
                                                      {{"0", LIBSGEMM_DETERMINISTIC_OFF},
                                                       {"1", LIBSGEMM_DETERMINISTIC_ON},
                                                       {"invariant", LIBSGEMM_DETERMINISTIC_INVARIANT}}));
  s.offload = static_cast<Offload>(read_word(&env, "LIBSGEMM_OFFLOAD", 0, {{"auto", 0}, {"never", 1}, {"always", 2}}));
  s.offload_threshold = read_number(&env, "LIBSGEMM_OFFLOAD_THRESHOLD", -1,
                                    "a number >= 0, the cube root of m*n*k from which on host data go to a GPU");
  s.offload_set = get(&env, "LIBSGEMM_OFFLOAD") != nullptr || get(&env, "LIBSGEMM_OFFLOAD_THRESHOLD") != nullptr;
  read_math_mode(&env);
  s.verify = static_cast<libsgemm_verify_t>(
      read_word(&env, "LIBSGEMM_VERIFY", LIBSGEMM_VERIFY_OFF,
                {{"off", LIBSGEMM_VERIFY_OFF}, {"sample", LIBSGEMM_VERIFY_SAMPLE}, {"full", LIBSGEMM_VERIFY_FULL}}));
  s.verify_action = static_cast<libsgemm_verify_action_t>(
      read_word(&env, "LIBSGEMM_VERIFY_ACTION", LIBSGEMM_VERIFY_WARN,
                {{"warn", LIBSGEMM_VERIFY_WARN}, {"retry", LIBSGEMM_VERIFY_RETRY}, {"error", LIBSGEMM_VERIFY_ERROR}}));
  read_verify_seed(&env);
  env.verbose = read_word(&env, "LIBSGEMM_VERBOSE", 0, {{"0", 0}, {"1", 1}, {"2", 2}, {"3", 3}});
  read_devices(&env);
  env.offload_threads = read_count(&env, "LIBSGEMM_OFFLOAD_THREADS", 256, false);
  env.offload_devices = read_count(&env, "LIBSGEMM_OFFLOAD_DEVICES", 1024, true);
  env.device_memory_limit = read_bytes(&env, "LIBSGEMM_DEVICE_MEMORY_LIMIT");
  env.pinned_memory_limit = read_bytes(&env, "LIBSGEMM_PINNED_MEMORY_LIMIT");
  env.timeout = read_number(&env, "LIBSGEMM_TIMEOUT", env.timeout,
                            "seconds >= 0 that a device may take to answer, 0 for any time");
  const auto text = [&env](const char *name) {
    const char *value = get(&env, name);
    return std::string(value != nullptr ? value : "");
  };
  env.kernel = text("LIBSGEMM_KERNEL");
  env.cpu_blas = text("LIBSGEMM_CPU_BLAS");
  env.calibration = text("LIBSGEMM_CALIBRATION");
  env.tuning = text("LIBSGEMM_TUNING");
  env.log_path = text("LIBSGEMM_LOG_PATH");
  env.stats_dir = text("LIBSGEMM_STATS_DIR");
  env.stats_calls = read_word(&env, "LIBSGEMM_STATS_CALLS", 0, {{"0", 0}, {"1", 1}}) != 0;
  if (const char *path = get(&env, "LIBSGEMM_BACKEND_PATH")) env.backend_path = split(path, ':');
  if (getauxval(AT_SECURE) == 0) find_strays(&env);
  return env;
}

}  // namespace libsgemm
