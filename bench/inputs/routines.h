// The routines that the bench times, one plain struct for a call of any of them, and such a call of the library.
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
  libsgemm::Routine base;  // the library's routine, which has several types
  const char *name;
  bool has_transa, has_transb;
  bool has_side, has_uplo;
  bool has_batches;  // by strides
  bool has_b;        // has an input B; otherwise the inputs are A, and the output if in_place
  bool in_place;     // the output is an input too
  bool triangular_output;
  bool symmetric_a;   // only one triangle of A is read
  bool triangular_a;  // likewise, and the other triangle is zero
  Element element;    // of A and B
};

const Traits &traits(Routine routine);
size_t element_bytes(Element element);

// Throws Error, listing the names of the routines.
Routine parse_routine(const std::string &name);
std::vector<std::string> routine_names();
std::vector<std::string> routine_names(bool Traits::*has);  // routines with the property
// Parses --routine; sgemm if there are no names.
std::vector<Routine> parse_routines(const std::vector<std::string> &names);

// The parameters of a call except sizes and operands. Those that a routine does not have keep these defaults.
struct Form {
  libsgemm_op_t transa = LIBSGEMM_NO_TRANS, transb = LIBSGEMM_NO_TRANS;
  libsgemm_side_t side = LIBSGEMM_LEFT;
  libsgemm_uplo_t uplo = LIBSGEMM_UPPER;
  int64_t batch = 1;  // matrices of one shape in one call, by strides
  float beta = 0;     // for routines that have one
};

// Texts in a report: "left", "lower", "NT" ("N" for one operation, "-" for none), and all of the form, "lower NT x 16".
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
  // For in-place routines the output before the call, with ldc and stride_c, for peers that compute out of place.
  const void *b;
  int64_t ldb;
  void *c;  // the output; B of STRMM and STRSM
  int64_t ldc;
  int64_t stride_a, stride_b, stride_c;  // elements between matrices of a batch
};

struct Extent {
  int64_t rows, columns;
};

// Returns a call with alpha 1, leading dimensions rows + pad, and contiguous matrices in a batch. The caller sets the
// addresses of the operands.
Call make_call(Routine routine, const Shape &shape, const Form &form);

// Returns the call on matrix i of the batch.
Call item_of(const Call &call, int64_t i);

// Returns the library's description of the call, without math mode and operands; beta is 1 for STRSM.
libsgemm::GemmDesc outline(const Call &x);

// Returns the one value of --transposes; `otherwise` if it has none. Throws Error that says that `who` needs one value.
std::string one_of_transposes(const std::vector<std::string> &texts, const char *otherwise, const char *who);

// Sizes as stored, of one matrix of a batch.
Extent extent_of_a(const Call &call);
Extent extent_of_b(const Call &call);
Extent extent_of_c(const Call &call);

double flops(Routine routine, const Shape &shape, const Form &form = {});

libsgemm_status_t call_library(libsgemm_handle_t h, const Call &x);

}  // namespace command
