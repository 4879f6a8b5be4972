// Differences between the vendors' BLAS. Their enumerations are passed as ints.
#pragma once

#include <cstdint>

#include "call/call.h"
#include "contract/desc.h"
#include "libsgemm.h"

namespace libsgemm {

using VendorHandle = void *;
constexpr int kVendorSuccess = 0;

struct Product;

enum class Asked : int8_t {
  exact,    // FP32 inputs and sums
  reduced,  // inputs may be rounded: to TF32, or to 16 bits
  refused   // libsgemm lacks it: pedantic math, emulation, other types
};

// Settings of the vendor's handle.
struct Surroundings {
  void *stream = nullptr;
  Asked asked = Asked::exact;
  bool repeatable = false;
};

extern const Vendor kVendor;
extern const char *const kVendorLibrary;  // beginning of its file name
extern const int kVendorNoTrans;
extern const int kVendorLacks;  // status if the process's library lacks the function

int vendor_status(libsgemm_status_t status);

// Converts to CBLAS's value; -1: illegal.
int op_of(int theirs);
int side_of(int theirs);
int uplo_of(int theirs);
int diag_of(int theirs);
// *type: the inputs' type; f32 for C. False: libsgemm has no such type.
bool type_of(int theirs, Type *type);

// Returns NULL, or why the call is forwarded.
const char *ask_handle(const Product &product, Surroundings *around);
void *stream_of(VendorHandle handle);

}  // namespace libsgemm
