// The routines that the bench times, as one plain struct per call, and the library's side of such a call.
//
// All matrices are column-major. SSYRK, SSYR2K and SGEMMTR have an n x n output; SSYMM, STRMM and STRSM an m x m matrix
// A on the left; `uplo` is always the upper triangle.
#pragma once

#include <libsgemm.h>

#include <cstdint>
#include <string>
#include <vector>

#include "desc.h"
#include "suite.h"

namespace command {

enum class Routine { kSgemm, kSsymm, kSsyrk, kSsyr2k, kStrmm, kStrsm, kSgemmtr, kShgemm, kSbgemm };
constexpr int kRoutineCount = 9;

enum class Element { kFloat32, kBinary16, kBfloat16 };

struct Traits {
  Routine routine;
  const char *name;
  libsgemm::Routine base;  // which the library knows of several types
  bool has_transa, has_transb;
  bool has_b;     // an input B; without it the output is computed from A, and itself where in_place
  bool in_place;  // the output is an input too
  bool triangular_output;
  bool symmetric_a;   // only the upper triangle of A is read; m x m
  bool triangular_a;  // the same, and zero below
  Element element;    // of A and B
};

const Traits &traits(Routine routine);
size_t element_bytes(Element element);

// Throws Error, listing the names there are.
Routine parse_routine(const std::string &name);
std::vector<std::string> routine_names();
// Of --routine; sgemm if there are none.
std::vector<Routine> parse_routines(const std::vector<std::string> &names);

struct Call {
  Routine routine;
  libsgemm_op_t transa, transb;
  int64_t m, n, k;
  float alpha, beta;
  const void *a;
  int64_t lda;
  const void *b;
  int64_t ldb;
  void *c;  // the output; B of STRMM and STRSM
  int64_t ldc;
};

struct Extent {
  int64_t rows, columns;
};

// alpha 1, beta 0, columns rows + pad apart; the operands' places are still missing.
Call make_call(Routine routine, const Shape &shape, libsgemm_op_t transa, libsgemm_op_t transb);

// Of --transposes one; `otherwise` if there is none. `who` wants it. Throws Error.
std::string one_of_transposes(const std::vector<std::string> &texts, const char *otherwise, const char *who);

// As stored.
Extent extent_of_a(const Call &call);
Extent extent_of_b(const Call &call);
Extent extent_of_c(const Call &call);

double flops(Routine routine, const Shape &shape);

libsgemm_status_t call_library(libsgemm_handle_t h, const Call &x);

}  // namespace command
