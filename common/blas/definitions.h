// Finds functions in an object's tables, without the dynamic linker. During exit, dlopen() would take an ended object
// for one not yet started, and run its constructors again.
#pragma once

#include <link.h>

#include <functional>

namespace libsgemm {

// NULL: the object of dl_iterate_phdr() itself does not define it, or has no hash table in GNU's form (usual since
// 2006).
void *function_defined_in(const dl_phdr_info &object, const char *name);

}  // namespace libsgemm
