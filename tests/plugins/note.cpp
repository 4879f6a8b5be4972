// A plugin with a note of what must lie beneath it, that ends the process if it is loaded without; otherwise no
// backend.
#include <cstdlib>

#include "process/elf_file.h"

namespace {

__attribute__((section(".note.libsgemm"), aligned(4), used)) constexpr libsgemm::BeneathNote kNote(NOTE_LIBRARY,
                                                                                                   "mock driver");

#ifdef NOTE_ABORTS
__attribute__((constructor)) void loaded() { std::abort(); }
#endif

}  // namespace
