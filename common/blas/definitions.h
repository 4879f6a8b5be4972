// Finds functions in an object's tables, without the dynamic linker. During exit the linker takes an ended object for
// one not yet started: dlopen() would run its constructors again.
#pragma once

#include <link.h>

#include <functional>

namespace libsgemm {

// Defined by the object of dl_iterate_phdr() itself. NULL: none, or no hash table in GNU's form, which linkers have
// made since 2006.
void *function_defined_in(const dl_phdr_info &object, const char *name);

}  // namespace libsgemm
