// Settings of calls, and handles with them.
#pragma once

#include <optional>
#include <string>

#include "array.h"

namespace libsgemm_python {

// The environment decides what is not set.
struct Settings {
  std::optional<libsgemm_math_mode_t> mode;
  std::optional<libsgemm_verify_t> verify;
  std::optional<libsgemm_verify_action_t> action;
  std::string backend;  // "": not requested

  // These settings where set, else those of `others`.
  Settings over(Settings others) const;
};

// ValueError: the word is not valid.
libsgemm_math_mode_t mode_from(nb::handle word);
// Settings in this thread or task (libsgemm.using).
Settings settings_in_force();
// Settings in force, overridden by a call's that are not None.
Settings settings_for(nb::handle mode, nb::handle backend, nb::handle verify);

// This thread's handle for calls at `place`.
libsgemm_handle_t handle_for(const Place &place, const Settings &settings);

// The library then reads the environment.
void start_library();

[[noreturn]] void raise(libsgemm_status_t status);
inline void require(libsgemm_status_t status) {
  if (status != LIBSGEMM_SUCCESS) raise(status);
}

// Releases Python's lock, unless `brief`. place.wait: waits for the end.
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
