// All routines of libsgemm.h under one signature, for common tables of cases and faults.
#pragma once

#include <libsgemm.h>

#include <string>
#include <vector>

namespace sgemm_test {

enum class Routine {
  kSgemm,
  kSsymm,
  kSsyrk,
  kSsyr2k,
  kStrmm,
  kStrsm,
  kSgemmtr,
  kShgemm,
  kSbgemm,
  kShsyrk,
  kSbsyrk,
  kSgemmStrided,
  kShgemmStrided,
  kSbgemmStrided,
  kSsyrkStrided,
  kShsyrkStrided,
  kSbsyrkStrided,
  kStrmmStrided,
  kStrsmStrided
};

extern const std::vector<Routine> kSingleRoutines;
extern const std::vector<Routine> kStridedRoutines;

// `c`, `ldc` and `stride_c` are the written matrix: B of strmm and strsm.
struct Args {
  libsgemm_layout_t layout = LIBSGEMM_COL_MAJOR;
  libsgemm_op_t transa = LIBSGEMM_NO_TRANS;
  libsgemm_op_t transb = LIBSGEMM_NO_TRANS;
  libsgemm_side_t side = LIBSGEMM_LEFT;
  libsgemm_uplo_t uplo = LIBSGEMM_UPPER;
  libsgemm_diag_t diag = LIBSGEMM_NON_UNIT;
  int64_t m = 0, n = 0, k = 0;
  float alpha = 1, beta = 0;
  const void *a = nullptr;
  int64_t lda = 1, stride_a = 0;
  const void *b = nullptr;
  int64_t ldb = 1, stride_b = 0;
  float *c = nullptr;
  int64_t ldc = 1, stride_c = 0;
  int64_t batch_count = 1;
};

// A and B point to arrays of pointers to the element type.
struct BatchArgs {
  libsgemm_layout_t layout = LIBSGEMM_COL_MAJOR;
  const libsgemm_op_t *transa = nullptr, *transb = nullptr;
  const int64_t *m = nullptr, *n = nullptr, *k = nullptr;
  const float *alpha = nullptr, *beta = nullptr;
  const void *const *a = nullptr, *const *b = nullptr;
  float *const *c = nullptr;
  const int64_t *lda = nullptr, *ldb = nullptr, *ldc = nullptr;
  int64_t group_count = 0;
  const int64_t *group_size = nullptr;
};

enum class Element { kFloat, kHalf, kBfloat16 };

libsgemm_status_t call(Routine routine, const Args &args);
libsgemm_status_t call(Routine routine, libsgemm_handle_t handle, const Args &args);
libsgemm_status_t call_batch(Element element, const BatchArgs &args);
libsgemm_status_t call_batch(Element element, libsgemm_handle_t handle, const BatchArgs &args);

std::string entry_name(Routine routine);
std::string batch_entry_name(Element element);

// An argument's position is its index plus one.
const std::vector<std::string> &parameters(Routine routine);
const std::vector<std::string> &batch_parameters();
bool has_parameter(Routine routine, const std::string &name);

// Only the `uplo` triangle of C is read and written, and m is n.
bool writes_triangle(Routine routine);

Element element_of(Routine routine);

Routine product_of(Element element);

// single_of: the routine that a strided batch repeats, or the routine itself.
Routine single_of(Routine routine);
Routine strided_of(Routine single);

// sgemm for shgemm and sbgemm, ssyrk for shsyrk and sbsyrk, others unchanged.
Routine of_floats(Routine routine);

bool is_in_place(Routine routine);

class Handle {
 public:
  Handle();
  ~Handle();
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;
  operator libsgemm_handle_t() const { return handle_; }

 private:
  libsgemm_handle_t handle_ = nullptr;
};

libsgemm_info_t last_info();

}  // namespace sgemm_test
