// Where the file of a loaded object lies.
#pragma once

#include <link.h>

#include <string>

namespace libsgemm {

// The object that this address lies in; NULL if there is none.
const link_map *object_of(const void *address);

// Its file, with links resolved; "" for the program itself. A relative path, by which a program or LD_LIBRARY_PATH may
// have loaded it, counts from the folder that was the current one then, and not from the one that is now.
std::string file_of(const link_map &object);

}  // namespace libsgemm
