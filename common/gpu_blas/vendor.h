// What the drop-ins under the names of a GPU's BLAS differ in: each is linked with one vendor's definitions
// (cublas/vendor.cpp, rocblas/vendor.cpp). Enumerations of theirs are ints.
#pragma once

#include <cstdint>

#include "call/call.h"
#include "contract/desc.h"
#include "libsgemm.h"

namespace libsgemm {

using VendorHandle = void *;
constexpr int kVendorSuccess = 0;  // the status of either

struct Product;

// What arithmetic a call asks for.
enum class Asked : int8_t {
  exact,    // sums and inputs as they are
  reduced,  // inputs may be rounded: to TF32, or to 16 bits
  refused   // what we do not have: pedantic math, emulation, other types
};

// What a handle of theirs says of a call.
struct Surroundings {
  void *stream = nullptr;
  Asked asked = Asked::exact;
  bool repeatable = false;  // the same call has to give the same bits, run after run
};

extern const Vendor kVendor;
extern const char *const kVendorLibrary;  // how the file's name begins
extern const int kVendorNoTrans;          // their enumerator
extern const int kVendorLacks;            // the status of a function that the library of the process does not have

int vendor_status(libsgemm_status_t status);

// Enumerators as those of CBLAS; -1 for what is none.
int op_of(int theirs);
int side_of(int theirs);
int uplo_of(int theirs);
int diag_of(int theirs);
// Of a matrix of inputs, or of C as Type::f32; false if it is none of ours.
bool type_of(int theirs, Type *type);

// NULL, or why the handle makes the call another's.
const char *ask_handle(const Product &product, Surroundings *around);
void *stream_of(VendorHandle handle);

}  // namespace libsgemm
