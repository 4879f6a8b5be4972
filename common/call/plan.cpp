#include "plan.h"

#include <cinttypes>
#include <mutex>
#include <utility>

#include "check.h"
#include "handle.h"
#include "process/context.h"
#include "process/gate.h"
#include "process/loader.h"
#include "process/log.h"

namespace libsgemm {
namespace {

std::mutex g_mutex;
// Destroyed plans, for reuse; not touched during exit, as in handle.cpp.
libsgemm_plan *g_free = nullptr;

libsgemm_plan *acquire_plan() {
  const InGate gate;
  if (gate.ending()) return new libsgemm_plan;
  const std::lock_guard<std::mutex> lock(g_mutex);
  if (g_free == nullptr) return new libsgemm_plan;
  libsgemm_plan *plan = g_free;
  g_free = plan->next;
  return plan;
}

void recycle_plan(libsgemm_plan *plan) noexcept {
  *plan = {};
  const InGate gate;
  if (gate.ending()) return;
  const std::lock_guard<std::mutex> lock(g_mutex);
  plan->next = g_free;
  g_free = plan;
}

class NewPlan {
 public:
  NewPlan() : plan_(acquire_plan()) {}
  ~NewPlan() {
    if (plan_ != nullptr) recycle_plan(plan_);
  }
  NewPlan(const NewPlan &) = delete;
  NewPlan &operator=(const NewPlan &) = delete;
  libsgemm_plan *operator->() const { return plan_; }
  libsgemm_plan *get() const { return plan_; }
  libsgemm_plan *release() { return std::exchange(plan_, nullptr); }

 private:
  libsgemm_plan *plan_;
};

template <typename... Args>
std::string words(const char *format, Args... args) {
  char text[256];
  std::snprintf(text, sizeof text, format, args...);
  return text;
}

bool is_plain(int trans) { return trans == LIBSGEMM_NO_TRANS; }

// Describes the operand as A of a column-major product. An operand B is the A of the transposed product.
GemmDesc describe(const PlanOperand &x, const Settings &settings) {
  const bool left = x.side == LIBSGEMM_LEFT, column_major = x.layout == LIBSGEMM_COL_MAJOR;
  GemmDesc d = {};
  d.routine = Routine::gemm;
  d.type = Type::f32;
  d.math_mode = settings.math_mode;
  d.transa = (is_plain(x.trans) == left) == column_major ? LIBSGEMM_NO_TRANS : LIBSGEMM_TRANS;
  d.transb = LIBSGEMM_NO_TRANS;
  d.side = LIBSGEMM_LEFT, d.uplo = LIBSGEMM_UPPER, d.diag = LIBSGEMM_NON_UNIT;
  d.m = left ? x.rows : x.cols;
  d.k = left ? x.cols : x.rows;
  d.alpha = 1;
  d.lda = x.ldx;
  d.a = x.x;
  d.batch_count = 1;
  return d;
}

bool is_candidate(const Settings &settings, int index) {
  int8_t order[kBackendCount];
  const int count = candidates(settings, order);
  for (int i = 0; i < count; ++i) {
    if (order[i] == index) return true;
  }
  return false;
}

// Releases the memory on failure.
libsgemm_status_t split(const GemmDesc &desc, size_t bytes, const Launch &launch, const Backend &table, void **memory,
                        Error *error) {
  libsgemm_status_t status = table.allocate(launch.device, bytes, memory, error);
  if (status == LIBSGEMM_SUCCESS) {
    status = table.plan(desc, *memory, launch, error);
    Error later = {};
    const libsgemm_status_t done = table.synchronize(launch.device, launch.stream, &later);
    if (status == LIBSGEMM_SUCCESS && done != LIBSGEMM_SUCCESS) {
      status = done;
      *error = later;
    }
    if (status != LIBSGEMM_SUCCESS) table.release(launch.device, *memory);
  }
  return status;
}

libsgemm_status_t fill(const libsgemm_handle &handle, libsgemm_plan *plan, ThreadInfo *info) {
  const PlanOperand &x = plan->operand;
  const Settings &settings = handle.settings;
  if (x.rows == 0 || x.cols == 0 || settings.math_mode == LIBSGEMM_MATH_FP32) return LIBSGEMM_SUCCESS;
  const GemmDesc desc = describe(x, settings);
  GemmDesc located = desc;
  located.c = const_cast<float *>(static_cast<const float *>(x.x));
  Placement at;
  libsgemm_status_t status = find_operands(located, settings, &handle, false, &at, info);
  if (status != LIBSGEMM_SUCCESS || at.on_host() || !is_candidate(settings, at.owner)) return status;
  const Backend &table = table_of(at.owner);
  if (table.plan == nullptr) return status;
  if (lost_by_fork(at.owner) || !probe(at.owner)) {
    info->note(at.owner, lost_by_fork(at.owner) ? Note::after_fork : Note::unavailable);
    return info->fail(LIBSGEMM_UNAVAILABLE, reason_in_words(*info).c_str());
  }
  Launch launch = {};
  launch.device = at.where.device;
  launch.stream = handle.stream;
  const size_t bytes = table.plan_bytes(desc, launch.device);
  if (bytes == 0) return status;
  if (table.capturing(launch.device, launch.stream)) {
    return info->fail(LIBSGEMM_NOT_SUPPORTED, "the handle's stream is capturing a graph: make the plan before");
  }
  status = split(desc, bytes, launch, table, &plan->memory, &info->failure);
  if (status != LIBSGEMM_SUCCESS) return info->fail(status, info->failure.text);
  plan->backend = at.owner;
  plan->device = at.where.device;
  plan->context = context_of(table, plan->device);
  info->backend = &table;
  info->device = at.where.device;
  info->trivial = "split";
  return status;
}

void log_plan(const libsgemm_plan &plan) {
  log_message(2, [&] {
    return words("libsgemm_plan_create: %c, %" PRId64 " x %" PRId64 ", %s -> %s",
                 plan.operand.side == LIBSGEMM_LEFT ? 'A' : 'B', plan.operand.rows, plan.operand.cols,
                 math_mode_name(plan.math_mode), plan.memory != nullptr ? kBackendNames[plan.backend] : "nothing");
  });
}

libsgemm_status_t create(const libsgemm_handle &handle, const PlanOperand &operand, libsgemm_plan_t *out,
                         ThreadInfo *info) {
  libsgemm_status_t status = check_plan_operand(operand, info);
  if (status != LIBSGEMM_SUCCESS) return status;
  NewPlan plan;
  plan->operand = operand;
  plan->math_mode = handle.settings.math_mode;
  info->trivial = "nothing";
  status = fill(handle, plan.get(), info);
  if (status != LIBSGEMM_SUCCESS) return status;
  plan->magic = libsgemm_plan::kLive;
  log_plan(*plan.get());
  *out = plan.release();
  return status;
}

const char *letter(const PlanOperand &x) { return x.side == LIBSGEMM_LEFT ? "A" : "B"; }

libsgemm_status_t refuse(int position, const char *name, const std::string &text, ThreadInfo *info) {
  info->argument = position;
  return info->fail(LIBSGEMM_INVALID_ARGUMENT, words("argument %d (%s) %s", position, name, text.c_str()).c_str());
}

}  // namespace

std::string plan_fault(const libsgemm_plan *plan, const PlanOperand &x) {
  if (plan == nullptr) return "";
  if (plan->magic != libsgemm_plan::kLive) return "is no plan, or a destroyed one";
  const PlanOperand &own = plan->operand;
  if (own.side != x.side) return words("is a plan of %s and cannot be one of %s", letter(own), letter(x));
  if (own.layout != x.layout) {
    return words("is of a %s-major matrix", own.layout == LIBSGEMM_ROW_MAJOR ? "row" : "column");
  }
  if (is_plain(own.trans) != is_plain(x.trans)) {
    return words("is of a matrix that is %stransposed", is_plain(own.trans) ? "not " : "");
  }
  if (own.rows != x.rows || own.cols != x.cols) {
    return words("is of %" PRId64 " x %" PRId64 ", and op(%s) is %" PRId64 " x %" PRId64, own.rows, own.cols, letter(x),
                 x.rows, x.cols);
  }
  if (own.x != x.x) return words("is of the matrix at %p, and %s is at %p", own.x, letter(x), x.x);
  if (own.ldx != x.ldx) {
    return words("is of a leading dimension of %" PRId64 ", and that of %s is %" PRId64, own.ldx, letter(x), x.ldx);
  }
  return "";
}

libsgemm_status_t check_plans(const Call &call, const Settings &settings, const Placement &at, ThreadInfo *info) {
  const struct {
    int position;
    const char *name;
    const libsgemm_plan *plan;
  } plans[] = {{kPlanA, "plan_a", call.plan_a}, {kPlanB, "plan_b", call.plan_b}};
  for (const auto &[position, name, plan] : plans) {
    if (plan == nullptr) continue;
    if (plan->math_mode != settings.math_mode) {
      const std::string text = words("was made in mode %s, and that of the handle is %s",
                                     math_mode_name(plan->math_mode), math_mode_name(settings.math_mode));
      return refuse(position, name, text, info);
    }
    if (plan->memory != nullptr && (plan->backend != at.owner || plan->device != at.where.device)) {
      return refuse(position, name, words("was made on device %d, and the product is on another one", plan->device),
                    info);
    }
    if (plan->memory != nullptr && plan->context != context_of(table_of(at.owner), plan->device)) {
      return refuse(position, name, "was made in a context of its device that is gone, or is another thread's", info);
    }
  }
  return LIBSGEMM_SUCCESS;
}

}  // namespace libsgemm

using libsgemm::thread_info;
using libsgemm::ThreadInfo;

libsgemm_status_t libsgemm_plan_create(libsgemm_handle_t h, libsgemm_layout_t layout, libsgemm_side_t side,
                                       libsgemm_op_t trans, int64_t rows, int64_t cols, const float *X, int64_t ldx,
                                       libsgemm_plan_t *plan) {
  const libsgemm::InGate gate;
  ThreadInfo &info = thread_info();
  info.begin("libsgemm_plan_create", gate.ending());
  if (plan != nullptr) *plan = nullptr;
  if (!libsgemm::is_live(h)) {
    return info.fail(LIBSGEMM_INVALID_HANDLE, libsgemm_status_string(LIBSGEMM_INVALID_HANDLE));
  }
  return libsgemm::protect(&info, [&] {
    const libsgemm::PlanOperand operand = {
        static_cast<int>(layout), static_cast<int>(side), static_cast<int>(trans), rows, cols, X, ldx};
    if (plan == nullptr) return libsgemm::refuse(9, "plan", "is NULL", &info);
    return libsgemm::create(*h, operand, plan, &info);
  });
}

libsgemm_status_t libsgemm_plan_destroy(libsgemm_plan_t plan) {
  if (plan == nullptr) return LIBSGEMM_SUCCESS;
  const libsgemm::InGate gate;
  ThreadInfo &info = thread_info();
  info.begin("libsgemm_plan_destroy", gate.ending());
  return libsgemm::protect(&info, [&] {
    if (plan->magic != libsgemm_plan::kLive) {
      return libsgemm::refuse(1, "plan", "is no plan, or a destroyed one", &info);
    }
    if (plan->memory != nullptr && !libsgemm::lost_by_fork(plan->backend) && !gate.ending()) {
      const libsgemm::Backend &table = libsgemm::table_of(plan->backend);
      if (libsgemm::can_give_back(table, plan->device, plan->context)) table.release(plan->device, plan->memory);
    }
    libsgemm::recycle_plan(plan);
    return LIBSGEMM_SUCCESS;
  });
}
