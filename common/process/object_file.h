// Files of loaded objects.
#pragma once

#include <link.h>

#include <string>

namespace libsgemm {

// Returns the loaded object that contains this address; NULL if there is none.
const link_map *object_of(const void *address);

// Returns the object's file, with links resolved; "" for the program itself. A relative path, by which a program or
// LD_LIBRARY_PATH may have loaded it, is resolved from the folder that was current then, not from the present one.
std::string file_of(const link_map &object);

}  // namespace libsgemm
