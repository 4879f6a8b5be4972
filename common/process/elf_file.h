// Checks a shared object before loading: dlopen() of a truncated file ends the process with SIGBUS, and a loaded object
// runs code at once.
#pragma once

#include <cstdint>
#include <string>

namespace libsgemm {

// A note in a plugin's file: the driver library without which the plugin must not be loaded, and its name for the
// message ("there is no WHAT"). The linker adds a program header for it (PT_NOTE). A plugin defines one:
//   __attribute__((section(".note.libsgemm"), aligned(4), used)) constexpr BeneathNote kNote("libcuda.so.1", "driver");
struct BeneathNote {
  static constexpr uint32_t kType = 1;

  constexpr BeneathNote(const char *the_library, const char *the_words) {
    for (int i = 0; the_library[i] != '\0'; ++i) library[i] = the_library[i];
    for (int i = 0; the_words[i] != '\0'; ++i) what[i] = the_words[i];
  }

  // An ELF note: the name is padded to 4 bytes.
  uint32_t name_bytes = sizeof "libsgemm", rest_bytes = sizeof library + sizeof what, type = kType;
  char name[12] = "libsgemm";
  char library[32] = {}, what[32] = {};  // NUL-terminated
};

struct Beneath {
  std::string library, what;  // empty: no such note
};

// True for a complete shared object for this machine. Otherwise *problem has the reason, with the file's name.
// `beneath` receives the note; may be NULL.
bool check_shared_object(const std::string &path, Beneath *beneath, std::string *problem);

}  // namespace libsgemm
