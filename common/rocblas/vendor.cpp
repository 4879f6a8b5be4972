#include "gpu_blas/vendor.h"

#include "gpu_blas/real.h"
#include "gpu_blas/take.h"
#include "rocblas/rocblas.h"

extern "C" {
// Tells programs that the drop-in is loaded.
LIBSGEMM_API int libsgemm_rocblas_version(void);
int libsgemm_rocblas_version(void) { return LIBSGEMM_VERSION; }

int rocblas_get_pointer_mode(libsgemm::VendorHandle handle, int *mode);
int rocblas_get_math_mode(libsgemm::VendorHandle handle, int *mode);  // since rocBLAS 3.1
int rocblas_get_atomics_mode(libsgemm::VendorHandle handle, int *mode);
int rocblas_get_stream(libsgemm::VendorHandle handle, void **stream);
bool rocblas_is_device_memory_size_query(libsgemm::VendorHandle handle);
}

namespace libsgemm {
namespace {

Real<decltype(rocblas_get_stream)> g_get_stream("rocblas_get_stream");

// Not every version has the function. rocBLAS must be loaded.
template <typename F>
F *find_optional(const char *name) {
  return reinterpret_cast<F *>(find_in_vendor(name));
}
struct Optional {
  decltype(rocblas_get_math_mode) *get_math_mode =
      find_optional<decltype(rocblas_get_math_mode)>("rocblas_get_math_mode");
  decltype(rocblas_get_atomics_mode) *get_atomics_mode =
      find_optional<decltype(rocblas_get_atomics_mode)>("rocblas_get_atomics_mode");
  // During a query calls report to the handle how much memory they need, and compute nothing.
  decltype(rocblas_is_device_memory_size_query) *is_size_query =
      find_optional<decltype(rocblas_is_device_memory_size_query)>("rocblas_is_device_memory_size_query");
};

// A version without the mode leaves *mode unchanged.
bool get_mode(int (*get)(VendorHandle, int *), VendorHandle handle, int *mode) {
  return get == nullptr || get(handle, mode) == kVendorSuccess;
}

bool is_within(int value, int first, int last) { return value >= first && value <= last; }

}  // namespace

const Vendor kVendor = {"rocblas", "rocBLAS"};
const char *const kVendorLibrary = "librocblas";
const int kVendorNoTrans = LIBSGEMM_NO_TRANS;
const int kVendorLacks = kRocblasNotImplemented;

int vendor_status(libsgemm_status_t status) {
  switch (status) {
    case LIBSGEMM_SUCCESS:
      return kRocblasSuccess;
    case LIBSGEMM_OUT_OF_MEMORY:
      return kRocblasMemoryError;
    case LIBSGEMM_NOT_SUPPORTED:
      return kRocblasNotImplemented;
    default:
      return kRocblasInternalError;
  }
}

int op_of(int theirs) { return is_within(theirs, LIBSGEMM_NO_TRANS, LIBSGEMM_CONJ_TRANS) ? theirs : -1; }
int side_of(int theirs) { return is_within(theirs, LIBSGEMM_LEFT, LIBSGEMM_RIGHT) ? theirs : -1; }
int uplo_of(int theirs) { return is_within(theirs, LIBSGEMM_UPPER, LIBSGEMM_LOWER) ? theirs : -1; }
int diag_of(int theirs) { return is_within(theirs, LIBSGEMM_NON_UNIT, LIBSGEMM_UNIT) ? theirs : -1; }

bool type_of(int theirs, Type *type) {
  *type = theirs == kRocblasF16 ? Type::f16 : theirs == kRocblasBf16 ? Type::bf16 : Type::f32;
  return theirs == kRocblasF32 || theirs == kRocblasF16 || theirs == kRocblasBf16;
}

const char *ask_handle(const Product &p, Surroundings *around) {
  static Real<decltype(rocblas_get_pointer_mode)> get_pointer_mode("rocblas_get_pointer_mode");
  int pointer_mode = 0, math_mode = kRocblasMathDefault, atomics_mode = kRocblasAtomicsAllowed;
  const char *const refused = "handle that rocBLAS refuses";
  if (get_pointer_mode(p.handle, &pointer_mode) != kVendorSuccess) return refused;
  static const Optional optional;
  if (!get_mode(optional.get_math_mode, p.handle, &math_mode) ||
      !get_mode(optional.get_atomics_mode, p.handle, &atomics_mode) ||
      g_get_stream(p.handle, &around->stream) != kVendorSuccess) {
    return refused;
  }
  if (optional.is_size_query != nullptr && optional.is_size_query(p.handle)) return "query of memory sizes";
  if (pointer_mode != kRocblasPointerModeHost) return "scalars on the device";
  if (math_mode != kRocblasMathDefault && math_mode != kRocblasMathXf32) return "math mode";
  // xf32 rounds FP32 inputs, not 16-bit ones.
  if (math_mode == kRocblasMathXf32 && p.call.type == Type::f32) around->asked = Asked::reduced;
  around->repeatable = atomics_mode == kRocblasAtomicsNotAllowed;
  return nullptr;
}

void *stream_of(VendorHandle handle) {
  void *stream = nullptr;
  g_get_stream(handle, &stream);
  return stream;
}

}  // namespace libsgemm
