// `libsgemm info`: version, backends, kernels that real calls choose, and environment on one screen.
#include <fmt/core.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "base/command.h"
#include "base/library.h"
#include "base/timing.h"
#include "contract/desc.h"
#include "process/env.h"

namespace command {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kWidth = 100;
constexpr size_t kIndent = 12;  // column of the text about a backend
constexpr const char *kBuiltIn = "built in";

constexpr int64_t kSizes[] = {8, 512, 4096};
constexpr int64_t kLarge = 1000;     // larger sizes are called once, if expected to be short
constexpr double kLongestProbe = 1;  // seconds

std::string text(const Json &value) { return value.get<std::string>(); }

std::string shortened(const std::string &routines) {
  std::string all, without_trsm;
  for (const libsgemm::RoutineTraits &traits : libsgemm::kRoutines) {
    all += std::string(traits.name) + " ";
    if (traits.routine != libsgemm::Routine::trsm) without_trsm += std::string(traits.name) + " ";
  }
  if (routines == all + "batches") return "all";
  if (routines == without_trsm + "batches") return "all but trsm";
  return routines.empty() ? "-" : routines;
}

// The first word of a kernel's name is its architecture: "sm80_..." needs sm_80 or later, "gfx_..." any AMD GPU. sm_90
// kernels need sm_90 itself.
std::string architectures_of(const std::string &kernel, bool is_gpu) {
  if (!is_gpu) return "CPU";
  const std::string first = kernel.substr(0, kernel.find('_'));
  if (first == "gfx") return "any";
  if (first == "sm90") return "sm_90";
  if (first.rfind("sm", 0) == 0) return "sm_" + first.substr(2) + "+";
  return first.rfind("gfx", 0) == 0 ? first + "+" : "any";
}

Json describe_kernels(const Backend &backend) {
  Json table = Json::array();
  for (int i = 0; i < backend.info.kernel_count; ++i) {
    libsgemm_kernel_info_t kernel;
    require(libsgemm_kernel_describe(backend.index, i, &kernel));
    table.push_back({{"name", kernel.name},
                     {"routines", kernel.routines},
                     {"types", kernel.types},
                     {"math_mode", kernel.math_mode},
                     {"architectures", architectures_of(kernel.name, backend.info.is_gpu != 0)},
                     {"purpose", kernel.purpose},
                     {"invariant", kernel.invariant != 0}});
  }
  return table;
}

Json describe_backend(const Backend &backend, bool with_kernels) {
  const libsgemm_backend_info_t &info = backend.info;
  Json json = {{"name", info.name}, {"available", info.available != 0}};
  if (info.available == 0) {
    json["reason"] = info.reason;
    if (info.path[0] != '\0') json["plugin"] = info.path;
    return json;
  }
  json["version"] = info.version;
  json["plugin"] = info.path[0] != '\0' ? info.path : kBuiltIn;
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
  for (int i = 0; i < info.kernel_count; ++i) json["kernels"].push_back(libsgemm_kernel_name(backend.index, i));
  if (with_kernels) json["kernel_table"] = describe_kernels(backend);
  return json;
}

// A short product is called twice and the second call timed.
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

Json describe_backends(bool with_kernels) {
  Json backends = Json::array();
  for (const Backend &backend : all_backends()) backends.push_back(describe_backend(backend, with_kernels));
  return backends;
}

Json gather(bool with_kernels) {
  Json json = {{"version", version_text(libsgemm_version())}, {"library", library_file()}};
  json["environment"] = environment();
  json["environment_problems"] = libsgemm::read_environment().strays;
  json["backends"] = describe_backends(with_kernels);
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

void print_wrapped(const std::string &head, size_t indent, const std::string &text) {
  std::string line = fmt::format("{:<{}}", head, indent);
  bool empty = true;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!empty && line.size() + 1 + word.size() > kWidth) {
      fmt::print("{}\n", line);
      line.assign(indent, ' ');
      empty = true;
    }
    line += (empty ? "" : " ") + word;
    empty = false;
  }
  fmt::print("{}\n", line);
}

// Prints devices first..last, which differ at most in free memory.
void print_devices(const Json &backend, size_t first, size_t last) {
  const Json &devices = backend["devices"];
  const std::string which =
      first == last ? fmt::format("device {}", first) : fmt::format("devices {} to {}, each", first, last);
  std::string line = fmt::format("{}: {} ({}), {}", which, text(devices[first]["name"]), text(devices[first]["arch"]),
                                 units_text(devices[first]["compute_units"], backend["gpu"]));
  if (backend["gpu"]) {
    constexpr double kGiB = 1 << 30;
    std::vector<double> free;
    for (size_t i = first; i <= last; ++i) free.push_back(devices[i]["memory_free_bytes"].get<double>() / kGiB);
    const auto [least, most] = std::minmax_element(free.begin(), free.end());
    const std::string low = fmt::format("{:.1f}", *least), high = fmt::format("{:.1f}", *most);
    line += fmt::format(", {} of {:.1f} GiB free", low == high ? low : low + " to " + high,
                        devices[first]["memory_bytes"].get<double>() / kGiB);
  }
  print_wrapped("", kIndent, line);
}

bool alike(Json x, Json y) {
  x.erase("memory_free_bytes");
  y.erase("memory_free_bytes");
  return x == y;
}

void print_backend(const Json &backend) {
  const std::string head = "  " + text(backend["name"]);
  if (!backend["available"]) {
    print_wrapped(head, kIndent, "not available: " + text(backend["reason"]));
    if (backend.contains("plugin")) print_wrapped("", kIndent, "plugin " + text(backend["plugin"]));
    return;
  }
  const size_t kernels = backend["kernels"].size();
  print_wrapped(head, kIndent,
                fmt::format("{}; {} kernel{}", text(backend["version"]), kernels, kernels == 1 ? "" : "s"));
  if (text(backend["plugin"]) != kBuiltIn) print_wrapped("", kIndent, "plugin " + text(backend["plugin"]));
  const Json &devices = backend["devices"];
  for (size_t first = 0; first < devices.size();) {
    size_t last = first;
    while (last + 1 < devices.size() && alike(devices[first], devices[last + 1])) ++last;
    print_devices(backend, first, last);
    first = last + 1;
  }
}

void print_choices(const std::string &title, const Json &choices) {
  constexpr size_t kSizeIndent = 8;
  fmt::print("\n{}\n", title);
  if (choices.contains("error")) {
    print_wrapped("  error:", kSizeIndent + 1, text(choices["error"]));
    return;
  }
  std::string reason;  // the previous size's
  for (const Json &choice : choices["sizes"]) {
    std::string line;
    if (choice["called"]) {
      line = fmt::format("{}, device {}, {}, {}, {}", text(choice["backend"]), choice["device"].get<int>(),
                         text(choice["kernel"]), text(choice["math_mode"]), duration_text(choice["seconds"]));
      line += text(choice["reason"]) == reason ? "; as before" : "; " + text(choice["reason"]);
      reason = text(choice["reason"]);
    } else {
      line = text(choice["reason"]);
    }
    print_wrapped(fmt::format("  {}", choice["size"].get<int64_t>()), kSizeIndent, line);
  }
}

void print_environment(const Json &json) {
  fmt::print("\nenvironment\n");
  if (json["environment"].empty()) fmt::print("  no LIBSGEMM_ variable is set\n");
  for (const auto &[name, value] : json["environment"].items()) fmt::print("  {}={}\n", name, text(value));
  for (const Json &problem : json["environment_problems"]) print_wrapped("  ", 2, text(problem));
}

void print(const Json &json) {
  fmt::print("libsgemm {}, {}\n\nbackends, in the order in which auto prefers them\n", text(json["version"]),
             text(json["library"]));
  for (const Json &backend : json["backends"]) print_backend(backend);
  const auto mib = [&json](const char *what) { return json["memory"][what].get<double>() / (1 << 20); };
  const std::string device_limit =
      mib("device_limit") > 0 ? fmt::format("{:.0f} MiB", mib("device_limit")) : "the free memory";
  fmt::print("\n");
  print_wrapped("", 0,
                fmt::format("memory of calls that go to a GPU: at most {} of a device and {:.0f} MiB page-locked; "
                            "after the calls below {:.0f} and {:.0f} MiB are kept",
                            device_limit, mib("pinned_limit"), mib("device_bytes"), mib("pinned_bytes")));
  print_choices("auto chooses, seen in calls of libsgemm_sgemm with m = n = k and host memory", json["auto"]);
  if (json.contains("with_environment")) {
    print_choices("the environment below chooses, seen in the same calls", json["with_environment"]);
  }
  print_environment(json);
  fmt::print("\nlibsgemm info --kernels lists the kernels.\n");
}

void print_table(const std::vector<std::array<std::string, 5>> &rows) {
  std::array<size_t, 5> widths = {};
  for (const auto &row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto &row : rows) {
    std::string line = "  ";
    for (size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}", row[i], widths[i] + 2);
    fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  }
}

void print_kernels(const Json &backends) {
  for (const Json &backend : backends) {
    if (!backend["available"]) {
      print_wrapped(text(backend["name"]) + ":", kIndent - 2, "not available: " + text(backend["reason"]));
      fmt::print("\n");
      continue;
    }
    fmt::print("{}, {}\n", text(backend["name"]), text(backend["version"]));
    std::vector<std::array<std::string, 5>> rows = {{"kernel", "routines", "types", "arch", "purpose"}};
    bool idle = false;
    for (const Json &kernel : backend["kernel_table"]) {
      std::string types = text(kernel["types"]);
      idle = idle || types.empty();
      if (kernel["math_mode"] != "fp32") types += " as " + text(kernel["math_mode"]);
      rows.push_back({text(kernel["name"]), shortened(text(kernel["routines"])), types, text(kernel["architectures"]),
                      text(kernel["purpose"])});
    }
    print_table(rows);
    if (idle) fmt::print("  -: for devices that are not in this machine\n");
    fmt::print("\n");
  }
}

}  // namespace

int info(const InfoOptions &options) {
  if (options.kernels && !options.json) {
    print_kernels(describe_backends(true));
    print_stray_variables();
    return 0;
  }
  const Json json = gather(options.kernels);
  if (options.json) {
    fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    print(json);
  }
  if (json["auto"].contains("error")) throw Error(text(json["auto"]["error"]));
  return 0;
}

}  // namespace command
