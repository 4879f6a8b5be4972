// The routines that the bench times, as one plain struct per call, and the library's side of such a call.
//
// All matrices are column-major. SSYRK (also of 16-bit inputs), SSYR2K and SGEMMTR have an n x n output; SSYMM, STRMM
// and STRSM an m x m matrix A on the left, or an n x n one on the right.
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
  libsgemm::Routine base;  // which the library knows of several types
  const char *name;
  bool has_transa, has_transb;
  bool has_side, has_uplo;
  bool has_batches;  // by strides
  bool has_b;        // an input B; without it the output is computed from A, and itself where in_place
  bool in_place;     // the output is an input too
  bool triangular_output;
  bool symmetric_a;   // only one triangle of A is read
  bool triangular_a;  // the same, and the other one is zero
  Element element;    // of A and B
};

const Traits &traits(Routine routine);
size_t element_bytes(Element element);

// Throws Error, listing the names there are.
Routine parse_routine(const std::string &name);
std::vector<std::string> routine_names();
std::vector<std::string> routine_names(bool Traits::*has);  // those that have it
// Of --routine; sgemm if there are none.
std::vector<Routine> parse_routines(const std::vector<std::string> &names);

// How a routine is called, whatever the sizes; what it has not is as here.
struct Form {
  libsgemm_op_t transa = LIBSGEMM_NO_TRANS, transb = LIBSGEMM_NO_TRANS;
  libsgemm_side_t side = LIBSGEMM_LEFT;
  libsgemm_uplo_t uplo = LIBSGEMM_UPPER;
  int64_t batch = 1;  // so many of one shape in one call, by strides
  float beta = 0;     // of routines that have one
};

// What a report calls them: "left", "lower", "NT" ("N" with one operation, "-" without), and all of it, "lower NT x
// 16".
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
  // Of in-place routines the matrix that is the output's before the call, for peers that compute out of place; with ldc
  // and stride_c.
  const void *b;
  int64_t ldb;
  void *c;  // the output; B of STRMM and STRSM
  int64_t ldc;
  int64_t stride_a, stride_b, stride_c;  // elements between those of a batch
};

struct Extent {
  int64_t rows, columns;
};

// alpha 1, beta 0, columns rows + pad apart, matrices of a batch right behind each other; the operands' places are
// still missing.
Call make_call(Routine routine, const Shape &shape, const Form &form);

// Number i of its batch.
Call item_of(const Call &call, int64_t i);

// The same in the library's words, but for math mode and places; beta is 1 for STRSM.
libsgemm::GemmDesc outline(const Call &x);

// Of --transposes one; `otherwise` if there is none. `who` wants it. Throws Error.
std::string one_of_transposes(const std::vector<std::string> &texts, const char *otherwise, const char *who);

// As stored; one of a batch.
Extent extent_of_a(const Call &call);
Extent extent_of_b(const Call &call);
Extent extent_of_c(const Call &call);

double flops(Routine routine, const Shape &shape, const Form &form = {});

libsgemm_status_t call_library(libsgemm_handle_t h, const Call &x);

}  // namespace command
