// The objects loaded into the process, and lookups of the names that each of them defines.
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <memory>
#include <string>
#include <vector>

#include "process/object_file.h"

namespace libsgemm {

struct CloseObject {
  void operator()(void *object) const { dlclose(object); }
};
using Object = std::unique_ptr<void, CloseObject>;

// Opens a loaded object by its name, which is "" for the program itself. NULL if that fails.
Object opened_object(const char *name);

// True if an object is libsgemm.so or a drop-in.
bool is_ours(const link_map &map, void *object);

// Names of all objects, in the order in which they were loaded.
std::vector<std::string> object_names();

}  // namespace libsgemm
