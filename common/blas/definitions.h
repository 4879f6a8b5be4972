// Finds functions that an object in memory defines in the object's own tables, without the dynamic linker. Needed
// during exit: there the dynamic linker treats an object that has ended as one not yet started, and dlopen() would run
// its constructors again.
#pragma once

#include <link.h>

#include <functional>

namespace libsgemm {

// Returns the function of that name which the object of dl_iterate_phdr() defines itself. NULL if it does not, or has
// no hash table of GNU's form, which linkers have made since 2006.
void *function_defined_in(const dl_phdr_info &object, const char *name);

}  // namespace libsgemm
