// With NOTE_ABORTS loading ends the process, which must not happen without the library that the ELF note requires.
#include <cstdlib>

#include "process/elf_file.h"

namespace {

__attribute__((section(".note.libsgemm"), aligned(4), used)) constexpr libsgemm::BeneathNote kNote(NOTE_LIBRARY,
                                                                                                   "mock driver");

#ifdef NOTE_ABORTS
__attribute__((constructor)) void loaded() { std::abort(); }
#endif

}  // namespace
