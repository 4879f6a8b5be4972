// What a shared object says of itself, looked at before it is loaded.
//
// dlopen() maps a file as its headers tell and then reads the mapping: of a file that was cut off, by a full disk or an
// interrupted copy, the missing part ends the process with SIGBUS. And what is loaded runs code at once, which may not
// stand that something beneath it is missing.
#pragma once

#include <cstdint>
#include <string>

namespace libsgemm {

// A note in a plugin's file for the loader: the library of a driver without which the plugin is not to be loaded at
// all, and what to call it where it is missing ("there is no WHAT"). A plugin defines one such variable, as
//   __attribute__((section(".note.libsgemm"), aligned(4), used)) constexpr BeneathNote kNote("libcuda.so.1", "driver");
// which the linker puts where program headers lead to it (PT_NOTE).
struct BeneathNote {
  static constexpr uint32_t kType = 1;

  constexpr BeneathNote(const char *the_library, const char *the_words) {
    for (int i = 0; the_library[i] != '\0'; ++i) library[i] = the_library[i];
    for (int i = 0; the_words[i] != '\0'; ++i) what[i] = the_words[i];
  }

  // As ELF has it: lengths of the name and of the rest, the type, and the name, padded to 4 bytes.
  uint32_t name_bytes = sizeof "libsgemm", rest_bytes = sizeof library + sizeof what, type = kType;
  char name[12] = "libsgemm";
  char library[32] = {}, what[32] = {};  // with a NUL at the end
};

struct Beneath {
  std::string library, what;  // empty: the file has no such note
};

// Whether the file is a shared object for this machine with all that its headers tell of; false with the reason, which
// names it. `beneath`, if not NULL, gets what its note says.
bool check_shared_object(const std::string &path, Beneath *beneath, std::string *problem);

}  // namespace libsgemm
