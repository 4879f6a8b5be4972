#include "handles.h"

#include <nanobind/stl/string.h>

#include <cstring>
#include <vector>

// Not public.
extern "C" void libsgemm_private_follow_operands(libsgemm_handle_t h);

namespace libsgemm_python {
namespace {

PyObject *g_in_force = nullptr;

struct Handle {
  Device device;
  libsgemm_handle_t handle;
  libsgemm_math_mode_t default_mode, mode;
  libsgemm_verify_t default_verify, verify;
  libsgemm_verify_action_t default_action, action;
  std::string backend;
};

struct Handles {
  std::vector<Handle> all;
  ~Handles() {
    for (const Handle &h : all) libsgemm_destroy(h.handle);
  }
};
thread_local Handles t_handles;

// Throws unless the library can use a GPU that DLPack names, whose memory it would take for host memory.
void require_backend(const Device &device) {
  const char *name = nullptr;
  if (device.kind == Device::kCuda || device.kind == Device::kCudaManaged) name = "cuda";
  if (device.kind == Device::kRocm) name = "hip";
  if (name == nullptr) throw nb::value_error(("libsgemm has no backend for arrays in " + words(device)).c_str());
  start_library();
  for (int i = 0; i < libsgemm_backend_count(); ++i) {
    if (std::strcmp(libsgemm_backend_name(i), name) != 0) continue;
    libsgemm_backend_info_t info;
    require(libsgemm_backend_describe(i, &info));
    if (info.available != 0) return;
    nb::module_::import_("libsgemm._errors")
        .attr("raise_status")(
            static_cast<int>(LIBSGEMM_UNAVAILABLE),
            "arrays are in " + words(device) + ", and backend " + name + " cannot be used: " + info.reason);
  }
}

Handle &find(const Device &device) {
  for (Handle &h : t_handles.all) {
    if (h.device == device) return h;
  }
  if (!device.is_host()) require_backend(device);
  start_library();
  Handle h = {};
  h.device = device;
  require(libsgemm_create(&h.handle));
  libsgemm_private_follow_operands(h.handle);  // frameworks compute on their arrays' device, not on the current one
  t_handles.all.push_back(h);
  Handle &made = t_handles.all.back();
  require(libsgemm_get_math_mode(made.handle, &made.default_mode));
  require(libsgemm_get_verify(made.handle, &made.default_verify, &made.default_action));
  made.mode = made.default_mode;
  made.verify = made.default_verify;
  made.action = made.default_action;
  return made;
}

// In the order of the enumerators, from 0.
constexpr const char *kModes[] = {"fp32", "bf16x6", "fp16x3", "tf32", "bf16", "fp16", "fp64", "fp32_fast"};
constexpr const char *kLevels[] = {"off", "sample", "full"};
constexpr const char *kActions[] = {"warn", "retry", "error"};

template <typename Enum, size_t n>
Enum word(nb::handle given, const char *what, const char *const (&words)[n]) {
  const char *const text = nb::isinstance<nb::str>(given) ? nb::borrow<nb::str>(given).c_str() : "";
  std::string valid;
  for (size_t i = 0; i < n; ++i) {
    if (std::strcmp(text, words[i]) == 0) return static_cast<Enum>(i);
    valid += (i > 0 ? ", " : "") + std::string(words[i]);
  }
  throw nb::value_error(
      (std::string(what) + "=" + nb::repr(given).c_str() + " is not valid: use one of " + valid).c_str());
}

void change(Settings *settings, nb::handle mode, nb::handle backend, nb::handle verify, nb::handle action) {
  if (!mode.is_none()) settings->mode = mode_from(mode);
  if (!verify.is_none()) settings->verify = word<libsgemm_verify_t>(verify, "verify", kLevels);
  if (!action.is_none()) settings->action = word<libsgemm_verify_action_t>(action, "action", kActions);
  if (backend.is_none()) return;
  if (!nb::isinstance<nb::str>(backend))
    throw nb::type_error("backend must be a string, as \"openblas\" or \"cuda,ref\"");
  settings->backend = nb::borrow<nb::str>(backend).c_str();
}

}  // namespace

libsgemm_math_mode_t mode_from(nb::handle given) { return word<libsgemm_math_mode_t>(given, "mode", kModes); }

Settings Settings::over(Settings others) const {
  if (mode) others.mode = mode;
  if (verify) others.verify = verify;
  if (action) others.action = action;
  if (!backend.empty()) others.backend = backend;
  return others;
}

Settings settings_in_force() {
  PyObject *value = nullptr;
  if (PyContextVar_Get(g_in_force, nullptr, &value) != 0) nb::raise_python_error();
  const nb::object found = nb::steal(value);
  return found.is_none() ? Settings() : nb::cast<const Settings &>(found);
}

Settings settings_for(nb::handle mode, nb::handle backend, nb::handle verify) {
  Settings settings = settings_in_force();
  change(&settings, mode, backend, verify, nb::none());
  return settings;
}

void start_library() {
  static bool started = false;  // under Python's lock
  if (started) return;
  // The system's OpenBLAS, or that of NumPy's wheel. The variable is set only during the start: programs started from
  // here do not see it.
  const nb::object path = nb::module_::import_("libsgemm._cpu_blas").attr("bundled")();
  constexpr const char *kVariable = "LIBSGEMM_CPU_BLAS";
  if (!path.is_none()) setenv(kVariable, nb::cast<std::string>(path).c_str(), 0);
  libsgemm_handle_t first;
  const libsgemm_status_t status = libsgemm_create(&first);
  if (!path.is_none()) unsetenv(kVariable);
  require(status);
  libsgemm_destroy(first);
  started = true;
}

libsgemm_handle_t handle_for(const Place &place, const Settings &settings) {
  Handle &h = find(place.device);
  const libsgemm_math_mode_t mode = settings.mode.value_or(h.default_mode);
  if (mode != h.mode) {
    require(libsgemm_set_math_mode(h.handle, mode));
    h.mode = mode;
  }
  const libsgemm_verify_t verify = settings.verify.value_or(h.default_verify);
  // The environment's action applies only if verification is not requested here.
  const libsgemm_verify_action_t action =
      settings.action.value_or(settings.verify ? LIBSGEMM_VERIFY_ERROR : h.default_action);
  if (verify != h.verify || action != h.action) {
    require(libsgemm_set_verify(h.handle, verify, action));
    h.verify = verify;
    h.action = action;
  }
  if (settings.backend != h.backend) {
    const char *const names = settings.backend.empty() ? nullptr : settings.backend.c_str();
    require(libsgemm_set_backend(h.handle, names));
    h.backend = settings.backend;
  }
  // Even if it seems unchanged: maybe another stream at the same address.
  if (!place.device.is_host()) require(libsgemm_set_stream(h.handle, place.stream));
  return h.handle;
}

void raise(libsgemm_status_t status) {
  libsgemm_info_t info;
  const bool reported =
      libsgemm_last_info(&info) == LIBSGEMM_SUCCESS && info.status == status && info.message[0] != '\0';
  nb::module_::import_("libsgemm._errors")
      .attr("raise_status")(static_cast<int>(status), reported ? info.message : libsgemm_status_string(status));
  throw std::logic_error("libsgemm._errors.raise_status() has raised nothing");
}

void bind_settings(nb::module_ &module) {
  nb::class_<Settings>(module, "Settings", "Settings of calls; libsgemm.using() puts them in force.")
      .def(
          "changed",
          [](const Settings &self, nb::handle mode, nb::handle backend, nb::handle verify, nb::handle action) {
            Settings other = self;
            change(&other, mode, backend, verify, action);
            return other;
          },
          nb::arg("mode").none(), nb::arg("backend").none(), nb::arg("verify").none(), nb::arg("action").none(),
          "A copy with the settings changed that are not None.")
      .def(nb::init<>());
  g_in_force = PyContextVar_New("libsgemm.settings", Py_None);
  if (g_in_force == nullptr) nb::raise_python_error();
  module.attr("settings") = nb::borrow(g_in_force);
}

}  // namespace libsgemm_python
