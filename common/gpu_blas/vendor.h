// Differences between the drop-ins for the vendors' BLAS: each is linked with one vendor's definitions
// (cublas/vendor.cpp, rocblas/vendor.cpp). The vendors' enumerations are passed as ints.
#pragma once

#include <cstdint>

#include "call/call.h"
#include "contract/desc.h"
#include "libsgemm.h"

namespace libsgemm {

using VendorHandle = void *;
constexpr int kVendorSuccess = 0;  // the same for both vendors

struct Product;

// Arithmetic that a call requests.
enum class Asked : int8_t {
  exact,    // full FP32 inputs and sums
  reduced,  // inputs may be rounded: to TF32, or to 16 bits
  refused   // arithmetic that libsgemm lacks: pedantic math, emulation, other types
};

// Properties of a call that the vendor's handle determines.
struct Surroundings {
  void *stream = nullptr;
  Asked asked = Asked::exact;
  bool repeatable = false;  // the same call must give the same bits in every run
};

extern const Vendor kVendor;
extern const char *const kVendorLibrary;  // beginning of the library's file name
extern const int kVendorNoTrans;          // the vendor's enumerator
extern const int kVendorLacks;            // status for a function that the library of the process lacks

int vendor_status(libsgemm_status_t status);

// Translate enumerators to those of CBLAS; -1 for an illegal value.
int op_of(int theirs);
int side_of(int theirs);
int uplo_of(int theirs);
int diag_of(int theirs);
// Translates the type of an input, or of C as Type::f32. False if libsgemm has no such type.
bool type_of(int theirs, Type *type);

// Reads the handle. NULL, or the reason why the call is forwarded.
const char *ask_handle(const Product &product, Surroundings *around);
void *stream_of(VendorHandle handle);

}  // namespace libsgemm
