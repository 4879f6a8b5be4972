#include "pipeline.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>

#include "contract/kernel_table.h"
#include "devices.h"
#include "pages.h"

namespace libsgemm {
namespace {

constexpr size_t kAhead = 8;          // units prepared before there is room for their results
constexpr size_t kAheadOfOthers = 2;  // the same where another device could take them
constexpr size_t kDirectSlots = 4;    // copies at a time in one direction without a pinned piece
constexpr size_t kSaveBytes = size_t{512} << 10;
// Regions saved at the same time are 2 MiB apart (docs/kernels/offload.md).
constexpr size_t kSavesApart = 4;
constexpr size_t kHelpBytes = size_t{32} << 20;  // at most this on a device: a short call, whose thread copies, too

}  // namespace

UnitQueue::UnitQueue(const GemmDesc &desc, const TilePlan &plan, int parts) {
  for (int part = 0; part < parts; ++part) {
    const std::vector<Unit> units = make_units(desc, plan, part, parts);
    parts_.emplace_back(units.begin(), units.end());
  }
}

bool UnitQueue::take(int part, Unit *unit) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::deque<Unit> &own = parts_[static_cast<size_t>(part)];
  if (!own.empty()) {
    *unit = own.front();
    own.pop_front();
    return true;
  }
  const auto shorter = [](const std::deque<Unit> &x, const std::deque<Unit> &y) { return x.size() < y.size(); };
  std::deque<Unit> &longest = *std::max_element(parts_.begin(), parts_.end(), shorter);
  if (longest.empty()) return false;
  *unit = longest.back();
  longest.pop_back();
  return true;
}

bool UnitQueue::give_back(int part, const Unit &unit) try {
  const std::lock_guard<std::mutex> lock(mutex_);
  parts_[static_cast<size_t>(part)].push_front(unit);
  return true;
} catch (const std::bad_alloc &) {
  return false;
}

bool UnitQueue::empty() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::all_of(parts_.begin(), parts_.end(), [](const std::deque<Unit> &part) { return part.empty(); });
}

size_t Pipeline::events_needed(const TilePlan &p, size_t pieces) {
  const size_t buffers =
      static_cast<size_t>(p.a_buffers) + static_cast<size_t>(p.b_buffers) + static_cast<size_t>(p.c_buffers);
  return 2 * buffers + pieces + 2 * kDirectSlots;
}

Pipeline::Pipeline(Job *job, int part, DeviceSet *set, const std::vector<PinnedPiece> &pieces)
    : job_(*job),
      backend_(job->backend),
      part_(part),
      device_(set->device),
      set_(set),
      helps_(job->plan.bytes() <= kHelpBytes),
      slots_(pieces.size()),
      direct_(2 * kDirectSlots) {
  size_t event = 0;
  char *memory = set->memory;
  const TilePlan &p = job->plan;
  const auto make = [&](std::vector<Buffer> *buffers, int count, size_t bytes) {
    buffers->resize(static_cast<size_t>(count));
    for (Buffer &b : *buffers) {
      b.memory = memory;
      memory += bytes;
      b.ready = set->events[event++];
      b.free = set->events[event++];
    }
  };
  make(&c_, p.c_buffers, p.c_bytes);
  make(&a_, p.a_buffers, p.a_bytes);
  make(&b_, p.b_buffers, p.b_bytes);
  workspace_ = memory;
  for (size_t i = 0; i < pieces.size(); ++i) slots_[i].memory = pieces[i].memory;
  for (std::vector<Slot> *all : {&slots_, &direct_}) {
    for (Slot &slot : *all) slot.event = set->events[event++];
  }
  kept_for_results_ = std::max<size_t>(1, slots_.size() / 4);
}

libsgemm_status_t Pipeline::run(Error *error) {
  error_ = error;
  no_more_ = false;
  quiet_ = 0;
  progress_ = Clock::now();
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  try {
    while (status == LIBSGEMM_SUCCESS && !done() && !job_.cancelled.load(std::memory_order_relaxed)) {
      bool moved = false;
      status = turn(&moved);
      if (moved) {
        quiet_ = 0;
        progress_ = Clock::now();
        continue;
      }
      if (status == LIBSGEMM_SUCCESS) status = check_time(error);
      if (helps_ && help_copy()) {
        ++quiet_;
      } else {
        idle_for_a_while();
      }
    }
  } catch (...) {  // only lack of memory throws
    set_error(error, "no host memory");
    status = LIBSGEMM_OUT_OF_MEMORY;
  }
  if (hopeless(status)) job_.cancelled = true;
  if (!done()) {
    if (ending_ == Ending::healthy) ending_ = Ending::failed;
    settle();
  }
  if (status == LIBSGEMM_SUCCESS) return status;
  if (hopeless(status) || !return_units()) job_.cancelled = true;
  return status;
}

// True if no other device can take over: a tile has no kernel, or a lost device may still write to the result.
bool Pipeline::hopeless(libsgemm_status_t status) const {
  return status == LIBSGEMM_NOT_SUPPORTED || (ending_ == Ending::lost && job_.c.pinned);
}

// Restores the old C first.
bool Pipeline::return_units() {
  for (Work &w : works_) {
    if (w.finished()) {
      ++traffic_.tiles;
      continue;
    }
    if (job_.undo.reserved()) {
      for (const Save &save : w.saves) job_.undo.restore(job_.desc, save.region);
    }
    if (!job_.units.give_back(part_, w.unit)) return false;
  }
  return true;
}

libsgemm_status_t Pipeline::turn(bool *moved) {
  *moved = take_units();
  *moved = assign_c() || *moved;
  *moved = fill() || *moved;
  libsgemm_status_t status = send(moved);
  if (uploads_.empty()) *moved = save_ahead() || *moved;  // after the copies: waking threads takes time
  if (status == LIBSGEMM_SUCCESS) status = launch(moved);
  if (status == LIBSGEMM_SUCCESS) status = land_uploads(moved);
  if (status == LIBSGEMM_SUCCESS) status = fetch(moved);
  if (status == LIBSGEMM_SUCCESS) status = land_results(moved);
  *moved = store() || *moved;
  while (!works_.empty() && works_.front().finished()) {
    works_.pop_front();
    ++traffic_.tiles;
  }
  return status;
}

void Pipeline::idle_for_a_while() {
  ++quiet_;
  if (quiet_ < 2000) {
    sched_yield();
  } else {
    usleep(50);
  }
}

libsgemm_status_t Pipeline::check_time(Error *error) {
  if (job_.timeout <= 0 || quiet_ % 64 != 63) return LIBSGEMM_SUCCESS;
  const std::chrono::duration<double> waited = Clock::now() - progress_;
  if (waited.count() < job_.timeout) return LIBSGEMM_SUCCESS;
  set_error(error, "device %d did not answer for %.3g s (LIBSGEMM_TIMEOUT)", device_, waited.count());
  abandon_device(backend_, device_);
  ending_ = Ending::lost;
  return LIBSGEMM_EXECUTION_FAILED;
}

bool Pipeline::take_units() {
  bool moved = false;
  for (;;) {
    Work *last = works_.empty() ? nullptr : &works_.back();
    if (last == nullptr || last->assigned == last->launches) {
      if (no_more_ || works_.size() >= c_.size() + (job_.units.parts() > 1 ? kAheadOfOthers : kAhead)) return moved;
      last = &works_.emplace_back();  // first: if this throws, no taken unit is lost
      no_more_ = !job_.units.take(part_, &last->unit);
      if (no_more_) {
        works_.pop_back();
        return true;
      }
      last->launches = launches_of(job_.desc, job_.plan, last->unit);
    }
    if (!assign_step(last)) return moved;
    moved = true;
  }
}

// NULL: no buffer can be spared.
Pipeline::Buffer *Pipeline::find(const Factor &factor, const Buffer *taken, bool *hit) {
  const Operand &operand = operand_of(factor);
  const Block &block = factor.block;
  const char *key = operand.of_item(block.item).base;
  Buffer *spare = nullptr;
  for (Buffer &b : factor.of_b ? b_ : a_) {
    if (&b == taken) continue;
    const bool same = b.used && b.block.row == block.row && b.block.col == block.col && b.block.rows == block.rows &&
                      b.block.cols == block.cols && b.block.items == block.items &&
                      (b.block.item == block.item || (block.items == 1 && operand.of_item(b.block.item).base == key));
    if (same) {
      *hit = true;
      return &b;
    }
    if (b.pins == 0 && (spare == nullptr || b.last_use < spare->last_use)) spare = &b;
  }
  *hit = false;
  return spare;
}

void Pipeline::begin_upload(Buffer *b, const Operand &operand, const Block &block) {
  b->operand = &operand;
  b->block = block;
  b->used = true;
  b->column = b->row = b->unsent = 0;
  b->cut = b->sent = b->waited = false;
  b->must_wait = b->launched;
}

void Pipeline::use(Buffer *buffer, const Factor &factor, bool hit) {
  ++buffer->pins;
  buffer->last_use = uses_;
  if (hit) return;
  begin_upload(buffer, operand_of(factor), factor.block);
  uploads_.push_back(buffer);
}

bool Pipeline::assign_step(Work *w) {
  const int64_t index = w->unit.back ? w->launches - 1 - w->assigned : w->assigned;
  const Factors f = factors_of(job_.desc, job_.plan, w->unit, index);
  bool first_there = false, second_there = true;
  Buffer *first = find(f.first, nullptr, &first_there), *second = nullptr;
  if (first == nullptr) return false;
  if (f.second.block.items > 0) {
    second = find(f.second, first, &second_there);
    if (second == nullptr) return false;
  }
  ++uses_;
  use(first, f.first, first_there);
  if (second != nullptr) use(second, f.second, second_there);
  steps_.push_back({w, f, first, second});
  ++w->assigned;
  return true;
}

// Units get buffers in order. C goes up before operands of later units.
bool Pipeline::assign_c() {
  bool moved = false;
  for (Work &w : works_) {
    if (w.c != nullptr) continue;
    const auto spare = std::find_if(c_.begin(), c_.end(), [](const Buffer &b) { return !b.used; });
    if (spare == c_.end()) break;
    w.c = &*spare;
    begin_upload(w.c, job_.c, block_of_c(job_.plan, w.unit));
    w.c->must_wait = false;  // its result has landed
    if (reads_c(job_.desc)) uploads_.push_front(w.c);
    moved = true;
  }
  return moved;
}

bool Pipeline::save_ahead() {
  bool moved = false;
  for (Work &w : works_) {
    if (w.c == nullptr || w.saving) continue;
    begin_saving(&w);
    moved = true;
  }
  return moved;
}

// Host threads save what the tile will overwrite, if a failure would need it, and map pages for its result.
void Pipeline::begin_saving(Work *w) {
  w->saving = true;
  const Block &c = w->c->block;
  const bool saves = job_.undo.reserved();
  if (!saves && (job_.c.pinned || !lacks_pages(job_.desc, c))) return;
  const int64_t columns = std::max<int64_t>(1, static_cast<int64_t>(kSaveBytes / sizeof(float)) / c.rows);
  std::vector<Save> all;
  for (int64_t item = c.item; item < c.item + c.items; ++item) {
    for (int64_t col = 0; col < c.cols; col += columns) {
      Save save;
      save.job = &job_;
      save.work = w;
      save.region = {item, 1, c.row, c.rows, c.col + col, std::min(columns, c.cols - col)};
      all.push_back(save);
    }
  }
  if (saves) saved_.reserve(saved_.size() + all.size());
  w->saves.swap(all);  // from here on nothing throws: all regions are submitted
  w->unsaved = static_cast<int64_t>(w->saves.size());
  for (Save &save : w->saves) {
    if (saves) saved_.push_back(save.region);
    save.run = [](CopyTask *task) {
      const Save &self = *static_cast<Save *>(task);
      provide_pages(self.job->desc, self.region);
      if (self.job->undo.reserved()) self.job->undo.save(self.job->desc, self.region, self.job->c.pinned);
      self.work->unsaved.fetch_sub(1, std::memory_order_release);
    };
  }
  for (size_t first = 0; first < kSavesApart; ++first) {
    for (size_t i = first; i < w->saves.size(); i += kSavesApart) submit_copy(&w->saves[i], helps_);
  }
}

GemmDesc Pipeline::describe(const Step &s) const {
  GemmDesc d = device_desc(job_.desc, job_.plan, s.work->unit, s.factors);
  if (s.work->launched > 0) d.beta = 1;
  d.a = s.first->memory;
  if (s.second != nullptr) d.b = s.second->memory;
  d.c = reinterpret_cast<float *>(s.work->c->memory);
  return d;
}

libsgemm_status_t Pipeline::launch(bool *moved) {
  while (!steps_.empty()) {
    const Step s = steps_.front();
    const bool c_there = s.work->c != nullptr && (s.work->launched > 0 || s.work->c->sent || !reads_c(job_.desc));
    if (!c_there || !s.first->sent || (s.second != nullptr && !s.second->sent)) return LIBSGEMM_SUCCESS;
    const libsgemm_status_t status = launch_step(s);
    if (status != LIBSGEMM_SUCCESS) return status;
    steps_.pop_front();
    *moved = true;
  }
  return LIBSGEMM_SUCCESS;
}

libsgemm_status_t Pipeline::launch_step(const Step &s) {
  const GemmDesc d = describe(s);
  const Plan plan = best_plan(backend_, d, device_, job_.workspace, job_.forced);
  const Kernel *const kernel = plan.kernel;
  if (kernel == nullptr) {
    set_error(error_, "no kernel for a tile of this call");
    return LIBSGEMM_NOT_SUPPORTED;
  }
  // The call is reported as its kernel with the weakest error contract.
  if (promises_less(*kernel, kernel_)) kernel_ = kernel, tuned_ = plan.tuned;
  if (!s.work->saving) begin_saving(s.work);
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  Buffer *c = reads_c(job_.desc) ? s.work->c : nullptr;
  for (Buffer *b : {s.first, s.second, c}) {
    if (b == nullptr || b->waited || status != LIBSGEMM_SUCCESS) continue;
    b->waited = true;
    status = backend_.stream_wait_event(device_, set_->compute, b->ready, error_);
  }
  if (status != LIBSGEMM_SUCCESS) return status;
  Launch launch = {};
  launch.device = device_;
  launch.stream = set_->compute;
  launch.workspace_bytes = plan.workspace;
  launch.workspace = launch.workspace_bytes > 0 ? workspace_ : nullptr;
  launch.config = plan.config;
  Ran ran = {};
  launch.ran = &ran;
  status = kernel->launch(d, launch, error_);
  if (kernel == kernel_) ran_ = ran;
  const bool last = ++s.work->launched == s.work->launches;
  for (Buffer *b : {s.first, s.second, last ? s.work->c : nullptr}) {
    if (b == nullptr || status != LIBSGEMM_SUCCESS) continue;
    b->launched = true;
    status = backend_.record_event(device_, b->free, set_->compute, error_);
  }
  if (status != LIBSGEMM_SUCCESS) return status;
  --s.first->pins;
  if (s.second != nullptr) --s.second->pins;
  if (last) results_.push_back(s.work);
  return status;
}

void Pipeline::settle() {
  for (std::vector<Slot> *all : {&slots_, &direct_}) {
    for (Slot &slot : *all) {
      for (;;) {
        const int state = slot.state.load(std::memory_order_acquire);
        if (state != filling && state != storing) break;
        if (!help_copy()) usleep(50);
      }
    }
  }
  for (Work &w : works_) {
    while (w.unsaved.load(std::memory_order_acquire) > 0) {
      if (!help_copy()) usleep(50);
    }
  }
  for (void *stream : {set_->up, set_->compute, set_->down}) {
    if (ending_ != Ending::lost) settle_stream(stream);
  }
  // If another call abandoned the device, waits are refused: copies may be in flight. After other failures it is idle.
  if (is_abandoned(backend_, device_)) ending_ = Ending::lost;
}

libsgemm_status_t Pipeline::settle_stream(void *stream) {
  Error ignored = {};
  void *event = direct_.front().event;
  // Without an event only synchronize() can wait, without a timeout.
  if (backend_.record_event(device_, event, stream, &ignored) != LIBSGEMM_SUCCESS) {
    return backend_.synchronize(device_, stream, &ignored);
  }
  quiet_ = 0;
  progress_ = Clock::now();
  for (bool ended = false; !ended && ending_ != Ending::lost;) {
    const libsgemm_status_t status = backend_.query_event(device_, event, &ended, &ignored);
    if (status != LIBSGEMM_SUCCESS) return backend_.synchronize(device_, stream, &ignored);
    if (!ended) {
      idle_for_a_while();
      check_time(&ignored);
    }
  }
  return LIBSGEMM_SUCCESS;
}

void Pipeline::restore() const {
  for (const Block &region : saved_) job_.undo.restore(job_.desc, region);
}

}  // namespace libsgemm
