// The process's loaded objects.
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

// Finds `name` among the loaded objects; "": the program. NULL: it is not loaded.
Object opened_object(const char *name);

bool is_ours(const link_map &map, void *object);

std::vector<std::string> object_names();

}  // namespace libsgemm
