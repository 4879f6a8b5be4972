// Files of loaded objects.
#pragma once

#include <link.h>

#include <string>

namespace libsgemm {

const link_map *object_of(const void *address);

// The file with links resolved; "" for the program. A relative path starts at the folder that was current at loading.
std::string file_of(const link_map &object);

}  // namespace libsgemm
