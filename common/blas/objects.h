// The objects loaded into the process, asked for the names that each of them defines.
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <memory>
#include <string>
#include <vector>

namespace libsgemm {

struct CloseObject {
  void operator()(void *object) const { dlclose(object); }
};
using Object = std::unique_ptr<void, CloseObject>;

// A loaded object by its name, which is "" for the program itself; NULL if it cannot be asked.
Object opened_object(const char *name);

// The object that this address lies in; NULL if there is none.
const link_map *object_of(const void *address);

// Whether an object is libsgemm.so or a drop-in.
bool is_ours(const link_map &map, void *object);

// Of all, in the order in which they were loaded.
std::vector<std::string> object_names();

// Where the file of an object lies, with links resolved.
std::string file_of(const char *object_name);

}  // namespace libsgemm
