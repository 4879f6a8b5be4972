#include "checksum_plan.h"

#include <algorithm>

#include "gpu/device_model.h"
#include "gpu/kernels.h"

namespace libsgemm::gpu {
namespace {

constexpr int64_t kBlocksOfUnit = 8;  // per compute unit, enough to read memory at its full rate

BlockChoice all_blocks(int64_t extent, int64_t block) {
  const int64_t count = (extent - 1) / block + 1;
  return {count, count, 0, 1};
}

SumWork pass(const void *data, int64_t row_step, int64_t col_step, int64_t rows, int64_t columns) {
  SumWork w = {};
  w.data = data;
  w.row_step = row_step, w.col_step = col_step;
  w.rows = rows, w.columns = columns;
  w.row_blocks = all_blocks(rows, kChecksumRows);
  w.column_blocks = all_blocks(columns, kChecksumColumns);
  return w;
}

// Places arrays in the workspace; without a workspace it counts doubles.
class Cursor {
 public:
  explicit Cursor(double *workspace) : workspace_(workspace) {}

  double *take(int64_t count) {
    double *place = workspace_ != nullptr ? workspace_ + used_ : nullptr;
    used_ += count;
    return place;
  }
  size_t used() const { return static_cast<size_t>(used_); }

 private:
  double *workspace_;
  int64_t used_ = 0;
};

void place(SumWork *w, int compute_units, Cursor *cursor) {
  const int64_t wanted = (kBlocksOfUnit * compute_units - 1) / w->row_blocks.chosen + 1;
  w->blocks_of_part = (w->column_blocks.chosen - 1) / std::min(wanted, w->column_blocks.chosen) + 1;
  w->parts = (w->column_blocks.chosen - 1) / w->blocks_of_part + 1;
  w->sums = cursor->take(kSumKinds * w->parts * w->slots());
}

}  // namespace

ChecksumPlan plan_checksum(const GemmDesc &d, const Checksum &what, int device, double *workspace) {
  const bool ta = d.transa != LIBSGEMM_NO_TRANS, tb = d.transb != LIBSGEMM_NO_TRANS;
  const int64_t a_row = ta ? d.lda : 1, a_col = ta ? 1 : d.lda, b_row = tb ? d.ldb : 1, b_col = tb ? 1 : d.ldb;
  ChecksumPlan p = {};
  if (what.transposed) {
    p.a = pass(d.b, b_col, b_row, d.n, d.k);
    p.b = pass(d.a, a_col, a_row, d.k, d.m);
    p.c = pass(d.c, d.ldc, 1, d.n, d.m);
  } else {
    p.a = pass(d.a, a_row, a_col, d.m, d.k);
    p.b = pass(d.b, b_row, b_col, d.k, d.n);
    p.c = pass(d.c, 1, d.ldc, d.m, d.n);
  }
  p.a.row_blocks = p.c.row_blocks = what.rows;
  p.b.column_blocks = p.c.column_blocks = what.columns;
  p.a.mode = p.b.mode = what.mode;
  Cursor cursor(workspace);
  cursor.take(kChecksumResults);
  p.signs = p.b.signs = cursor.take(p.b.columns);
  p.b.weights = p.c.weights = p.signs;
  p.found = cursor.take(2);
  p.a.weights = p.weights = cursor.take(d.k);
  p.a.norms = p.norms = cursor.take(d.k);
  const int units = model(device).compute_units;
  for (SumWork *w : {&p.b, &p.a, &p.c}) place(w, units, &cursor);
  p.c_before = cursor.take(reads_c(d) ? kSumKinds * p.c.parts * p.c.slots() : 0);
  p.doubles = cursor.used();
  return p;
}

JudgeWork plan_judge(const GemmDesc &d, const Checksum &what, const ChecksumPlan &plan, double *workspace) {
  JudgeWork judge = {};
  judge.a = plan.a, judge.b = plan.b, judge.c = plan.c;
  judge.type = d.type;
  judge.late = plan.found + 1;
  judge.c_before = reads_c(d) ? plan.c_before : nullptr;
  judge.results = workspace;
  judge.alpha = static_cast<double>(d.alpha), judge.beta = static_cast<double>(d.beta);
  judge.factor = what.factor;
  judge.cut = what.cut;
  judge.k = d.k;
  judge.columns = std::min(plan.c.columns, plan.c.column_blocks.chosen * kChecksumColumns);
  return judge;
}

size_t checksum_bytes(const GemmDesc &desc, const Checksum &what, int device) {
  if (desc.routine != Routine::gemm || desc.batch != Batch::none) return 0;
  return plan_checksum(desc, what, device, nullptr).doubles * sizeof(double);
}

}  // namespace libsgemm::gpu
