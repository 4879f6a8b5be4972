// Calls kernels of the table in the CPU emulation, and checks results and workspace.
#pragma once

#include <cmath>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "contract/backend.h"
#include "support/check.h"
#include "support/numbers.h"

namespace sgemm_test {

using libsgemm::Batch;
using libsgemm::GemmDesc;
using libsgemm::Kernel;

inline libsgemm::Routine routine_of(Routine routine) {
  const std::string name = entry_name(of_floats(routine));
  for (const libsgemm::RoutineTraits &traits : libsgemm::kRoutines) {
    if (name == std::string("libsgemm_s") + traits.name) return traits.routine;
  }
  return libsgemm::Routine::gemm;
}

inline libsgemm::Type type_of(Routine routine) {
  switch (element_of(routine)) {
    case Element::kHalf:
      return libsgemm::Type::f16;
    case Element::kBfloat16:
      return libsgemm::Type::bf16;
    default:
      return libsgemm::Type::f32;
  }
}

inline libsgemm_op_t plain_op(libsgemm_op_t op) { return op == LIBSGEMM_NO_TRANS ? op : LIBSGEMM_TRANS; }

inline GemmDesc describe_call(Routine routine, const Args &args) {
  GemmDesc d = {};
  d.routine = routine_of(routine);
  d.type = type_of(routine);
  d.math_mode = LIBSGEMM_MATH_FP32;
  d.transa = plain_op(args.transa);
  d.transb = plain_op(args.transb);
  d.side = args.side;
  d.uplo = args.uplo;
  d.diag = args.diag;
  d.m = args.m;
  d.n = args.n;
  d.k = args.k;
  d.alpha = args.alpha;
  d.beta = d.routine == libsgemm::Routine::trsm ? 1.0f : args.beta;
  d.lda = args.lda;
  d.ldb = args.ldb;
  d.ldc = args.ldc;
  d.a = args.a;
  d.b = d.routine == libsgemm::Routine::syrk || in_place(d) ? nullptr : args.b;
  d.c = args.c;
  d.batch_count = args.batch_count;
  return d;
}

// Rounds up to a multiple of 8 elements: 16 or 32 bytes.
inline int64_t whole_chunks(int64_t elements) { return (elements + 7) / 8 * 8; }

enum class Form { kSingle, kStrided, kDeviceArrays, kHostArrays };
constexpr Form kForms[] = {Form::kSingle, Form::kStrided, Form::kDeviceArrays, Form::kHostArrays};

inline const char *name(Form form) {
  static const char *const names[] = {"", " strided", " pointers on the device", " pointers on the host"};
  return names[static_cast<int>(form)];
}

inline GemmDesc outline(const Case &test, Form form, int count) {
  Args args;
  args.transa = test.transa, args.transb = test.transb;
  args.side = test.side, args.uplo = test.uplo, args.diag = test.diag;
  args.m = test.m, args.n = test.n, args.k = test.k;
  args.alpha = test.alpha, args.beta = test.beta;
  args.batch_count = count;
  GemmDesc desc = describe_call(test.routine, args);
  desc.lda = libsgemm::stored_a(desc).rows + test.padding.a;
  desc.ldb = libsgemm::stored_b(desc).rows + test.padding.b;
  desc.ldc = desc.m + test.padding.c;
  if (form != Form::kSingle) desc.batch = form == Form::kStrided ? Batch::strided : Batch::pointers;
  return desc;
}

inline void add_specials(Random *random, Matrix *x) {
  const float values[] = {INFINITY, -INFINITY, NAN};
  for (int i = 0; i < 2 && x->rows * x->columns > 0; ++i) {
    const int64_t row = random->integer(0, static_cast<int>(x->rows) - 1);
    const int64_t column = random->integer(0, static_cast<int>(x->columns) - 1);
    if (contains(x->region, row, column)) x->at(row, column) = values[random->integer(0, 2)];
  }
}

// `shares_a`: all products of a strided batch have one A.
class Job {
 public:
  Job(const Case &test, Form form, bool specials, int count, bool shares_a = false) : form_(form) {
    Random random(7);
    for (int i = 0; i < count; ++i) {
      problems_.push_back(make_problem(test, static_cast<uint64_t>(i) + 1));
      Problem &problem = problems_.back();
      if (specials && test.routine != Routine::kStrsm) {
        add_specials(&random, &problem.a);
        add_specials(&random, &problem.b);
        // Not with random inputs, for which these values would make the bounds of other elements NaN.
        if (is_in_place(test.routine) && test.inputs == Inputs::kExact) add_specials(&random, &problem.c);
        solve(&problem);
      }
      if (shares_a) replace_a(&problem, problems_.front().a);
    }
    std::vector<const Problem *> pointers;
    for (const Problem &problem : problems_) pointers.push_back(&problem);
    const Args shape = Placement(problems_.front(), LIBSGEMM_COL_MAJOR).args();
    // Gaps keep aligned columns aligned.
    const auto stride = [](const Matrix &x, int64_t ld, int64_t gap) {
      const int64_t extent = extent_of(LIBSGEMM_COL_MAJOR, ld, x.rows, x.columns);
      return ld % 8 == 0 ? whole_chunks(extent + gap) : extent + gap;
    };
    const Problem &first = problems_.front();
    const Strides strides = {shares_a ? 0 : stride(first.a, shape.lda, 5), stride(first.b, shape.ldb, 0),
                             stride(first.c, shape.ldc, 1)};
    placement_ = std::make_unique<Placement>(pointers, LIBSGEMM_COL_MAJOR, strides);
    fill_desc();
  }

  const GemmDesc &desc() const { return desc_; }
  // Requires the order of sums of `mode` (oracle.h, chain()).
  void ask_for_chains(libsgemm_math_mode_t mode) {
    desc_.deterministic = LIBSGEMM_DETERMINISTIC_INVARIANT;
    desc_.math_mode = mode;
  }
  bool arrays_on_device() const { return form_ == Form::kDeviceArrays; }
  std::string check(const Arithmetic &how = {}) { return placement_->check(how); }

 private:
  void fill_desc() {
    const Args &args = placement_->args();
    desc_ = describe_call(problems_.front().test.routine, args);
    if (form_ == Form::kSingle) return;
    if (form_ == Form::kStrided) {
      desc_.batch = Batch::strided;
      desc_.stride_a = args.stride_a;
      desc_.stride_b = args.stride_b;
      desc_.stride_c = args.stride_c;
      return;
    }
    const auto size = static_cast<int64_t>(libsgemm::size_of(desc_.type));
    for (int64_t i = 0; i < desc_.batch_count; ++i) {
      a_.push_back(static_cast<const char *>(args.a) + i * args.stride_a * size);
      b_.push_back(static_cast<const char *>(args.b) + i * args.stride_b * size);
      c_.push_back(args.c + i * args.stride_c);
    }
    desc_.batch = Batch::pointers;
    desc_.a_array = a_.data();
    desc_.b_array = desc_.b != nullptr ? b_.data() : nullptr;
    desc_.c_array = c_.data();
    desc_.a = desc_.b = nullptr;
    desc_.c = nullptr;
  }

  Form form_;
  std::vector<Problem> problems_;
  std::unique_ptr<Placement> placement_;
  GemmDesc desc_;
  std::vector<const void *> a_, b_;
  std::vector<float *> c_;
};

// Filled with NaN, between guards of NaN that must stay.
class Workspace {
 public:
  explicit Workspace(size_t bytes)
      : bytes_(bytes), memory_(static_cast<unsigned char *>(::operator new(bytes + 2 * kGuard, kAlignment))) {
    std::memset(memory_.get(), 0xff, bytes + 2 * kGuard);
  }
  void *data() { return memory_.get() + kGuard; }
  bool intact() const {
    for (size_t i = 0; i < kGuard; ++i) {
      if (memory_.get()[i] != 0xff || memory_.get()[kGuard + bytes_ + i] != 0xff) return false;
    }
    return true;
  }

 private:
  static constexpr size_t kGuard = 256;
  static constexpr std::align_val_t kAlignment = std::align_val_t(256);
  struct Delete {
    void operator()(unsigned char *memory) const { ::operator delete(memory, kAlignment); }
  };
  size_t bytes_;
  std::unique_ptr<unsigned char, Delete> memory_;
};

// Sets *plan, without a kernel for a call that `kernel` does not support. Returns the first fault of its cost.
template <typename Desc>
std::string plan_call(const Kernel &kernel, const Desc &desc, libsgemm::Plan *plan) {
  if (std::isnan(prepare_any(kernel, desc, 0).seconds)) return "costs NaN";
  *plan = prepare(kernel, desc, 0);
  if (plan->kernel != nullptr && !(plan->seconds > 0)) return "costs " + std::to_string(plan->seconds) + " s";
  return "";
}

// Runs a job with `workspace_share` times the requested workspace. Returns the first fault; sets *ran if the kernel
// supports it.
inline std::string run_job(const Kernel &kernel, Job *job, bool *ran, double workspace_share = 1) {
  libsgemm::Plan plan;
  const std::string fault = plan_call(kernel, job->desc(), &plan);
  *ran = plan.kernel != nullptr;
  if (!*ran || !fault.empty()) return fault;
  libsgemm::Launch launch = {};
  launch.arrays_on_device = job->arrays_on_device();
  launch.config = plan.config;
  launch.workspace_bytes = static_cast<size_t>(workspace_share * static_cast<double>(plan.workspace));
  Workspace workspace(launch.workspace_bytes);
  launch.workspace = workspace.data();
  libsgemm::Error error = {};
  if (kernel.launch(job->desc(), launch, &error) != LIBSGEMM_SUCCESS) return error.text;
  if (!workspace.intact()) return "wrote beyond its workspace";
  return job->check({kernel.math_mode, kernel.truncates, invariant(job->desc())});
}

}  // namespace sgemm_test
