// Telling a BLAS caller of an illegal argument.
#pragma once

#include <cstdint>

#include "call.h"

namespace libsgemm {

// Performs a call of the drop-in. An illegal argument goes to the program's own error handler named `handler`, as
// xerbla(name, position), or cblas_xerbla(position, name, ...), with integers of the width of INT; without one, to
// stderr. `name` is what a handler expects to be told: "SGEMM " for Fortran, "cblas_sgemm" for CBLAS.
template <typename INT>
void perform(const Call &call, const char *name, const char *handler);
template <typename INT>
void perform(const GroupCall &call, const char *name, const char *handler);

}  // namespace libsgemm
