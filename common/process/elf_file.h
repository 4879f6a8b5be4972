// Checks of a shared object before it is loaded.
//
// dlopen() maps a file according to its headers and then reads the mapping. If the file is truncated, by a full disk or
// an interrupted copy, reading the missing part ends the process with SIGBUS. Moreover, a loaded object runs code at
// once, which may not survive that a library it needs is missing.
#pragma once

#include <cstdint>
#include <string>

namespace libsgemm {

// A note for the loader in a plugin's file. It names the library of a driver without which the plugin must not be
// loaded at all, and what to call it in the message ("there is no WHAT"). A plugin defines one such variable:
//   __attribute__((section(".note.libsgemm"), aligned(4), used)) constexpr BeneathNote kNote("libcuda.so.1", "driver");
// The linker puts it where a program header (PT_NOTE) points to it.
struct BeneathNote {
  static constexpr uint32_t kType = 1;

  constexpr BeneathNote(const char *the_library, const char *the_words) {
    for (int i = 0; the_library[i] != '\0'; ++i) library[i] = the_library[i];
    for (int i = 0; the_words[i] != '\0'; ++i) what[i] = the_words[i];
  }

  // Layout of an ELF note: length of the name, length of the rest, type, name padded to 4 bytes.
  uint32_t name_bytes = sizeof "libsgemm", rest_bytes = sizeof library + sizeof what, type = kType;
  char name[12] = "libsgemm";
  char library[32] = {}, what[32] = {};  // NUL-terminated
};

struct Beneath {
  std::string library, what;  // empty: the file has no such note
};

// True if the file is a shared object for this machine that contains everything its headers mention. Otherwise *problem
// has the reason, with the file's name. `beneath`, if not NULL, receives the contents of the note.
bool check_shared_object(const std::string &path, Beneath *beneath, std::string *problem);

}  // namespace libsgemm
