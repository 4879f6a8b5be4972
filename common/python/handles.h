// Settings of calls, and the handles that have them.
#pragma once

#include <optional>
#include <string>

#include "array.h"

namespace libsgemm_python {

// Requested settings; the environment decides the others.
struct Settings {
  std::optional<libsgemm_math_mode_t> mode;
  std::optional<libsgemm_verify_t> verify;
  std::optional<libsgemm_verify_action_t> action;
  std::string backend;  // "": not requested

  // These where set, elsewhere those of `others`.
  Settings over(Settings others) const;
};

// ValueError: not valid.
libsgemm_math_mode_t mode_from(nb::handle word);
// In force in this thread or task (libsgemm.using).
Settings settings_in_force();
// Settings in force, overridden by a call's that are not None.
Settings settings_for(nb::handle mode, nb::handle backend, nb::handle verify);

// This thread's handle for calls there. Throws what libsgemm_create and _set_* return.
libsgemm_handle_t handle_for(const Place &place, const Settings &settings);

// The library then reads the environment.
void start_library();

// With the library's own words.
[[noreturn]] void raise(libsgemm_status_t status);
inline void require(libsgemm_status_t status) {
  if (status != LIBSGEMM_SUCCESS) raise(status);
}

// Calls the library without Python's lock, unless `brief`. place.wait: waits for the end.
template <typename Call>
void run(const Place &place, libsgemm_handle_t handle, const Call &call, bool brief = false) {
  libsgemm_status_t status;
  {
    std::optional<nb::gil_scoped_release> unlocked;
    if (!brief) unlocked.emplace();
    status = call();
    if (status == LIBSGEMM_SUCCESS && place.wait) status = libsgemm_synchronize(handle);
  }
  require(status);
}

void bind_settings(nb::module_ &module);

}  // namespace libsgemm_python
