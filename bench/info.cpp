// `libsgemm info`: version, backends with their devices and kernels or the reason for their refusal, what a call would
// choose, and the environment. The choices are not predicted: they are read off real calls.
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "command.h"
#include "library.h"
#include "timing.h"

namespace command {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kSizes[] = {8, 512, 4096};
constexpr int64_t kLarge = 1000;     // called once, and only if that does not take too long
constexpr double kLongestProbe = 1;  // seconds that a probing call may be expected to take

Json describe_backend(const Backend &backend) {
  const libsgemm_backend_info_t &info = backend.info;
  Json json = {{"name", info.name}, {"available", info.available != 0}};
  if (info.available == 0) {
    json["reason"] = info.reason;
    if (info.path[0] != '\0') json["plugin"] = info.path;
    return json;
  }
  json["version"] = info.version;
  json["plugin"] = info.path[0] != '\0' ? info.path : "built in";
  json["gpu"] = info.is_gpu != 0;
  json["devices"] = Json::array();
  for (int i = 0; i < info.device_count; ++i) {
    libsgemm_device_info_t device;
    require(libsgemm_device_describe(backend.index, i, &device));
    json["devices"].push_back({{"name", device.name},
                               {"arch", device.arch},
                               {"compute_units", device.compute_units},
                               {"memory_bytes", device.memory_bytes},
                               {"memory_free_bytes", device.memory_free_bytes}});
  }
  json["kernels"] = Json::array();
  for (int row = 0; row < info.kernel_count; ++row) json["kernels"].push_back(libsgemm_kernel_name(backend.index, row));
  return json;
}

// A real product of two size x size matrices of host memory; where it is short, the second is timed.
Json probe(libsgemm_handle_t handle, int64_t size) {
  const std::vector<float> a(static_cast<size_t>(size * size), 0.5f);
  std::vector<float> c(a.size());
  double seconds = 0;
  for (int i = size < kLarge ? 0 : 1; i < 2; ++i) {
    const double start = now();
    require(libsgemm_sgemm_h(handle, LIBSGEMM_COL_MAJOR, LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS, size, size, size, 1,
                             a.data(), size, a.data(), size, 0, c.data(), size));
    seconds = now() - start;
  }
  const libsgemm_info_t info = last_info();
  return {{"size", size},          {"called", true},        {"backend", info.backend},
          {"device", info.device}, {"kernel", info.kernel}, {"math_mode", info.math_mode},
          {"seconds", seconds},    {"reason", info.reason}};
}

// What calls with this handle choose, size by size; a size that would take too long is not called, and says so.
Json probe_sizes(libsgemm_handle_t handle) {
  Json choices = Json::array();
  double expected = 0;
  int64_t previous = 0;
  for (const int64_t size : kSizes) {
    if (previous != 0) expected *= std::pow(static_cast<double>(size) / static_cast<double>(previous), 3);
    if (size >= kLarge && expected > kLongestProbe) {
      choices.push_back({{"size", size},
                         {"called", false},
                         {"reason", fmt::format("not tried: {:.0f} s expected from size {}", expected, previous)}});
      continue;
    }
    choices.push_back(probe(handle, size));
    expected = choices.back()["seconds"];
    previous = size;
  }
  return choices;
}

Json probe_or_error(bool automatic) {
  try {
    Handle handle;
    if (automatic) {
      require(libsgemm_set_backend(handle, "auto"));
      require(libsgemm_set_kernel(handle, ""));
    }
    require(libsgemm_set_verify(handle, LIBSGEMM_VERIFY_OFF, LIBSGEMM_VERIFY_WARN));
    return {{"sizes", probe_sizes(handle)}};
  } catch (const Error &error) {
    return {{"error", error.what()}};
  }
}

Json environment() {
  Json variables = Json::object();
  for (char **entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const size_t equals = text.find('=');
    if (text.rfind("LIBSGEMM_", 0) == 0) variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return variables;
}

Json gather() {
  Json json = {{"version", version_text(libsgemm_version())}, {"library", library_file()}};
  json["environment"] = environment();
  json["backends"] = Json::array();
  for (const Backend &backend : all_backends()) json["backends"].push_back(describe_backend(backend));
  json["auto"] = probe_or_error(true);
  libsgemm_memory_t memory;
  require(libsgemm_get_memory(&memory));
  json["memory"] = {{"device_limit", memory.device_limit},
                    {"device_bytes", memory.device_bytes},
                    {"pinned_limit", memory.pinned_limit},
                    {"pinned_bytes", memory.pinned_bytes}};
  const bool forced = getenv("LIBSGEMM_BACKEND") != nullptr || getenv("LIBSGEMM_KERNEL") != nullptr;
  if (forced) json["with_environment"] = probe_or_error(false);
  return json;
}

std::string text(const Json &value) { return value.get<std::string>(); }

void print_backend(const Json &backend) {
  if (!backend["available"]) {
    fmt::print("  {:<10}not available: {}\n", text(backend["name"]), text(backend["reason"]));
    if (backend.contains("plugin")) fmt::print("  {:<10}plugin {}\n", "", text(backend["plugin"]));
    return;
  }
  fmt::print("  {:<10}{}\n", text(backend["name"]), text(backend["version"]));
  fmt::print("  {:<10}plugin {}\n", "", text(backend["plugin"]));
  int index = 0;
  for (const Json &device : backend["devices"]) {
    fmt::print("  {:<10}device {}: {} ({}), {}", "", index++, text(device["name"]), text(device["arch"]),
               units_text(device["compute_units"], backend["gpu"]));
    if (backend["gpu"]) {
      constexpr double kGiB = 1 << 30;
      fmt::print(", {:.1f} of {:.1f} GiB free", device["memory_free_bytes"].get<double>() / kGiB,
                 device["memory_bytes"].get<double>() / kGiB);
    }
    fmt::print("\n");
  }
  fmt::print("  {:<10}kernels:", "");
  for (const Json &kernel : backend["kernels"]) fmt::print(" {}", text(kernel));
  fmt::print("\n");
}

void print_choices(const std::string &title, const Json &choices) {
  fmt::print("\n{}\n", title);
  if (choices.contains("error")) {
    fmt::print("  error: {}\n", text(choices["error"]));
    return;
  }
  for (const Json &choice : choices["sizes"]) {
    if (choice["called"]) {
      fmt::print("  {:<6}{}, device {}, {}, {}, {}; {}\n", choice["size"].get<int64_t>(), text(choice["backend"]),
                 choice["device"].get<int>(), text(choice["kernel"]), text(choice["math_mode"]),
                 duration_text(choice["seconds"]), text(choice["reason"]));
    } else {
      fmt::print("  {:<6}{}\n", choice["size"].get<int64_t>(), text(choice["reason"]));
    }
  }
}

void print(const Json &json) {
  fmt::print("libsgemm {}, {}\n\nbackends, in the order in which auto prefers them\n", text(json["version"]),
             text(json["library"]));
  for (const Json &backend : json["backends"]) print_backend(backend);
  const auto mib = [&json](const char *what) { return json["memory"][what].get<double>() / (1 << 20); };
  const std::string device_limit =
      mib("device_limit") > 0 ? fmt::format("{:.0f} MiB", mib("device_limit")) : "what is free";
  fmt::print(
      "\nmemory of calls that go to a GPU: at most {} of a device and {:.0f} MiB page-locked; after the calls below "
      "{:.0f} and {:.0f} MiB are kept\n",
      device_limit, mib("pinned_limit"), mib("device_bytes"), mib("pinned_bytes"));
  print_choices("auto chooses, seen in calls of libsgemm_sgemm with m = n = k and host memory", json["auto"]);
  if (json.contains("with_environment")) {
    print_choices("the environment below chooses, seen in the same calls", json["with_environment"]);
  }
  fmt::print("\nenvironment\n");
  if (json["environment"].empty()) fmt::print("  no LIBSGEMM_ variable is set\n");
  for (const auto &[name, value] : json["environment"].items()) fmt::print("  {}={}\n", name, text(value));
}

}  // namespace

int info(const InfoOptions &options) {
  const Json json = gather();
  if (options.json) {
    fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    print(json);
  }
  if (json["auto"].contains("error")) throw Error(text(json["auto"]["error"]));
  return 0;
}

}  // namespace command
