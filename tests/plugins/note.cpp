// A plugin that must not be loaded where NOTE_LIBRARY is missing: with NOTE_ABORTS, loading ends the process.
#include <cstdlib>

#include "process/elf_file.h"

namespace {

__attribute__((section(".note.libsgemm"), aligned(4), used)) constexpr libsgemm::BeneathNote kNote(NOTE_LIBRARY,
                                                                                                   "mock driver");

#ifdef NOTE_ABORTS
__attribute__((constructor)) void loaded() { std::abort(); }
#endif

}  // namespace
