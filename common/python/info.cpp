#include "info.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "handles.h"

namespace libsgemm_python {
namespace {

struct Backend {
  int index;
  libsgemm_backend_info_t info;
};

std::vector<nb::object> devices(const Backend &backend) {
  std::vector<nb::object> all;
  for (int i = 0; i < backend.info.device_count && backend.info.available != 0; ++i) {
    libsgemm_device_info_t device;
    const libsgemm_status_t status = libsgemm_device_describe(backend.index, i, &device);
    if (status != LIBSGEMM_SUCCESS) {
      throw nb::value_error(
          (std::string(backend.info.name) + ", device " + std::to_string(i) + ": " + libsgemm_status_string(status))
              .c_str());
    }
    all.push_back(nb::cast(device));
  }
  return all;
}

nb::list info() {
  start_library();
  nb::list all;
  for (int i = 0; i < libsgemm_backend_count(); ++i) {
    Backend backend = {i, {}};
    require(libsgemm_backend_describe(i, &backend.info));
    all.append(nb::cast(backend));
  }
  return all;
}

libsgemm_info_t last_info() {
  libsgemm_info_t info;
  require(libsgemm_last_info(&info));
  return info;
}

// "CallInfo(entry='libsgemm_sgemm_h', ...)", with all properties.
nb::str describe(nb::handle self) {
  nb::list parts;
  for (nb::handle name : nb::object(self.type().attr("__dict__"))) {
    const std::string text = nb::cast<std::string>(name);
    if (text[0] == '_') continue;
    parts.append(nb::str((text + "=" + nb::repr(self.attr(text.c_str())).c_str()).c_str()));
  }
  const nb::str joined = nb::cast<nb::str>(nb::str(", ").attr("join")(parts));
  return nb::str(
      (std::string(nb::cast<nb::str>(self.type().attr("__name__")).c_str()) + "(" + joined.c_str() + ")").c_str());
}

#define LIBSGEMM_TEXT(type, field, doc) \
  .def_prop_ro(                         \
      #field, [](const type &self) { return nb::str(self.field); }, doc)
void bind_call(nb::module_ &module) {
  using Call = libsgemm_info_t;
  nb::class_<Call>(module, "CallInfo", "What the last call of a thread did; strings are empty where they do not apply.")
      LIBSGEMM_TEXT(Call, entry, "The function of the library that was called.")
          LIBSGEMM_TEXT(Call, backend, "The backend that computed, or 'none' if none had to.")
              LIBSGEMM_TEXT(Call, kernel, "The kernel that computed the product.")
                  LIBSGEMM_TEXT(Call, math_mode, "The arithmetic that ran.")
                      LIBSGEMM_TEXT(Call, reason, "Why this backend, and why not those before it.") LIBSGEMM_TEXT(
                          Call, message, "The error in words.")
                          .def_prop_ro(
                              "status", [](const Call &self) { return static_cast<int>(self.status); },
                              "0, or a libsgemm_status_t.")
                          .def_ro("argument", &Call::argument, "Position of the argument at fault; 0 if none.")
                          .def_ro("device", &Call::device, "Index of the device in its backend.")
                          .def_ro("devices", &Call::devices, "How many devices computed parts of the call.")
                          .def_ro("fallbacks", &Call::fallbacks, "Backends that failed before the one that computed.")
                          .def_ro("plans", &Call::plans, "Operands that came from plans.")
                          .def_prop_ro(
                              "truncated", [](const Call &self) { return self.truncated != 0; },
                              "Whether sums stayed on tensor cores.")
                          .def_prop_ro(
                              "tuned", [](const Call &self) { return self.tuned != 0; },
                              "Whether `libsgemm tune` chose the kernel.")
                          .def_ro("tiles", &Call::tiles, "Tiles in which GPUs computed a call on host memory.")
                          .def_ro("fp64_share", &Call::fp64_share,
                                  "In mode fp32_fast the share of C with sums in FP64; negative: not known.")
                          .def_ro("verify_ratio", &Call::verify_ratio,
                                  "Worst error over its bound; negative if not verified.")
                          .def("__repr__", describe);
}

void bind_device(nb::module_ &module) {
  using Device = libsgemm_device_info_t;
  nb::class_<Device>(module, "DeviceInfo", "A device of a backend.") LIBSGEMM_TEXT(Device, name, "Its name.")
      LIBSGEMM_TEXT(Device, arch, "'sm_90', 'gfx90a', 'Haswell'.")
          .def_ro("memory_bytes", &Device::memory_bytes, "Of the device; 0 for a CPU.")
          .def_ro("memory_free_bytes", &Device::memory_free_bytes, "0 if the device does not report it.")
          .def_ro("compute_units", &Device::compute_units, "Multiprocessors, or threads of a CPU backend.")
          .def("__repr__", describe);
}

#define LIBSGEMM_BACKEND_TEXT(field, doc) \
  .def_prop_ro(                           \
      #field, [](const Backend &self) { return nb::str(self.info.field); }, doc)
void bind_backend(nb::module_ &module) {
  nb::class_<Backend>(module, "BackendInfo", "A backend, usable here or not.")
      LIBSGEMM_BACKEND_TEXT(name, "As LIBSGEMM_BACKEND takes it.")
          .def_prop_ro(
              "available", [](const Backend &self) { return self.info.available != 0; }, "Whether it can compute here.")
              LIBSGEMM_BACKEND_TEXT(reason, "Why it is not available.")
                  LIBSGEMM_BACKEND_TEXT(version, "Version of the software that it uses.")
                      LIBSGEMM_BACKEND_TEXT(path, "File of the plugin.")
          .def_prop_ro(
              "is_gpu", [](const Backend &self) { return self.info.is_gpu != 0; }, "Whether its memory is a GPU's.")
          .def_prop_ro(
              "kernel_count", [](const Backend &self) { return self.info.kernel_count; }, "How many kernels it has.")
          .def_prop_ro("devices", devices, "Its devices; asking a GPU makes a context on it.")
          .def("__repr__", describe);
}
#undef LIBSGEMM_BACKEND_TEXT
#undef LIBSGEMM_TEXT

}  // namespace

void bind_info(nb::module_ &module) {
  bind_call(module);
  bind_device(module);
  bind_backend(module);
  module.def("last_info", last_info,
             "What this thread's last call did: which backend and kernel computed, and why. A CallInfo.");
  module.def("info", info, nb::sig("def info() -> list[BackendInfo]"),
             "Every backend in the order in which they are preferred, and why some are not usable.");
  module.def(
      "version",
      [] {
        const int v = libsgemm_version();
        return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." + std::to_string(v % 100);
      },
      "Of the library, as '0.1.0'.");
}

}  // namespace libsgemm_python
