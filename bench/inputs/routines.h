// The routines of the bench, and one struct for a call of any of them.
#pragma once

#include <libsgemm.h>

#include <cstdint>
#include <string>
#include <vector>

#include "contract/desc.h"
#include "suite.h"

namespace command {

enum class Routine { kSgemm, kSsymm, kSsyrk, kSsyr2k, kStrmm, kStrsm, kSgemmtr, kShgemm, kSbgemm, kShsyrk, kSbsyrk };
constexpr int kRoutineCount = 11;

enum class Element { kFloat32, kBinary16, kBfloat16 };

struct Traits {
  Routine routine;
  libsgemm::Routine base;  // the library's routine, for several types
  const char *name;
  bool has_transa, has_transb;
  bool has_side, has_uplo;
  bool has_batches;  // strided batches
  bool has_b;        // has an input B; otherwise the inputs are A and an in_place output
  bool in_place;
  bool triangular_output;
  bool symmetric_a;   // one triangle of A is read
  bool triangular_a;  // the other triangle is zero
  Element element;    // type of A and B
};

const Traits &traits(Routine routine);
size_t element_bytes(Element element);

// Throws Error.
Routine parse_routine(const std::string &name);
std::vector<std::string> routine_names();
std::vector<std::string> routine_names(bool Traits::*has);  // names of those with the property
std::vector<Routine> parse_routines(const std::vector<std::string> &names);

// Parameters except sizes and operands.
struct Form {
  libsgemm_op_t transa = LIBSGEMM_NO_TRANS, transb = LIBSGEMM_NO_TRANS;
  libsgemm_side_t side = LIBSGEMM_LEFT;
  libsgemm_uplo_t uplo = LIBSGEMM_UPPER;
  int64_t batch = 1;
  float beta = 0;
};

// Texts for a report: "left"; "lower"; "NT" ("N": one operation, "-": none); all of them: "lower NT x 16".
std::string side_text(libsgemm_side_t side);
std::string uplo_text(libsgemm_uplo_t uplo);
std::string transposes_text(Routine routine, const Form &form);
std::string form_text(Routine routine, const Form &form);

struct Call : Form {
  Routine routine;
  int64_t m, n, k;
  float alpha;
  const void *a;
  int64_t lda;
  // For in-place routines the output before the call (ldc, stride_c), which out-of-place peers read.
  const void *b;
  int64_t ldb;
  void *c;  // output; B of STRMM and STRSM
  int64_t ldc;
  int64_t stride_a, stride_b, stride_c;
};

struct Extent {
  int64_t rows, columns;
};

// Returns a call without addresses: alpha = 1, leading dimensions rows + pad, contiguous batches.
Call make_call(Routine routine, const Shape &shape, const Form &form);

Call item_of(const Call &call, int64_t i);

// The library's description, without math mode and operands. STRSM has beta = 1.
libsgemm::GemmDesc outline(const Call &x);

// Returns the only value of --transposes, or `otherwise`. Throws Error for several, because `who` takes one.
std::string one_of_transposes(const std::vector<std::string> &texts, const char *otherwise, const char *who);

Extent extent_of_a(const Call &call);
Extent extent_of_b(const Call &call);
Extent extent_of_c(const Call &call);

double flops(Routine routine, const Shape &shape, const Form &form = {});

libsgemm_status_t call_library(libsgemm_handle_t h, const Call &x);

// Groups of one product each, of different sizes. Only products that are not empty: column-major, alpha = 1, beta = 0.
struct GroupsCall {
  Element element = Element::kFloat32;  // type of A and B; C is FP32
  std::vector<libsgemm_op_t> transa, transb;
  std::vector<int64_t> m, n, k, lda, ldb, ldc, sizes;
  std::vector<float> alpha, beta;
  std::vector<const void *> a, b;
  std::vector<float *> c;

  int64_t count() const { return static_cast<int64_t>(m.size()); }
};

}  // namespace command
