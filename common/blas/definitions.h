// What an object in memory defines, found in its own tables without the dynamic linker. For the end of a process: there
// an object that has ended counts as one that has not begun, and dlopen() would run its constructors once more.
#pragma once

#include <link.h>

#include <functional>

namespace libsgemm {

// The function of that name which the object of dl_iterate_phdr() defines itself; NULL if it does not, or has no hash
// table of GNU's form, which linkers have made since 2006.
void *function_defined_in(const dl_phdr_info &object, const char *name);

}  // namespace libsgemm
