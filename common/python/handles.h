// Settings of calls, and the handles that they are set on.
#pragma once

#include <optional>
#include <string>

#include "array.h"

namespace libsgemm_python {

// Requested settings; the library's environment decides the others.
struct Settings {
  std::optional<libsgemm_math_mode_t> mode;
  std::optional<libsgemm_verify_t> verify;
  std::optional<libsgemm_verify_action_t> action;
  std::string backend;  // "": not requested

  // These settings where they are set, and those of `others` elsewhere.
  Settings over(Settings others) const;
};

// ValueError: a word is not valid.
libsgemm_math_mode_t mode_from(nb::handle word);
// Returns the settings in force in this thread or task (libsgemm.using).
Settings settings_in_force();
// Returns the settings in force, overridden by those of a call that are not None.
Settings settings_for(nb::handle mode, nb::handle backend, nb::handle verify);

// Returns this thread's handle for calls there, with these settings. Throws what libsgemm_create and _set_* return.
libsgemm_handle_t handle_for(const Place &place, const Settings &settings);

// Starts the library, which reads the environment.
void start_library();

// Raises the exception of a status with the library's own words.
[[noreturn]] void raise(libsgemm_status_t status);
inline void require(libsgemm_status_t status) {
  if (status != LIBSGEMM_SUCCESS) raise(status);
}

// Calls the library without holding Python's lock, unless the call is `brief`. Waits for its end if place.wait is set.
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

// The class Settings and the context variable that holds the settings in force.
void bind_settings(nb::module_ &module);

}  // namespace libsgemm_python
