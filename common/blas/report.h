// Reports of illegal arguments, and calls returned to the program's BLAS.
#pragma once

#include <cstdint>

#include "blas/program.h"
#include "call/call.h"

namespace libsgemm {

// Reports illegal arguments to the program's `handler`, xerbla(name, position) or cblas_xerbla(position, name, ...)
// with integers of INT's width, or to stderr without one. `name`: "SGEMM " for Fortran, "cblas_sgemm" for CBLAS. False:
// the caller's BLAS must compute.
template <typename INT>
bool performed(const Call &call, const char *name, const char *handler);
template <typename INT>
bool performed(const GroupCall &call, const char *name, const char *handler);

// Counts and times a call of the program's function.
class GivenBack {
 public:
  explicit GivenBack(const Call &call) : call_(&call), start_(begin()) {}
  explicit GivenBack(const GroupCall &call) : groups_(&call), start_(begin()) {}
  ~GivenBack();
  GivenBack(const GivenBack &) = delete;
  GivenBack &operator=(const GivenBack &) = delete;

 private:
  static uint64_t begin();  // nanoseconds; 0: not counted

  const Call *call_ = nullptr;
  const GroupCall *groups_ = nullptr;
  const uint64_t start_;
};

// True if a call that no GPU takes goes to the program's function: its BLAS lacks one of the six routines, or the form
// (16-bit types, batches) is beyond them. Routines beyond the six are composed of them.
inline bool gives_back(const Own &own, const Call &call) {
  const bool beyond = call.type != Type::f32 || call.batch != Batch::none;
  return own.definition != nullptr && (own.blas == nullptr || beyond);
}
inline bool gives_back(const Own &own, const GroupCall &) { return own.definition != nullptr; }

// Accepts what the program's OpenBLAS accepts beyond the standard, except in batches.
inline void take_beyond_standard(Call *call) {
  if (call->blas == nullptr || !call->blas->is_openblas()) return;
  for (int *op : {&call->transa, &call->transb}) {
    if (*op == kConjNoTrans) *op = LIBSGEMM_NO_TRANS;
  }
}
inline void take_beyond_standard(GroupCall *) {}

template <typename INT, typename AnyCall, typename CallOwn>
void perform(AnyCall *call, const Own &own, const char *name, const char *handler, const CallOwn &call_own) {
  take_beyond_standard(call);
  call->gives_back = gives_back(own, *call);
  if (performed<INT>(*call, name, handler)) return;
  const GivenBack counted(*call);
  call_own();
}

}  // namespace libsgemm
